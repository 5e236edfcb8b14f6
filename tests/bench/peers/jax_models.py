# SPDX-License-Identifier: Apache-2.0
"""JAX's side of the training of described networks: "jax NETWORK STEPS" asks for microseconds of
processor time and of wall time a step, "peak" for the largest resident size in MB. A step is one
compiled program that keeps its state; the batch lies ready."""
import os
import resource
import sys
import time

os.environ["XLA_FLAGS"] = "--xla_cpu_multi_thread_eigen=false intra_op_parallelism_threads=1"
os.environ["JAX_PLATFORMS"] = "cpu"

import functools  # noqa: E402

import jax  # noqa: E402
import jax.numpy as jnp  # noqa: E402
import numpy  # noqa: E402
from jax import lax  # noqa: E402

generator = numpy.random.default_rng(1)


def drawn(*shape):
    limit = (6 / (numpy.prod(shape[:-1]) + shape[-1])) ** 0.5
    return jnp.array(generator.uniform(-limit, limit, shape), jnp.float32)


def convolution(x, w, stride=1, padding="SAME"):
    return lax.conv_general_dilated(x, w, (stride, stride), padding,
                                    dimension_numbers=("NHWC", "HWIO", "NHWC"))


def normalized(x, p):
    mean, square = x.mean((0, 1, 2)), (x * x).mean((0, 1, 2))
    return (x - mean) * lax.rsqrt(square - mean * mean + 1e-5) * p["scale"] + p["bias"]


def norm(width):
    return {"scale": jnp.ones(width, jnp.float32), "bias": jnp.zeros(width, jnp.float32)}


def largest(x):
    return lax.reduce_window(x, -jnp.inf, lax.max, (1, 2, 2, 1), (1, 2, 2, 1), "VALID")


def simple(p, x, key):
    x = largest(jax.nn.relu(convolution(x, p["a"], 1, "VALID") + p["ab"]))
    x = largest(jax.nn.relu(convolution(x, p["b"], 1, "VALID") + p["bb"]))
    x = x.reshape(x.shape[0], -1)
    return jnp.where(jax.random.bernoulli(key, 0.5, x.shape), x * 2, 0) @ p["c"]


def make_simple():
    return {"a": drawn(3, 3, 1, 32), "ab": jnp.zeros(32), "b": drawn(3, 3, 32, 64), "bb": jnp.zeros(64),
            "c": drawn(1600, 10)}


def guide(p, x, key):
    for layer, stride in zip(p["layers"], (1, 2, 2)):
        x = jax.nn.relu(normalized(convolution(x, layer["w"], stride), layer["n"]))
    x = jax.nn.relu(x.mean((1, 2)) @ p["a"])
    return jnp.where(jax.random.bernoulli(key, 0.5, x.shape), x * 2, 0) @ p["b"]


def make_guide():
    sizes = [(3, 1, 12), (6, 12, 24), (6, 24, 32)]
    return {"layers": [{"w": drawn(k, k, a, b), "n": norm(b)} for k, a, b in sizes],
            "a": drawn(32, 256), "b": drawn(256, 10)}


def residual(p, x, key, strides):
    x = jax.nn.relu(normalized(convolution(x, p["first"]), p["norm"]))
    for block, stride in zip(p["blocks"], strides):
        y = jax.nn.relu(normalized(convolution(x, block["a"], stride, ((1, 1), (1, 1))), block["na"]))
        y = normalized(convolution(y, block["b"]), block["nb"])
        if "s" in block:
            x = normalized(convolution(x, block["s"], stride, "VALID"), block["ns"])
        x = jax.nn.relu(x + y)
    return x.mean((1, 2)) @ p["last"]


def make_residual(widths, count):
    blocks, strides, before = [], [], widths[0]
    for stage, width in enumerate(widths):
        for number in range(count):
            stride = 2 if stage > 0 and number == 0 else 1
            block = {"a": drawn(3, 3, before, width), "na": norm(width), "b": drawn(3, 3, width, width),
                     "nb": norm(width)}
            if stride > 1:
                block |= {"s": drawn(1, 1, before, width), "ns": norm(width)}
            blocks.append(block)
            strides.append(stride)
            before = width
    parameters = {"first": drawn(3, 3, 3, widths[0]), "norm": norm(widths[0]), "blocks": blocks,
                  "last": drawn(before, 10)}
    return parameters, functools.partial(residual, strides=tuple(strides))


def row_normalized(x, scale):
    mean = x.mean(-1, keepdims=True)
    return (x - mean) * lax.rsqrt(((x - mean) ** 2).mean(-1, keepdims=True) + 1e-5) * scale


def gpt(p, tokens, key):
    batch, length = tokens.shape
    x = p["wte"][tokens] + p["wpe"]
    mask = jnp.tril(jnp.ones((length, length), bool))
    for h in p["h"]:
        q, k, v = (part.reshape(batch, length, 4, 32)
                   for part in jnp.split(row_normalized(x, h["n1"]) @ h["qkv"], 3, -1))
        scores = jnp.where(mask, jnp.einsum("bqhd,bkhd->bhqk", q, k) / 32 ** 0.5, -jnp.inf)
        y = jnp.einsum("bhqk,bkhd->bqhd", jax.nn.softmax(scores, -1), v).reshape(batch, length, 128)
        x = x + y @ h["o"]
        x = x + jax.nn.gelu(row_normalized(x, h["n2"]) @ h["fc"], approximate=False) @ h["out"]
    return (row_normalized(x, p["n"]) @ p["wte"].T).reshape(batch * length, -1)


def make_gpt():
    block = [{"n1": jnp.ones(128), "n2": jnp.ones(128), "qkv": drawn(128, 384), "o": drawn(128, 128),
              "fc": drawn(128, 512), "out": drawn(512, 128)} for _ in range(4)]
    return {"wte": drawn(65, 128), "wpe": drawn(64, 128), "h": block, "n": jnp.ones(128)}


def sgd(parameters, state, gradients, count):
    state = [jax.tree.map(lambda b, g: 0.9 * b + g, state[0], gradients)]
    return jax.tree.map(lambda w, b: w - 0.1 * b, parameters, state[0]), state


def adam(parameters, state, gradients, count):
    rate = 1e-3 * jnp.sqrt(1 - 0.999 ** count) / (1 - 0.9 ** count)
    m = jax.tree.map(lambda m, g: m + (g - m) * 0.1, state[0], gradients)
    v = jax.tree.map(lambda v, g: v + (g * g - v) * 0.001, state[1], gradients)
    return jax.tree.map(lambda w, m, v: w - rate * m / (jnp.sqrt(v) + 1e-7), parameters, m, v), [m, v]


def network(name):
    """Its parameters, what it computes, its optimiser with its arrays, the shape of a batch, classes."""
    if name == "resnet18":
        return *make_residual((64, 128, 256, 512), 2), sgd, 1, (32, 32, 32, 3), 10
    if name == "resnet20":
        return *make_residual((16, 32, 64), 3), sgd, 1, (128, 32, 32, 3), 10
    if name == "gpt":
        return make_gpt(), gpt, adam, 2, (12, 64), 65
    make, computes = (make_simple, simple) if name == "cnn" else (make_guide, guide)
    return make(), computes, adam, 2, (64, 28, 28, 1), 10


class Training:
    def __init__(self, name):
        parameters, computes, update, arrays, shape, classes = network(name)
        images = len(shape) == 4
        self.inputs = jnp.array(generator.random(shape, numpy.float32) if images
                                else generator.integers(0, classes, shape))
        self.labels = jnp.array(generator.integers(0, classes, shape[0] if images else shape[0] * shape[1]))

        def loss(parameters, inputs, labels, key):
            scores = jax.nn.log_softmax(computes(parameters, inputs, key))
            return -jnp.take_along_axis(scores, labels[:, None], axis=1).mean()

        @functools.partial(jax.jit, donate_argnums=0)
        def step(state, inputs, labels):
            parameters, moments, count, key = state
            key, mine = jax.random.split(key)
            value, gradients = jax.value_and_grad(loss)(parameters, inputs, labels, mine)
            parameters, moments = update(parameters, moments, gradients, count + 1)
            return (parameters, moments, count + 1, key), value

        self.compiled = step
        moments = [jax.tree.map(jnp.zeros_like, parameters) for _ in range(arrays)]
        self.state = (parameters, moments, jnp.float32(0), jax.random.key(1))

    def step(self):
        self.state, value = self.compiled(self.state, self.inputs, self.labels)
        return float(value)


def main():
    ready = {}
    for line in sys.stdin:
        if line.startswith("peak"):
            print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024, flush=True)
            continue
        _, name, steps = line.split()
        if name not in ready:
            ready[name] = Training(name)
            for _ in range(2):
                ready[name].step()
        cpu, wall = time.process_time(), time.perf_counter()
        for _ in range(int(steps)):
            ready[name].step()
        print((time.process_time() - cpu) / int(steps) * 1e6,
              (time.perf_counter() - wall) / int(steps) * 1e6, flush=True)


main()

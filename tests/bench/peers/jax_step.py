# SPDX-License-Identifier: Apache-2.0
"""JAX's side of the training step, tuned: "jax BATCH STEPS" asks for microseconds of wall time a
step. Many steps are one compiled program, a scan over batches that lie ready, so that no step waits
for Python."""
import os
import sys
import time

os.environ["XLA_FLAGS"] = "--xla_cpu_multi_thread_eigen=false intra_op_parallelism_threads=1"
os.environ["JAX_PLATFORMS"] = "cpu"

import functools  # noqa: E402

import jax  # noqa: E402
import jax.numpy as jnp  # noqa: E402
import numpy  # noqa: E402

WIDTHS = (784, 256, 256, 10)
SAMPLES = 16384


def loss(weights, images, labels):
    x = images
    for w, b in weights[:-1]:
        x = jax.nn.relu(x @ w + b)
    w, b = weights[-1]
    scores = jax.nn.log_softmax(x @ w + b)
    return -jnp.take_along_axis(scores, labels[:, None], axis=1).mean()


def step(state, batch):
    weights, m, v, count = state
    gradients = jax.grad(loss)(weights, *batch)
    count += 1
    rate = 1e-3 * jnp.sqrt(1 - 0.999 ** count) / (1 - 0.9 ** count)
    m = jax.tree.map(lambda m, g: m + (g - m) * 0.1, m, gradients)
    v = jax.tree.map(lambda v, g: v + (g * g - v) * 0.001, v, gradients)
    weights = jax.tree.map(lambda w, m, v: w - rate * m / (jnp.sqrt(v) + 1e-7), weights, m, v)
    return (weights, m, v, count), None


@functools.partial(jax.jit, donate_argnums=0)
def steps(state, images, labels):
    return jax.lax.scan(step, state, (images, labels))[0]


def fresh(generator):
    weights = [(jnp.array(generator.normal(0, 0.05, (a, b)), jnp.float32), jnp.zeros(b, jnp.float32))
               for a, b in zip(WIDTHS, WIDTHS[1:])]
    def zeros():
        return jax.tree.map(jnp.zeros_like, weights)
    return weights, zeros(), zeros(), jnp.float32(0)


def main():
    generator = numpy.random.default_rng(1)
    images = (generator.random((SAMPLES, 784)) * (generator.random((SAMPLES, 784)) < 0.2)).astype(numpy.float32)
    labels = generator.integers(0, 10, SAMPLES)
    ready = {}
    for line in sys.stdin:
        batch, count = map(int, line.split()[1:])
        if batch not in ready:
            whole = SAMPLES // batch
            data = (jnp.array(images[:whole * batch].reshape(whole, batch, 784)),
                    jnp.array(labels[:whole * batch].reshape(whole, batch)))
            ready[batch] = (whole, data, jax.block_until_ready(steps(fresh(generator), *data)))
        whole, data, state = ready[batch]
        rounds = max(count // whole, 1)
        begin = time.perf_counter()
        for _ in range(rounds):
            state = steps(state, *data)
        jax.block_until_ready(state)
        ready[batch] = (whole, data, state)
        print((time.perf_counter() - begin) / (rounds * whole) * 1e6, flush=True)


main()

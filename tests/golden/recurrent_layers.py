# SPDX-License-Identifier: Apache-2.0
"""Writes recurrent_layers.txt: lstm, gru and conv2d_transpose as PyTorch and Keras compute them.

    pip install torch keras jax && python3 recurrent_layers.py > recurrent_layers.txt

One line a tensor: name, shape as AxB, values. In float64; images are batch x height x width x
channels. torch_*: the operands, the state_dict by the names of a layer "layers.0", the result y
and the gradients of sum(y * dy). keras_*: a network of named layers with its weights turned into
PyTorch's layouts, the result, and the weights behind three steps of gradient descent.
"""
import os
import sys

os.environ["KERAS_BACKEND"] = "jax"
os.environ["JAX_ENABLE_X64"] = "1"
os.environ["JAX_PLATFORMS"] = "cpu"

import jax
import keras
import numpy as np
import torch

STEPS, RATE = 3, 0.1
RNG = np.random.default_rng(20261123)


def draw(*shape, size=1.0):
    """Float32 numbers, so that both sides start alike."""
    return RNG.uniform(-size, size, shape).astype(np.float32).astype(np.float64)


def write(name, values):
    values = np.asarray(values, np.float64)
    shape = "x".join(str(extent) for extent in values.shape) or "1"
    print(name, shape, *(f"{value:.9g}" for value in values.ravel()))


def torch_case(name, module, x, given, images=False, flips=False):
    """`given`: what of the module's result the layer gives."""
    for parameter in module.parameters():
        parameter.data = torch.tensor(draw(*parameter.shape, size=0.7))
    taken = torch.tensor(x, requires_grad=True)
    turned = taken.permute(0, 3, 1, 2) if images else taken.flip(1) if flips else taken
    y = given(module(turned))
    if images:
        y = y.permute(0, 2, 3, 1)
    dy = draw(*y.shape)
    (y * torch.tensor(dy)).sum().backward()
    write(f"{name}.x", x)
    write(f"{name}.y", y.detach())
    write(f"{name}.dy", dy)
    for key, parameter in module.named_parameters():
        write(f"{name}.layers.0.{key}", parameter.detach())
        write(f"{name}.gradient.layers.0.{key}", parameter.grad)


def torch_cases():
    torch.set_default_dtype(torch.float64)
    sequence = (3, 6, 4)
    for kind, module in (("lstm", torch.nn.LSTM), ("gru", torch.nn.GRU)):
        def make():
            return module(4, 5, batch_first=True)
        torch_case(f"torch_{kind}_sequences", make(), draw(*sequence), lambda y: y[0])
        torch_case(f"torch_{kind}_last", make(), draw(*sequence), lambda y: y[0][:, -1])
        torch_case(f"torch_{kind}_backwards", make(), draw(*sequence), lambda y: y[0], flips=True)
        torch_case(f"torch_{kind}_without_bias", module(4, 5, batch_first=True, bias=False),
                   draw(*sequence), lambda y: y[0])
    torch_case("torch_transposed", torch.nn.ConvTranspose2d(3, 4, 3, 2, 1, 1), draw(2, 4, 5, 3),
               lambda y: y, images=True)
    torch_case("torch_transposed_wide",
               torch.nn.ConvTranspose2d(2, 3, (2, 3), (3, 1), (1, 2), (2, 0), dilation=(2, 1)),
               draw(2, 4, 5, 2), lambda y: y, images=True)


def in_order(kernel, kind):
    """[inputs, gates * units] of Keras as [gates * units, inputs] of PyTorch: of a GRU z, r, h as
    r, z, n."""
    rows = np.asarray(kernel).T
    if kind != "gru":
        return rows
    update, reset, candidate = np.split(rows, 3)
    return np.concatenate([reset, update, candidate])


def torch_tensors(layer):
    """Names and values of a layer's weights as PyTorch has them."""
    kind = type(layer).__name__.lower()
    if kind in ("lstm", "gru"):
        kernel, recurrent, bias = (np.asarray(value) for value in layer.get_weights())
        biases = bias if kind == "gru" else np.stack([bias, np.zeros_like(bias)])
        yield "weight_ih_l0", in_order(kernel, kind)
        yield "weight_hh_l0", in_order(recurrent, kind)
        yield "bias_ih_l0", in_order(biases[0][None], kind)[:, 0]
        yield "bias_hh_l0", in_order(biases[1][None], kind)[:, 0]
    elif kind == "conv2dtranspose":
        kernel, bias = layer.get_weights()  # height, width, filters, channels
        yield "weight", np.transpose(kernel, (3, 2, 0, 1))
        yield "bias", bias
    elif kind == "dense":
        kernel, bias = layer.get_weights()
        yield "weight", kernel.T
        yield "bias", bias


def write_weights(prefix, model):
    for layer in model.layers:
        for name, values in torch_tensors(layer):
            write(f"{prefix}.{layer.name}.{name}", values)


def keras_case(name, model, x):
    for layer in model.layers:
        layer.set_weights([draw(*value.shape, size=0.7) for value in layer.get_weights()])
    y = model(x)
    dy = draw(*y.shape)
    write(f"{name}.x", x)
    write(f"{name}.y", y)
    write(f"{name}.dy", dy)
    write_weights(f"{name}.initial", model)

    def loss(trainable):
        result, _ = model.stateless_call(trainable, [v.value for v in
                                                     model.non_trainable_variables], x)
        return (result * dy).sum()

    for _ in range(STEPS):
        gradients = jax.grad(loss)([v.value for v in model.trainable_variables])
        for variable, gradient in zip(model.trainable_variables, gradients):
            variable.assign(variable.value - RATE * gradient)
    write_weights(f"{name}.trained", model)


def keras_cases():
    layers = keras.layers
    keras.config.set_floatx("float64")
    keras_case("keras_recurrent", keras.Sequential([
        keras.Input((6, 4)), layers.LSTM(5, return_sequences=True, name="first"),
        layers.GRU(4, return_sequences=True, go_backwards=True, name="second"),
        layers.LSTM(3, name="third"), layers.Dense(2, name="last")]), draw(3, 6, 4))
    for name, options in (("valid", {}), ("valid_far", {"strides": (4, 2)}),
                          ("same", {"padding": "same", "strides": 2}),
                          ("same_even", {"padding": "same", "strides": (2, 3),
                                         "kernel_size": (4, 2)}),
                          ("same_more", {"padding": "same", "strides": (2, 3),
                                         "output_padding": (0, 1)}),
                          ("valid_more", {"strides": 2, "output_padding": 1})):
        keras_case(f"keras_transposed_{name}", keras.Sequential([
            keras.Input((4, 3, 2)),
            layers.Conv2DTranspose(3, **{"kernel_size": 3, "name": "up", **options})]),
            draw(2, 4, 3, 2))


def main():
    print(f"# torch {torch.__version__}, keras {keras.__version__}, jax {jax.__version__}")
    torch_cases()
    keras_cases()


if __name__ == "__main__":
    sys.exit(main())

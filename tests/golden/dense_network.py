# SPDX-License-Identifier: Apache-2.0
"""Writes dense_network.txt: what Keras 3 (float64, JAX) computes for a small network.

    pip install keras jax && python3 dense_network.py > dense_network.txt

One line a tensor: name, shape as AxB, values. Kernels are stored as PyTorch lays them out,
[out, in]. Inputs and initial weights are float32 numbers, so that both sides start alike.
"""
import os
import sys

os.environ["KERAS_BACKEND"] = "jax"
os.environ["JAX_ENABLE_X64"] = "1"
os.environ["JAX_PLATFORMS"] = "cpu"

import jax
import keras
import numpy as np

FEATURES, UNITS, BATCH, STEPS = 13, [17, 9, 5], 7, 3


def build():
    """Two ReLU layers and logits; weights and biases drawn anew in the same order each time."""
    rng = np.random.default_rng(20240607)
    model = keras.Sequential([keras.Input((FEATURES,))])
    for index, units in enumerate(UNITS):
        last = index == len(UNITS) - 1
        model.add(keras.layers.Dense(units, activation=None if last else "relu"))
    for layer in model.layers:
        inputs, units = layer.kernel.shape
        limit = np.sqrt(6 / (inputs + units))
        kernel = rng.uniform(-limit, limit, (inputs, units)).astype(np.float32)
        bias = rng.uniform(-0.1, 0.1, units).astype(np.float32)
        layer.set_weights([kernel.astype(np.float64), bias.astype(np.float64)])
    x = rng.uniform(0, 1, (BATCH, FEATURES)).astype(np.float32).astype(np.float64)
    labels = rng.integers(0, UNITS[-1], BATCH)
    return model, x, labels


def write(name, values):
    values = np.asarray(values, np.float64)
    shape = "x".join(str(extent) for extent in values.shape) or "1"
    print(name, shape, *(f"{value:.9g}" for value in values.ravel()))


def write_tensors(prefix, tensors):
    """Kernel and bias of each layer in turn, as layers.K.weight and layers.K.bias."""
    for index, values in enumerate(tensors):
        kind = "weight" if index % 2 == 0 else "bias"
        values = np.asarray(values)
        write(f"{prefix}.layers.{index // 2}.{kind}", values.T if kind == "weight" else values)


def loss_and_gradients(model, x, labels):
    loss_of = keras.losses.SparseCategoricalCrossentropy(from_logits=True)

    def mean_loss(trainable):
        logits, _ = model.stateless_call(trainable, [], x)
        return loss_of(labels, logits)

    return jax.value_and_grad(mean_loss)([v.value for v in model.trainable_variables])


def train(prefix, optimizer):
    model, x, labels = build()
    for _ in range(STEPS):
        _, gradients = loss_and_gradients(model, x, labels)
        optimizer.apply(gradients, model.trainable_variables)
    write_tensors(prefix, model.trainable_variables)


def main():
    keras.config.set_floatx("float64")
    model, x, labels = build()
    loss, gradients = loss_and_gradients(model, x, labels)
    print(f"# keras {keras.__version__}, jax {jax.__version__}, numpy {np.__version__}")
    write("x", x)
    write("labels", labels)
    write_tensors("initial", model.trainable_variables)
    write("logits", model(x))
    write("loss", loss)
    write_tensors("gradient", gradients)
    # The first step sizes are large, so that an error in any term shows.
    train("adam", keras.optimizers.Adam(learning_rate=0.01, epsilon=1e-3))
    train("adam_default", keras.optimizers.Adam())
    train("momentum", keras.optimizers.SGD(learning_rate=0.1, momentum=0.9))
    train("sgd", keras.optimizers.SGD(learning_rate=0.1))


if __name__ == "__main__":
    sys.exit(main())

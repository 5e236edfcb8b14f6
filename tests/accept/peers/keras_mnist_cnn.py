#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The CNN of Keras' distributed guides on MNIST: keras_mnist_cnn.py FOLDER SEED, on JAX, one core.

The network, optimiser, batch and data of resources/examples' like job; prints {"accuracy": ..., "loss": ...}
of the test set after three epochs as JSON."""

import gzip
import json
import os
import pathlib
import sys

os.environ["KERAS_BACKEND"] = "jax"

import keras
import numpy as np


def idx(folder, name, offset):
    path = pathlib.Path(folder) / name
    raw = path.read_bytes() if path.exists() else gzip.decompress(path.with_name(name + ".gz").read_bytes())
    return np.frombuffer(raw, np.uint8, offset=offset)


def network():
    layers = keras.layers
    return keras.Sequential([
        keras.Input((28, 28, 1)),
        layers.Conv2D(12, 3, padding="same", use_bias=False),
        layers.BatchNormalization(scale=False),
        layers.Activation("relu"),
        layers.Conv2D(24, 6, strides=2, padding="same", use_bias=False),
        layers.BatchNormalization(scale=False),
        layers.Activation("relu"),
        layers.Conv2D(32, 6, strides=2, padding="same", use_bias=False),
        layers.BatchNormalization(scale=False),
        layers.Activation("relu"),
        layers.GlobalAveragePooling2D(),
        layers.Dense(256, activation="relu"),
        layers.Dropout(0.5),
        layers.Dense(10),
    ])


def main(folder, seed):
    keras.utils.set_random_seed(seed)
    images = idx(folder, "train-images-idx3-ubyte", 16).reshape(-1, 28, 28, 1)[:50000] / np.float32(255)
    labels = idx(folder, "train-labels-idx1-ubyte", 8)[:50000].astype(np.int32)
    test = idx(folder, "t10k-images-idx3-ubyte", 16).reshape(-1, 28, 28, 1) / np.float32(255)
    answers = idx(folder, "t10k-labels-idx1-ubyte", 8).astype(np.int32)
    model = network()
    model.compile(keras.optimizers.Adam(0.001), keras.losses.SparseCategoricalCrossentropy(from_logits=True),
                  metrics=["accuracy"])
    model.fit(images, labels, batch_size=128, epochs=3, verbose=0)
    loss, accuracy = model.evaluate(test, answers, batch_size=512, verbose=0)
    print(json.dumps({"accuracy": float(accuracy), "loss": float(loss)}))


if __name__ == "__main__":
    main(sys.argv[1], int(sys.argv[2]))

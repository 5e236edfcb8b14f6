#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes optimizers.txt: what Keras 3's optimizers make of two tensors in 20 steps, and what its
schedules say at 30 iterations. Made with Keras 3.15.1 on the backend of PyTorch.

A line is "update NAME" with the 20 numbers of the matrix [5, 4] and the 5 of the bias behind it, or
"schedule NAME" with a rate for each iteration of ITERATIONS.
"""
import os

os.environ.setdefault("KERAS_BACKEND", "torch")

import numpy
from keras import Variable, config, ops, optimizers
from keras.optimizers import schedules

STEPS = 20
ITERATIONS = [*range(0, 20), 25, 29, 30, 31, 39, 40, 41, 60, 99, 1000]


def start(count):
    return numpy.array([((i * 5 + 3) % 17 - 8) / 16 for i in range(count)], "float32")


def gradient(step, count):
    return numpy.array([((i * 7 + step * 13) % 29 - 14) / 16 for i in range(count)], "float32")


def updated(optimizer, decays_bias=True):
    values = start(25)
    weight = Variable(values[:20].reshape(5, 4), name="weight")
    bias = Variable(values[20:], name="bias")
    if not decays_bias:
        optimizer.exclude_from_weight_decay(var_names=["bias"])
    optimizer.build([weight, bias])
    for step in range(1, STEPS + 1):
        g = gradient(step, 25)
        optimizer.apply([ops.convert_to_tensor(g[:20].reshape(5, 4)), ops.convert_to_tensor(g[20:])])
    return [*ops.convert_to_numpy(weight.value).ravel(), *ops.convert_to_numpy(bias.value).ravel()]


UPDATES = {
    "sgd": lambda: updated(optimizers.SGD(0.1)),
    "momentum": lambda: updated(optimizers.SGD(0.1, momentum=0.9)),
    "nesterov": lambda: updated(optimizers.SGD(0.1, momentum=0.9, nesterov=True)),
    "adam": lambda: updated(optimizers.Adam(0.01)),
    "adamw": lambda: updated(optimizers.AdamW(0.01)),
    "adamw_matrices": lambda: updated(optimizers.AdamW(0.01, weight_decay=0.5), False),
    "rmsprop": lambda: updated(optimizers.RMSprop(0.01)),
    "rmsprop_momentum": lambda: updated(optimizers.RMSprop(0.01, momentum=0.9)),
    "lion": lambda: updated(optimizers.Lion(0.01)),
    "lion_decay": lambda: updated(optimizers.Lion(0.01, weight_decay=0.1)),
    "clipnorm": lambda: updated(optimizers.SGD(0.1, clipnorm=1.0)),
    "clipvalue": lambda: updated(optimizers.SGD(0.1, clipvalue=0.25)),
    "global_clipnorm": lambda: updated(optimizers.SGD(0.1, global_clipnorm=1.0)),
    "cosine_adam": lambda: updated(optimizers.Adam(
        schedules.CosineDecay(0.0, 15, warmup_target=0.01, warmup_steps=5))),
}
SCHEDULES = {
    "cosine": schedules.CosineDecay(0.1, 30, alpha=0.1),
    "cosine_warmup": schedules.CosineDecay(0.01, 30, alpha=0.05, warmup_target=0.1, warmup_steps=9),
    "exponential": schedules.ExponentialDecay(0.1, 7, 0.96),
    "staircase": schedules.ExponentialDecay(0.1, 7, 0.5, staircase=True),
    "piecewise": schedules.PiecewiseConstantDecay([5, 29], [1.0, 0.5, 0.1]),
    "polynomial": schedules.PolynomialDecay(0.1, 30, 0.001, power=2.5),
    "polynomial_cycle": schedules.PolynomialDecay(0.1, 30, 0.001, cycle=True),
}

lines = []
for name, make in UPDATES.items():
    lines.append(f"update {name} " + " ".join(f"{float(v):.9g}" for v in make()))
config.set_floatx("float64")
for name, schedule in SCHEDULES.items():
    rates = [float(schedule(numpy.float64(i))) for i in ITERATIONS]
    lines.append(f"schedule {name} " + " ".join(f"{v:.15g}" for v in rates))
folder = os.path.dirname(os.path.abspath(__file__))
with open(os.path.join(folder, "optimizers.txt"), "w", encoding="utf-8") as out:
    out.write("\n".join(lines) + "\n")

# SPDX-License-Identifier: Apache-2.0
"""Writes objective.txt: losses, their gradients and metrics as Keras 3 (float64, JAX) has them.

    pip install keras jax && python3 objective.py > objective.txt

One line a tensor: name, shape as AxB, values. Losses are means over the samples, as
SUM_OVER_BATCH_SIZE gives them; gradients are those of the mean.
"""
import os

os.environ["KERAS_BACKEND"] = "jax"
os.environ["JAX_ENABLE_X64"] = "1"
os.environ["JAX_PLATFORMS"] = "cpu"

import jax
import keras
import numpy as np

ROWS, CLASSES, VALUES, ANSWERS = 9, 6, 3, 400
keras.backend.set_floatx("float64")
losses, metrics = keras.losses, keras.metrics
rng = np.random.default_rng(20261123)


def drawn(low, high, shape):
    return rng.uniform(low, high, shape).astype(np.float32).astype(np.float64)


def write(name, values):
    values = np.asarray(values, np.float64)
    shape = "x".join(str(extent) for extent in values.shape) or "1"
    print(name, shape, *(f"{value:.12g}" for value in values.ravel()))


def write_loss(name, mean_loss, at):
    loss, gradient = jax.value_and_grad(mean_loss)(jax.numpy.asarray(at))
    write(f"{name}.loss", loss)
    write(f"{name}.gradient", gradient)


def class_losses(logits, labels):
    onehot = np.eye(CLASSES)
    weights = drawn(0.2, 3, CLASSES)
    others = rng.integers(0, CLASSES, ROWS)
    shares = drawn(0.05, 0.95, ROWS)
    shares[0] = 1
    mixed = shares[:, None] * onehot[labels] + (1 - shares[:, None]) * onehot[others]
    targets = drawn(0, 1, (ROWS, CLASSES))
    targets = (targets / targets.sum(-1, keepdims=True)).astype(np.float32).astype(np.float64)
    for name, values in [("weights", weights), ("others", others), ("shares", shares),
                         ("distributions", targets)]:
        write(name, values)
    sparse = losses.SparseCategoricalCrossentropy(from_logits=True)
    ignoring = losses.SparseCategoricalCrossentropy(from_logits=True, ignore_class=2)
    smooth = losses.CategoricalCrossentropy(from_logits=True, label_smoothing=0.1)
    write_loss("plain", lambda x: sparse(labels, x), logits)
    write_loss("ignored", lambda x: ignoring(labels, x), logits)
    write_loss("weighted", lambda x: sparse(labels, x, weights[labels]), logits)
    write_loss("smoothed", lambda x: smooth(onehot[labels], x), logits)
    write_loss("mixed", lambda x: smooth(mixed, x), logits)
    write_loss("distributed", lambda x: smooth(targets, x), logits)


def number_losses(predictions):
    targets = drawn(-2, 2, (ROWS, VALUES))
    answers = rng.integers(0, 2, (ROWS, VALUES)).astype(np.float64)
    write("predictions", predictions)
    write("targets", targets)
    write("answers", answers)
    binary = losses.BinaryCrossentropy(from_logits=True, label_smoothing=0.2)
    write_loss("binary", lambda x: binary(answers, x), predictions)
    for name, loss in [("mean_squared_error", losses.MeanSquaredError()),
                       ("mean_absolute_error", losses.MeanAbsoluteError()),
                       ("huber", losses.Huber(delta=0.75))]:
        write_loss(name, lambda x, loss=loss: loss(targets, x), predictions)
    for metric in (metrics.MeanAbsoluteError(), metrics.RootMeanSquaredError()):
        write(f"metric.{metric.name}", metric(targets, predictions))


def class_metrics(logits, labels):
    for k in (2, 3):
        metric = metrics.SparseTopKCategoricalAccuracy(k)
        write(f"metric.top_{k}_accuracy", metric(labels, logits))
    write("metric.accuracy", metrics.SparseCategoricalAccuracy()(labels, logits))
    loss = losses.SparseCategoricalCrossentropy(from_logits=True)(labels, logits)
    write("metric.perplexity", np.exp(loss))


def answer_metrics():
    """Of many answers of yes or no, so that every threshold of the curve has some."""
    truths = rng.integers(0, 2, ANSWERS).astype(np.float64)
    logits = (drawn(-2, 2, ANSWERS) + truths).astype(np.float32).astype(np.float64)
    write("many.logits", logits)
    write("many.truths", truths)
    probabilities = 1 / (1 + np.exp(-logits))
    for metric in (metrics.AUC(), metrics.Precision(), metrics.Recall(), metrics.BinaryAccuracy()):
        name = metric.name.removesuffix("_1")
        write(f"metric.{name}", metric(truths[:, None], probabilities[:, None]))


def main():
    logits = drawn(-3, 3, (ROWS, CLASSES))
    labels = np.array([0, 5, 2, 2, 1, 3, 4, 0, 5])
    write("logits", logits)
    write("labels", labels)
    class_losses(logits, labels)
    class_metrics(logits, labels)
    number_losses(drawn(-2, 2, (ROWS, VALUES)))
    answer_metrics()


if __name__ == "__main__":
    main()

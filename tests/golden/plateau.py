# SPDX-License-Identifier: Apache-2.0
"""Makes plateau.txt: the learning rates that Keras' ReduceLROnPlateau gives for validation losses.

    KERAS_BACKEND=jax python plateau.py > plateau.txt

A case is three lines: factor, patience, min_delta, cooldown, min_lr; the losses; the rate behind
each of them, the first of which was 0.1.
"""

import random

import keras

CASES = (
    (0.5, 2, 0.01, 0, 0.0),
    (0.1, 1, 0.0, 3, 0.0),
    (0.25, 3, 0.05, 1, 0.01),
    (0.3, 0, 0.001, 2, 0.02),
)


def rates(losses, settings):
    factor, patience, min_delta, cooldown, min_lr = settings
    model = keras.Sequential([keras.layers.Dense(1)])
    model.compile(optimizer=keras.optimizers.SGD(0.1), loss="mse")
    callback = keras.callbacks.ReduceLROnPlateau(
        monitor="val_loss", factor=factor, patience=patience, min_delta=min_delta,
        cooldown=cooldown, min_lr=min_lr, mode="min")
    callback.set_model(model)
    callback.on_train_begin()
    for epoch, loss in enumerate(losses):
        callback.on_epoch_end(epoch, {"val_loss": loss})
        yield float(model.optimizer.learning_rate)


def main():
    print("# Keras", keras.__version__)
    draw = random.Random(3)
    for settings in CASES:
        losses = [round(1 / (1 + 0.2 * epoch) + draw.choice((0, 0, 0.05, 0.2)), 3)
                  for epoch in range(12)] + [round(0.3 + draw.random() * 0.02, 4) for _ in range(20)]
        print(*settings)
        print(*losses)
        print(*(f"{rate:.7g}" for rate in rates(losses, settings)))


if __name__ == "__main__":
    main()

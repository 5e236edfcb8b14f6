# SPDX-License-Identifier: Apache-2.0
"""The Keras callback. Imported only when it is asked for: Keras takes seconds."""
import time


def _accuracy(logs):
    """Keras calls it by the name of its metric."""
    for name in ("accuracy", "sparse_categorical_accuracy", "categorical_accuracy",
                 "binary_accuracy", "acc"):
        if name in logs:
            return logs[name]
    return None


def make_callback(report):
    import keras

    class LockstepCallback(keras.callbacks.Callback):
        """Reports every batch, epoch and validation. `loss` of a batch is the mean of the epoch
        so far, as Keras gives it."""

        def on_train_begin(self, logs=None):
            steps = self.params.get("steps") or 0
            epochs = self.params.get("epochs") or 0
            report.plan(total_steps=steps * epochs, steps_per_epoch=steps, epochs=epochs)

        def on_epoch_begin(self, epoch, logs=None):
            self._began = time.monotonic()

        def on_train_batch_begin(self, batch, logs=None):
            report.phase("program")

        def on_train_batch_end(self, batch, logs=None):
            logs = logs or {}
            report.step(loss=logs.get("loss"), accuracy=_accuracy(logs))

        def on_test_begin(self, logs=None):
            report.phase("evaluate")

        def on_test_end(self, logs=None):
            report.phase("program")

        def on_epoch_end(self, epoch, logs=None):
            logs = logs or {}
            validation = {key[4:]: value for key, value in logs.items() if key.startswith("val_")}
            report.epoch(epoch + 1, loss=logs.get("loss"), accuracy=_accuracy(logs),
                         validation_loss=validation.get("loss"),
                         validation_accuracy=_accuracy(validation),
                         seconds=time.monotonic() - self._began)

        def on_train_end(self, logs=None):
            report.flush()

    return LockstepCallback()

# SPDX-License-Identifier: Apache-2.0
"""The Keras callback. Imported only when it is asked for: Keras takes seconds."""
import time

# What Keras calls accuracy, by the name of the metric.
_ACCURACIES = ("accuracy", "sparse_categorical_accuracy", "categorical_accuracy",
               "binary_accuracy", "acc")


def _split(logs):
    """Loss, accuracy, and all others by name."""
    others = dict(logs or {})
    loss = others.pop("loss", None)
    for name in _ACCURACIES:
        if name in others:
            return loss, others.pop(name), others
    return loss, None, others


def _named(group, figures):
    return {f"{group}/{name}": value for name, value in figures.items()}


def make_callback(report):
    import keras

    class LockstepCallback(keras.callbacks.Callback):
        """Reports every batch, epoch, validation and test. Figures of a batch are the mean of the
        epoch so far, as Keras gives them."""

        _fitting = False
        _began = 0.0
        _of_batches = frozenset()

        def on_train_begin(self, logs=None):
            self._fitting = True
            params = self.params or {}
            steps, epochs = params.get("steps") or 0, params.get("epochs") or 0
            report.plan(total_steps=steps * epochs, steps_per_epoch=steps, epochs=epochs)

        def on_epoch_begin(self, epoch, logs=None):
            self._began = time.monotonic()

        def on_train_batch_begin(self, batch, logs=None):
            report.phase("program")

        def on_train_batch_end(self, batch, logs=None):
            loss, accuracy, others = _split(logs)
            self._of_batches = frozenset(others)
            report.step(loss=loss, accuracy=accuracy)
            report.log(others)

        def on_test_begin(self, logs=None):
            report.phase("evaluate")

        def on_test_end(self, logs=None):
            report.phase("program")
            if self._fitting:  # a validation: the epoch's end has its figures
                return
            loss, accuracy, others = _split(logs)
            report.evaluation(loss=loss, accuracy=accuracy, split="test")
            report.log(_named("test", others))

        def on_epoch_end(self, epoch, logs=None):
            logs = logs or {}
            of_training = {name: value for name, value in logs.items()
                           if not name.startswith("val_")}
            of_validation = {name[4:]: value for name, value in logs.items()
                             if name.startswith("val_")}
            loss, accuracy, others = _split(of_training)
            validation_loss, validation_accuracy, more = _split(of_validation)
            report.epoch(epoch + 1, loss=loss, accuracy=accuracy,
                         validation_loss=validation_loss,
                         validation_accuracy=validation_accuracy,
                         seconds=time.monotonic() - self._began)
            report.log(_named("validation", more))
            # Others than the batches' own: the learning rate, what other callbacks have added.
            report.log({name: value for name, value in others.items()
                        if name not in self._of_batches})

        def on_train_end(self, logs=None):
            self._fitting = False
            report.flush()

    return LockstepCallback()

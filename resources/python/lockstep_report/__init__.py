# SPDX-License-Identifier: Apache-2.0
"""Shows a training program of your own in Lockstep: loss, accuracy and where it is, live.

Lockstep starts the program (`[launch] command = ["python", "train.py"]` in the job file) and puts
this module on its path. Needs the packages pyzmq and protobuf. With PyTorch, three lines:

    import lockstep_report
    report = lockstep_report.connect()
    ...
        report.step(loss=loss.item())              # once a step, in every process

With Keras, one callback:

    model.fit(..., callbacks=[lockstep_report.keras_callback()])

Nothing here ever waits for anybody or raises an error into the training: where the program was not
started by Lockstep, or the packages are missing, every call does nothing; what cannot be sent in
time is dropped, counted, and said in the run's history.
"""
import os
import sys

from ._report import NoReport, Report

__all__ = ["NoReport", "Report", "connect", "keras_callback"]
__version__ = "1.0"


def connect():
    """The report of this process: a `Report`, or a `NoReport` whose calls do nothing.

    Each call makes a connection of its own: call it once, after any fork.
    """
    endpoint = os.environ.get("LOCKSTEP_REPORT_ENDPOINT", "")
    if not endpoint:
        return NoReport()
    try:
        return Report(endpoint)
    except Exception as error:  # whatever it is, the training must go on without it
        print(f"warning: lockstep_report: nothing is reported: {error}", file=sys.stderr)
        return NoReport()


def keras_callback(report=None):
    """A Keras callback that reports every batch, epoch and validation of `fit`.

    report: what connect() gave; by default a connection of its own.
    """
    from ._keras import make_callback

    return make_callback(report if report is not None else connect())

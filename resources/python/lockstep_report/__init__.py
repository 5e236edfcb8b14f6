# SPDX-License-Identifier: Apache-2.0
"""Shows a training program of your own in Lockstep: its loss and any other figure, live.

Lockstep starts the program (`[launch] command = ["python", "train.py"]` in the job file) and puts
this module on its path. It needs Python 3.8 and nothing else. Three lines:

    import lockstep_report
    report = lockstep_report.connect()
    ...
        report.step(loss=loss, f1=f1)     # once a step, in every process; any names, any scalars

With Keras, one callback, which reports every metric:

    model.fit(..., callbacks=[lockstep_report.keras_callback()])

No call ever waits for anybody or raises an error into the training: where the program was not
started by Lockstep every call does nothing; what is no number is left out, counted and said once;
what cannot be sent in time is dropped, counted, and said in the run's history.

A program that has stopped moving is asked by the signal SIGRTMIN+5 for the stacks of its threads,
which go to its standard error: importing this module answers it, unless somebody else does.
"""
import os
import sys

from . import _stacks
from ._report import NoReport, Report

__all__ = ["NoReport", "Report", "connect", "keras_callback"]
__version__ = "2.0"


_stacks.answer()


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
    """A Keras callback that reports every batch, epoch and validation, with every metric in it.

    report: what connect() gave; by default a connection of its own.
    """
    from ._keras import make_callback

    return make_callback(report if report is not None else connect())

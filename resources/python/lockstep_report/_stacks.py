# SPDX-License-Identifier: Apache-2.0
"""Lets Lockstep ask a program that is stuck where its threads are."""
import os
import signal

SIGNAL = 5  # behind SIGRTMIN, as in Lockstep's own processes
STANDARD_ERROR = 2


def answer():
    """From now on the stacks of all threads are written when the signal comes; Lockstep is told so.

    Without the file Lockstep sends no signal: one that nobody answers would end the program.
    """
    endpoint = os.environ.get("LOCKSTEP_REPORT_ENDPOINT", "")
    if not endpoint:
        return
    try:
        import faulthandler

        number = signal.SIGRTMIN + SIGNAL
        if signal.getsignal(number) != signal.SIG_DFL:
            return
        # Not chained: what stands behind it is the default, which ends the program.
        faulthandler.register(number, file=STANDARD_ERROR, all_threads=True, chain=False)
        with open(os.path.join(os.path.dirname(endpoint), f"stacks-{os.getpid()}"), "w"):
            pass
    except Exception:  # whatever it is, the training must go on without it
        return

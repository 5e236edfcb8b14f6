# SPDX-License-Identifier: Apache-2.0
"""The connection: a bounded queue that the training fills and one thread that empties it."""
import atexit
import collections
import collections.abc
import functools
import math
import os
import socket
import sys
import threading
import time

from . import _lines

SEND_SECONDS = 0.1       # between two batches of steps
PROGRESS_SECONDS = 1.0   # between two words on where the program is
MOST_QUEUED = 20000      # steps, values of other figures and reports that wait to be sent
MOST_IN_A_BATCH = 1000
MOST_NAMES = 256         # of figures; Lockstep takes no more of a process
FLUSH_SECONDS = 2.0      # at the end of the program
_MOST_32 = 0xFFFFFFFF
TIMES = ("data", "forward", "backward", "all_reduce", "update")


def _number(value):
    """A float of whatever the training has: Python's, numpy's, a tensor of one element. None of
    what is no number."""
    if isinstance(value, (str, bytes, bytearray)):
        return None
    try:
        if hasattr(value, "item"):
            value = value.item()
        return float(value)
    except Exception:  # None, tensors of many elements, strangers of all kinds
        return None


def _count(value, most=1 << 53, otherwise=0):
    try:
        return min(max(0, int(value)), most)
    except Exception:
        return otherwise


def _harmless(method):
    """Of a public method: does nothing in a forked child, after close() and where it fails."""

    @functools.wraps(method)
    def guarded(self, /, *arguments, **named):
        if self._closed:
            return self._is_empty() if method.__name__ == "flush" else None
        try:
            return method(self, *arguments, **named)
        except Exception as error:
            self._refuse(f"{method.__name__}(): {error}")
            return False if method.__name__ == "flush" else None

    return guarded


class NoReport:
    """What connect() gives where nobody listens. Every call does nothing."""

    connected = False
    dropped = 0  # steps, values and reports that found no room
    refused = 0  # values that are no numbers, arguments that say nothing

    def step(self, /, loss=None, accuracy=None, step=None, phases=None, *more, **figures):
        """One training step has ended, in this process.

        loss, accuracy: of this process's samples; accuracy from 0 to 1.
        step: its number, the first being 1 (or 0); by default one more than the last.
        phases: seconds by name: data, forward, backward, all_reduce, update.
        figures: anything else that is a scalar, under any name: a chart of its own.
        """

    def log(self, figures=None, /, *more, step=None, **named):
        """Figures by name, as keywords or in a dictionary: {"train/f1": 0.5}.

        step: of which step they are; by default the last one. Where step() is never called, the
        values of a name are counted.
        """

    def epoch(self, /, epoch=None, loss=None, accuracy=None, validation_loss=None,
              validation_accuracy=None, seconds=None, step=None, *more, **figures):
        """An epoch (the first being 1) has ended. What process 0 says counts.

        figures: other scalars, shown as epoch/NAME, or validation/NAME for validation_NAME.
        """

    def evaluation(self, /, loss=None, accuracy=None, split="validation", step=None, epoch=None,
                   seconds=None, *more, **figures):
        """The model was scored on `split`: "validation" or "test". What process 0 says counts.

        figures: other scalars, shown as validation/NAME or test/NAME.
        """

    def plan(self, /, total_steps=None, steps_per_epoch=None, epochs=None, batch_size=None,
             first_step=None, *more, **unknown):
        """How much there is to do, as far as it is known; first_step: done in earlier starts.

        batch_size: samples of one step over all processes. What process 0 says counts.
        """

    def phase(self, /, name=None, *more, **unknown):
        """What this process does from now on: "data", "forward", "backward", "all-reduce",
        "update", "checkpoint", "evaluate", "waiting" or "program"."""

    def flush(self, /, seconds=FLUSH_SECONDS, *more, **unknown):
        """Waits until all is sent, up to `seconds`. Returns whether it is."""
        return True

    def close(self, /, *more, **unknown):
        """Sends what is left and ends the connection. The end of the program does it, too."""

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()


class Report(NoReport):
    """A connection to Lockstep. Calls may come from any thread; none of them waits or raises."""

    connected = True

    def __init__(self, endpoint):
        self._closed = False
        self._lock = threading.Lock()
        self._queue = collections.deque()
        self._step = None    # the last one; None: step() was never called
        self._from_zero = 0  # 1: the program counts its steps from 0
        self._values_of = {}  # how many values of a name there were
        self._phase = "program"
        self._last_end = time.monotonic()
        self._lost_from, self._lost = 0, 0  # what found no room, not told yet
        self.dropped = 0
        self.refused = 0
        self._stopping = threading.Event()
        self._idle = threading.Event()
        self._unsent = b""
        self._socket = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        self._socket.settimeout(SEND_SECONDS)
        self._socket.connect(endpoint)
        self._thread = threading.Thread(target=self._run, name="lockstep-report", daemon=True)
        self._thread.start()
        atexit.register(self.close)
        if hasattr(os, "register_at_fork"):
            os.register_at_fork(after_in_child=self._forget)

    def _forget(self):
        """In a forked child: the thread and the socket are the parent's."""
        self._closed = True

    @_harmless
    def step(self, /, loss=None, accuracy=None, step=None, phases=None, *more, **figures):
        now, wall = time.monotonic(), time.time()
        times = phases if isinstance(phases, dict) else {}
        row = [self._figure("loss", loss), self._figure("accuracy", accuracy), 0.0]
        row += [1e6 * self._figure(name, times.get(name, 0)) for name in TIMES]
        named = self._numbers(figures)
        self._refuse_extra(more)
        with self._lock:
            row[2] = 1e6 * (now - self._last_end)
            self._last_end = now
            number = self._given(step, is_first=self._step is None)
            self._step = number if number is not None else (self._step or 0) + 1
            self._add(("step", self._step, wall, row))
            self._add_figures(named, self._step, wall)

    @_harmless
    def log(self, figures=None, /, *more, step=None, **named):
        values = self._numbers(figures if figures is not None else {})
        values += self._numbers(named)
        self._refuse_extra(more)
        self._log(values, step)

    @_harmless
    def epoch(self, /, epoch=None, loss=None, accuracy=None, validation_loss=None,
              validation_accuracy=None, seconds=None, step=None, *more, **figures):
        body = {"epoch": _count(epoch, _MOST_32), "train_loss": self._figure("loss", loss),
                "train_accuracy": self._figure("accuracy", accuracy),
                "seconds": self._figure("seconds", seconds if seconds is not None else 0.0)}
        for name, value in (("validation_loss", validation_loss),
                            ("validation_accuracy", validation_accuracy)):
            if value is not None:
                body[name] = self._figure(name, value)
        self._refuse_extra(more)
        if body["epoch"] == 0:
            return self._refuse("epoch() without the number of the epoch")
        self._send_later("epoch", body, step)
        self._log([(_of_validation(name) or f"epoch/{name}", value)
                   for name, value in self._numbers(figures)], step)

    @_harmless
    def evaluation(self, /, loss=None, accuracy=None, split="validation", step=None, epoch=None,
                   seconds=None, *more, **figures):
        split = "test" if isinstance(split, str) and split == "test" else "validation"
        body = {"split": split, "loss": self._figure("loss", loss),
                "accuracy": self._figure("accuracy", accuracy), "epoch": _count(epoch, _MOST_32),
                "seconds": self._figure("seconds", seconds if seconds is not None else 0.0)}
        self._refuse_extra(more)
        self._send_later("evaluation", body, step)
        self._log([(f"{split}/{name}", value) for name, value in self._numbers(figures)], step)

    @_harmless
    def plan(self, /, total_steps=None, steps_per_epoch=None, epochs=None, batch_size=None,
             first_step=None, *more, **unknown):
        body = {"total_steps": _count(total_steps), "steps_per_epoch": _count(steps_per_epoch),
                "epochs": _count(epochs, _MOST_32), "batch_size": _count(batch_size, _MOST_32),
                "first_step": _count(first_step)}
        self._refuse_extra(more + tuple(unknown))
        with self._lock:
            if body["first_step"]:
                self._step = max(self._step or 0, body["first_step"])
            self._add(("plan", body))

    @_harmless
    def phase(self, /, name=None, *more, **unknown):
        if isinstance(name, str) and name in _lines.PHASES:
            self._phase = name
        else:
            self._refuse(f"phase() knows {', '.join(_lines.PHASES)}")

    @_harmless
    def flush(self, /, seconds=FLUSH_SECONDS, *more, **unknown):
        if not self._thread.is_alive():
            return self._is_empty()
        self._idle.clear()
        return self._idle.wait(_number(seconds) or 0)

    def close(self, /, *more, **unknown):
        if self._closed:
            return
        self._closed = True
        self._stopping.set()
        self._thread.join(2 * FLUSH_SECONDS)

    def _is_empty(self):
        return not self._queue and not self._unsent and not self._lost

    # ---- what the callers' side does ------------------------------------------------------------

    def _refuse(self, why):
        self.refused += 1
        if self.refused > 1:
            return
        try:
            print(f"warning: lockstep_report: {why}: such are left out, counted in "
                  "report.refused (said once)", file=sys.stderr, flush=True)
        except Exception:  # nobody reads
            pass

    def _refuse_extra(self, values):
        if values:
            self._refuse(f"{len(values)} arguments too many")

    def _figure(self, name, value):
        """Of a figure that may be left out."""
        if value is None:
            return math.nan
        number = _number(value)
        if number is None:
            self._refuse(f"{name} is of type {type(value).__name__}, no number")
            return math.nan
        return number

    def _numbers(self, figures):
        """The (name, number) in a dictionary that anybody may have filled."""
        if not isinstance(figures, collections.abc.Mapping):
            self._refuse(f"log() takes names and values, no {type(figures).__name__}")
            return []
        numbers = []
        for name, value in figures.items():
            number = _number(value)
            if number is None:
                self._refuse(f"{name} is of type {type(value).__name__}, no number")
            else:
                numbers.append((str(name).encode("utf-8", "replace").decode(), number))
        return numbers

    # ---- under the lock -------------------------------------------------------------------------

    def _given(self, step, is_first=False):
        """The number of a step as a run counts, from 1; None where it says none."""
        number = _count(step, otherwise=None) if step is not None else None
        if number is None:
            return None
        if is_first and number == 0:
            self._from_zero = 1
        return number + self._from_zero

    def _log(self, values, step):
        wall = time.time()
        with self._lock:
            number = self._given(step)
            self._add_figures(values, self._step if number is None else number, wall)

    def _add_figures(self, values, step, wall):
        for name, value in values:
            if name not in self._values_of and len(self._values_of) >= MOST_NAMES:
                self._refuse(f"{name} is one name more than {MOST_NAMES}")
                continue
            self._values_of[name] = self._values_of.get(name, 0) + 1
            self._add(("figure", self._values_of[name] if step is None else step, wall, name,
                       value))

    def _send_later(self, kind, body, step):
        with self._lock:
            number = self._given(step)
            body["step"] = (self._step or 0) if number is None else number
            self._add((kind, body))

    def _add(self, item):
        if len(self._queue) < MOST_QUEUED:
            self._queue.append(item)
            return
        self.dropped += 1
        step = item[1].get("step", self._step) if isinstance(item[1], dict) else item[1]
        self._lost_from = self._lost_from or step or 0
        self._lost += 1

    # ---- the thread -----------------------------------------------------------------------------

    def _run(self):
        next_progress = 0.0
        try:
            while not self._stopping.wait(SEND_SECONDS):
                self._send_all()
                if time.monotonic() >= next_progress:
                    next_progress = time.monotonic() + PROGRESS_SECONDS
                    self._unsent += _lines.of("progress", {"step": self._step or 0,
                                                           "phase": self._phase})
            deadline = time.monotonic() + FLUSH_SECONDS
            while not self._send_all() and time.monotonic() < deadline:
                pass  # a send that nobody takes waits by itself
        except Exception:  # the end of the interpreter, or nobody listens any more
            pass
        finally:
            self._socket.close()

    def _send_all(self):
        """Sends what the socket takes; whether that is all. The rest stays queued."""
        while self._send_bytes():
            with self._lock:
                items = [self._queue.popleft()
                         for _ in range(min(len(self._queue), MOST_IN_A_BATCH))]
                lost_from, lost = self._lost_from, self._lost
                if not items:
                    self._lost_from, self._lost = 0, 0
            if not items and not lost:
                self._idle.set()
                return True
            self._unsent = (_lines.of_items(items) if items else
                            _lines.of("drops", {"first_step": lost_from, "count": lost}))
        return False

    def _send_bytes(self):
        try:
            while self._unsent:
                sent = self._socket.send(self._unsent, getattr(socket, "MSG_NOSIGNAL", 0))
                self._unsent = self._unsent[sent:]
            return True
        except socket.timeout:
            return False


def _of_validation(name):
    begin = "validation_"
    return f"validation/{name[len(begin):]}" if name.startswith(begin) else None

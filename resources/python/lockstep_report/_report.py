# SPDX-License-Identifier: Apache-2.0
"""The connection: a bounded queue that the training fills and one thread that empties it."""
import atexit
import collections
import functools
import math
import os
import threading
import time

SEND_SECONDS = 0.1       # between two batches of steps
PROGRESS_SECONDS = 1.0   # between two words on where the program is
MOST_QUEUED = 20000      # steps and other reports that wait to be sent
MOST_IN_A_BATCH = 2048
FLUSH_SECONDS = 2.0      # at the end of the program
_MOST_32 = 0xFFFFFFFF
TIMES = ("data", "forward", "backward", "all_reduce", "update")


def _number(value):
    """A float of whatever the training has: NaN of what is none."""
    try:
        return float(value)
    except Exception:  # None, tensors of many elements, strangers of all kinds
        return math.nan


def _count(value, most=1 << 53):
    try:
        return min(max(0, int(value)), most)
    except Exception:
        return 0


def _harmless(method):
    """Of a public method: does nothing in a forked child, after close() and where it fails."""

    @functools.wraps(method)
    def guarded(self, *arguments, **named):
        if self._closed:
            return None
        try:
            return method(self, *arguments, **named)
        except Exception:
            self.dropped += 1
            return None

    return guarded


class NoReport:
    """What connect() gives where nobody listens. Every call does nothing."""

    connected = False
    dropped = 0

    def step(self, loss=None, accuracy=None, step=None, phases=None):
        """One training step has ended, in this process.

        loss, accuracy: of this process's samples; accuracy from 0 to 1.
        step: its number, the first being 1; by default one more than the last.
        phases: seconds by name: data, forward, backward, all_reduce, update.
        """

    def epoch(self, epoch, loss=None, accuracy=None, validation_loss=None,
              validation_accuracy=None, seconds=None, step=None):
        """An epoch (the first being 1) has ended. What process 0 says counts."""

    def evaluation(self, loss=None, accuracy=None, split="validation", step=None, epoch=None,
                   seconds=None):
        """The model was scored on `split`: "validation" or "test". What process 0 says counts."""

    def plan(self, total_steps=None, steps_per_epoch=None, epochs=None, batch_size=None,
             first_step=None):
        """How much there is to do, as far as it is known; first_step: done in earlier starts.

        batch_size: samples of one step over all processes. What process 0 says counts.
        """

    def phase(self, name):
        """What this process does from now on: "data", "forward", "backward", "all-reduce",
        "update", "checkpoint", "evaluate", "waiting" or "program"."""

    def flush(self, seconds=FLUSH_SECONDS):
        """Waits until all is sent, up to `seconds`. Returns whether it is."""
        return True

    def close(self):
        """Sends what is left and ends the connection. The end of the program does it, too."""

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()


class Report(NoReport):
    """A connection to Lockstep. Calls may come from any thread; none of them waits or raises."""

    connected = True

    def __init__(self, endpoint):
        import zmq

        from . import _messages

        self._messages = _messages
        self._closed = False
        self._lock = threading.Lock()
        self._queue = collections.deque()
        self._step = 0
        self._phase = _messages.PHASES["program"]
        self._last_end = time.monotonic()
        self._lost_from, self._lost = 0, 0  # steps that found no room, not told yet
        self.dropped = 0
        self._stopping = threading.Event()
        self._idle = threading.Event()
        self._context = zmq.Context()
        self._socket = self._context.socket(zmq.PUSH)
        self._socket.setsockopt(zmq.SNDHWM, 256)
        self._socket.setsockopt(zmq.IMMEDIATE, 1)  # what nobody takes waits here, within its limit
        self._socket.setsockopt(zmq.LINGER, int(1000 * FLUSH_SECONDS))
        self._socket.connect(endpoint)
        self._again = zmq.Again
        self._thread = threading.Thread(target=self._run, name="lockstep-report", daemon=True)
        self._thread.start()
        atexit.register(self.close)
        if hasattr(os, "register_at_fork"):
            os.register_at_fork(after_in_child=self._forget)

    def _forget(self):
        """In a forked child: the thread and the socket are the parent's."""
        self._closed = True

    @_harmless
    def step(self, loss=None, accuracy=None, step=None, phases=None):
        now, wall = time.monotonic(), time.time()
        times = phases if isinstance(phases, dict) else {}
        row = [_number(loss), _number(accuracy), 0.0]
        row += [1e6 * _number(times.get(name, 0)) for name in TIMES]
        with self._lock:
            row[2] = 1e6 * (now - self._last_end)
            self._last_end = now
            self._step = _count(step) if step is not None else self._step + 1
            self._add(("step", self._step, wall, row))

    @_harmless
    def epoch(self, epoch, loss=None, accuracy=None, validation_loss=None,
              validation_accuracy=None, seconds=None, step=None):
        report = self._new()
        report.epoch.epoch = _count(epoch, _MOST_32)
        report.epoch.train_loss = _number(loss)
        report.epoch.train_accuracy = _number(accuracy)
        report.epoch.has_validation = validation_loss is not None
        if validation_loss is not None:
            report.epoch.validation_loss = _number(validation_loss)
            report.epoch.validation_accuracy = _number(validation_accuracy)
        report.epoch.seconds = 0.0 if seconds is None else _number(seconds)
        self._send_later(report, report.epoch, step)

    @_harmless
    def evaluation(self, loss=None, accuracy=None, split="validation", step=None, epoch=None,
                   seconds=None):
        report = self._new()
        report.evaluation.split = "test" if split == "test" else "validation"
        report.evaluation.loss = _number(loss)
        report.evaluation.accuracy = _number(accuracy)
        report.evaluation.epoch = _count(epoch, _MOST_32)
        report.evaluation.seconds = 0.0 if seconds is None else _number(seconds)
        self._send_later(report, report.evaluation, step)

    @_harmless
    def plan(self, total_steps=None, steps_per_epoch=None, epochs=None, batch_size=None,
             first_step=None):
        report = self._new()
        report.plan.total_steps = _count(total_steps)
        report.plan.steps_per_epoch = _count(steps_per_epoch)
        report.plan.epochs = _count(epochs, _MOST_32)
        report.plan.global_batch_size = _count(batch_size, _MOST_32)
        report.plan.first_step = _count(first_step)
        with self._lock:
            self._step = max(self._step, _count(first_step))
            self._add(("report", report))

    @_harmless
    def phase(self, name):
        self._phase = self._messages.PHASES.get(name, self._phase)

    @_harmless
    def flush(self, seconds=FLUSH_SECONDS):
        if not self._thread.is_alive():
            return not self._queue
        self._idle.clear()
        return self._idle.wait(seconds)

    def close(self):
        if self._closed:
            return
        self._closed = True
        self._stopping.set()
        self._thread.join(2 * FLUSH_SECONDS)

    # ---- what the callers' side does under the lock --------------------------------------------

    def _new(self):
        return self._messages.ProgramReport(protocol=self._messages.PROTOCOL)

    def _send_later(self, report, body, step):
        with self._lock:
            body.step = _count(step) if step is not None else self._step
            self._add(("report", report))

    def _add(self, item):
        if len(self._queue) < MOST_QUEUED:
            self._queue.append(item)
            return
        self.dropped += 1
        if item[0] == "step":
            self._lost_from = self._lost_from or item[1]
            self._lost += 1

    # ---- the thread -----------------------------------------------------------------------------

    def _run(self):
        next_progress = 0.0
        try:
            while not self._stopping.wait(SEND_SECONDS):
                self._send_all()
                if time.monotonic() >= next_progress:
                    next_progress = time.monotonic() + PROGRESS_SECONDS
                    self._send_progress()
            deadline = time.monotonic() + FLUSH_SECONDS
            while not self._send_all() and time.monotonic() < deadline:
                time.sleep(0.02)
        except Exception:  # the end of the interpreter, or a socket that is no more
            pass
        finally:
            self._socket.close()
            self._context.term()  # for at most as long as the socket lingers

    def _send_all(self):
        """Sends what the socket takes; whether that is all. The rest stays queued."""
        while True:
            with self._lock:
                batch = self._take_batch()
                lost_from, lost = self._lost_from, self._lost
            if not batch:
                break
            if not self._send(self._encode(batch)):
                with self._lock:
                    self._queue.extendleft(reversed(batch))
                return False
        if lost:
            report = self._new()
            report.drops.first_step = lost_from
            report.drops.count = lost
            if self._send(report):
                with self._lock:
                    self._lost_from, self._lost = 0, 0
        self._idle.set()
        return True

    def _take_batch(self):
        """Consecutive steps, or one other report."""
        batch = []
        while self._queue and len(batch) < MOST_IN_A_BATCH:
            item = self._queue[0]
            if batch and (item[0] != "step" or item[1] != batch[-1][1] + 1):
                break
            batch.append(self._queue.popleft())
            if item[0] != "step":
                break
        return batch

    def _encode(self, batch):
        if batch[0][0] != "step":
            return batch[0][1]
        report = self._new()
        steps = report.steps
        steps.first_step = max(1, batch[0][1])
        steps.first_end_wall_time = batch[0][2]
        columns = (steps.loss, steps.accuracy, steps.step_us, steps.data_us, steps.forward_us,
                   steps.backward_us, steps.all_reduce_us, steps.update_us)
        for _, _, _, row in batch:
            for column, value in zip(columns, row):
                column.append(value)
        return report

    def _send_progress(self):
        report = self._new()
        report.progress.step = self._step
        report.progress.phase = self._phase
        self._send(report)

    def _send(self, report):
        try:
            self._socket.send(report.SerializeToString(), flags=1)  # NOBLOCK
            return True
        except self._again:
            return False

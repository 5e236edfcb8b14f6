#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The Python module lockstep_report against a socket of its own. Needs nothing but Python.

usage: report_module.py
"""
import math
import os
import pathlib
import signal
import subprocess
import sys
import tempfile
import threading
import time
import types
import unittest

MODULE = pathlib.Path(__file__).resolve().parents[2] / "resources" / "python"
sys.path.insert(0, str(MODULE))
sys.dont_write_bytecode = True

import lockstep_report  # noqa: E402
from lockstep_report import _report  # noqa: E402
from report_listener import Listener  # noqa: E402


class Tensor:
    """As frameworks have them: of one element or of many."""

    def __init__(self, *values):
        self.values = values

    def item(self):
        if len(self.values) != 1:
            raise RuntimeError("a tensor with many elements is no scalar")
        return self.values[0]


class Hostile:
    def __float__(self):
        raise RuntimeError("no number")

    __int__ = __index__ = __str__ = __repr__ = __bool__ = __eq__ = __hash__ = __float__

    @property
    def item(self):
        raise RuntimeError("no item")


STRANGE = (None, "text", b"x", [], {}, (), Hostile(), Tensor(1, 2), math.inf, -math.inf, math.nan,
           -1, 0, 1.5, 1 << 80, 1 << 2000, True, complex(1, 2), object(), print)


def is_figure(name, values=None):
    return lambda kind, body: kind == "scalars" and body["name"] == name and (
        values is None or body["values"][-len(values):] == values)


class WithListener(unittest.TestCase):
    def setUp(self):
        self.listener = Listener()
        self.addCleanup(self.listener.close)
        self.report = lockstep_report.connect()
        self.addCleanup(self.report.close)
        self.assertTrue(self.report.connected)

    def test_steps_arrive_in_order_with_their_figures(self):
        for step in range(1000):
            self.report.step(loss=step, accuracy=0.0, phases={"data": 0.001})
        reports = self.listener.take(lambda k, b: k == "steps" and b["loss"][-1] == 999)
        batches = [body for kind, body in reports if kind == "steps"]
        self.assertEqual([loss for batch in batches for loss in batch["loss"]], list(range(1000)))
        self.assertEqual(batches[0]["first_step"], 1)
        self.assertAlmostEqual(batches[0]["data_us"][0], 1000, places=2)
        self.assertEqual(batches[0]["accuracy"][0], 0)
        self.assertNotIn("update_us", batches[0])

    def test_any_name_is_a_figure_of_the_step(self):
        for step in range(3):
            self.report.step(loss=1, f1=0.5 * step, lr=Tensor(0.1), ok=True)
        found = {}
        reports = self.listener.take(lambda k, b: k == "scalars" and b["name"] == "ok"
                                     and b["steps"][-1] == 3)
        for kind, body in reports:
            if kind == "scalars":
                found.setdefault(body["name"], []).extend(zip(body["steps"], body["values"]))
                self.assertAlmostEqual(body["wall_times"][0], time.time(), delta=60)
        self.assertEqual(found, {"f1": [(1, 0.0), (2, 0.5), (3, 1.0)],
                                 "lr": [(1, 0.1), (2, 0.1), (3, 0.1)],
                                 "ok": [(1, 1.0), (2, 1.0), (3, 1.0)]})

    def test_log_takes_names_that_are_no_keywords(self):
        self.report.step(loss=1)
        self.report.log({"train/f1": 0.25, "figures": 1}, self=2)
        self.report.log({"late": 3}, step=17)
        reports = self.listener.take(is_figure("late"))
        found = {body["name"]: body for kind, body in reports if kind == "scalars"}
        self.assertEqual(found["train/f1"]["steps"], [1])
        self.assertEqual(found["self"]["values"], [2.0])
        self.assertEqual(found["late"]["steps"], [17])

    def test_without_steps_the_values_of_a_name_are_counted(self):
        for value in range(3):
            self.report.log(a=value)
            self.report.log(b=value)
        reports = self.listener.take(is_figure("b"))
        figures = {body["name"]: body["steps"] for kind, body in reports if kind == "scalars"}
        self.assertEqual(figures, {"a": [1, 2, 3], "b": [1, 2, 3]})

    def test_a_program_that_counts_from_zero_loses_no_step(self):
        for step in range(5):
            self.report.step(loss=step, step=step)
        reports = self.listener.take(lambda k, b: k == "steps" and b["loss"][-1] == 4)
        steps = [body for kind, body in reports if kind == "steps"]
        self.assertEqual(steps[0]["first_step"], 1)
        self.assertEqual(sum(len(body["loss"]) for body in steps), 5)

    def test_a_gap_in_the_steps_begins_another_batch(self):
        self.report.step(loss=1, step=5)
        self.report.step(loss=2, step=9)
        reports = self.listener.take(lambda k, b: k == "steps" and b["first_step"] == 9)
        self.assertEqual([b["first_step"] for k, b in reports if k == "steps"], [5, 9])

    def test_progress_tells_step_and_phase(self):
        self.report.step(loss=1)
        self.report.phase("checkpoint")
        reports = self.listener.take(lambda k, b: k == "progress" and b["phase"] == "checkpoint")
        self.assertEqual(reports[-1][1]["step"], 1)

    def test_numbers_that_json_has_not_are_words(self):
        self.report.step(loss=math.nan, x=math.inf, y=-math.inf)
        reports = self.listener.take(is_figure("y"))
        self.assertEqual([body["loss"] for kind, body in reports if kind == "steps"], [[None]])
        self.assertEqual(reports[-2][1]["values"], ["inf"])
        self.assertEqual(reports[-1][1]["values"], ["-inf"])

    def test_no_argument_whatever_raises_or_loses_the_step(self):
        report, calls = self.report, 0
        for value in STRANGE:
            report.step(loss=value)
            report.step(value, value, None, {"data": value})
            report.step(1, 2, None, value)
            report.step(1, 0.5, None, None, value, value)
            report.step(loss=1, any_name=value, self=value)
            calls += 5
            report.step(value, value, value, value, value)
            report.log(value, value, step=value, any_name=value)
            report.log({"name": value, "Ünïcode \ud800": 1, 5: 2})
            report.epoch(value, value, value, value, value, value, value, value, f1=value)
            report.evaluation(value, value, value, value, value, value, value, f1=value)
            report.plan(value, value, value, value, value, value, other=value)
            report.phase(value)
            report.phase()
            report.flush(0)
        report.epoch()
        report.evaluation()
        self.assertGreater(report.refused, 50)
        taken = report.step(loss=0.125, step=1 << 40)
        self.assertIsNone(taken)
        reports = self.listener.take(lambda k, b: k == "steps" and 0.125 in b["loss"])
        arrived = sum(len(body["loss"]) for kind, body in reports if kind == "steps")
        self.assertGreaterEqual(arrived, calls)
        self.assertEqual(report.dropped, 0)

    def test_what_is_no_number_is_said_once(self):
        text = ("import lockstep_report\nreport = lockstep_report.connect()\n"
                "for i in range(5): report.step(loss=1, name='x', other=[i])\n"
                "assert report.refused == 10\n")
        done = subprocess.run([sys.executable, "-B", "-c", text], check=True, timeout=60,
                              capture_output=True, text=True,
                              env={**os.environ, "PYTHONPATH": str(MODULE)})
        self.assertEqual(done.stderr.count("warning"), 1)
        self.assertIn("name is of type str, no number", done.stderr)

    def test_names_without_end_are_refused_and_the_rest_goes_on(self):
        for i in range(_report.MOST_NAMES + 10):
            self.report.log({f"name {i}": 1})
        self.report.log({"name 0": 2})
        self.assertEqual(self.report.refused, 10)
        self.listener.take(is_figure("name 0", [2.0]))

    def test_epochs_and_evaluations_carry_their_own_figures(self):
        self.report.step(loss=1)
        self.report.epoch(7, loss=0.5, validation_f1=0.25, time=3)
        self.report.evaluation(loss=0.5, split="test", f1=0.75)
        reports = self.listener.take(is_figure("test/f1"))
        bodies = dict(reports)
        self.assertEqual(bodies["epoch"]["epoch"], 7)
        self.assertIsNone(bodies["epoch"]["train_accuracy"])
        self.assertNotIn("validation_loss", bodies["epoch"])
        self.assertEqual(bodies["evaluation"]["split"], "test")
        names = [body["name"] for kind, body in reports if kind == "scalars"]
        self.assertEqual(sorted(names), ["epoch/time", "test/f1", "validation/f1"])

    def test_closing_sends_what_is_left_and_later_calls_do_nothing(self):
        self.report.evaluation(loss=0.25, split="test")
        self.report.close()
        self.listener.take(lambda k, b: k == "evaluation" and b["loss"] == 0.25)
        self.report.step(loss=1)
        self.report.close()
        self.assertEqual(len(self.report._queue), 0)

    def test_a_forked_child_says_nothing_and_does_not_wait(self):
        child = os.fork()
        if child == 0:
            self.report.step(loss=1)
            self.report.flush()
            self.report.close()
            os._exit(0)
        deadline = time.monotonic() + 20
        while os.waitpid(child, os.WNOHANG)[0] == 0:
            self.assertLess(time.monotonic(), deadline, "the child hangs")
            time.sleep(0.01)

    def test_a_reader_that_falls_behind_loses_nothing_that_was_queued(self):
        for step in range(15000):
            self.report.step(loss=step, f1=None if step else 1)
        time.sleep(0.5)  # the socket's buffer is full, and lines are cut in the middle of a send
        reports = self.listener.take(lambda k, b: k == "steps" and b["loss"][-1] == 14999)
        losses = [loss for kind, body in reports if kind == "steps" for loss in body["loss"]]
        self.assertEqual(losses, list(range(15000)))

    def test_an_epoch_that_finds_no_room_is_told_like_a_step(self):
        for item in (("epoch", {"epoch": 3, "step": 70}), ("plan", {"total_steps": 9}),
                     ("step", 71, 0.0, [])):
            with self.subTest(item[0]), self.report._lock:
                self.report._lost_from = self.report._lost = 0
                most, _report.MOST_QUEUED = _report.MOST_QUEUED, 0
                self.report._add(item)
                _report.MOST_QUEUED = most
                self.assertEqual(self.report._lost, 1)
                self.assertEqual(self.report._lost_from, {"epoch": 70, "step": 71}.get(item[0], 0))

    def test_flush_says_whether_all_is_sent_after_the_end_too(self):
        self.report.step(loss=1)
        self.assertIs(self.report.flush(), True)
        self.report.close()
        self.assertIs(self.report.flush(), True)
        self.report._queue.append(("step", 1, 0.0, []))
        self.assertIs(self.report.flush(), False)

    def test_whoever_listens_may_go_at_any_time(self):
        self.report.step(loss=1)
        self.listener.take(lambda k, b: k == "steps")
        self.listener.connection.close()
        self.listener.socket.close()
        for step in range(1000):
            self.report.step(loss=step)
            time.sleep(0.0005)
        self.report.close()


class WithoutListener(unittest.TestCase):
    def test_without_an_endpoint_every_call_does_nothing(self):
        os.environ.pop("LOCKSTEP_REPORT_ENDPOINT", None)
        report = lockstep_report.connect()
        self.assertFalse(report.connected)
        for value in STRANGE:
            report.step(value, value, value, value, value, any_name=value)
            report.log(value, value, step=value, any_name=value)
            report.epoch(value, value, value, value, value, value, value, value, f1=value)
            report.evaluation(value, value, value, value, value, value, value, f1=value)
            report.plan(value, value, value, value, value, value, other=value)
            report.phase(value, value)
        report.epoch()
        report.phase()
        self.assertTrue(report.flush())
        with report:
            pass
        report.close()

    def test_where_nobody_listens_a_program_runs_all_the_same(self):
        text = ("import lockstep_report\nreport = lockstep_report.connect()\n"
                "report.step(loss=1, f1=2)\nassert not report.connected\n")
        done = subprocess.run([sys.executable, "-B", "-c", text], check=True, timeout=60,
                              capture_output=True, text=True,
                              env={**os.environ, "PYTHONPATH": str(MODULE),
                                   "LOCKSTEP_REPORT_ENDPOINT": "/nowhere/reports"})
        self.assertIn("nothing is reported", done.stderr)

    def test_where_nobody_takes_them_steps_are_dropped_and_told_and_nothing_waits(self):
        listener = Listener()  # it never reads
        self.addCleanup(listener.close)
        report = lockstep_report.connect()
        slowest = 0.0
        for _ in range(_report.MOST_QUEUED * 3):
            began = time.perf_counter()
            report.step(loss=1, f1=2)
            slowest = max(slowest, time.perf_counter() - began)
        self.assertGreater(report.dropped, 0)
        self.assertLessEqual(len(report._queue), _report.MOST_QUEUED)
        self.assertLess(slowest, 1.0)
        told = listener.take(lambda kind, body: kind == "drops")
        self.assertGreater(told[-1][1]["count"], 0)
        began = time.monotonic()
        report.close()
        self.assertLess(time.monotonic() - began, 3 * _report.FLUSH_SECONDS)

    def test_the_end_of_the_program_sends_what_is_left(self):
        listener = Listener()
        self.addCleanup(listener.close)
        text = ("import lockstep_report\nreport = lockstep_report.connect()\n"
                "for step in range(5): report.step(loss=step)\n")
        subprocess.run([sys.executable, "-B", "-c", text], check=True, timeout=60,
                       env={**os.environ, "PYTHONPATH": str(MODULE)})
        reports = listener.take(lambda kind, body: kind == "steps")
        self.assertEqual(reports[-1][1]["loss"], [0, 1, 2, 3, 4])

    def test_it_imports_nothing_but_the_standard_library(self):
        text = ("import sys\nbefore = set(sys.modules)\nimport lockstep_report\n"
                "new = {name.split('.')[0] for name in set(sys.modules) - before}\n"
                "outside = new - set(sys.stdlib_module_names) - {'lockstep_report'}\n"
                "assert not outside, outside\n")
        if hasattr(sys, "stdlib_module_names"):
            subprocess.run([sys.executable, "-I", "-B", "-c",
                            f"import sys; sys.path.insert(0, {str(MODULE)!r})\n" + text],
                           check=True, timeout=60)


class Stacks(unittest.TestCase):
    """A program that Lockstep asks where its threads are."""

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = folder.name

    def start(self, text):
        return subprocess.Popen(
            [sys.executable, "-B", "-c", f"import sys; sys.path.insert(0, {str(MODULE)!r})\n" + text],
            env={**os.environ, "LOCKSTEP_REPORT_ENDPOINT": f"{self.folder}/reports"},
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)

    def test_whoever_imports_the_module_answers_and_goes_on(self):
        program = self.start(
            "import threading\nimport lockstep_report\n"
            "def stands_still():\n    print('ready', flush=True)\n    sys.stdin.read()\n"
            "thread = threading.Thread(target=stands_still)\nthread.start()\nthread.join()\n"
            "print('ended')\n")
        self.assertEqual(program.stdout.readline(), "ready\n")
        self.assertEqual(os.listdir(self.folder), [f"stacks-{program.pid}"])
        os.kill(program.pid, signal.SIGRTMIN + 5)
        written = ""
        while "in stands_still" not in written or written.count("most recent call first") < 2:
            line = program.stderr.readline()
            self.assertTrue(line, written)
            written += line
        output, _ = program.communicate("", timeout=60)
        self.assertEqual((program.returncode, output), (0, "ended\n"))

    def test_a_handler_of_the_programs_own_is_left_alone(self):
        program = self.start(
            "import os, signal\nsignal.signal(signal.SIGRTMIN + 5, lambda *_: print('mine'))\n"
            "import lockstep_report\nos.kill(os.getpid(), signal.SIGRTMIN + 5)\n")
        output, _ = program.communicate("", timeout=60)
        self.assertEqual((program.returncode, output), (0, "mine\n"))
        self.assertEqual(os.listdir(self.folder), [])


class Keras(unittest.TestCase):
    """The callback as Keras calls it; a stand-in for its base class is all that it needs."""

    def setUp(self):
        keras = types.ModuleType("keras")
        keras.callbacks = types.SimpleNamespace(
            Callback=type("Callback", (), {"params": {"steps": 2, "epochs": 1}}))
        sys.modules["keras"] = keras
        self.addCleanup(sys.modules.pop, "keras")
        self.listener = Listener()
        self.addCleanup(self.listener.close)
        self.report = lockstep_report.connect()
        self.addCleanup(self.report.close)

    def test_every_metric_arrives(self):
        callback = lockstep_report.keras_callback(self.report)
        callback.on_train_begin()
        callback.on_epoch_begin(0)
        for batch in range(2):
            callback.on_train_batch_begin(batch)
            callback.on_train_batch_end(batch, {"loss": 1.0, "accuracy": 0.5, "f1": 0.1 * batch})
        callback.on_test_begin()
        callback.on_test_end({"loss": 2.0})
        callback.on_epoch_end(0, {"loss": 1.0, "accuracy": 0.5, "f1": 0.1, "val_loss": 2.0,
                                  "val_accuracy": 0.25, "val_f1": 0.75, "learning_rate": 1e-3})
        callback.on_train_end()
        callback.on_test_begin()
        callback.on_test_end({"loss": 3.0, "f1": 0.5})
        reports = self.listener.take(is_figure("test/f1"))
        bodies = {kind: body for kind, body in reports if kind != "scalars"}
        self.assertEqual(bodies["plan"]["total_steps"], 2)
        self.assertEqual(bodies["epoch"]["validation_accuracy"], 0.25)
        self.assertEqual([body["split"] for kind, body in reports if kind == "evaluation"],
                         ["test"])
        figures = {}
        for kind, body in reports:
            if kind == "scalars":
                figures.setdefault(body["name"], []).extend(zip(body["steps"], body["values"]))
        self.assertEqual(figures, {"f1": [(1, 0.0), (2, 0.1)], "validation/f1": [(2, 0.75)],
                                   "learning_rate": [(2, 1e-3)], "test/f1": [(2, 0.5)]})

    def test_logs_that_are_none_are_no_error(self):
        callback = lockstep_report.keras_callback(self.report)
        callback.params = None
        for name in ("on_train_begin", "on_train_end", "on_test_begin", "on_test_end"):
            getattr(callback, name)()
        callback.on_epoch_begin(0)
        callback.on_train_batch_end(0, None)
        callback.on_epoch_end(0, None)


if __name__ == "__main__":
    threading.excepthook = lambda failure: os._exit(9)  # no thread of the module may die loudly
    unittest.main(verbosity=1)

#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The Python module lockstep_report against a socket of its own.

usage: report_module.py        (under a Python that has pyzmq and protobuf)
"""
import math
import os
import pathlib
import subprocess
import sys
import tempfile
import time
import unittest

MODULE = pathlib.Path(__file__).resolve().parents[2] / "resources" / "python"
sys.path.insert(0, str(MODULE))
sys.dont_write_bytecode = True

import zmq  # noqa: E402

import lockstep_report  # noqa: E402
from lockstep_report import _messages, _report  # noqa: E402


class Listener:
    """What Lockstep does: takes reports at a socket in a folder of its own."""

    def __init__(self):
        self.folder = tempfile.TemporaryDirectory()
        self.endpoint = f"ipc://{self.folder.name}/reports"
        self.socket = zmq.Context.instance().socket(zmq.PULL)
        self.socket.bind(self.endpoint)
        os.environ["LOCKSTEP_REPORT_ENDPOINT"] = self.endpoint

    def take(self, until, seconds=20):
        """All reports up to the one for which until(report) holds."""
        reports = []
        deadline = time.monotonic() + seconds
        while time.monotonic() < deadline:
            if self.socket.poll(100):
                report = _messages.ProgramReport()
                report.ParseFromString(self.socket.recv())
                reports.append(report)
                if until(report):
                    return reports
        raise AssertionError(f"it never came; what came: {reports[-3:]}")

    def close(self):
        self.socket.close(0)
        self.folder.cleanup()
        os.environ.pop("LOCKSTEP_REPORT_ENDPOINT", None)


class WithListener(unittest.TestCase):
    def setUp(self):
        self.listener = Listener()
        self.addCleanup(self.listener.close)
        self.report = lockstep_report.connect()
        self.addCleanup(self.report.close)
        self.assertTrue(self.report.connected)

    def test_steps_arrive_in_order_with_their_figures(self):
        for step in range(1000):
            self.report.step(loss=step, accuracy=0.5, phases={"data": 0.001})
        reports = self.listener.take(lambda r: len(r.steps.loss) and r.steps.loss[-1] == 999)
        batches = [r.steps for r in reports if r.HasField("steps")]
        losses = [loss for batch in batches for loss in batch.loss]
        self.assertEqual(losses, list(range(1000)))
        self.assertEqual(batches[0].first_step, 1)
        self.assertTrue(all(r.protocol == 1 for r in reports))
        self.assertAlmostEqual(batches[0].data_us[0], 1000, places=2)

    def test_a_gap_in_the_steps_begins_another_batch(self):
        self.report.step(loss=1, step=5)
        self.report.step(loss=2, step=9)
        reports = self.listener.take(lambda r: r.steps.first_step == 9)
        self.assertEqual([r.steps.first_step for r in reports if r.HasField("steps")], [5, 9])

    def test_progress_tells_step_and_phase(self):
        self.report.step(loss=1)
        self.report.phase("checkpoint")
        reports = self.listener.take(
            lambda r: r.progress.phase == _messages.PHASES["checkpoint"])
        self.assertEqual(reports[-1].progress.step, 1)

    def test_no_argument_whatever_raises(self):
        class Hostile:
            def __float__(self):
                raise RuntimeError("no number")

            def __int__(self):
                raise RuntimeError("no number")

            def __hash__(self):
                raise RuntimeError("no hash")

        for value in (None, "text", [], {}, Hostile(), math.inf, -math.inf, math.nan, -1, 1 << 80,
                      b"x", object(), complex(1, 2)):
            self.report.step(value, value, value, value)
            self.report.step(loss=value, phases={"data": value})
            self.report.epoch(value, value, value, value, value, value, value)
            self.report.evaluation(value, value, value, value, value, value)
            self.report.plan(value, value, value, value, value)
            self.report.phase(value)
        self.report.epoch(7, loss=0.5)
        reports = self.listener.take(lambda r: r.epoch.epoch == 7)
        self.assertTrue(math.isnan(reports[-1].epoch.train_accuracy))
        self.assertFalse(reports[-1].epoch.has_validation)

    def test_closing_sends_what_is_left_and_later_calls_do_nothing(self):
        self.report.evaluation(loss=0.25, split="test")
        self.report.close()
        self.listener.take(lambda r: r.evaluation.loss == 0.25)
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


class WithoutListener(unittest.TestCase):
    def test_without_an_endpoint_every_call_does_nothing(self):
        os.environ.pop("LOCKSTEP_REPORT_ENDPOINT", None)
        report = lockstep_report.connect()
        self.assertFalse(report.connected)
        report.step(loss=1)
        report.epoch(1)
        report.phase("data")
        self.assertTrue(report.flush())

    def test_where_nobody_takes_them_steps_are_dropped_and_counted_and_nothing_waits(self):
        with tempfile.TemporaryDirectory() as folder:
            report = _report.Report(f"ipc://{folder}/nobody")
            slowest = 0.0
            for _ in range(_report.MOST_QUEUED * 3):
                began = time.perf_counter()
                report.step(loss=1)
                slowest = max(slowest, time.perf_counter() - began)
            self.assertGreater(report.dropped, 0)
            self.assertLessEqual(len(report._queue), _report.MOST_QUEUED)
            began = time.monotonic()
            report.close()
            self.assertLess(time.monotonic() - began, 3 * _report.FLUSH_SECONDS)
            self.assertLess(slowest, 1.0)

    def test_the_end_of_the_program_sends_what_is_left(self):
        listener = Listener()
        self.addCleanup(listener.close)
        text = ("import lockstep_report\nreport = lockstep_report.connect()\n"
                "for step in range(5): report.step(loss=step)\n")
        subprocess.run([sys.executable, "-B", "-c", text], check=True, timeout=60,
                       env={**os.environ, "PYTHONPATH": str(MODULE)})
        reports = listener.take(lambda r: len(r.steps.loss) > 0)
        self.assertEqual(list(reports[-1].steps.loss), [0, 1, 2, 3, 4])

    def test_without_the_packages_a_program_runs_all_the_same(self):
        text = ("import sys\nsys.modules['zmq'] = None\nimport lockstep_report\n"
                "report = lockstep_report.connect()\nreport.step(loss=1)\n"
                "assert not report.connected\n")
        done = subprocess.run([sys.executable, "-B", "-c", text], check=True, timeout=60,
                              capture_output=True, text=True,
                              env={**os.environ, "PYTHONPATH": str(MODULE),
                                   "LOCKSTEP_REPORT_ENDPOINT": "ipc:///nowhere"})
        self.assertIn("nothing is reported", done.stderr)


if __name__ == "__main__":
    unittest.main(verbosity=1)

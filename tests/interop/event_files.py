#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""TensorBoard's own reader reads what a run writes, also of a run that was killed and resumed.

usage: event_files.py LOCKSTEPCTL     (under the Python that has tensorboard; see `./dev check interop`)
"""
import csv
import importlib.metadata
import io
import json
import os
import signal
import subprocess
import sys
import tempfile
import time

from tensorboard.backend.event_processing.event_accumulator import EventAccumulator

TIMEOUT_SECONDS = 180
PHASES = ("data", "forward", "backward", "all_reduce", "update")
REPLICA = {"train/loss", "train/accuracy", "time/step_ms"} | {f"time/{phase}_ms" for phase in PHASES}
RUNS = {
    "replica-0": REPLICA,
    "replica-1": REPLICA,
    "train": {"train/loss", "train/accuracy", "train/learning_rate"},
    "validation": {"validation/loss", "validation/accuracy"},
    "evaluator": {"evaluator/loss", "evaluator/accuracy", "evaluator/test_loss", "evaluator/test_accuracy"},
}
JOB = """
[job]
name = "events"
[cluster]
evaluator = true
[data]
dataset = "digits"
validation_samples = 1000
[model]
layers = [{ type = "dense", units = 32, activation = "relu" }, { type = "dense", units = 10 }]
[training]
global_batch_size = 512
epochs = 20
seed = 1
[checkpoint]
every_steps = 50
keep = 100
"""


def command(lockstepctl, folder, *more):
    return [lockstepctl, "run", os.path.join(folder, "job.toml"), "--processes", "2",
            "--run-dir", os.path.join(folder, "run"), *more]


def kill_a_worker(folder):
    """SIGKILL for process 1 as soon as the run has a checkpoint that is not at its very beginning."""
    checkpoint = os.path.join(folder, "run", "checkpoints", "step-150")
    deadline = time.monotonic() + TIMEOUT_SECONDS
    while not os.path.exists(checkpoint):
        assert time.monotonic() < deadline, "the run did not get to step 150"
        time.sleep(0.01)
    with open(os.path.join(folder, "run", "processes.json")) as file:
        for process in json.load(file):
            if process["role"] == "worker" and process["process_id"] == 1:
                os.kill(process["pid"], signal.SIGKILL)


def run_with_a_death(lockstepctl, folder):
    first = subprocess.Popen(command(lockstepctl, folder), stderr=subprocess.DEVNULL)
    kill_a_worker(folder)
    assert first.wait(TIMEOUT_SECONDS) == 1, "the killed run did not fail"
    subprocess.run(command(lockstepctl, folder, "--resume"), check=True, timeout=TIMEOUT_SECONDS,
                   stderr=subprocess.DEVNULL)


def exported(lockstepctl, folder):
    """(replica or whole-run tag, step) -> value, of the CSV export: what was trained last."""
    text = subprocess.run([lockstepctl, "export", os.path.join(folder, "run"), "--format", "csv"],
                          check=True, capture_output=True, text=True, timeout=TIMEOUT_SECONDS).stdout
    values = {}
    for row in csv.DictReader(io.StringIO(text)):
        run = f"replica-{row['replica']}" if row["replica"] else row["tag"].split("/")[0]
        values[run, row["tag"], int(row["step"])] = float(row["value"])
    return values


def compare(run, folder, values):
    reader = EventAccumulator(os.path.join(folder, "run", "events", run),
                              size_guidance={"scalars": 0}, purge_orphaned_data=True)
    reader.Reload()
    tags = set(reader.Tags()["scalars"])
    assert tags == RUNS[run], f"{run} has {sorted(tags)}"
    points = 0
    for tag in tags:
        steps = [event.step for event in reader.Scalars(tag)]
        assert steps == sorted(set(steps)), f"{run} {tag}: a step is there twice"
        for event in reader.Scalars(tag):
            expected = values[run, tag, event.step]
            assert abs(event.value - expected) <= 1e-5 * max(1, abs(expected)), (run, tag, event)
            points += 1
    return points


def main():
    lockstepctl = os.path.abspath(sys.argv[1])
    with tempfile.TemporaryDirectory() as folder:
        with open(os.path.join(folder, "job.toml"), "w") as file:
            file.write(JOB)
        run_with_a_death(lockstepctl, folder)
        values = exported(lockstepctl, folder)
        points = sum(compare(run, folder, values) for run in RUNS)
    print(f"TensorBoard {importlib.metadata.version('tensorboard')}: {points} points of {len(RUNS)} runs "
          "equal the export, none twice after a kill and a resume")


if __name__ == "__main__":
    main()

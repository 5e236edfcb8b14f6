#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Event files and CSV logs that a program writes become series of the process that wrote them, without a change.

Two processes share a folder. Each writes an event file with the writer that torch's SummaryWriter is made of
(tensorboard's), and torch's own where it is installed; process 0 a CSV log as Lightning's CSVLogger does, opened
anew for each save; process 1 one as Keras' CSVLogger does, which it keeps open. The run's history must have every
value, under the process that wrote it, and the first ones while the programs still run.

usage: written_files.py LOCKSTEPCTL     (under the Python that has tensorboard; see `./dev check interop`)
"""
import csv
import io
import json
import os
import subprocess
import sys
import tempfile
import time

STEPS = 50
TIMEOUT_SECONDS = 120

PROGRAM = """
import csv, importlib.util, os, sys, time
from tensorboard.compat.proto.event_pb2 import Event
from tensorboard.compat.proto.summary_pb2 import Summary
from tensorboard.summary.writer.event_file_writer import EventFileWriter
rank, steps = int(os.environ["RANK"]), int(sys.argv[1])
writer = EventFileWriter(f"runs/all", flush_secs=1)
torch_writer = None
if importlib.util.find_spec("torch"):
    from torch.utils.tensorboard import SummaryWriter
    torch_writer = SummaryWriter(f"runs/torch-{rank}")
log = open("training.log", "w") if rank == 1 else None
if log: print("epoch,accuracy", file=log, flush=True)
rows = []
for step in range(steps):
    writer.add_event(Event(wall_time=time.time(), step=step, summary=Summary(
        value=[Summary.Value(tag="written/loss", simple_value=100 * rank + step)])))
    if torch_writer: torch_writer.add_scalar("torch/loss", 100 * rank + step, step)
    if log: print(f"{step},{step}", file=log, flush=True)
    if rank == 0:
        rows.append({"epoch": 0, "step": step, "train_acc": step})
        with open("metrics.csv", "w", newline="") as file:
            table = csv.DictWriter(file, ["epoch", "step", "train_acc"])
            table.writeheader()
            table.writerows(rows)
    writer.flush()
    if torch_writer: torch_writer.flush()
    if step == steps // 2:
        while not os.path.exists("go"): time.sleep(0.02)
writer.close()
if torch_writer: torch_writer.close()
"""


def series(lockstepctl, folder):
    """(process, tag) -> {step: value} of the run's history."""
    text = subprocess.run([lockstepctl, "export", os.path.join(folder, "run"), "--format", "csv"],
                          check=False, capture_output=True, text=True, timeout=TIMEOUT_SECONDS).stdout
    found = {}
    for row in csv.DictReader(io.StringIO(text)):
        found.setdefault((row["process_id"], row["tag"]), {})[int(row["step"])] = float(row["value"])
    return found


def wait_for_the_first(lockstepctl, folder, expected):
    deadline = time.monotonic() + TIMEOUT_SECONDS
    while not all(len(series(lockstepctl, folder).get(key, {})) > STEPS // 2 for key in expected):
        assert time.monotonic() < deadline, f"only {series(lockstepctl, folder).keys()} while it runs"
        time.sleep(0.2)


def main():
    lockstepctl = os.path.abspath(sys.argv[1])
    with tempfile.TemporaryDirectory() as folder:
        with open(os.path.join(folder, "train.py"), "w", encoding="utf-8") as file:
            file.write(PROGRAM)
        with open(os.path.join(folder, "job.toml"), "w", encoding="utf-8") as file:
            file.write('[job]\nname = "written"\n[cluster]\njob_addresses = ["127.0.0.1:0", "127.0.0.1:0"]\n'
                       f'[launch]\ncommand = {json.dumps([sys.executable, "train.py", str(STEPS)])}\n')
        expected = {(str(rank), "written/loss"): {step: 100 * rank + step for step in range(STEPS)}
                    for rank in range(2)}
        expected["0", "train_acc"] = expected["1", "accuracy"] = {step: step for step in range(STEPS)}
        run = subprocess.Popen([lockstepctl, "run", "job.toml", "--run-dir", "run"], cwd=folder,
                               stdin=subprocess.DEVNULL)
        try:
            wait_for_the_first(lockstepctl, folder, expected)
            with open(os.path.join(folder, "go"), "w", encoding="utf-8"):
                pass
            assert run.wait(TIMEOUT_SECONDS) == 0, "the run failed"
        finally:
            run.kill()
        found = series(lockstepctl, folder)
        for key, values in expected.items():
            assert found.get(key) == values, f"{key}: {found.get(key)}"
        for (process, tag), values in found.items():
            assert (process, tag) in expected or tag == "torch/loss", f"{tag} is shown of process {process}"
            if tag == "torch/loss":
                assert values == expected[process, "written/loss"], values
        print(f"ok    {sum(map(len, expected.values()))} values of {len(expected)} series, live and complete")


main()

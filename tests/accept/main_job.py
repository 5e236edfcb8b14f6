#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The main job's promises, on the real MNIST: ./dev accept [FOLDER WITH THE FOUR IDX FILES]

1. The guide's job (784-256-256-10, Adam, global batch 32, 2 epochs) reaches its test score as the
   mean of seeds 1..5, with 1, 2 and 4 processes and with one process of two local replicas.
2. The loss of every step is that of one replica, up to rounding; two runs have the same state
   hash, and so have all transports; all replicas agree at every checkpoint (the run checks it).
Prints a table; exit status 1 when something misses its figure.
"""
import collections
import csv
import io
import json
import os
import subprocess
import sys
import tempfile

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
CTL = os.path.join(ROOT, "build/release/bin/lockstepctl")
JOB = os.path.join(ROOT, "resources/examples/mnist.toml")
ACCURACY, LOSS = 0.967, 0.110


def run(folder, data, *settings, processes=1, replicas=1):
    command = [CTL, "run", JOB, "--run-dir", folder, "--processes", str(processes)]
    settings = (f"data.directory={data}", f"cluster.devices_per_process={replicas}", *settings)
    for setting in settings:
        command += ["--set", setting]
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
    with open(os.path.join(folder, "summary.json")) as file:
        return json.load(file)


def step_losses(folder):
    """Mean loss over the global batch of every step, from the exported per-replica losses."""
    text = subprocess.run([CTL, "export", folder, "--format", "csv"], check=True, capture_output=True,
                          text=True).stdout
    losses = collections.defaultdict(list)
    for row in csv.DictReader(io.StringIO(text)):
        if row["tag"] == "train/loss" and row["replica"]:
            losses[int(row["step"])].append(float(row["value"]))
    return {step: sum(values) / len(values) for step, values in losses.items()}


def worst(a, b, last):
    return max(abs(a[step] - b[step]) / abs(a[step]) for step in range(1, last + 1))


def main():
    data = os.path.abspath(sys.argv[1])
    failed = False

    def check(name, good, text):
        nonlocal failed
        failed = failed or not good
        print(f"{'ok  ' if good else 'MISS'}  {name:<44} {text}", flush=True)

    with tempfile.TemporaryDirectory() as top:
        grid = [(1, 1), (2, 1), (4, 1), (1, 2)]
        for processes, replicas in grid:
            scores = [run(f"{top}/{processes}x{replicas}-{seed}", data, f"training.seed={seed}",
                          processes=processes, replicas=replicas) for seed in range(1, 6)]
            accuracy = sum(s["test_accuracy"] for s in scores) / 5
            loss = sum(s["test_loss"] for s in scores) / 5
            seconds = sum(s["train_seconds"] for s in scores) / 5
            check(f"{processes} process(es) x {replicas} replica(s), 5 seeds",
                  accuracy >= ACCURACY and loss <= LOSS,
                  f"test accuracy {accuracy:.4f} (>= {ACCURACY}), loss {loss:.4f} (<= {LOSS}), {seconds:.2f} s")

        ones = {seed: step_losses(f"{top}/1x1-{seed}") for seed in range(1, 6)}
        for processes in (2, 4):
            others = {seed: step_losses(f"{top}/{processes}x1-{seed}") for seed in ones}
            first = max(worst(ones[seed], others[seed], 10) for seed in ones)
            more = max(worst(ones[seed], others[seed], 200) for seed in ones)
            check(f"loss of every step, {processes} replicas against 1", first <= 2e-6 and more <= 2e-5,
                  f"{first:.1e} over 10 steps (<= 2e-6), {more:.1e} over 200 (<= 2e-5), worst of 5 seeds")

        short = ("training.seed=1", "training.epochs=1")
        hashes = {}
        for name, transport, processes, replicas in (
                ("shm", "shm", 2, 1), ("shm again", "shm", 2, 1), ("gloo", "gloo", 2, 1),
                ("threads of one process", "auto", 1, 2)):
            summary = run(f"{top}/hash-{name.replace(' ', '-')}", data, *short,
                          f"cluster.transport={transport}", processes=processes, replicas=replicas)
            hashes[name] = summary["state_hash"]
        check("state hash of two runs and of all transports", len(set(hashes.values())) == 1,
              ", ".join(f"{name} {value[:8]}" for name, value in hashes.items()))
    return 1 if failed else 0


if __name__ == "__main__":
    if len(sys.argv) != 2 or not os.path.isdir(sys.argv[1]):
        print("error: name the folder of the four MNIST files: ./dev accept FOLDER", file=sys.stderr)
        sys.exit(2)
    sys.exit(main())

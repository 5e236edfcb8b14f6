#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""N replicas train what one would: ./dev accept replicas DATA [NAME...]

DATA holds mnist/ (the four IDX files) and text/tinyshakespeare.txt. The network is the CNN of
resources/examples/mnist-cnn.toml (batch normalisation, dropout) on augmented images.

steps       from each of 200 checkpoints of a run of one process, a step on 2 and on 4 processes: the same
            pixels, and loss, gradients and statistics to 1e-5 of each tensor's largest value (beside it:
            peers/torch_rounding.py tells how exact float32 gradients of this network can be)
free        runs from the beginning: the CNN for 10 steps (they part by rounding: 1e-4), a dense network and
            the GPT for 200
transports  the same bits on shared memory and on Gloo
kill        the same bits after kill -9 and a resume in mid-epoch, with an average of weights and steps in
            parts; resumed on 1, 3 and 4 processes the pixels of every global batch are the same
accuracy    after 3 epochs on 1, 2 and 4 processes: medians of three seeds within the spread of one's
Prints a table; exit status 1 when something misses its figure.
"""

import collections
import json
import os
import pathlib
import signal
import statistics
import subprocess
import sys
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parents[2]
CTL = ROOT / "build/release/bin/lockstepctl"
STEPS = ROOT / "build/release/accept/replica_steps"
EXAMPLES = ROOT / "resources/examples"
CNN, DENSE, GPT = (EXAMPLES / f"{name}.toml" for name in ("mnist-cnn", "mnist", "tiny-gpt"))
AUGMENT = ('data.augment=[{ type = "random_crop", padding = 2 }, '
           '{ type = "random_rotation", factor = 0.03, fill_mode = "constant" }]')
CLOSE, PARTING = 1e-5, 1e-4
CHECKPOINTS, APART = 200, 5
SEEDS = (1, 2, 3)
missed = False


def check(name, good, text):
    global missed
    missed = missed or not good
    print(f"{'ok  ' if good else 'MISS'}  {name:<42} {text}", flush=True)


def ask(*question):
    """The answers of replica_steps, one for each number of processes."""
    done = subprocess.run([STEPS, *map(str, question)], check=True, stdout=subprocess.PIPE, text=True)
    return [json.loads(line) for line in done.stdout.splitlines()]


def images(data):
    return [f"data.directory={data}/mnist", AUGMENT]


def steps(data, top):
    for found in ask("checkpoints", CNN, CHECKPOINTS, APART, *images(data), "training.seed=1"):
        far = max(found["loss"], found["gradients"], found["statistics"])
        check(f"a step of {found['processes']} from {found['checkpoints']} checkpoints",
              found["checkpoints"] == CHECKPOINTS and found["same_pixels"] and far <= CLOSE,
              f"pixels {'the same' if found['same_pixels'] else 'OTHERS'}, loss {found['loss']:.1e}, "
              f"gradients {found['gradients']:.1e} ({found['worst_gradient']}), "
              f"statistics {found['statistics']:.1e} (<= {CLOSE:.0e}); loss went from {found['first_loss']} "
              f"to {found['last_loss']}")


def free(data, top):
    text = f'data.files=["{data}/text/tinyshakespeare.txt"]'
    for name, length, most, job, settings in (("CNN", 10, PARTING, CNN, images(data)),
                                              ("dense network", 200, CLOSE, DENSE, [f"data.directory={data}/mnist"]),
                                              ("GPT", 200, CLOSE, GPT, [text])):
        for found in ask("free", job, length, *settings, "training.seed=1"):
            check(f"{name}, {found['steps']} steps, {found['processes']} processes", found["loss"] <= most,
                  f"loss of every step {found['loss']:.1e} (<= {most:.0e}), at last {found['last_loss']}")


def transports(data, top):
    for found in ask("transports", CNN, 100, *images(data), "training.seed=1"):
        hashes = {name: value for name, value in found.items() if name != "processes"}
        check(f"bits after 100 steps of {found['processes']}",
              len(hashes) == 2 and len(set(hashes.values())) == 1,
              ", ".join(f"{name} {value[:8]}" for name, value in hashes.items()))


class Run:
    """A run of the CNN with real processes, and what each of its starts trained on."""

    def __init__(self, folder, data, *settings):
        self.folder, self.starts = folder, 0
        self.settings = [*images(data), "cluster.evaluator=false", "training.seed=1", *settings]

    def command(self, processes, *more):
        self.starts += 1
        self.sums_folder = pathlib.Path(f"{self.folder}-sums-{self.starts}")
        self.sums_folder.mkdir()
        words = [CTL, "run", CNN, "--run-dir", self.folder, "--processes", str(processes), *more]
        for setting in self.settings:
            words += ["--set", setting]
        return words, {**os.environ, "LOCKSTEP_BATCH_SUMS": str(self.sums_folder)}

    def finish(self, processes, *more):
        words, environment = self.command(processes, *more)
        subprocess.run(words, check=True, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, env=environment)
        return json.loads((pathlib.Path(self.folder) / "summary.json").read_text(encoding="utf-8"))

    def kill_in_mid_epoch(self, processes, step):
        """Kills the last worker once the checkpoint of `step` is there; gives the newest one's step."""
        words, environment = self.command(processes)
        folder = pathlib.Path(self.folder)
        with subprocess.Popen(words, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, env=environment) as running:
            while not (folder / f"checkpoints/step-{step}").is_dir():
                if running.poll() is not None:
                    sys.exit(f"error: the run ended by itself: {running.stderr.read().decode()}")
                time.sleep(0.02)
            workers = [entry["pid"] for entry in json.loads((folder / "processes.json").read_text())
                       if entry["role"] == "worker"]
            os.kill(workers[-1], signal.SIGKILL)
            running.stderr.read()
            if running.wait() == 0:
                sys.exit("error: a run whose worker was killed ended as if nothing had been")
        return int((folder / "checkpoints/LATEST").read_text().split()[0].removeprefix("step-"))

    def sums(self):
        """By step, the sum of all that the replicas of the newest start trained on; whole steps only."""
        files = sorted(self.sums_folder.iterdir())
        parts, total = collections.Counter(), collections.Counter()
        for file in files:
            for line in file.read_text().splitlines():
                step, value = line.split()
                parts[int(step)] += 1
                total[int(step)] = (total[int(step)] + int(value, 16)) % 2**64
        return {step: total[step] for step, count in parts.items() if count == len(files)}


def kill(data, top):
    settings = ("training.epochs=1", "training.use_ema=true", "training.gradient_accumulation_steps=2",
                "checkpoint.every_steps=50")
    whole = Run(f"{top}/whole", data, *settings)
    state = whole.finish(2)["state_hash"]
    sums = whole.sums()
    for processes in (2, 1, 3, 4):
        run = Run(f"{top}/killed-{processes}", data, *settings)
        killed_at = run.kill_in_mid_epoch(2, 100)
        same = run.sums().items() <= sums.items()
        after = run.finish(processes, "--resume")
        resumed = run.sums()
        same = same and resumed.items() <= sums.items() and set(resumed) == set(range(killed_at + 1, len(sums) + 1))
        if processes == 2:
            check(f"bits after kill -9 and resume at step {killed_at}", after["state_hash"] == state and same,
                  f"{after['state_hash'][:8]} and {state[:8]}")
        check(f"pixels, killed on 2, resumed on {processes}", same and len(sums) == len(set(sums.values())),
              f"{len(resumed)} global batches from step {killed_at + 1} on, each as in the run of 2; "
              f"test accuracy {after['test_accuracy']:.4f}")


def accuracy(data, top):
    reached = {}
    for processes in (1, 2, 4):
        reached[processes] = []
        for seed in SEEDS:
            run = Run(f"{top}/accuracy-{processes}-{seed}", data, f"training.seed={seed}")
            reached[processes].append(run.finish(processes)["test_accuracy"])
    ones = reached.pop(1)
    for processes, values in reached.items():
        away = abs(statistics.median(values) - statistics.median(ones))
        spread = max(ones) - min(ones)
        check(f"accuracy of {processes} processes, 3 epochs, 3 seeds", away <= spread,
              f"{', '.join(f'{value:.4f}' for value in values)}; of one {', '.join(f'{value:.4f}' for value in ones)}: "
              f"medians {away:.4f} apart (<= {spread:.4f})")


CHECKS = {part.__name__: part for part in (steps, free, transports, kill, accuracy)}


def main(data, names):
    with tempfile.TemporaryDirectory() as top:
        for name in names or CHECKS:
            CHECKS[name](data, top)
    return 1 if missed else 0


if __name__ == "__main__":
    if len(sys.argv) < 2 or not pathlib.Path(sys.argv[1]).is_dir() or set(sys.argv[2:]) - set(CHECKS):
        sys.exit(f"error: name the folder of the data, and any of {', '.join(CHECKS)}")
    sys.exit(main(pathlib.Path(sys.argv[1]).resolve(), sys.argv[2:]))

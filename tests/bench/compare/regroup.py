# SPDX-License-Identifier: Apache-2.0
"""A worker of a running job is killed (SIGKILL) at a moment that a trial's number gives: how soon the job trains on, and how
many completed steps are lost, with launch.on_failure = "restart" and "regroup"; and what keeping steps costs.

LOCKSTEP_REGROUPS: trials of each, 10 by default; "7:" plays that one alone. Part of `./dev bench faults`. Controls: compared with
an undisturbed run of another seed every trial must be found to have come to other bits, and of the trials that go on from the
disk some must be found to have lost steps."""
import json
import os
import pathlib
import random
import signal
import subprocess
import tempfile
import time

from figures import BUILD, median, note, row

ASKED = os.environ.get("LOCKSTEP_REGROUPS", "10")
NUMBERS = [int(ASKED[:-1])] if ASKED.endswith(":") else list(range(1, int(ASKED) + 1))
PATIENCE_SECONDS = 120
JOB = """
[job]
name = "regrouped"
[cluster]
evaluator = false
device = "cpu"
transport = "TRANSPORT"
[launch]
on_failure = "POLICY"
max_restarts = 3
[data]
dataset = "digits"
validation_samples = 1000
[model]
layers = [
  { type = "dense", units = UNITS, activation = "relu" },
  { type = "dense", units = UNITS, activation = "relu" },
  { type = "dense", units = 10 },
]
[training]
global_batch_size = BATCH
steps = STEPS
seed = SEED
[checkpoint]
every_steps = 500
"""


def write_job(place, seed=1, **values):
    text = JOB
    for name, value in {**values, "seed": seed}.items():
        text = text.replace(name.upper(), str(value))
    (place / "job.toml").write_text(text)


def start(place, run):
    return subprocess.Popen([BUILD / "bin/lockstepctl", "run", "job.toml", "--processes", "2", "--run-dir", run], cwd=place,
                            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)


def summary(place, run):
    return json.loads((place / run / "summary.json").read_text())


def training_times(place, run, replica):
    """(when, step) of each step that the replica has told of, steps that were trained again once."""
    csv = subprocess.run([BUILD / "bin/lockstepctl", "export", run, "--format", "csv"], cwd=place, capture_output=True,
                         text=True, check=True).stdout
    cells = [line.split(",") for line in csv.splitlines()]
    return sorted((float(one[0]), int(one[1])) for one in cells
                  if len(one) == 6 and one[4] == "train/loss" and one[2] == str(replica))


def worker(place, run, process):
    deadline = time.time() + PATIENCE_SECONDS
    while time.time() < deadline:
        try:
            for one in json.loads((place / run / "processes.json").read_text()):
                if one["role"] == "worker" and one["process_id"] == process and (place / run / "checkpoints/LATEST").exists():
                    return one["pid"]
        except (OSError, ValueError):
            pass
        time.sleep(0.01)
    raise SystemExit(f"error: {run} does not come to its first checkpoint")


def trial(place, number):
    """(seconds to the next step, steps lost, state hash) of one kill."""
    chance = random.Random(number)
    victim, delay = chance.randrange(2), chance.uniform(0, 1)
    run = f"trial-{number}"
    program = start(place, run)
    pid = worker(place, run, victim)
    time.sleep(delay)
    killed = time.time()
    os.kill(pid, signal.SIGKILL)
    program.wait(timeout=PATIENCE_SECONDS)
    end = summary(place, run)
    if end["status"] != "completed" or end["restarts"] != 1:
        raise SystemExit(f"error: trial {number} ended as {end['status']} after {end['restarts']} restarts")
    # The victim's: a survivor may end the step in flight.
    next_time, next_step = min(one for one in training_times(place, run, victim) if one[0] > killed)
    done = end["failures"][0].get("step", 0)
    return next_time - killed, max(done - (next_step - 1), 0), end["state_hash"]


def undisturbed(place, run, **values):
    write_job(place, **values)
    start(place, run).wait(timeout=PATIENCE_SECONDS)
    return summary(place, run)["state_hash"]


def kills(policy, transport):
    with tempfile.TemporaryDirectory() as folder:
        place = pathlib.Path(folder)
        values = {"policy": policy, "transport": transport, "units": 256, "batch": 64, "steps": 6000}
        another = undisturbed(place, "another-seed", seed=2, **values)
        wanted = undisturbed(place, "undisturbed", **values)
        played = [trial(place, number) for number in NUMBERS]
    seconds = [one[0] for one in played]
    lost = [one[1] for one in played]
    others = sum(one[2] != wanted for one in played)
    if others:
        note(f"{others} of {len(played)} end with other bits than the undisturbed run")
    unseen = sum(one[2] == another for one in played) + (wanted is None or wanted == another)
    if policy == "restart" and len(played) > 1:
        unseen += sum(lost) == 0
    row(f"{len(NUMBERS)} kills of a worker, {policy}, {transport}: s to the next step", median(seconds),
        goal=3 if policy == "regroup" else None,
        peer=f"worst {max(seconds):.2f} s; lost {sum(lost)} steps, at most {max(lost)}; other bits {others}")
    row("  controls that went unseen", unseen, goal=0)
    return others == 0 and unseen == 0 and (policy != "regroup" or sum(lost) == 0)


def step_milliseconds(policy, units, batch, steps):
    with tempfile.TemporaryDirectory() as folder:
        place = pathlib.Path(folder)
        write_job(place, policy=policy, transport="shm", units=units, batch=batch, steps=steps)
        start(place, "timed").wait(timeout=PATIENCE_SECONDS)
        return summary(place, "timed")["step_milliseconds"]["p50"]


def price(units, batch, steps):
    """Of keeping steps, the two ways in turn so that a busy machine hits both."""
    pairs = [(step_milliseconds("restart", units, batch, steps), step_milliseconds("regroup", units, batch, steps))
             for _ in range(5)]
    without, kept = (median(list(column)) for column in zip(*pairs))
    row(f"steps kept in memory, 784-{units}-{units}-10, batch {batch}: ms", kept,
        peer=f"{without:.3f} ms without: {kept / without - 1:+.0%}")


good = [kills(policy, transport) for transport in ("shm", "gloo") for policy in ("restart", "regroup")]
price(256, 64, 3000)
price(256, 512, 1000)
price(1024, 64, 600)
if not all(good):
    raise SystemExit("error: a step was lost, a run ended with other bits, or a control went unseen")

# SPDX-License-Identifier: Apache-2.0
"""A scheduler takes a job's processes back: SIGTERM to a worker, the evaluator, the agent, the launcher or all of them, at a random
moment. The job must stop with a checkpoint of the step that it says, and a resume come to the bits of a run that nobody disturbed.

LOCKSTEP_PREEMPTED: how many times, 50 by default; "7:" plays that one alone, "agent:1-3,all:7" those of one kind. Controls: a run of which a worker is killed instead
(SIGKILL) must be found to have stopped otherwise, and a run of another seed to have come to other bits."""
import collections
import dataclasses
import json
import os
import pathlib
import random
import signal
import subprocess
import tempfile
import time

from figures import BUILD, median, note, row
from trials import Trial, asked, tell
from verdicts import Journal

ASKED = os.environ.get("LOCKSTEP_PREEMPTED", "50")
PATIENCE_SECONDS = 300
STOPPED = 3  # exit status
WHOM = ["worker", "evaluator", "agent", "launcher", "all"]
JOB = """
[job]
name = "preempted"
[cluster]
evaluator = true
device = "cpu"
transport = "TRANSPORT"
[data]
dataset = "digits"
validation_samples = 1000
[model]
layers = [ { type = "dense", units = 128, activation = "relu" }, { type = "dense", units = 10 } ]
[training]
global_batch_size = 64
steps = 4000
seed = SEED
[checkpoint]
every_steps = 500
"""


class Runs:
    def __init__(self, folder):
        self.folder = pathlib.Path(folder)
        self.log = (self.folder / "output").open("w")

        runtime = self.folder / "runtime"
        runtime.mkdir(mode=0o700)
        self.env = {**os.environ, **dict.fromkeys(("XDG_RUNTIME_DIR", "XDG_STATE_HOME", "XDG_CONFIG_HOME"), str(runtime))}

    def start(self, name, transport, *more, seed=1):
        job = self.folder / f"{transport}-{seed}.toml"
        job.write_text(JOB.replace("TRANSPORT", transport).replace("SEED", str(seed)), encoding="utf-8")
        return subprocess.Popen([BUILD / "bin/lockstepctl", "run", job, "--processes", "3", "--run-dir", name, *more],
                                cwd=self.folder, env=self.env, stdout=self.log, stderr=self.log)

    def play(self, name, transport, *more, seed=1):
        """The hash of what it comes to."""
        self.start(name, transport, *more, seed=seed).wait(timeout=PATIENCE_SECONDS)
        return self.summary(name).get("state_hash")

    def processes(self, name):
        """(role, process, pid) of each, once the run trains."""
        until = time.monotonic() + PATIENCE_SECONDS
        while time.monotonic() < until:
            try:
                known = json.loads((self.folder / name / "processes.json").read_text(encoding="utf-8"))
                if (self.folder / name / "checkpoints/LATEST").exists() and len(known) == 5:
                    return [(one["role"], one["process_id"], one["pid"]) for one in known]
            except (OSError, ValueError):
                pass  # none yet, or being written
            time.sleep(0.01)
        raise SystemExit(f"error: {name} does not come to its first checkpoint")

    def summary(self, name):
        try:
            return json.loads((self.folder / name / "summary.json").read_text(encoding="utf-8"))
        except (OSError, ValueError):
            return {}

    def latest(self, name):
        return (self.folder / name / "checkpoints/LATEST").read_text(encoding="utf-8").split()[0]

    def end(self, name, program):
        """Its exit status; None where it does not end, which ends it."""
        try:
            return program.wait(timeout=PATIENCE_SECONDS)
        except subprocess.TimeoutExpired:
            subprocess.run([BUILD / "bin/lockstepctl", "stop", "--kill", name], cwd=self.folder, env=self.env, stdout=self.log,
                           stderr=self.log, timeout=PATIENCE_SECONDS)
            program.kill()
            program.wait()
            return None

    def tell(self, name, trial, to_be_named, began):
        """To the one table: of a worker and the evaluator the run is to say that they were told to end."""
        journal = Journal(self.folder / name / "journal").read()
        word = next((word for word in journal.told if "was told to end (SIGTERM)" in word.sentence), None)
        rightly = trial.rightly and (not to_be_named or word is not None and word.sentence.startswith(to_be_named))
        tell(dataclasses.replace(trial, rightly=rightly, after=word and word.wall_time - began,
                                 steps_lost=0 if trial.rightly else journal.steps_lost(),
                                 sentence=word.sentence if word else "the run ends"))

    def strike(self, name, number, with_signal=signal.SIGTERM, whom=None):
        """(transport, whom, seconds until it was over, whether it stopped with its checkpoint)."""
        chance = random.Random(number)
        transport, drawn = chance.choice(["shm", "gloo"]), chance.choice(WHOM)
        whom = whom or drawn
        program = self.start(name, transport)
        known = self.processes(name)
        time.sleep(chance.uniform(0, 1))
        roles = ["worker", "evaluator", "agent"] if whom == "all" else [whom]
        struck = [(process, pid) for role, process, pid in known if role in roles]
        if whom == "worker":
            struck = [chance.choice(struck)]
        pids = [pid for _, pid in struck] + ([program.pid] if whom in ("launcher", "all") else [])
        began, began_at = time.monotonic(), time.time()
        for pid in pids:
            os.kill(pid, with_signal)
        status = self.end(name, program)
        took, end = time.monotonic() - began, self.summary(name)
        stopped = (status == STOPPED and end.get("status") == "stopped"
                   and self.latest(name) == f"step-{end.get('steps')}")
        note(f"{name} ({transport}): {with_signal.name} to {whom}: status {status} after {took:.1f} s, {end.get('status')} at "
             f"step {end.get('steps')}, newest checkpoint {self.latest(name)}")
        if with_signal == signal.SIGTERM:
            named = {"worker": f"process {struck[0][0]} " if struck else "", "evaluator": "the evaluator"}.get(whom, "")
            self.tell(name, Trial("SIGTERM", whom, "local", number, rightly=stopped, hung=status is None), named, began_at)
        return transport, whom, took, stopped


def main():
    struck, wrong, others, seconds = collections.Counter(), [], [], []
    with tempfile.TemporaryDirectory() as folder:
        runs = Runs(folder)
        wanted = {transport: runs.play(f"undisturbed-{transport}", transport) for transport in ("shm", "gloo")}
        if None in wanted.values():
            raise SystemExit("error: an undisturbed run does not come to its end: " + (runs.folder / "output").read_text()[-2000:])
        for kind, number in asked(ASKED, WHOM):
            name = f"run-{kind or 'any'}-{number}"
            transport, whom, took, stopped = runs.strike(name, number, whom=kind)
            struck[whom] += 1
            seconds.append(took)
            if not stopped:
                wrong.append(number)
                continue
            if runs.play(name, transport, "--resume") != wanted[transport]:
                others.append(number)
        unseen = runs.strike("control", 0, signal.SIGKILL, "worker")[3] + (runs.play("other", "shm", seed=2) == wanted["shm"])
    row(f"{sum(struck.values())} times SIGTERM: not stopped with a checkpoint", len(wrong), goal=0,
        peer=", ".join(f"{count} {whom}" for whom, count in sorted(struck.items())) + (f"; trials {wrong}" if wrong else ""))
    row("  over after, worst", max(seconds), "s", peer=f"median {median(seconds):.1f} s")
    row("  resumed to other bits", len(others), goal=0, peer=f"trials {others}" if others else "")
    row("  controls that went unseen", int(unseen), goal=0)
    if wrong or others or unseen:
        raise SystemExit("error: a run did not stop as it should, or did not go on as if nothing had been")


main()

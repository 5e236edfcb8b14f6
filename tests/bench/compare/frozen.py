# SPDX-License-Identifier: Apache-2.0
"""A process of a job is stopped (SIGSTOP) from outside, of any kind: a worker, the chief, the evaluator, or the agent, which hosts the
coordinator. How soon somebody says so: the journal, or of an agent the launcher's output; and that the job trains on once it
is let go on, within the heartbeat's timeout. A launcher that is stopped hurts nobody: nobody is named, and the job trains on meanwhile.

LOCKSTEP_FROZEN: trials, 50 by default; "7:" plays that one alone, "agent:1-3,chief:7" those of one kind. Control: one trial of each kind in which nobody is stopped, and
nobody may be named."""
import collections
import json
import os
import random
import signal
import tempfile
import time

from figures import BUILD, median, note, row
from places import PATIENCE_SECONDS, Place, grows, trains
from trials import Trial, asked, tell
from verdicts import Journal

ASKED = os.environ.get("LOCKSTEP_FROZEN", "50")
NAMED_GOAL_SECONDS = 4
FROZEN_SECONDS = 6
KINDS = ["worker", "chief", "evaluator", "agent", "launcher"]
JOB = """
[job]
name = "frozen"
[cluster]
evaluator = true
device = "cpu"
[data]
dataset = "digits"
validation_samples = 1000
[model]
layers = [ { type = "dense", units = 32, activation = "relu" }, { type = "dense", units = 10 } ]
[training]
global_batch_size = 512
epochs = 1000000
seed = 1
[checkpoint]
every_steps = 500
"""


class Job:
    def __init__(self, folder):
        self.place = Place(folder, JOB)
        self.journal = Journal(self.place.folder / "run/journal")
        self.program = self.place.start(BUILD / "bin/lockstepctl", "run", "job.toml", "--processes", "3", "--run-dir", "run")

    def __enter__(self):
        trains(self.journal.path)
        return self

    def __exit__(self, *_):
        self.place.run(BUILD / "bin/lockstepctl", "stop", "--kill", "run")
        self.program.wait(timeout=PATIENCE_SECONDS)

    def victim(self, kind, chance):
        """(pid, how it is called); a launcher has no name: nobody may have one"""
        if kind == "launcher":
            return self.program.pid, ""
        known = json.loads((self.place.folder / "run/processes.json").read_text(encoding="utf-8"))
        if kind in ("worker", "chief"):
            number = 0 if kind == "chief" else chance.randrange(1, 3)
            return next((one["pid"], f"process {number} ") for one in known
                        if one["role"] == "worker" and one["process_id"] == number)
        return next((one["pid"], kind) for one in known if one["role"] == kind)

    def words(self, kind):
        """All that was said so far, where what befalls such a one is said."""
        if kind == "agent":
            return self.place.output().splitlines()
        if kind == "evaluator":
            return self.journal.read().warnings
        return [word.sentence for word in self.journal.read().said]

    def play(self, number, kind=None, stops=True):
        """(kind, seconds until it was named or None, whether it trains on)"""
        chance = random.Random(number)
        kind = kind or chance.choice(KINDS)
        time.sleep(chance.uniform(0.5, 2))
        pid, name = self.victim(kind, chance)
        before, began, after, sentence = len(self.words(kind)), time.monotonic(), None, "nobody is named"
        if stops:
            os.kill(pid, signal.SIGSTOP)
        while after is None and time.monotonic() < began + FROZEN_SECONDS:
            time.sleep(0.05)
            for sentence in self.words(kind)[before:]:
                if name in sentence and (not name or "heartbeat" in sentence or "stopped" in sentence):
                    after = time.monotonic() - began
                    break
        time.sleep(max(0, began + FROZEN_SECONDS - time.monotonic()))
        went_on = kind != "launcher" or grows(self.journal.path)
        os.kill(pid, signal.SIGCONT)
        note(f"{'trial' if stops else 'control'} {number}, {kind}: after {after or FROZEN_SECONDS:.2f} s: {sentence}")
        went_on = went_on and grows(self.journal.path)
        if stops:
            tell(Trial("STOP", kind, "local", number, rightly=(after is None) == (kind == "launcher"), after=after,
                       steps_lost=self.journal.read().steps_lost(), hung=not went_on, sentence=sentence))
        return kind, after, went_on


def main():
    named, unnamed, hurt, ended = collections.defaultdict(list), [], [], []
    with tempfile.TemporaryDirectory() as folder, Job(folder) as job:
        controls = sum(job.play(0, kind, stops=False)[1] is not None for kind in KINDS)
        for kind, number in asked(ASKED, KINDS):
            kind, after, trains_on = job.play(number, kind)
            if kind == "launcher":
                hurt += [number] if after is not None else []
            elif after is None:
                unnamed.append(number)
            else:
                named[kind].append(after)
            if not trains_on:
                ended.append(number)
                note(job.place.output()[-2000:])
                break
    for kind, seconds in sorted(named.items()):
        row(f"{len(seconds)} times SIGSTOP, {kind}: named after, worst", max(seconds), "s", goal=NAMED_GOAL_SECONDS,
            peer=f"median {median(seconds):.2f} s")
    row("  named though nobody was stopped", controls, goal=0)
    row("  not named", len(unnamed), goal=0, peer=f"trials {unnamed}" if unnamed else "")
    row("  named for a launcher that was stopped", len(hurt), goal=0, peer=f"trials {hurt}" if hurt else "")
    row("  did not train on when it was let go on", len(ended), goal=0, peer=f"trials {ended}" if ended else "")
    if unnamed or hurt or ended or controls or max(map(max, named.values()), default=0) > NAMED_GOAL_SECONDS:
        raise SystemExit("error: somebody was not named in time, or without a cause, or the job did not go on")


main()

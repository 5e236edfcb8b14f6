# SPDX-License-Identifier: Apache-2.0
"""Faults made on purpose in one running job of four processes, by `lockstepctl drill`: named rightly, how soon,
how soon it trains on, and what that costs. Each trial follows from its number: which process, and how long before.

LOCKSTEP_DRILLS: trials of each fault, 3 by default (50: the whole campaign), or one trial to play again ("stuck:17"),
or several ("kill:1,bit-flip:1-500"); "kill/chief:1" is of process 0, "kill/worker:1" of another one. LOCKSTEP_DRILL_TRANSPORT: gloo (the default: shared memory has no connection to cut), shm.
Only trials whose fault was seen to land are counted; one that was not is played again, at most twice. After one of `slow` it is waited
until nobody is called slow. Each trial is told as it ends, and what was played of a fault is counted where the campaign is cut short.
It ends with an error where fewer than 98 % of all were named rightly, where steps were lost and nobody was named, or where the job
did not train on."""
import dataclasses
import json
import os
import pathlib
import random
import re
import signal
import subprocess
import sys
import tempfile
import time

from figures import BUILD, median, note, row, unknown
from trials import Trial, spans, tell

PROCESSES = 4
PATIENCE_SECONDS = 300
TRIES = 3
PACE_SECONDS, LOOK_SECONDS = 60, 1
CALLED_SLOW = "is called slow already"
# What the run's log says of a process that makes the others wait, and of one that does so no longer.
PACE = re.compile(r"\bprocess (\d+) \([^)]*\) (costs the others|keeps up again)\b")
NAMED_RIGHTLY = 0.98  # of all that landed, at least
HUNG = {"named_process": False, "named_kind": False, "detected_after_seconds": None, "recovered_after_seconds": None,
        "steps_lost": 0, "detected": "", "outcome": f"nothing was heard of it for {PATIENCE_SECONDS} s"}


@dataclasses.dataclass(frozen=True)
class Fault:
    seconds: float = 0      # how long it lasts
    process: int = -1       # in which one; -1: any
    named_goal: float = 0   # seconds from its landing to its name, at most; 0: no goal
    asks: str = ""          # a transport that it needs


FAULTS = {
    "kill": Fault(named_goal=1),
    "stop": Fault(named_goal=4),
    "stuck": Fault(named_goal=10),
    "slow": Fault(seconds=40, named_goal=30),
    "nan": Fault(),
    "bit-flip": Fault(),
    "torn-checkpoint": Fault(process=0),
    "cut": Fault(asks="gloo"),
    "disk-full": Fault(seconds=3, process=0),
}

JOB = """
[job]
name = "drilled"
[cluster]
evaluator = false
transport = "TRANSPORT"
[launch]
max_restarts = 1000
on_stuck = "restart"
stuck_grace_seconds = 0
[data]
dataset = "digits"
[model]
layers = [ { type = "dense", units = 32, activation = "relu" }, { type = "dense", units = 10 } ]
[training]
global_batch_size = 512
epochs = 1000000
seed = 1
[checkpoint]
every_steps = 200
"""


def trials():
    """(fault, number) of each."""
    asked = os.environ.get("LOCKSTEP_DRILLS", "3")
    if ":" not in asked:
        return [(fault, number) for fault in FAULTS for number in range(1, int(asked) + 1)]
    named = list(spans(asked))
    if wrong := [fault for fault, _ in named if kind_of(fault) not in FAULTS]:
        raise SystemExit(f"error: there is no fault called {wrong[0]}; there are {', '.join(FAULTS)}")
    return [(fault, number) for fault, numbers in named for number in numbers]


def kind_of(fault):
    return fault.split("/")[0]


def process_of(fault, chosen):
    """In which it is made."""
    kind, _, victim = fault.partition("/")
    drawn = chosen.randrange(PROCESSES)
    if FAULTS[kind].process >= 0:
        return FAULTS[kind].process
    return {"": drawn, "chief": 0, "worker": 1 + drawn % (PROCESSES - 1)}[victim]


def told_to_the_table(fault, number, process, trial, why=""):
    """And the trial itself."""
    found = {"landed": False, "sentence": why} if trial is None else {
        "rightly": is_named_rightly(trial), "after": trial["detected_after_seconds"], "steps_lost": trial["steps_lost"],
        "hung": has_hung(trial), "sentence": trial["detected"] or trial["outcome"]}
    tell(Trial(kind_of(fault), "worker" if process else "chief", "local", number, **found))
    return trial


class DrilledJob:
    """A job that trains until it is no longer needed, in a folder of its own."""

    def __init__(self, folder, transport):
        self.folder = pathlib.Path(folder)
        (self.folder / "job.toml").write_text(JOB.replace("TRANSPORT", transport), encoding="utf-8")
        runtime = self.folder / "runtime"
        runtime.mkdir(mode=0o700)
        self.maybe_slow = False  # somebody may still be called so
        self.env = {**os.environ, **dict.fromkeys(("XDG_RUNTIME_DIR", "XDG_STATE_HOME", "XDG_CONFIG_HOME"), str(runtime))}

    def ctl(self, *words, **options):
        return subprocess.run([BUILD / "bin/lockstepctl", *words], cwd=self.folder, env=self.env, text=True, **options)

    def __enter__(self):
        self.ctl("run", "job.toml", "--processes", str(PROCESSES), "--run-dir", "run", "--detach", check=True,
                 stdout=sys.stderr)
        return self

    def __exit__(self, *_):
        self.ctl("stop", "--kill", "run", stdout=sys.stderr)

    def called_slow(self):
        slow = set()
        for line in self.ctl("logs", "run", capture_output=True, timeout=PATIENCE_SECONDS).stdout.splitlines():
            if not (said := PACE.search(line)):
                continue
            if said[2] == "costs the others":
                slow.add(said[1])
            else:
                slow.discard(said[1])
        return slow

    def await_even_pace(self):
        """A process whose drill is over is called slow for some seconds more, and another drill of it is refused meanwhile."""
        deadline = time.monotonic() + PACE_SECONDS
        while self.maybe_slow and (slow := self.called_slow()):
            if time.monotonic() > deadline:
                note(f"still called slow after {PACE_SECONDS} s: process {', '.join(sorted(slow))}")
                break
            time.sleep(LOOK_SECONDS)
        self.maybe_slow = False

    def play(self, fault, number):
        """What came of it; None where it was not seen to land."""
        kind, chosen, why = kind_of(fault), random.Random(f"{kind_of(fault)}:{number}"), ""
        process = process_of(fault, chosen)
        pause = chosen.uniform(1, 3)
        length = ["--seconds", f"{FAULTS[kind].seconds:g}"] if FAULTS[kind].seconds else []
        for _ in range(TRIES):
            self.await_even_pace()
            time.sleep(pause)
            self.maybe_slow = kind == "slow"
            try:
                done = self.ctl("drill", "run", kind, "--process", str(process), "--yes", "--json", *length,
                                capture_output=True, timeout=PATIENCE_SECONDS)
            except subprocess.TimeoutExpired:
                note(f"{fault}:{number} in process {process} after {pause:.2f} s: {told(HUNG)}")
                return told_to_the_table(fault, number, process, HUNG)
            if done.returncode == 0:
                trial = json.loads(done.stdout)
                note(f"{fault}:{number} in process {process} after {pause:.2f} s: {told(trial)}")
                return told_to_the_table(fault, number, process, trial)
            self.maybe_slow, why = self.maybe_slow or CALLED_SLOW in done.stderr, done.stderr.strip()
            note(f"{fault}:{number} in process {process} counts for nothing: {why}")
        return told_to_the_table(fault, number, process, None, why)

    def said_without_cause(self):
        """Failures that no drill has caused, and processes that were called slow while no drill slowed them."""
        self.ctl("stop", "run", stdout=sys.stderr, timeout=PATIENCE_SECONDS)
        try:
            summary = json.loads((self.folder / "run/summary.json").read_text(encoding="utf-8"))
        except (OSError, ValueError) as error:
            note(f"no summary: {error}")
            return None
        if summary["records"]["dropped"] or summary["missing_records"]:
            note(f"of the run's records is missing: {summary['missing_records']}")
        slowed = [drill["landed_step"] for drill in summary["drills"] if drill["kind"] == "slow"]
        wrong = [failure["cause"] for failure in summary["failures"] if not failure["cause"].endswith("(in a drill)")]
        wrong += [f"process {one['process_id']} is slow from step {one['first_step']}" for one in summary["stragglers"]
                  if not any(one["first_step"] - 1000 < step < one["last_step"] for step in slowed)]
        for sentence in wrong:
            note(f"said without a cause: {sentence}")
        return len(wrong)


def told(trial):
    named = trial["detected_after_seconds"]
    on = trial["recovered_after_seconds"]
    rightly = "rightly" if is_named_rightly(trial) else "WRONGLY"
    return (f"{'never named' if named is None else f'named {rightly} after {named:.2f} s'}, "
            f"{'does not train on' if on is None else f'trains on after {on:.1f} s'}, {trial['steps_lost']} steps lost: "
            f"{trial['detected'] or trial['outcome']}")


def is_named_rightly(trial):
    return trial["named_process"] and trial["named_kind"]


def is_lost_in_silence(trial):
    return trial["steps_lost"] > 0 and trial["detected_after_seconds"] is None


def has_hung(trial):
    return trial["recovered_after_seconds"] is None


def times(values):
    return f"{median(values):.1f} s, worst {max(values):.1f} s" if values else "never"


def play_all(job, fault, numbers):
    """What came of each. Where it is cut short, what was played is counted all the same."""
    played = []
    try:
        for number in numbers:
            played.append(job.play(fault, number))
    finally:
        if played:
            report(fault, played)
    return played


def report(fault, played):
    counted = [trial for trial in played if trial]
    if not counted:
        return unknown(f"drill {fault}", f"none of {len(played)} was seen to land")
    named = [t["detected_after_seconds"] for t in counted if t["detected_after_seconds"] is not None]
    on = [t["recovered_after_seconds"] for t in counted if t["recovered_after_seconds"] is not None]
    lost = [t["steps_lost"] for t in counted]
    row(f"drill {fault}: of {len(counted)} that landed not named rightly",
        sum(not is_named_rightly(trial) for trial in counted), goal=0,
        peer=f"trains on after {times(on)}; lost {median(lost):.0f}, worst {max(lost)} steps")
    if named:
        row("  named after, worst", max(named), "s", goal=FAULTS[kind_of(fault)].named_goal or None,
            peer=f"median {median(named):.2f} s")
    row("  did not train on", len(counted) - len(on), goal=0)
    row("  lost steps and named nobody", sum(map(is_lost_in_silence, counted)), goal=0)


def faults_of(counted, wrong):
    """What must not be, a sentence each."""
    rightly = sum(map(is_named_rightly, counted))
    if counted and rightly < NAMED_RIGHTLY * len(counted):
        yield f"{rightly} of {len(counted)} faults were named rightly, which is less than {NAMED_RIGHTLY:.0%}"
    if silent := sum(map(is_lost_in_silence, counted)):
        yield f"{silent} times steps were lost, and nobody was named"
    if hung := sum(map(has_hung, counted)):
        yield f"{hung} times the job did not train on"
    if wrong:
        yield f"{wrong} times somebody was named without a cause"


def main():
    signal.signal(signal.SIGTERM, lambda *_: sys.exit("error: the campaign was cut short"))
    asked, counted = trials(), []
    transport = os.environ.get("LOCKSTEP_DRILL_TRANSPORT", "gloo")
    with tempfile.TemporaryDirectory() as folder, DrilledJob(folder, transport) as job:
        for fault in dict.fromkeys(fault for fault, _ in asked):
            if (needs := FAULTS[kind_of(fault)].asks) not in ("", transport):
                unknown(f"drill {fault}", f"needs {needs}")
                continue
            played = play_all(job, fault, [number for of, number in asked if of == fault])
            counted += [trial for trial in played if trial]
        wrong = job.said_without_cause()
        if wrong is not None:
            row("drills: failures and slow processes named without a cause", wrong, goal=0)
    if found := list(faults_of(counted, wrong)):
        raise SystemExit("error: " + "; ".join(found))


main()

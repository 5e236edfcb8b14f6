# SPDX-License-Identifier: Apache-2.0
"""Nobody is accused where nothing is wrong: a job whose processes are four times as many as the cores; one over a network
that delays every packet by 200 ms and loses two of a hundred; 64 processes over Gloo, started again and again.

LOCKSTEP_CALM: seconds of the first two, which run at once, 1800 by default. LOCKSTEP_CALM_STARTS: of the last, 20 by default.
LOCKSTEP_CALM_PARTS: which of crowded, lossy, many; all by default. A control for the first two: at their end one process is stopped
(SIGSTOP), which must be said. The network needs root, and is of two network namespaces of its own."""
import concurrent.futures
import json
import os
import pathlib
import signal
import subprocess
import tempfile
import time

from figures import BUILD, CORES, note, row, unknown
from places import PATIENCE_SECONDS, Place, four_processes, trains, two_hosts, unavailable
from verdicts import Journal

SECONDS = float(os.environ.get("LOCKSTEP_CALM", "1800"))
STARTS = int(os.environ.get("LOCKSTEP_CALM_STARTS", "20"))
PARTS = os.environ.get("LOCKSTEP_CALM_PARTS", "crowded,lossy,many").split(",")
MANY = 64
CONTROL_SECONDS = 6  # stopped for so long: less than heartbeat_timeout_seconds, nobody is lost by it
SILENT = "silent"    # true as it is said, and taken back: counted by itself
JOB = """
[job]
name = "calm"
[cluster]
evaluator = false
device = "cpu"
transport = "gloo"
[data]
dataset = "digits"
validation_samples = 1000
[model]
layers = [ { type = "dense", units = 64, activation = "relu" }, { type = "dense", units = 10 } ]
[training]
global_batch_size = 256
steps = STEPS
seed = 1
[checkpoint]
every_steps = EVERY
"""


def job(steps, every):
    return JOB.replace("STEPS", str(steps)).replace("EVERY", str(every))


def launched(place, processes):
    return place.start(BUILD / "bin/lockstepctl", "run", "job.toml", "--processes", str(processes), "--run-dir", "run")


def stop_for_a_while(pid):
    os.kill(pid, signal.SIGSTOP)
    time.sleep(CONTROL_SECONDS)
    os.kill(pid, signal.SIGCONT)
    time.sleep(1)


def report(what, words, warnings, control_was_seen=True):
    for word in words:
        note(f"said without a cause ({word.kind}): {word.sentence}")
    for warning in warnings:
        note(f"in the log: {warning}")
    wrong, silent = sum(word.kind != SILENT for word in words), sum(word.kind == SILENT for word in words)
    row(f"{what}: accused without a cause", wrong, goal=0,
        peer=f"{silent} times somebody was silent for a while, and said to be; {len(warnings)} warnings in the log")
    if not control_was_seen:
        row("  controls that went unseen", 1, goal=0)
    return wrong == 0 and control_was_seen


def crowded():
    """Half an hour with four processes a core."""
    processes = 4 * len(CORES)
    with tempfile.TemporaryDirectory() as folder:
        place = Place(folder, job(steps=100000000, every=1000))
        program, journal = launched(place, processes), Journal(place.folder / "run/journal")
        try:
            trains(journal.path)
            time.sleep(SECONDS)
            words, warnings = list(journal.read().said), list(journal.warnings)
            stop_for_a_while(next(one["pid"] for one in json.loads((place.folder / "run/processes.json").read_text())
                                  if one["role"] == "worker" and one["process_id"] == 1))
            control = any("process 1 " in word.sentence for word in journal.read().said[len(words):])
        finally:
            place.run(BUILD / "bin/lockstepctl", "stop", "--kill", "run")
            program.wait(timeout=PATIENCE_SECONDS)
    return report(f"{processes} processes on {len(CORES)} cores, {SECONDS:.0f} s", words, warnings, control)


def lossy():
    """Half an hour of two hosts with two processes each behind a bad line."""
    if why := unavailable():
        unknown("a network of 200 ms that loses 2 %", why)
        return True
    with tempfile.TemporaryDirectory() as folder, two_hosts({"delay": 0.2, "loss": 0.02, "seed": 1}) as hosts:
        place = Place(folder, job(steps=100000000, every=50))
        with four_processes(place, hosts) as programs:
            journal = Journal(place.only_journal())
            trains(journal.path)
            time.sleep(SECONDS)
            words, warnings = list(journal.read().said), list(journal.warnings)
            # The last one's worker: the program itself is its agent.
            pid = programs[3].pid
            stop_for_a_while(int(pathlib.Path(f"/proc/{pid}/task/{pid}/children").read_text().split()[0]))
            control = any("process 3 " in word.sentence for word in journal.read().said[len(words):])
    return report(f"a network of 200 ms that loses 2 %, {SECONDS:.0f} s", words, warnings, control)


def many():
    """Starts of many processes, each of which trains to its end."""
    words, warnings, ended = [], [], 0
    for number in range(STARTS):
        with tempfile.TemporaryDirectory() as folder:
            place = Place(folder, job(steps=20, every=10))
            program = launched(place, MANY)
            try:
                ended += program.wait(timeout=2 * PATIENCE_SECONDS) == 0
            except subprocess.TimeoutExpired:
                place.run(BUILD / "bin/lockstepctl", "stop", "--kill", "run")
            journal = Journal(place.folder / "run/journal").read()
            words += journal.said
            warnings += journal.warnings
            note(f"start {number + 1} of {MANY} processes: status {program.returncode}")
    good = report(f"{STARTS} starts of {MANY} processes on {len(CORES)} cores over Gloo", words, warnings)
    row("  that did not come to their end", STARTS - ended, goal=0)
    return good and ended == STARTS


def main():
    if wrong := set(PARTS) - {"crowded", "lossy", "many"}:
        raise SystemExit(f"error: there is no part called {wrong.pop()}; there are crowded, lossy and many")
    with concurrent.futures.ThreadPoolExecutor() as both:
        good = [one.result() for one in [both.submit(part) for part in (crowded, lossy) if part.__name__ in PARTS]]
    if "many" in PARTS:
        good.append(many())
    if not all(good):
        raise SystemExit("error: somebody was accused without a cause, or did not come to an end")


main()

# SPDX-License-Identifier: Apache-2.0
"""Nobody is accused where nothing is wrong: a job whose processes are four times as many as the cores; one over a network
that delays every packet by 200 ms and loses two of a hundred; 64 processes over Gloo, started again and again.

LOCKSTEP_CALM: seconds of the first two, which run at once, 1800 by default. LOCKSTEP_CALM_STARTS: of the last, 20 by default.
LOCKSTEP_CALM_PARTS: which of crowded, lossy, many; all by default. A control for each: at its end one process is stopped (SIGSTOP),
which must be said. The network needs root, and is of two network namespaces of its own."""
import concurrent.futures
import contextlib
import json
import os
import pathlib
import signal
import socket
import subprocess
import sys
import tempfile
import time

from figures import BUILD, CORES, SOURCE, note, row, unknown
from verdicts import said

SECONDS = float(os.environ.get("LOCKSTEP_CALM", "1800"))
STARTS = int(os.environ.get("LOCKSTEP_CALM_STARTS", "20"))
PARTS = os.environ.get("LOCKSTEP_CALM_PARTS", "crowded,lossy,many").split(",")
MANY = 64
PATIENCE_SECONDS = 300
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


class Place:
    """A folder for a job and its runs."""

    def __init__(self, folder, **values):
        self.folder = pathlib.Path(folder)
        text = JOB
        for name, value in values.items():
            text = text.replace(name.upper(), str(value))
        (self.folder / "job.toml").write_text(text, encoding="utf-8")
        runtime = self.folder / "runtime"
        runtime.mkdir(mode=0o700)
        self.env = {**os.environ, **dict.fromkeys(("XDG_RUNTIME_DIR", "XDG_STATE_HOME", "XDG_CONFIG_HOME"), str(runtime))}
        self.log = (self.folder / "output").open("w")

    def start(self, *words):
        return subprocess.Popen(words, cwd=self.folder, env=self.env, stdout=self.log, stderr=self.log)

    def ctl(self, *words):
        return [BUILD / "bin/lockstepctl", *words]

    def journal(self, run):
        return self.folder / run / "journal"


def trains(journal):
    """Once it has told of steps."""
    until = time.monotonic() + PATIENCE_SECONDS
    while time.monotonic() < until:
        if journal.exists() and journal.stat().st_size > 20000:
            return
        time.sleep(0.1)
    raise SystemExit(f"error: {journal} does not come to train")


def accused(words):
    for word in words:
        note(f"said without a cause ({word.kind}): {word.sentence}")
    return sum(word.kind != SILENT for word in words), sum(word.kind == SILENT for word in words)


def stop_for_a_while(pid):
    os.kill(pid, signal.SIGSTOP)
    time.sleep(CONTROL_SECONDS)
    os.kill(pid, signal.SIGCONT)
    time.sleep(1)


def report(what, words, of_control):
    wrong, silent = accused(words)
    row(f"{what}: accused without a cause", wrong, goal=0, peer=f"{silent} times somebody was silent for a while, and said to be")
    if of_control is not None:
        row("  controls that went unseen", 0 if of_control else 1, goal=0)
    return wrong == 0 and of_control is not False


def crowded():
    """Half an hour with four processes a core."""
    processes = 4 * len(CORES)
    with tempfile.TemporaryDirectory() as folder:
        place = Place(folder, steps=100000000, every=1000)
        program = place.start(*place.ctl("run", "job.toml", "--processes", str(processes), "--run-dir", "run"))
        try:
            trains(place.journal("run"))
            time.sleep(SECONDS)
            words = said(place.journal("run"))
            worker = next(one["pid"] for one in json.loads((place.folder / "run/processes.json").read_text())
                          if one["role"] == "worker" and one["process_id"] == 1)
            stop_for_a_while(worker)
            control = any("process 1 " in word.sentence for word in said(place.journal("run"))[len(words):])
        finally:
            subprocess.run(place.ctl("stop", "--kill", "run"), cwd=folder, env=place.env, stdout=place.log, stderr=place.log)
            program.wait(timeout=PATIENCE_SECONDS)
    return report(f"{processes} processes on {len(CORES)} cores, {SECONDS:.0f} s", words, control)


@contextlib.contextmanager
def lossy_network(log):
    """Two network namespaces that see each other through a bad line, 10.78.0.1 and 10.78.0.2."""
    names = [f"lscalm{os.getpid()}{end}" for end in "ab"]
    line = None
    try:
        for name in names:
            subprocess.run(["ip", "netns", "add", name], check=True)
        line = subprocess.Popen([sys.executable, SOURCE / "tests/support/bad-line", *names, str(SECONDS + 2 * PATIENCE_SECONDS),
                                 json.dumps({"delay": 0.2, "loss": 0.02, "seed": 1})], stdout=log, stderr=log)
        time.sleep(2)
        yield names
    finally:
        if line:
            line.kill()
            line.wait()
        for name in names:
            subprocess.run(["ip", "netns", "del", name], stderr=log)


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def lossy():
    """Half an hour of two hosts with two processes each behind a bad line, started one by one."""
    if os.geteuid() != 0:
        unknown("a network of 200 ms that loses 2 %", "namespaces need root")
        return True
    with tempfile.TemporaryDirectory() as folder:
        place = Place(folder, steps=100000000, every=50)
        address = f"10.78.0.1:{free_port()}"
        with lossy_network(place.log) as hosts:
            programs = [place.start("ip", "netns", "exec", hosts[number // 2], BUILD / "bin/lockstep-worker", "job.toml",
                                    "--process-id", str(number), "--num-processes", "4", "--coordinator-address", address)
                        for number in range(4)]
            try:
                until = time.monotonic() + PATIENCE_SECONDS
                while not (runs := list(place.folder.glob("runs/*/journal"))) and time.monotonic() < until:
                    time.sleep(0.1)
                trains(runs[0])
                time.sleep(SECONDS)
                words = said(runs[0])
                # The last one's worker: the program itself is its agent.
                children = pathlib.Path(f"/proc/{programs[3].pid}/task/{programs[3].pid}/children").read_text().split()
                stop_for_a_while(int(children[0]))
                control = any("process 3 " in word.sentence for word in said(runs[0])[len(words):])
            finally:
                for program in programs:
                    program.kill()
                for program in programs:
                    program.wait(timeout=PATIENCE_SECONDS)
    return report(f"a network of 200 ms that loses 2 %, {SECONDS:.0f} s", words, control)


def many():
    """Starts of many processes, each of which trains to its end."""
    words, ended = [], 0
    for number in range(STARTS):
        with tempfile.TemporaryDirectory() as folder:
            place = Place(folder, steps=20, every=10)
            program = place.start(*place.ctl("run", "job.toml", "--processes", str(MANY), "--run-dir", "run"))
            ended += program.wait(timeout=2 * PATIENCE_SECONDS) == 0
            words += said(place.journal("run"))
            note(f"start {number + 1} of {MANY} processes: status {program.returncode}")
    good = report(f"{STARTS} starts of {MANY} processes on {len(CORES)} cores over Gloo", words, None)
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

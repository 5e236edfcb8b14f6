# SPDX-License-Identifier: Apache-2.0
"""A job of four processes that something befalls every ten seconds, followed by a terminal and by the window: what the
launcher, the agent and the window hold more of at the end than at the beginning, in descriptors, threads, memory and files.

LOCKSTEP_SOAK: seconds, 1200 by default. LOCKSTEP_SOAK_SEED: which fault befalls whom, 1 by default.
The first third is for caches to fill; the medians of the second and of the last third are compared. What the window and
the launcher remember of each step is growth, too, but wanted: steps are few here, so that it stays below the goals."""
import json
import os
import pathlib
import random
import subprocess
import sys
import tempfile
import time

from figures import BUILD, median, note, row

SECONDS = float(os.environ.get("LOCKSTEP_SOAK", "1200"))
SEED = int(os.environ.get("LOCKSTEP_SOAK_SEED", "1"))
EVERY_SECONDS = 10
PATIENCE_SECONDS = 60
PROCESSES = 4
LASTS = {"stop": 2, "stuck": 2, "slow": 4, "disk-full": 2}  # seconds; the others are done at once
FAULTS = ["kill", "stop", "stuck", "slow", "nan", "bit-flip", "disk-full"]
OF_PROCESS_0 = {"disk-full"}
# Memory that a quarter of an hour of such a job may add, in MiB: the window keeps every point of every series.
MOST_MEMORY = {"launcher": 2, "agent": 2, "window": 16}

JOB = """
[job]
name = "soaked"
[cluster]
device = "cpu"
[launch]
max_restarts = 1000
on_stuck = "restart"
stuck_grace_seconds = 0
[data]
dataset = "digits"
[model]
layers = [
  { type = "dense", units = 512, activation = "relu" },
  { type = "dense", units = 512, activation = "relu" },
  { type = "dense", units = 10 },
]
[training]
global_batch_size = 2048
epochs = 1000000
seed = 1
[checkpoint]
every_steps = 20
"""


def entries(folder):
    return sum(len(files) + len(folders) for _, folders, files in os.walk(folder))


def held_by(pid):
    """What a process has: descriptors, threads, MiB of its own; None once it is gone."""
    proc = pathlib.Path(f"/proc/{pid}")
    try:
        pages = (proc / "statm").read_text().split()
        own = (int(pages[1]) - int(pages[2])) * os.sysconf("SC_PAGE_SIZE") / 2**20
        return {"descriptors": len(os.listdir(proc / "fd")), "threads": len(os.listdir(proc / "task")), "MiB": own}
    except (OSError, IndexError):
        return None


class SoakedJob:
    def __init__(self, folder):
        self.folder = pathlib.Path(folder)
        (self.folder / "job.toml").write_text(JOB, encoding="utf-8")
        self.runtime = self.folder / "runtime"
        self.runtime.mkdir(mode=0o700)
        self.env = {**os.environ, **dict.fromkeys(("XDG_RUNTIME_DIR", "XDG_STATE_HOME", "XDG_CONFIG_HOME"), str(self.runtime))}
        self.programs = {}

    def start(self, name, *words):
        self.programs[name] = subprocess.Popen([str(BUILD / "bin" / words[0]), *words[1:]], cwd=self.folder, env=self.env,
                                               stdout=subprocess.DEVNULL, stderr=sys.stderr)

    def ctl(self, *words):
        return subprocess.run([BUILD / "bin/lockstepctl", *words], cwd=self.folder, env=self.env, text=True,
                              capture_output=True, timeout=4 * PATIENCE_SECONDS)

    def __enter__(self):
        self.start("launcher", "lockstepctl", "run", "job.toml", "--processes", str(PROCESSES), "--run-dir", "run")
        deadline = time.monotonic() + PATIENCE_SECONDS
        while not (self.folder / "run/checkpoints/LATEST").exists():
            if time.monotonic() > deadline or self.programs["launcher"].poll() is not None:
                raise SystemExit("error: the job does not come to its first checkpoint")
            time.sleep(0.1)
        self.start("window", "lockstep", "--attach", "run")
        return self

    def __exit__(self, *_):
        self.ctl("stop", "--kill", "run")
        for program in self.programs.values():
            program.terminate()
            program.wait(timeout=PATIENCE_SECONDS)

    def agent(self):
        """The launcher's child that runs the agent, whichever of its threads has started it."""
        tasks = pathlib.Path(f"/proc/{self.programs['launcher'].pid}/task")
        children = [pid for task in tasks.glob("*/children") for pid in task.read_text().split()]
        if not children:
            raise SystemExit("error: the launcher has no agent")
        return int(children[0])

    def look(self):
        """All figures of now, by (who, what)."""
        pids = {"agent": self.agent(), **{name: program.pid for name, program in self.programs.items()}}
        seen = {}
        for who, pid in pids.items():
            held = held_by(pid)
            if held is None or pathlib.Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()[0] == "Z":
                raise SystemExit(f"error: the {who} is gone")
            seen |= {(who, what): value for what, value in held.items()}
        seen["files", "in the run's folder"] = entries(self.folder / "run")
        seen["files", "in the runtime folder"] = entries(self.runtime)
        seen["files", "in /dev/shm"] = entries("/dev/shm")
        return seen


def befall(job, chance):
    """One fault, waited for until it is over; whether it was seen to land."""
    fault = chance.choice(FAULTS)
    process = 0 if fault in OF_PROCESS_0 else chance.randrange(PROCESSES)
    length = ["--seconds", str(LASTS[fault])] if fault in LASTS else []
    done = job.ctl("drill", "run", fault, "--process", str(process), "--yes", "--json", "--timeout", "40", *length)
    if done.returncode != 0:
        note(f"{fault} in process {process} counts for nothing: {done.stderr.strip()}")
    return done.returncode == 0


def main():
    chance = random.Random(SEED)
    looks, landed, tried = [], 0, 0
    with tempfile.TemporaryDirectory() as folder, SoakedJob(folder) as job:
        end = time.monotonic() + SECONDS
        while time.monotonic() < end:
            due = time.monotonic() + EVERY_SECONDS
            landed += befall(job, chance)
            tried += 1
            time.sleep(max(due - time.monotonic(), 0))
            looks.append(job.look())
        job.ctl("stop", "run")
        job.programs["launcher"].wait(timeout=PATIENCE_SECONDS)
        summary = json.loads((job.folder / "run/summary.json").read_text(encoding="utf-8"))
    third = len(looks) // 3
    if third == 0:
        raise SystemExit("error: LOCKSTEP_SOAK is too short: three faults at least take a minute")
    row(f"soak of {SECONDS:.0f} s, seed {SEED}: faults that did not land", tried - landed,
        peer=f"{landed} landed, {summary['restarts']} restarts, ended as {summary['status']}")
    for key in looks[0]:
        who, what = key
        # Checkpoints that the evaluator has still to score come and go: what is left behind is in the least of all looks.
        of_all = min if who == "files" else median
        middle, last = (of_all([look[key] for look in part]) for part in (looks[third:2 * third], looks[2 * third:]))
        row(f"  {who}: {what} more", float(last - middle), goal=MOST_MEMORY[who] if what == "MiB" else 0,
            peer=f"{middle:.0f}, then {last:.0f}; at most {max(look[key] for look in looks):.0f}")


main()

# SPDX-License-Identifier: Apache-2.0
"""Any process of a job with launch.max_restarts is killed (SIGKILL) at random moments, several a run: worker, chief, evaluator,
and the agent, which hosts the coordinator. Every run must end with the bits of one that nobody has disturbed. The launcher, too: its
run does what launch.on_disconnect says, and stops with a checkpoint or goes on, and so comes to the same bits.

LOCKSTEP_KILLED: how many kills must have landed, 200 by default. LOCKSTEP_KILLED_SEED: begins with that run ("7"), or
plays it alone ("7:"), without any launcher's. Two controls: runs of another seed must be found to end with other bits, and a
run whose restarts are used up must be found not to end well."""
import collections
import json
import os
import pathlib
import random
import signal
import subprocess
import tempfile
import time

from figures import BUILD, note, row

WANTED = int(os.environ.get("LOCKSTEP_KILLED", "200"))
SEED = os.environ.get("LOCKSTEP_KILLED_SEED", "1")
PATIENCE_SECONDS = 120
KILLS_A_RUN = 6
LAUNCHERS = 5  # killed with each launch.on_disconnect
KINDS = ["worker", "chief", "evaluator", "agent"]
JOB = """
[job]
name = "killed"
[cluster]
evaluator = true
device = "cpu"
[launch]
max_restarts = RESTARTS
on_disconnect = "POLICY"
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
every_steps = 100
"""


class Run:
    def __init__(self, place, name, *more, seed=1, restarts=1000, policy="tied"):
        self.place, self.name, self.folder = place, name, place / name
        job = place / f"{name}.toml"
        job.write_text(JOB.replace("RESTARTS", str(restarts)).replace("SEED", str(seed)).replace("POLICY", policy),
                       encoding="utf-8")
        self.log = (place / f"{name}.log").open("a")
        self.program = subprocess.Popen([BUILD / "bin/lockstepctl", "run", job, "--processes", "3", "--run-dir", name, *more],
                                        cwd=place, stdout=self.log, stderr=self.log)

    def victims(self):
        """(kind, pid) of each process of the present start."""
        try:
            known = json.loads((self.folder / "processes.json").read_text(encoding="utf-8"))
        except (OSError, ValueError):
            return []  # none yet, or being written
        def kind(one):
            return "chief" if one["role"] == "worker" and one["process_id"] == 0 else one["role"]
        return [(kind(one), one["pid"]) for one in known]

    def kill(self, kind):
        """Whether one of that kind was there to be killed."""
        pids = [pid for what, pid in self.victims() if what == kind and alive(pid)]
        if not pids:
            return False
        os.kill(pids[0], signal.SIGKILL)
        return True

    def end(self):
        """(status, state hash); None where it does not come to an end, which ends it."""
        try:
            self.program.wait(timeout=PATIENCE_SECONDS)
        except subprocess.TimeoutExpired:
            subprocess.run([BUILD / "bin/lockstepctl", "stop", "--kill", self.name], cwd=self.place, timeout=PATIENCE_SECONDS,
                           stdout=self.log, stderr=self.log)
            self.program.wait(timeout=PATIENCE_SECONDS)
            return None
        return self.told()

    def told(self):
        try:
            summary = json.loads((self.folder / "summary.json").read_text(encoding="utf-8"))
        except (OSError, ValueError):
            return "without a summary", ""
        return summary["status"], summary.get("state_hash", "")

    def trains(self):
        """Once it has a checkpoint."""
        until = time.monotonic() + PATIENCE_SECONDS
        while not (self.folder / "checkpoints/LATEST").exists():
            if self.program.poll() is not None or time.monotonic() > until:
                raise SystemExit(f"error: {self.name} does not come to its first checkpoint")
            time.sleep(0.01)

    def end_without_launcher(self):
        """As end(), of a run whose launcher is killed now."""
        agents = [pid for kind, pid in self.victims() if kind == "agent"]
        self.program.kill()
        self.program.wait(timeout=PATIENCE_SECONDS)
        until = time.monotonic() + PATIENCE_SECONDS
        while any(map(alive, agents)):
            if time.monotonic() > until:
                subprocess.run([BUILD / "bin/lockstepctl", "stop", "--kill", self.name], cwd=self.place,
                               timeout=PATIENCE_SECONDS, stdout=self.log, stderr=self.log)
                return None
            time.sleep(0.02)
        return self.told()


def alive(pid):
    """And the worker program: another process may have the number by now."""
    try:
        state = pathlib.Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()[0]
        return state != "Z" and b"lockstep-worker" in pathlib.Path(f"/proc/{pid}/cmdline").read_bytes()
    except (OSError, IndexError):
        return False


def disturbed(place, number):
    """Kinds of the kills that landed, and how the run ended."""
    chance = random.Random(number)
    run, landed = Run(place, f"run-{number}"), collections.Counter()
    for _ in range(KILLS_A_RUN):
        kind, due = chance.choice(KINDS), time.monotonic() + chance.uniform(0.2, 2)
        while run.program.poll() is None and time.monotonic() < due:
            time.sleep(0.01)
        # It may be between two starts, without any process.
        until = time.monotonic() + 5
        while run.program.poll() is None and time.monotonic() < until:
            if run.kill(kind):
                landed[kind] += 1
                break
            time.sleep(0.02)
    return landed, run.end()


def without_launcher(place, policy, number):
    """How a run ended whose launcher was killed, gone on with where it stopped; and whether it did what `policy` says."""
    run = Run(place, f"{policy}-{number}", policy=policy)
    run.trains()
    time.sleep(random.Random(number).uniform(0, 1))
    end = run.end_without_launcher()
    follows = end is not None and end[0] == ("stopped" if policy == "tied" else "completed")
    note(f"launcher {number} ({policy}): its run ended as {end}")
    if follows and policy == "tied":
        end = Run(place, run.name, "--resume", policy=policy).end()
    return end, follows


def launchers(place, wanted):
    """Trials that did not follow launch.on_disconnect, or came to other bits."""
    trials = [(policy, number) for policy in ("tied", "detached") for number in range(1, LAUNCHERS + 1)]
    return [f"{policy}:{number}" for policy, number in trials if without_launcher(place, policy, number) != (wanted, True)]


def main():
    killed, wrong, hangs = collections.Counter(), [], 0
    with tempfile.TemporaryDirectory() as folder:
        place = pathlib.Path(folder)
        ended = Run(place, "undisturbed").end()
        if ended is None or ended[0] != "completed":
            raise SystemExit(f"error: the undisturbed run ended as {ended}")
        number = int(SEED.rstrip(":"))
        while sum(killed.values()) < WANTED:
            landed, end = disturbed(place, number)
            killed += landed
            hangs += end is None
            note(f"run {number}: {sum(landed.values())} kills ({', '.join(landed.elements())}), ended as {end}")
            if end != ended:
                wrong.append(number)
                note((place / f"run-{number}.log").read_text()[-2000:])
            if SEED.endswith(":"):
                break
            number += 1
        alone = [] if SEED.endswith(":") else launchers(place, ended)
        other = Run(place, "control-seed", seed=2).end()
        used_up = Run(place, "control-restarts", restarts=0)
        while not used_up.kill("worker") and used_up.program.poll() is None:
            time.sleep(0.02)
        controls = (other == ended) + (used_up.end() == ended)
    row(f"{sum(killed.values())} kills of any process: runs with other bits", len(wrong), goal=0,
        peer=", ".join(f"{count} {kind}" for kind, count in sorted(killed.items())) + (f"; runs {wrong}" if wrong else ""))
    row("  runs that came to no end", hangs, goal=0)
    if not SEED.endswith(":"):
        row(f"  {2 * LAUNCHERS} kills of the launcher: against launch.on_disconnect, or with other bits", len(alone), goal=0,
            peer=f"trials {', '.join(alone)}" if alone else "")
    row("  controls that went unseen", controls, goal=0)
    if wrong or hangs or alone or controls:
        raise SystemExit("error: a run was not as it would have been")


main()

# SPDX-License-Identifier: Apache-2.0
"""Faults made on purpose in one running job, by `lockstepctl drill`: named rightly, how soon, and how soon it trains on.
LOCKSTEP_DRILLS: trials of each fault, 3 by default. Only trials whose fault was seen to land are counted."""
import json
import os
import pathlib
import subprocess
import sys
import tempfile

from figures import BUILD, median, note, row, unknown

TRIALS = int(os.environ.get("LOCKSTEP_DRILLS", "3"))
PATIENCE_SECONDS = 180
FAULTS = {"kill": 1, "stop": 1, "stuck": 1, "nan": 1, "bit-flip": 1, "torn-checkpoint": 0, "cut": 1}  # in which process
JOB = """
[job]
name = "drilled"
[cluster]
evaluator = false
transport = "gloo"
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


def drill(folder, env, fault, process):
    words = [BUILD / "bin/lockstepctl", "drill", "run", fault, "--process", str(process), "--yes", "--json"]
    done = subprocess.run(words, cwd=folder, env=env, capture_output=True, text=True, timeout=PATIENCE_SECONDS)
    if done.returncode != 0:
        note(f"{fault}: {done.stderr.strip()}")
        return None
    return json.loads(done.stdout)


def report(fault, trials):
    counted = [trial for trial in trials if trial and trial["counted"]]
    if not counted:
        return unknown(f"drill {fault}", f"none of {len(trials)} was seen to land")
    rightly = sum(trial["named_process"] and trial["named_kind"] for trial in counted)
    detected = [t["detected_after_seconds"] for t in counted if t["detected_after_seconds"] is not None]
    recovered = [t["recovered_after_seconds"] for t in counted if t["recovered_after_seconds"] is not None]

    def times(values):
        return f"{median(values):.1f} s, worst {max(values):.1f} s" if values else "never"
    row(f"drill {fault}: of {len(counted)} not named rightly", len(counted) - rightly, goal=0,
        peer=f"named {times(detected)}; trains on {times(recovered)}")


def main():
    with tempfile.TemporaryDirectory() as folder:
        pathlib.Path(folder, "job.toml").write_text(JOB, encoding="utf-8")
        runtime = pathlib.Path(folder, "runtime")
        runtime.mkdir(mode=0o700)
        env = {**os.environ, "XDG_RUNTIME_DIR": str(runtime), "XDG_STATE_HOME": str(runtime), "XDG_CONFIG_HOME": str(runtime)}
        subprocess.run([BUILD / "bin/lockstepctl", "run", "job.toml", "--processes", "2", "--run-dir", "run",
                        "--detach"], cwd=folder, env=env, check=True, stdout=sys.stderr)
        try:
            for fault, process in FAULTS.items():
                report(fault, [drill(folder, env, fault, process) for _ in range(TRIALS)])
        finally:
            subprocess.run([BUILD / "bin/lockstepctl", "stop", "--kill", "run"], cwd=folder, env=env, stdout=sys.stderr)


main()

#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The guide's programs that load a checkpoint, as its page prints them, score it as Lockstep's evaluator did.

usage: recipes.py LOCKSTEPCTL     (under the Python that has the frameworks; see `./dev check interop`)
"""
import csv
import importlib.util
import io
import os
import pathlib
import re
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.dont_write_bytecode = True
sys.path.insert(0, str(ROOT / "tests/docs"))
from check_docs import BLOCK, NAME  # noqa: E402

PAGE = ROOT / "resources/guide/checkpoints.md"
TIMEOUT_SECONDS = 240
SCORE = re.compile(r"^step-(\d+): test loss ([\d.]+), accuracy ([\d.]+)$", re.MULTILINE)
IMPORT = re.compile(r"^(?:import|from) (\w+)", re.MULTILINE)
LARGEST_DIFFERENCE = 2e-4  # it is printed with four digits; frameworks add in other orders


def environment_in(home, lockstepctl):
    """A user who has just come: nothing of this one's folders, this Python and these programs first."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith("XDG_")}
    path = os.pathsep.join([str(pathlib.Path(sys.executable).parent), str(lockstepctl.parent), kept["PATH"]])
    return {**kept, "HOME": str(home), "PATH": path, "KERAS_BACKEND": "jax", "JAX_PLATFORMS": "cpu"}


def output_of(line, folder, environment):
    done = subprocess.run(["bash", "-c", line], cwd=folder, env=environment, stdin=subprocess.DEVNULL,
                          capture_output=True, text=True, timeout=TIMEOUT_SECONDS)
    if done.returncode:
        sys.exit(f"FAIL  {line}: exit status {done.returncode}: {done.stderr.strip()[-600:]}")
    return done.stdout


def journalled(run, folder, environment):
    """{step: (loss, accuracy)} of the test set, as the run's evaluator reported them."""
    table = output_of(f"lockstepctl export {run} --format csv", folder, environment)
    values = {(row["tag"], row["step"]): float(row["value"]) for row in csv.DictReader(io.StringIO(table))}
    return {step: (loss, values["evaluator/test_accuracy", step])
            for (tag, step), loss in values.items() if tag == "evaluator/test_loss"}


def compare(program, output, expected):
    score = SCORE.search(output)
    if not score:
        sys.exit(f"FAIL  {program} prints no score: {output.strip()[-600:]}")
    found = float(score[2]), float(score[3])
    if max(abs(a - b) for a, b in zip(found, expected[score[1]])) > LARGEST_DIFFERENCE:
        sys.exit(f"FAIL  {program} finds {found} at step {score[1]}, the evaluator {expected[score[1]]}")
    print(f"ok    {program:12} {score[0]}, as the evaluator", flush=True)


def follow(page, folder, environment):
    """Does what the page says; how many of its programs were compared."""
    compared = 0
    for kind, block in BLOCK.findall(page):
        if kind in ("toml", "python"):
            (folder / NAME.match(block)[1]).write_text(block, encoding="utf-8")
            continue
        for line in block.splitlines():
            program = re.match(r"python3 (\S+) (\S+)", line)
            if not program:
                output_of(line, folder, environment)
                continue
            needs = IMPORT.findall((folder / program[1]).read_text(encoding="utf-8"))
            missing = sorted({name for name in needs if importlib.util.find_spec(name) is None})
            if missing:
                print(f"skip  {program[1]:12} {', '.join(missing)} is not installed here")
                continue
            compare(program[1], output_of(line, folder, environment), journalled(program[2], folder, environment))
            compared += 1
    return compared


def main():
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    lockstepctl = pathlib.Path(sys.argv[1]).resolve()
    with tempfile.TemporaryDirectory() as folder, tempfile.TemporaryDirectory() as home:
        environment = environment_in(home, lockstepctl)
        if not follow(PAGE.read_text(encoding="utf-8"), pathlib.Path(folder), environment):
            sys.exit("FAIL  no program of the page runs under this Python")


if __name__ == "__main__":
    main()

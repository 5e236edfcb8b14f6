# SPDX-License-Identifier: Apache-2.0
"""Seeded deaths of anything that a job consists of, by the tests that plant them: what they cost,
by kind. `--ssh`: of a launch over SSH, on hosts that are made for it (as root). LOCKSTEP_DEATHS:
how many, 200 by default."""
import math
import os
import re
import subprocess
import sys

from figures import BUILD, median, note, row, unknown

DEATHS = os.environ.get("LOCKSTEP_DEATHS", "200")
TOLL = re.compile(r"toll\|([^|]+)\|(\d+)\|([01])\|([01])\|(-?[\d.]+)\|([01])$")


def p95(values):
    return sorted(values)[math.ceil(0.95 * len(values)) - 1]


def tolls(program):
    """By kind of death: (left, unnamed, gaps, seconds, failed) of each that was played."""
    kinds, skipped = {}, ""
    env = {**os.environ, "LOCKSTEP_DEATHS": DEATHS, "QTEST_FUNCTION_TIMEOUT": str(2**31 - 1)}
    with subprocess.Popen([program], stdout=subprocess.PIPE, text=True, env=env) as process:
        for line in process.stdout:
            if found := TOLL.search(line.rstrip()):
                left, unnamed, gaps, seconds, failed = found.groups()[1:]
                kinds.setdefault(found[1], []).append(
                    (int(left), int(unnamed), int(gaps), float(seconds), int(failed)))
            elif line.startswith("SKIP"):
                skipped = line.split(") ", 1)[-1].strip()
            elif line.startswith("FAIL!"):
                note(line.rstrip())
        process.wait()
    return kinds, skipped, process.returncode


def report(kind, played):
    left, unnamed, gaps = (sum(column) for column in list(zip(*played))[:3])
    seconds = [toll[3] for toll in played if toll[3] >= 0]
    over = f"{median(seconds):.1f} s, p95 {p95(seconds):.1f} s" if seconds else "it goes on"
    row(f"{len(played)} deaths of {kind}: wrong", sum(toll[4] for toll in played), goal=0,
        peer=f"left {left}, unnamed {unnamed}, gaps {gaps}; {over}")


test = BUILD / "tests" / ("tst_ssh_faults" if "--ssh" in sys.argv else "tst_deaths")
found, why, status = tolls(test)
for name, deaths in sorted(found.items()):
    report(name, deaths)
if not found:
    unknown("deaths", why or f"{test.name} ended with status {status}")
if status != 0:
    raise SystemExit(f"error: {test.name} ended with status {status}")

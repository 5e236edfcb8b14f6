# SPDX-License-Identifier: Apache-2.0
"""What telemetry costs the step thread: processor time, allocations, system calls."""
import collections
import os
import pathlib
import re
import shutil
import subprocess
import tempfile

from figures import BUILD, CORES, row, unknown

PROGRAM = BUILD / "bench/telemetry_side"
BLOCKS, STEPS = 40, 500
TRACED_STEPS = 2000
SECONDS = 300


def run(command):
    done = subprocess.run([str(word) for word in command], capture_output=True, text=True, timeout=SECONDS,
                          check=True)
    return [float(word) for word in done.stdout.split()]


def system_calls(trace):
    """Calls of the step thread by name, apart for the blocks with telemetry and without."""
    block, calls = {}, {"on": collections.Counter(), "off": collections.Counter()}
    for line in trace.splitlines():
        match = re.match(r"(\d+) +(\w+)\((.*)", line)
        if not match:
            continue  # the second half of a call that was interrupted
        thread, call, arguments = match.groups()
        if call == "prctl" and (name := re.match(r'PR_SET_NAME, "(\w+)"', arguments)):
            block[thread] = name[1]
        elif block.get(thread) in calls:
            calls[block[thread]][call] += 1
    return calls


on, off, ratio, allocated, without = run([PROGRAM, BLOCKS, STEPS])
row("step with telemetry over without, batch 32", ratio, goal=1.005,
    peer=f"{on:.1f} us and {off:.1f} us of the step thread")
row(f"allocations of the step thread for it, in {STEPS} steps", allocated - without, goal=0)

what = f"system calls of the step thread, in {TRACED_STEPS:,} steps with it"
if shutil.which("strace"):
    with tempfile.TemporaryDirectory(prefix="bench-") as folder:
        trace = pathlib.Path(folder) / "trace"
        run(["strace", "-f", "-qq", "-o", trace, PROGRAM, 1, TRACED_STEPS])
        calls = system_calls(trace.read_text())
    # Not telemetry's: batches are waited for, and the heap grows where an epoch ends (the row above
    # shows that telemetry allocates nothing).
    wakes = [calls[block].pop("futex", 0) for block in ("on", "off")]
    grows = calls["on"].pop("brk", 0)
    row(what, sum(calls["on"].values()), goal=0,
        peer=f"not counted: {wakes[0]} waits for batches ({wakes[1]} without it), {grows} brk")
else:
    unknown(what, "strace is not installed")

#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Runs the benchmarks and prints one table: bench.py BUILD [--peers] [--ssh] [NAME...], or bench.py BUILD faults --table [ROW...].

A benchmark is a program BUILD/bench/bench_NAME or, beside a peer, a script compare/NAME.py. Each
prints its rows; what else it prints goes to standard error. --ssh is faults' own: on hosts.
"""
import datetime
import os
import pathlib
import re
import subprocess
import sys

HERE = pathlib.Path(__file__).resolve().parent
ORDER = ["floor", "training", "identity", "models", "processes", "mesh", "allreduce", "whole", "drift", "telemetry", "ingest",
         "checkpoint", "memory", "data", "images", "replay", "opening", "runs"]
ON_REQUEST = {"calm", "drills", "faults", "frozen", "kills", "partitions", "preempted", "regroup", "soak", "strikes"}  # half an hour, no figure of speed
LONGEST_SECONDS = 1800


def programs(build):
    """By name: what runs it. A comparison runs the program of its name itself."""
    found = {path.name.removeprefix("bench_"): [path] for path in (build / "bench").glob("bench_*")
             if os.access(path, os.X_OK) and path.is_file()}
    found |= {path.stem: [sys.executable, path] for path in (HERE / "compare").glob("*.py")}
    place = {name: number for number, name in enumerate(ORDER)}
    return dict(sorted(found.items(), key=lambda item: (place.get(item[0], len(ORDER)), item[0])))


def machine():
    processor = re.search(r"^model name\s*: (.*)$", pathlib.Path("/proc/cpuinfo").read_text(), re.M)
    return (f"{datetime.date.today()}, {processor[1] if processor else os.uname().machine}, "
            f"{len(os.sched_getaffinity(0))} cores, load {os.getloadavg()[0]:.1f}")


def processor_ticks():
    """All so far, and those that a virtual machine's host gave to others while we wanted them."""
    ticks = [int(word) for word in pathlib.Path("/proc/stat").read_text().split("\n")[0].split()[1:]]
    return sum(ticks[:8]), ticks[7]


def install_peers():
    from figures import PEERS
    python = PEERS / "bin/python"
    try:
        if not python.exists():
            subprocess.run([sys.executable, "-m", "venv", PEERS], check=True)
        # The wheel for Linux that PyPI has needs NVIDIA's libraries even to be imported.
        subprocess.run([python, "-m", "pip", "install", "--no-cache-dir", "--upgrade", "--quiet",
                        "torch", "numpy", "jax", "keras", "safetensors", "tensorboard"], check=True)
        subprocess.run([python, "-c", "import torch; print('PyTorch', torch.__version__)"], check=True)
    except (subprocess.CalledProcessError, OSError) as error:
        sys.exit(f"error: PyTorch or JAX cannot be had: {error}\n  The benchmarks run without it; their "
                 f"comparisons are left out. Its folder is {PEERS}.")


def run(name, command, build):
    """Rows to standard output as they come, everything else to standard error; its status."""
    env = {**os.environ, "LOCKSTEP_BUILD": str(build), "PYTHONPATH": str(HERE),
           "QT_QPA_PLATFORM": os.environ.get("QT_QPA_PLATFORM", "offscreen")}
    with subprocess.Popen([str(word) for word in command], stdout=subprocess.PIPE, text=True, env=env) as process:
        for line in process.stdout:
            print(line, end="", flush=True, file=sys.stdout if line.startswith("| ") else sys.stderr)
        if process.wait(timeout=LONGEST_SECONDS) != 0:
            print(f"error: the benchmark {name} ended with status {process.returncode}", file=sys.stderr)
        return process.returncode


def main(arguments):
    build = pathlib.Path(arguments.pop(0)).resolve()
    if "--peers" in arguments:
        arguments.remove("--peers")
        install_peers()
        if not arguments:
            return 0
    if "--table" in arguments:
        of_rows = [argument for argument in arguments if argument not in ("--table", "faults")]
        return subprocess.run([sys.executable, HERE / "fault_table.py", *of_rows],
                              env={**os.environ, "LOCKSTEP_BUILD": str(build)}).returncode
    known = programs(build)
    if "--ssh" in arguments:
        arguments.remove("--ssh")
        known["faults"] = [*known["faults"], "--ssh"]
    elif "faults" in arguments and "regroup" not in arguments:
        arguments.append("regroup")
    if wrong := [name for name in arguments if name not in known]:
        sys.exit(f"error: there is no benchmark called {wrong[0]}; there are {', '.join(known)}")
    print(machine() + "\n")
    all_before, stolen_before = processor_ticks()
    print(f"| {'what':<58} | {'goal':>10} | {'aim':>8} | {'measured':>10} | {'peer, remark':<44} | verdict |")
    print(f"|{'-' * 60}|{'-' * 11}:|{'-' * 9}:|{'-' * 11}:|{'-' * 46}|---------|", flush=True)
    failed = [name for name in arguments or [name for name in known if name not in ON_REQUEST]
              if run(name, known[name], build) != 0]
    all_ticks, stolen = processor_ticks()
    share = (stolen - stolen_before) / max(all_ticks - all_before, 1)
    if stolen > stolen_before:
        print(f"\nOf this virtual machine's processors its host gave {share:.0%} to others meanwhile.")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.path.insert(0, str(HERE))
    sys.exit(main(sys.argv[1:]))

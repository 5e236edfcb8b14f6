#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Runs all that needs a GPU and writes one table: self-test, jobs, drills, memory checks, speed.

usage: check_gpu.py FOLDER_OR_ARCHIVE [--report FILE] [--mnist DIR] [--only quick|drills]
Where something cannot run, its line says "skipped" and why; exit status 0 unless a check failed.
Needs Python alone: programs and libraries come from the archive that pack.py made, the C library,
the driver, CUDA and PyTorch (if any) from the machine.
"""

import argparse
import glob
import json
import os
import pathlib
import shutil
import signal
import subprocess
import sys
import tarfile
import tempfile

import described_networks
from gpu_jobs import MESH, Jobs, error_line, last_line

BENCH_GOALS = {32: (8.0, 1.5), 512: (8.0, 1.5), 65536: (1.0, 1.0)}  # times faster: eager, best


class Table:
    """Lines of (result, what, detail), printed as they come and written at the end."""

    def __init__(self):
        self.lines = []

    def add(self, result, what, detail=""):
        self.lines.append((result, what, detail))
        print(f"{result:<8} {what:<58} {detail}", flush=True)

    def failed(self):
        return sum(result == "FAILED" for result, _, _ in self.lines)

    def write(self, path):
        rows = ["| result | what | detail |", "|---|---|---|"]
        rows += [f"| {result} | {what} | {detail} |" for result, what, detail in self.lines]
        path.write_text("\n".join(rows) + "\n", encoding="utf-8")


class Machine:
    """The unpacked programs, and how to call them here."""

    def __init__(self, folder):
        self.folder = folder
        self.environment = dict(os.environ)
        # CUDA from its own folder, or from Python's packages, as PyTorch brings it.
        places = ["/usr/local/cuda/lib64", "/usr/local/nvidia/lib64"]
        for top in {p for p in sys.path if p.endswith("packages")} | self._torch_packages():
            places += sorted(glob.glob(f"{top}/nvidia/*/lib"))
        own = [str(folder / "lib")] if (folder / "lib").is_dir() else []
        before = self.environment.get("LD_LIBRARY_PATH", "").split(":")
        self.environment["LD_LIBRARY_PATH"] = ":".join(own + [p for p in before if p] + places)

    @staticmethod
    def _torch_packages():
        code = "import site, sys; print('\\n'.join(site.getsitepackages()))"
        try:
            text = subprocess.run(["python3", "-c", code], capture_output=True, text=True,
                                  timeout=60).stdout
        except (OSError, subprocess.TimeoutExpired):
            return set()
        return set(text.split())

    def program(self, name):
        for place in ("bin", "bench"):
            if (self.folder / place / name).exists():
                return str(self.folder / place / name)
        return str(self.folder / "bin" / name)

    def run(self, arguments, timeout, **more):
        """(exit status, standard output, standard error); status 124 when it took too long."""
        environment = {**self.environment, **more.pop("environment", {})}
        try:
            done = subprocess.run(arguments, capture_output=True, text=True, timeout=timeout,
                                  env=environment, **more)
            return done.returncode, done.stdout, done.stderr
        except subprocess.TimeoutExpired as late:
            said = late.stdout or b""  # bytes, though text was asked for
            said = said if isinstance(said, str) else said.decode(errors="replace")
            return 124, said, f"took longer than {timeout} s"
        except OSError as problem:
            return 127, "", str(problem)


def self_test(machine, table):
    status, out, problem = machine.run([machine.program("lockstep-worker"), "--self-test"], 300)
    for line in out.splitlines():
        result, rest = line[:8].strip(), line[9:]
        if result in ("ok", "FAILED", "skipped", "found"):
            table.add(result, rest[:58].strip(), rest[59:].strip())
    if status != 0:
        table.add("FAILED", "self-test as a whole", f"exit {status}: {last_line(problem or out)}")


def random_programs(machine, table):
    status, out, problem = machine.run([machine.program("gpu_programs"), "2000"], 600)
    for line in out.splitlines():
        table.add(line[:8].strip(), "random networks", line[9:])
    if status != 0:
        table.add("FAILED", "random networks as a whole", f"exit {status}: {last_line(problem or out)}")


# ---- memory checks and speed --------------------------------------------------------------------

def sanitizer(machine, table):
    tool = shutil.which("compute-sanitizer") or "/usr/local/cuda/bin/compute-sanitizer"
    for check in ("memcheck", "racecheck"):
        what = f"compute-sanitizer {check} on the self-test"
        if not os.path.exists(tool):
            table.add("skipped", what, "compute-sanitizer is not on this machine")
            continue
        # NCCL asks each GPU for kernels that it may lack: calls that fail and no faults of memory.
        api = ["--report-api-errors", "no"] if check == "memcheck" else []
        status, out, problem = machine.run(
            [tool, "--tool", check, "--error-exitcode", "9"] + api +
            [machine.program("lockstep-worker"), "--self-test"], 500)
        text = out + problem
        if "not supported" in text.lower() and status != 0:
            table.add("skipped", what, "the device refuses it: " + last_line(text))
        else:
            summary = [line for line in text.splitlines() if "SUMMARY" in line]
            table.add("ok" if status == 0 else "FAILED", what,
                      last_line(summary[-1] if summary else text))


def json_lines(text):
    return [json.loads(line) for line in text.splitlines() if line.startswith("{")]


def speed(machine, table):
    status, out, problem = machine.run([machine.program("bench_gpu"), "--json"], 300)
    ours = json_lines(out)
    if status != 0 or not ours:
        return table.add("FAILED", "the benchmark", last_line(problem))
    plain = {"LD_LIBRARY_PATH": os.environ.get("LD_LIBRARY_PATH", "")}  # PyTorch has its own
    status, out, problem = machine.run(["python3", str(machine.folder / "torch_step.py")], 600,
                                       environment=plain)
    theirs = json_lines(out)
    if not theirs:
        table.add("skipped", "PyTorch beside it", last_line(problem))
    for mine in ours:
        what = (f"step, batch {mine['batch']}, {mine['precision']}, "
                f"{'one graph' if mine['captured'] else 'launch by launch'}")
        detail = (f"{mine['median_us']:.1f} us, {mine['teraflops']:.2f} TFLOP/s, "
                  f"{mine['products_us'] / mine['median_us'] * 100:.0f} % of it is what cuBLASLt's "
                  f"fastest products take")
        table.add("figure", what, detail + compare(mine, theirs))
    return None


def networks(machine, table, scratch, mnist):
    """Jobs of described networks, beside the same networks in PyTorch."""
    theirs, problem = described_networks.by_torch(machine)
    if not theirs:
        table.add("skipped", "PyTorch's described networks", last_line(problem))
    described_networks.measure(machine, table, scratch, mnist, theirs, error_line)


def compare(mine, theirs):
    same = {one["how"]: one["median_us"] for one in theirs if "median_us" in one
            and (one["batch"], one["precision"]) == (mine["batch"], mine["precision"])}
    if not same or not mine["captured"]:
        return ""
    goal_eager, goal_best = BENCH_GOALS[mine["batch"]]
    best = min(same.values())
    text = ""
    if "eager" in same:
        ratio = same["eager"] / mine["median_us"]
        text += f"; PyTorch eager {same['eager']:.1f} us: {ratio:.1f} times (goal {goal_eager})"
    ratio = best / mine["median_us"]
    return text + f"; its best {best:.1f} us: {ratio:.2f} times (goal {goal_best})"


def guarded(table, what, check, *arguments):
    """A check that breaks is a line of the table: the others run, and the table is written."""
    try:
        return check(*arguments)
    except Exception as problem:  # whatever it is
        table.add("FAILED", what, f"{type(problem).__name__}: {problem}"[:200])
        return None


def drills(jobs, table, probe):
    for transport in ("gloo", "nccl") if len(probe["gpus"]) > 1 else ("gloo",):
        guarded(table, "drill: killed", jobs.drill, "killed", signal.SIGKILL, transport)
        guarded(table, "drill: frozen", jobs.drill, "frozen", signal.SIGSTOP, transport)
    if len(probe["gpus"]) > 1:
        guarded(table, "drill: frozen on a mesh", jobs.drill, "frozen", signal.SIGSTOP, "nccl",
                MESH.format(members=2), " of a mesh of 1 x 2")
    else:
        table.add("skipped", "drill: a worker of a mesh of 1 x 2 is frozen, nccl",
                  "it takes 2 GPUs, here: 1")


def all_checks(machine, table, scratch, mnist, only):
    status, out, problem = machine.run([machine.program("lockstep-worker"), "--probe"], 60)
    if status != 0:
        return table.add("FAILED", "the worker starts", last_line(problem))
    probe = json.loads(out)
    table.add("found", f"build {probe['build']}", probe["gpu_sentence"])
    if only != "drills":
        guarded(table, "the self-test", self_test, machine, table)
    if probe["gpu_state"] != "usable":
        for what in ("random networks", "jobs", "meshes", "drills", "compute-sanitizer",
                     "benchmark"):
            table.add("skipped", what, probe["gpu_sentence"])
        return None
    jobs = Jobs(machine, table, scratch, mnist)
    if only == "drills":
        return drills(jobs, table, probe)
    guarded(table, "random networks", random_programs, machine, table)
    results = guarded(table, "jobs", jobs.accuracy)
    guarded(table, "captured and launch by launch", jobs.captured, results or {})
    guarded(table, "two processes on one GPU", jobs.two_on_one)
    if len(probe["gpus"]) > 1:
        guarded(table, "two processes on two GPUs", jobs.on_two_gpus)
    else:
        table.add("skipped", "two processes on two GPUs by NCCL, and its drills", "there is one GPU")
    guarded(table, "meshes", jobs.on_meshes, len(probe["gpus"]))
    drills(jobs, table, probe)
    guarded(table, "speed", speed, machine, table)
    guarded(table, "described networks", networks, machine, table, scratch, mnist)
    if only != "quick":
        guarded(table, "compute-sanitizer", sanitizer, machine, table)
    return None


def main():
    parser = argparse.ArgumentParser(description="all that needs a GPU, as one table")
    parser.add_argument("source", type=pathlib.Path)
    parser.add_argument("--report", type=pathlib.Path, default=pathlib.Path("gpu-report.md"))
    parser.add_argument("--mnist", type=pathlib.Path)
    parser.add_argument("--only", choices=["quick", "drills"],
                        help="quick: without compute-sanitizer; drills: the deaths alone")
    options = parser.parse_args()
    table = Table()
    with tempfile.TemporaryDirectory() as temporary:
        scratch = pathlib.Path(temporary)
        folder = options.source.resolve()
        if folder.is_file():
            with tarfile.open(folder) as packed:
                packed.extractall(scratch)
            folder = scratch / "lockstep-gpu"
        mnist = options.mnist or (folder / "mnist")
        guarded(table, "the checks", all_checks, Machine(folder), table, scratch,
                mnist.resolve() if mnist.is_dir() else None, options.only)
    options.report.parent.mkdir(parents=True, exist_ok=True)
    table.write(options.report)
    print(f"{table.failed()} failed; the table is in {options.report}")
    return 1 if table.failed() else 0


if __name__ == "__main__":
    sys.exit(main())

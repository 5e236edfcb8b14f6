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
import time

import described_networks

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


def last_line(text):
    lines = [line for line in text.strip().splitlines() if line.strip()]
    return lines[-1].strip()[:200] if lines else ""


def error_line(text):
    lines = [line for line in text.splitlines() if line.startswith("error: ")]
    return lines[0][:200] if lines else last_line(text)


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


def first_gpu_alone():
    """An environment in which there is one GPU, of those that the caller lets us see."""
    seen = os.environ.get("CUDA_VISIBLE_DEVICES", "").split(",")[0].strip()
    return {"CUDA_VISIBLE_DEVICES": seen or "0"}


# ---- jobs ---------------------------------------------------------------------------------------

JOB = """[job]
name = "gpu-check"
[cluster]
evaluator = false
device = "gpu"
[data]
{data}
[model]
layers = [
  {{ type = "dense", units = 256, activation = "relu" }},
  {{ type = "dense", units = 256, activation = "relu" }},
  {{ type = "dense", units = 10 }},
]
[training]
global_batch_size = 32
epochs = 2
seed = 1
"""


# Two layers that a row's members share.
MESH = """[distribution]
mesh = {{ model = {members} }}
layout = {{ "layers.0.weight" = "out", "layers.1.weight" = "in" }}
"""


class Jobs:
    def __init__(self, machine, table, scratch, mnist):
        self.machine, self.table, self.scratch = machine, table, scratch
        self.data = f'dataset = "mnist"\ndirectory = "{mnist}"' if mnist else 'dataset = "digits"'
        self.least = 0.96 if mnist else 0.9
        self.name = "MNIST" if mnist else "digits (MNIST is not here)"
        self.count = 0

    def command(self, settings, processes, more=""):
        self.count += 1
        folder = self.scratch / f"job-{self.count}"
        folder.mkdir()
        (folder / "job.toml").write_text(JOB.format(data=self.data) + more, encoding="utf-8")
        command = [self.machine.program("lockstepctl"), "run", str(folder / "job.toml"),
                   "--processes", str(processes), "--run-dir", str(folder / "run"),
                   "--json", str(folder / "summary.json")]
        for setting in settings:
            command += ["--set", setting]
        return folder, command

    def run(self, settings, processes=1, environment=None, more=""):
        """(summary or None, standard error)."""
        folder, command = self.command(settings, processes, more)
        status, _, problem = self.machine.run(command, 300, environment=environment or {})
        path = folder / "summary.json"
        summary = json.loads(path.read_text(encoding="utf-8")) if path.exists() else None
        return (summary if status == 0 else None), problem

    def accuracy(self):
        results = {}
        for precision in ("float32", "tf32", "bfloat16"):
            what = f"{self.name}, 2 epochs, {precision}"
            summary, problem = self.run([f"training.precision={precision}"])
            if summary is None:
                self.table.add("FAILED", what, error_line(problem))
                continue
            results[precision] = summary
            good = summary["test_accuracy"] >= self.least and summary["device"] == "gpu"
            self.table.add("ok" if good else "FAILED", what,
                           f"test accuracy {summary['test_accuracy']:.4f} (at least {self.least}), "
                           f"{summary['backend']}, {summary['samples_per_second']:.0f} samples/s, "
                           f"step p50 {summary['step_milliseconds']['p50'] * 1e3:.1f} us")
        return results

    def captured(self, results):
        what = "a whole job, captured and launch by launch"
        summary, problem = self.run([], environment={"LOCKSTEP_CUDA_GRAPHS": "0"})
        if summary is None or "float32" not in results:
            return self.table.add("FAILED", what, error_line(problem))
        same = summary["state_hash"] == results["float32"]["state_hash"]
        return self.table.add("ok" if same else "FAILED", what,
                              "equal state hash" if same else "other state hash")

    def two_on_one(self):
        what = "two processes on one GPU through Gloo"
        # Adam lets roundings grow over an epoch; plain SGD keeps them small.
        plain = ["training.optimizer=sgd", "training.learning_rate=0.01", "training.epochs=1"]
        alone = first_gpu_alone()
        one, problem = self.run(plain, environment=alone)
        if one is not None:
            summary, problem = self.run(plain + ["cluster.transport=gloo"], 2, alone)
        if one is None or summary is None:
            self.table.add("FAILED", what, error_line(problem))
        else:
            apart = abs(summary["train_loss"] - one["train_loss"])
            self.table.add("ok" if apart <= 1e-4 else "FAILED", what,
                           f"training loss differs by {apart:.1e} from one process (at most 1e-4)")
        what = "two processes on one GPU by NCCL are refused in words"
        summary, problem = self.run(["cluster.transport=nccl"], 2, alone)
        said = summary is None and "share the GPU" in problem
        self.table.add("ok" if said else "FAILED", what, error_line(problem))

    def on_two_gpus(self):
        """The same sums as one process's, by NCCL."""
        what = "two processes on two GPUs by NCCL"
        plain = ["training.optimizer=sgd", "training.learning_rate=0.01", "training.epochs=1"]
        one, problem = self.run(plain)
        two = None
        if one is not None:
            two, problem = self.run(plain + ["cluster.transport=nccl"], 2)
        if two is None:
            return self.table.add("FAILED", what, error_line(problem))
        apart = abs(two["train_loss"] - one["train_loss"])
        good = apart <= 1e-4 and two["backend"] == "nccl"
        return self.table.add("ok" if good else "FAILED", what,
                              f"training loss differs by {apart:.1e} from one process, "
                              f"{two['samples_per_second']:.0f} samples/s")

    def on_meshes(self, gpus):
        """A network that GPUs share, by rows and columns of processes, ends as on one GPU."""
        plain = ["training.optimizer=sgd", "training.learning_rate=0.01", "training.epochs=1",
                 "cluster.devices_per_process=1"]
        one, problem = self.run(plain)
        for rows, members in ((1, 2), (2, 2), (1, 4)):
            what = f"a network that a mesh of {rows} x {members} GPUs shares"
            if rows * members > gpus:
                self.table.add("skipped", what, f"it takes {rows * members} GPUs, here: {gpus}")
                continue
            mesh = None
            if one is not None:
                mesh, problem = self.run(plain, rows * members, more=MESH.format(members=members))
            if mesh is None:
                self.table.add("FAILED", what, error_line(problem))
                continue
            apart = abs(mesh["train_loss"] - one["train_loss"])
            good = apart <= 1e-4 and mesh["backend"] == "nccl"
            self.table.add("ok" if good else "FAILED", what,
                           f"training loss differs by {apart:.1e} from one process, "
                           f"{mesh['backend']}, {mesh['samples_per_second']:.0f} samples/s")

    def drill(self, name, number, transport, more="", of=""):
        """A worker of a long job is killed or frozen: the job ends, names it, leaves nobody."""
        what = f"drill: a worker{of} is {name}, {transport}"
        folder, command = self.command(
            [f"cluster.transport={transport}", "training.epochs=200",
             "cluster.heartbeat_timeout_seconds=3"], 2, more)
        job = subprocess.Popen(command, env=self.machine.environment, stdout=subprocess.DEVNULL,
                               stderr=subprocess.PIPE, text=True)
        try:
            processes = wait_for(lambda: workers_of(folder / "run"), 60)
            time.sleep(3)
            os.kill(processes[1], number)
            begin = time.monotonic()
            problem = job.communicate(timeout=60)[1]
            seconds = time.monotonic() - begin
            left = wait_for(lambda: not [p for p in processes if is_running(p)], 20)
            good = job.returncode == 1 and left and "process 1" in error_line(problem)
            self.table.add("ok" if good else "FAILED", what,
                           f"{seconds:.1f} s, {error_line(problem)}")
        except (subprocess.TimeoutExpired, OSError, IndexError, TypeError) as problem:
            self.table.add("FAILED", what, str(problem)[:200])
        finally:
            if job.poll() is None:
                job.kill()
                job.communicate()


def wait_for(holds, seconds):
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        found = holds()
        if found:
            return found
        time.sleep(0.1)
    return None


def workers_of(run):
    try:
        processes = json.loads((run / "processes.json").read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return None
    found = [p["pid"] for p in processes if p["role"] == "worker" and p["pid"] > 0]
    return found if len(found) == 2 else None


def is_running(pid):
    try:
        state = pathlib.Path(f"/proc/{pid}/stat").read_text(encoding="utf-8")
    except OSError:
        return False
    return state[state.rindex(")") + 2] != "Z"


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

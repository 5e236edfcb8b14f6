# SPDX-License-Identifier: Apache-2.0
"""For check_gpu.py: jobs that train on GPUs, and what becomes of one whose worker is killed or frozen."""

import json
import os
import pathlib
import subprocess
import time

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


def last_line(text):
    lines = [line for line in text.strip().splitlines() if line.strip()]
    return lines[-1].strip()[:200] if lines else ""


def error_line(text):
    lines = [line for line in text.splitlines() if line.startswith("error: ")]
    return lines[0][:200] if lines else last_line(text)


def first_gpu_alone():
    """An environment in which there is one GPU, of those that the caller lets us see."""
    seen = os.environ.get("CUDA_VISIBLE_DEVICES", "").split(",")[0].strip()
    return {"CUDA_VISIBLE_DEVICES": seen or "0"}


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

#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Programs of other frameworks as a job's own program: two processes train together and are seen.

PyTorch DDP (gloo), Keras on JAX and JAX with its plain initialize() are started by `lockstepctl run` with nothing but
launch.command, find each other by the variables, and report through lockstep_report. The loss of
both processes must be in the run's history while it trains; then one process is killed, and the
run must end with that process named.

With --hosts they are started over ssh: the hosts see the temporary folder of the job, and this
Python at the same path.

usage: own_programs.py LOCKSTEPCTL [--hosts A,B --ssh-config FILE]
(under the Python that has the frameworks; see `./dev check interop`)
"""
import argparse
import csv
import importlib.metadata
import importlib.util
import io
import json
import os
import re
import signal
import subprocess
import sys
import tempfile
import time

TIMEOUT_SECONDS = 240

TORCH = """
import os; print("PID", os.getpid(), flush=True)
import sys, time, torch, torch.distributed as dist, lockstep_report
from torch.nn.parallel import DistributedDataParallel
dist.init_process_group("gloo")
torch.manual_seed(0)
torch.set_num_threads(1)
model = DistributedDataParallel(torch.nn.Linear(4, 1))
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
target = torch.tensor([[1.0], [-2.0], [3.0], [0.5]])
torch.manual_seed(1 + dist.get_rank())
report = lockstep_report.connect()
for step in range(int(sys.argv[1])):
    x = torch.randn(16, 4)
    loss = torch.nn.functional.mse_loss(model(x), x @ target)
    optimizer.zero_grad(); loss.backward(); optimizer.step()
    report.step(loss=loss.item())
    time.sleep(0.01)
total = sum(p.double().sum().item() for p in model.parameters())
print("WEIGHTS", total, flush=True)
dist.destroy_process_group()
"""

KERAS = """
import os; print("PID", os.getpid(), flush=True)
import sys
import keras
keras.distribution.initialize()
import jax, numpy as np, time, lockstep_report
from jax.experimental import multihost_utils
assert jax.process_count() == 2, jax.process_count()
keras.distribution.set_distribution(keras.distribution.DataParallel(
    devices=keras.distribution.list_devices(), auto_shard_dataset=False))
keras.utils.set_random_seed(0)
model = keras.Sequential([keras.Input((4,)), keras.layers.Dense(1)])
model.compile(optimizer=keras.optimizers.SGD(0.05), loss="mse")
x = np.random.default_rng(0).normal(size=(256, 4)).astype("float32")
y = x @ np.array([[1.0], [-2.0], [3.0], [0.5]], dtype="float32")

class Pause(keras.callbacks.Callback):
    def on_train_batch_end(self, batch, logs=None):
        time.sleep(0.01)

half = slice(128 * jax.process_index(), 128 * (jax.process_index() + 1))
model.fit(x[half], y[half], batch_size=16, epochs=int(sys.argv[1]) // 8, verbose=0,
          callbacks=[Pause(), lockstep_report.keras_callback()])
print("WEIGHTS", float(sum(np.sum(np.asarray(w)) for w in model.get_weights())), flush=True)
"""

# Nothing but the plain call: JAX finds count and id by itself.
JAX = """
import os; print("PID", os.getpid(), flush=True)
import sys, time
import jax
jax.distributed.initialize()
assert jax.process_count() == 2, jax.process_count()
assert jax.process_index() == int(os.environ["RANK"]), jax.process_index()
import jax.numpy as jnp, numpy as np, lockstep_report
from jax.experimental import multihost_utils
x = np.random.default_rng(jax.process_index()).normal(size=(256, 4)).astype("float32")
y = x @ np.array([[1.0], [-2.0], [3.0], [0.5]], dtype="float32")
loss_and_gradient = jax.jit(jax.value_and_grad(lambda w, x, y: jnp.mean((x @ w - y) ** 2)))
w = np.zeros((4, 1), dtype="float32")
report = lockstep_report.connect()
for step in range(int(sys.argv[1])):
    part = slice(16 * step % 256, 16 * step % 256 + 16)
    loss, gradient = loss_and_gradient(w, x[part], y[part])
    w = w - 0.05 * np.mean(multihost_utils.process_allgather(gradient), axis=0)
    report.step(loss=float(loss))
    time.sleep(0.01)
print("WEIGHTS", float(np.sum(w)), flush=True)
"""

PROGRAMS = {
    "torch": {"needs": ["torch"], "text": TORCH, "environment": ["OMP_NUM_THREADS=1"]},
    "keras": {"needs": ["keras", "jax"], "text": KERAS,
              "environment": ["KERAS_BACKEND=jax", "JAX_PLATFORMS=cpu"]},
    "jax": {"needs": ["jax"], "text": JAX, "environment": ["JAX_PLATFORMS=cpu"]},
}


def job_text(name, steps, arguments):
    command = json.dumps([sys.executable, "train.py", str(steps)])
    hosts = arguments.hosts.split(",") if arguments.hosts else []
    addresses = json.dumps([host + ":0" for host in hosts] or ["127.0.0.1:0"] * 2)
    text = (f'[job]\nname = "{name}"\n[cluster]\njob_addresses = {addresses}\n'
            f"[launch]\ncommand = {command}\n"
            f'environment = {json.dumps(PROGRAMS[name]["environment"])}\n')
    if hosts:
        text += f'method = "ssh"\nssh_config = {json.dumps(arguments.ssh_config)}\n'
    return text


class Run:
    """A run of a program in a folder of its own."""

    def __init__(self, folder, name, steps, arguments):
        self.folder = os.path.join(folder, f"{name}-{steps}")
        os.mkdir(self.folder)
        self.run_folder = os.path.join(self.folder, "run")
        self.lockstepctl = arguments.lockstepctl
        with open(os.path.join(self.folder, "train.py"), "w", encoding="utf-8") as file:
            file.write(PROGRAMS[name]["text"])
        with open(os.path.join(self.folder, "job.toml"), "w", encoding="utf-8") as file:
            file.write(job_text(name, steps, arguments))
        self.process = subprocess.Popen(
            [self.lockstepctl, "run", "job.toml", "--run-dir", self.run_folder], cwd=self.folder, text=True,
            stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE)

    def losses(self):
        """{process: [loss]} as the run's history has them now."""
        done = subprocess.run([self.lockstepctl, "export", self.run_folder, "--format", "csv"],
                              check=False, cwd=self.folder, capture_output=True, text=True, timeout=60)
        found = {}
        for row in csv.DictReader(io.StringIO(done.stdout)):
            if row["tag"] == "train/loss" and row["replica"]:
                found.setdefault(int(row["process_id"]), []).append(float(row["value"]))
        return found

    def wait_for_losses(self):
        """Until both processes are seen while they train; what there is then."""
        deadline = time.monotonic() + TIMEOUT_SECONDS
        while self.process.poll() is None and time.monotonic() < deadline:
            losses = self.losses()
            if len(losses) == 2 and min(map(len, losses.values())) >= 5:
                return losses
            time.sleep(0.3)
        return None

    def log(self, process):
        path = os.path.join(self.run_folder, "logs", f"process-{process}.log")
        try:
            with open(path, encoding="utf-8") as file:
                return file.read()
        except OSError:
            return ""

    def end(self):
        output, errors = self.process.communicate(timeout=TIMEOUT_SECONDS)
        return self.process.returncode, output + errors

    def stop(self):
        if self.process.poll() is None:
            self.process.send_signal(signal.SIGTERM)
            try:
                self.process.communicate(timeout=60)
            except subprocess.TimeoutExpired:
                self.process.kill()


    def wait_for_pid(self, process):
        """The program's own process id on its host, as its output tells; None: it does not."""
        deadline = time.monotonic() + 10
        while time.monotonic() < deadline:
            found = re.search(r"PID (\d+)$", self.log(process), re.MULTILINE)
            if found:
                return int(found[1])
            time.sleep(0.1)
        return None


def kill(pid, host, arguments):
    """SIGKILL, where the program runs."""
    if not host:
        os.kill(pid, signal.SIGKILL)
        return
    subprocess.run(["ssh", "-F", arguments.ssh_config, "--", host, f"kill -KILL {pid}"],
                   check=True, stdin=subprocess.DEVNULL, timeout=30)


def trains_and_is_seen(run, arguments):
    if run.wait_for_losses() is None:
        return f"no live loss of both processes: {run.log(0)[-500:]} {run.log(1)[-500:]}"
    status, words = run.end()
    if status != 0:
        return f"exit status {status}: {words[-600:]}"
    losses = run.losses()
    if any(values[-1] > values[0] / 4 for values in losses.values()):
        return f"it does not learn: {[(v[0], v[-1]) for v in losses.values()]}"
    weights = [line for k in range(2) for line in run.log(k).splitlines()
               if line.startswith("WEIGHTS")]
    if len(weights) != 2 or weights[0] != weights[1]:
        return f"the processes do not hold the same weights: {weights}"
    return None


def a_kill_is_named(run, arguments):
    if run.wait_for_losses() is None:
        return f"no live loss of both processes: {run.log(0)[-500:]} {run.log(1)[-500:]}"
    pid = run.wait_for_pid(1)
    if pid is None:
        return f"the log of process 1 does not come: {run.log(1)[-500:]}"
    host = (arguments.hosts.split(",") if arguments.hosts else [""] * 2)[1]
    killed_at = time.monotonic()
    kill(pid, host, arguments)
    status, words = run.end()
    seconds = time.monotonic() - killed_at
    errors = [line for line in words.splitlines() if line.startswith("error: ")]
    if status != 1 or len(errors) != 1 or not errors[0].startswith("error: process 1 (") or \
            "was killed by signal 9 (SIGKILL)" not in errors[0]:
        return f"exit status {status}: {errors}"
    return f"the run took {seconds:.1f} s to end" if seconds > 15 else None


def check(name, folder, arguments):
    """None when all is well, else what is not."""
    for steps, case in ((400, trains_and_is_seen), (100000, a_kill_is_named)):
        run = Run(folder, name, steps, arguments)
        try:
            complaint = case(run, arguments)
        except subprocess.TimeoutExpired:
            complaint = f"no end within {TIMEOUT_SECONDS} s"
        finally:
            run.stop()
        if complaint:
            return f"{case.__name__}: {complaint}"
    return None


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("lockstepctl", type=os.path.abspath)
    parser.add_argument("--hosts", default="", help="two ssh destinations; by default this machine")
    parser.add_argument("--ssh-config", default="", help="as ssh -F")
    arguments = parser.parse_args()
    failed = False
    with tempfile.TemporaryDirectory() as folder:
        for name, program in PROGRAMS.items():
            needs = program["needs"]
            missing = [one for one in needs if importlib.util.find_spec(one.split(".")[0]) is None]
            if missing:
                print(f"skip  {name:6} {', '.join(missing)} is not installed here")
                continue
            versions = ", ".join(f"{n} {importlib.metadata.version(n)}" for n in program["needs"])
            complaint = check(name, folder, arguments)
            failed = failed or complaint is not None
            print(f"{'ok  ' if complaint is None else 'FAIL'}  {name:6} {versions}: "
                  f"{complaint or 'two processes train together, seen live; a kill is named'}",
                  flush=True)
    sys.exit(1 if failed else 0)


if __name__ == "__main__":
    main()

# SPDX-License-Identifier: Apache-2.0
"""Real runs of the program: the guide's network as a user would start it."""
import json
import os
import pathlib
import subprocess
import tempfile
import time

from figures import BUILD, SOURCE, blas_program, environment, note, peer_python

RUN_SECONDS = 300


def mnist_folder():
    """The folder of the real MNIST ($MNIST, or data/mnist), or None where there is none."""
    folder = pathlib.Path(os.environ.get("MNIST") or SOURCE / "data/mnist").resolve()
    if any((folder / f"train-images-idx3-ubyte{end}").exists() for end in ("", ".gz")):
        return folder
    note(f"There is no MNIST in {folder} (MNIST=FOLDER names another one): the built-in digits stand in.")
    return None


def data_section(mnist):
    return f'dataset = "mnist"\ndirectory = "{mnist}"' if mnist else 'dataset = "digits"'


def job_text(data, batch, epochs):
    return f"""[job]
name = "bench"
[cluster]
job_addresses = ["127.0.0.1:0"]
[data]
{data}
[model]
layers = [
  {{ type = "dense", units = 256, activation = "relu" }},
  {{ type = "dense", units = 256, activation = "relu" }},
  {{ type = "dense", units = 10 }},
]
[training]
global_batch_size = {batch}
epochs = {epochs}
"""


def network_job(name, batch, epochs):
    """A network of tests/bench/networks on the built-in digits."""
    network = (SOURCE / f"tests/bench/networks/{name}.toml").read_text().split("[training]")[0]
    return f"""[job]
name = "bench"
[cluster]
job_addresses = ["127.0.0.1:0"]
[data]
dataset = "digits"
{network}[training]
global_batch_size = {batch}
epochs = {epochs}
"""


class Run:
    """One finished run: its summary, its start and its end."""

    def __init__(self, batch, epochs, processes=1, mnist=None, watch=None, text=None):
        with tempfile.TemporaryDirectory(prefix="bench-") as folder:
            self.folder = pathlib.Path(folder)
            job = self.folder / "job.toml"
            job.write_text(text or job_text(data_section(mnist), batch, epochs))
            self.begin = time.time()
            with subprocess.Popen([BUILD / "bin/lockstepctl", "run", job, "--processes", str(processes),
                                   "--run-dir", self.folder / "run"],
                                  stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True) as process:
                if watch:
                    watch(process, self.folder / "run")
                _, errors = process.communicate(timeout=RUN_SECONDS)
            self.seconds = time.time() - self.begin
            if process.returncode != 0:
                raise SystemExit(f"error: the run failed: {errors}")
            self.summary = json.loads((self.folder / "run/summary.json").read_text())
            self.first_step = self._first_step()

    def _first_step(self):
        """Seconds from the start of the program to the end of the first step."""
        exported = subprocess.run([BUILD / "bin/lockstepctl", "export", "--format", "csv", self.folder / "run"],
                                  capture_output=True, text=True, timeout=RUN_SECONDS, check=True).stdout
        for line in exported.splitlines():
            cells = line.split(",")
            if cells[1] == "1" and cells[3] == "0":
                return float(cells[0]) - self.begin
        raise SystemExit("error: the run's journal has no first step")


def torch_run(mnist, threads=1):
    """The tuned PyTorch script's figures, by name."""
    begin = time.time()
    done = subprocess.run([peer_python(), SOURCE / "tests/bench/peers/torch_whole.py", str(mnist or "")],
                          capture_output=True, text=True, timeout=RUN_SECONDS, env=environment(threads))
    if done.returncode != 0:
        raise SystemExit(f"error: PyTorch's script failed: {done.stderr[-2000:]}")
    return {**json.loads(done.stdout.splitlines()[-1]), "seconds": time.time() - begin}


def blas_seconds(mnist):
    """The whole of MNIST by the program in C, from its start to its result."""
    begin = time.time()
    done = subprocess.run([blas_program(), mnist], capture_output=True, text=True, timeout=RUN_SECONDS,
                          env=environment(1))
    if done.returncode != 0:
        raise SystemExit(f"error: the program in C failed: {done.stderr}")
    return time.time() - begin

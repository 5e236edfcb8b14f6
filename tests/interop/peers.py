#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Other programs, started with what `lockstepctl env` prints, find each other.

Each peer is a real program of another framework, started twice on this machine as it would be
started on two hosts. It prints the number of processes that it sees and the sum over both of
(process id + 1), which is 3 when they really speak to each other.

usage: peers.py LOCKSTEPCTL        (under the Python that has the frameworks; see `./dev check interop`)
"""
import importlib.metadata
import importlib.util
import os
import re
import socket
import subprocess
import sys
import tempfile

TIMEOUT_SECONDS = 180
EXPECTED = "processes 2 sum 3"

JAX_SUM = """
import jax, jax.numpy as jnp
from jax.experimental import multihost_utils
seen = multihost_utils.process_allgather(jnp.array([jax.process_index() + 1]))
print("processes", jax.process_count(), "sum", int(seen.sum()))
"""

PEERS = {
    "keras": {
        "needs": ["keras", "jax"],
        "environment": {"KERAS_BACKEND": "jax", "JAX_PLATFORMS": "cpu"},
        "program": "import keras\nkeras.distribution.initialize()\n" + JAX_SUM,
    },
    "jax": {
        "needs": ["jax"],
        "environment": {"JAX_PLATFORMS": "cpu"},
        "program": "import jax\njax.distributed.initialize({arguments})\n" + JAX_SUM,
    },
    "torchrun": {
        "needs": ["torch"],
        "environment": {},
        "program": """
import torch, torch.distributed as dist
dist.init_process_group("gloo")
value = torch.tensor([dist.get_rank() + 1.0])
dist.all_reduce(value)
print("processes", dist.get_world_size(), "sum", int(value.item()))
dist.destroy_process_group()
""",
    },
}

JOB = """
[job]
name = "interop"
[cluster]
job_addresses = ["127.0.0.1:{0}", "127.0.0.1:{1}"]
evaluator = false
[data]
dataset = "digits"
[model]
layers = [{{ type = "dense", units = 10 }}]
"""


def free_ports(count):
    sockets = [socket.socket() for _ in range(count)]
    for one in sockets:
        one.bind(("127.0.0.1", 0))
    ports = [one.getsockname()[1] for one in sockets]
    for one in sockets:
        one.close()
    return ports


def printed(lockstepctl, job, dialect, process_id):
    return subprocess.run(
        [lockstepctl, "env", job, "--dialect", dialect, "--process", str(process_id)],
        check=True, capture_output=True, text=True, timeout=30).stdout


def start(lockstepctl, job, dialect, process_id):
    """One process of the peer, in the environment (or with the arguments) that was printed."""
    peer = PEERS[dialect]
    text = printed(lockstepctl, job, dialect, process_id)
    environment = {**os.environ, **peer["environment"]}
    for name in list(environment):
        if name.lower().endswith("_proxy"):
            del environment[name]
    program = peer["program"]
    if dialect == "jax":
        program = program.replace("{arguments}", text.replace("\n", " "))
    else:
        environment.update(re.findall(r"^(\w+)='(.*)'$", text, re.MULTILINE))
    return subprocess.Popen([sys.executable, "-c", program], env=environment, text=True,
                            stdout=subprocess.PIPE, stderr=subprocess.PIPE)


def run(lockstepctl, dialect, folder):
    """None when both processes saw each other, else what they said."""
    job = os.path.join(folder, dialect + ".toml")
    with open(job, "w", encoding="utf-8") as file:
        file.write(JOB.format(*free_ports(2)))
    processes = [start(lockstepctl, job, dialect, k) for k in range(2)]
    complaints = []
    try:
        for process_id, process in enumerate(processes):
            output, errors = process.communicate(timeout=TIMEOUT_SECONDS)
            if EXPECTED not in output:
                complaints.append(f"process {process_id} exited with {process.returncode}: "
                                  f"{output.strip()} {errors.strip()[-600:]}")
    except subprocess.TimeoutExpired:
        complaints.append(f"no end within {TIMEOUT_SECONDS} s")
    finally:
        for process in processes:
            process.kill()
            process.wait()
    return "\n".join(complaints) or None


def main():
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    lockstepctl = os.path.abspath(sys.argv[1])
    failed = False
    with tempfile.TemporaryDirectory() as folder:
        for dialect, peer in PEERS.items():
            missing = [name for name in peer["needs"] if importlib.util.find_spec(name) is None]
            if missing:
                print(f"skip  {dialect:9} {', '.join(missing)} is not installed here")
                continue
            versions = ", ".join(f"{n} {importlib.metadata.version(n)}" for n in peer["needs"])
            complaint = run(lockstepctl, dialect, folder)
            failed = failed or complaint is not None
            print(f"{'ok  ' if complaint is None else 'FAIL'}  {dialect:9} {versions}: "
                  f"{complaint or '2 processes see each other'}", flush=True)
    sys.exit(1 if failed else 0)


if __name__ == "__main__":
    main()

# SPDX-License-Identifier: Apache-2.0
"""Networks whose tensors two and four processes share, beside PyTorch's tensor parallelism (DTensor over Gloo): the
median step of real runs, over Gloo and over shared memory, and the bytes that a step sends over TCP. Every run has a
network namespace of its own, so that the loopback device counts its bytes alone; without leave to make one these are
left out. What a process computes of a step takes one thread on both sides.
LOCKSTEP_MESHES="dense block" takes these alone.
"""
import json
import os
import pathlib
import random
import re
import struct
import subprocess
import tempfile

from figures import BUILD, CORES, SOURCE, environment, median, note, peer_python, row, unknown

ROUNDS = 3
RUN_SECONDS = 600
STEPS, EPOCHS = 20, 2
GLOO_GOAL, SHM_GOAL = 0.8, 0.6  # of the dense network on two processes

DENSE = """
  { type = "dense", units = 4096, activation = "relu" },
  { type = "dense", units = 4096, activation = "relu" },
  { type = "dense", units = 10 },"""
BLOCK = """
  { type = "embedding", input_dim = 64, output_dim = 512 },
  { residual = [ { type = "layer_normalization" }, { type = "multi_head_attention", num_heads = 8 } ] },
  { residual = [ { type = "layer_normalization" }, { type = "dense", units = 2048, activation = "gelu" },
                 { type = "dense", units = 512 } ] },
  { type = "global_average_pooling1d" },
  { type = "dense", units = 10 },"""
# Name: what it is, its layers, a batch, a sample's shape, whether it is of tokens.
NETWORKS = {"dense": ("dense 4096 wide, batch 32", DENSE, 32, (4096,), False),
            "block": ("transformer block 512 wide, batch 8 x 64", BLOCK, 8, (64,), True)}


def write_npy(path, kind, shape, data):
    header = f"{{'descr': '{kind}', 'fortran_order': False, 'shape': ({', '.join(map(str, shape))},), }}"
    header += " " * (-(len(header) + 11) % 64) + "\n"
    path.write_bytes(b"\x93NUMPY\x01\x00" + struct.pack("<H", len(header)) + header.encode() + data)


def write_data(folder, batch, shape, is_tokens):
    """Samples of one epoch of STEPS steps."""
    chance = random.Random(1)
    samples, each = STEPS * batch, shape[0]
    count = samples * each
    if is_tokens:
        data = struct.pack(f"<{count}q", *(chance.randrange(64) for _ in range(count)))
    else:
        data = struct.pack(f"<{count}f", *(chance.random() for _ in range(count)))
    write_npy(folder / "x.npy", "<i8" if is_tokens else "<f4", (samples, *shape), data)
    write_npy(folder / "y.npy", "<i8", (samples,), struct.pack(f"<{samples}q", *(i % 10 for i in range(samples))))


def job_text(name, processes, transport, epochs):
    _, layers, batch, _, _ = NETWORKS[name]
    addresses = ", ".join(['"127.0.0.1:0"'] * processes)
    return f"""[job]
name = "bench"
[cluster]
job_addresses = [{addresses}]
evaluator = false
transport = "{transport}"
[distribution]
mesh.model = {processes}
layout = "megatron"
[data]
dataset = "arrays"
inputs = "x.npy"
targets = "y.npy"
validation_split = 0
[model]
layers = [{layers}
]
[training]
global_batch_size = {batch}
epochs = {epochs}
optimizer = "sgd"
learning_rate = 0.001
seed = 1
[checkpoint]
every_steps = 1000000
"""


def apart(command):
    """In a network namespace of its own; the last line tells the bytes on its loopback device."""
    script = "ip link set lo up && \"$@\"; status=$?; grep '^ *lo:' /proc/net/dev; exit $status"
    return ["unshare", "-n", "sh", "-c", script, "apart", *map(str, command)]


def can_be_apart():
    return subprocess.run(apart(["true"]), capture_output=True).returncode == 0


def output_of(command, **options):
    done = subprocess.run(command, capture_output=True, text=True, timeout=RUN_SECONDS, **options)
    if done.returncode != 0:
        raise SystemExit(f"error: {command[0]} failed: {(done.stderr or done.stdout)[-1500:]}")
    return done.stdout


def train(name, folder, processes, transport, epochs, is_apart=False):
    """Median milliseconds of a step, and the bytes of the whole run."""
    (folder / "job.toml").write_text(job_text(name, processes, transport, epochs), encoding="utf-8")
    with tempfile.TemporaryDirectory(prefix="bench-") as place:
        command = [BUILD / "bin/lockstepctl", "run", folder / "job.toml", "--run-dir", f"{place}/run"]
        output = output_of(apart(command) if is_apart else command)
        summary = json.loads(pathlib.Path(place, "run/summary.json").read_text())
    count = int(output.split("lo:")[-1].split()[0]) if is_apart else 0
    return summary["step_milliseconds"]["p50"], count


def predicted(folder, name, processes):
    """What lint says that a process sends in a step: KiB."""
    (folder / "job.toml").write_text(job_text(name, processes, "gloo", 1), encoding="utf-8")
    said = subprocess.run([BUILD / "bin/lockstepctl", "lint", folder / "job.toml"], capture_output=True, text=True)
    found = re.search(r"in a step it sends ([\d.]+) (KiB|MiB)", said.stdout + said.stderr)
    return float(found[1]) * (1024 if found[2] == "MiB" else 1)


def torch(name, processes, is_apart):
    command = [peer_python(), SOURCE / "tests/bench/peers/torch_mesh.py", name, str(processes),
               str(STEPS * EPOCHS)]
    output = output_of(apart(command) if is_apart else command, env=environment(1))
    return [float(word) for word in output.splitlines()[0].split()]


def compare(name, processes, is_apart):
    what, _, batch, shape, is_tokens = NETWORKS[name]
    label = f"{what}, {processes} processes"
    times = {"gloo": [], "shm": [], "torch": []}
    counts = {"ours": [], "torch": []}
    with tempfile.TemporaryDirectory(prefix="bench-") as place:
        folder = pathlib.Path(place)
        write_data(folder, batch, shape, is_tokens)
        for _ in range(ROUNDS):
            for transport in ("gloo", "shm"):
                times[transport].append(train(name, folder, processes, transport, EPOCHS)[0])
            if peer_python():
                milliseconds, sent = torch(name, processes, is_apart)
                times["torch"].append(milliseconds)
                counts["torch"].append(sent / 1024 / processes)
        if is_apart:
            few, many = (train(name, folder, processes, "gloo", epochs, True)[1] for epochs in (1, 1 + EPOCHS))
            counts["ours"].append((many - few) / (EPOCHS * STEPS) / 1024 / processes)
        price = predicted(folder, name, processes)
    is_goal = name == "dense" and processes == 2
    ours = ", ".join(f"{transport} {median(times[transport]):.1f}" for transport in ("gloo", "shm")) + " ms"
    for transport, goal in (("gloo", GLOO_GOAL), ("shm", SHM_GOAL)):
        if not times["torch"]:
            unknown(f"{label}, {transport} over DTensor", "PyTorch is not installed")
            continue
        row(f"{label}, {transport} over DTensor",
            median([a / b for a, b in zip(times[transport], times["torch"])]), goal=goal if is_goal else None,
            peer=f"{ours}; DTensor {median(times['torch']):.1f} ms")
    if not is_apart:
        return unknown(f"{label}, sent by a process a step", "a network namespace cannot be made here")
    beside = f", DTensor {median(counts['torch']):.0f} KiB" if counts["torch"] else ""
    row(f"{label}, sent by a process a step", median(counts["ours"]), "KiB",
        peer=f"lint says {price:.0f} KiB{beside}")


def main():
    if len(CORES) < 2:
        return unknown("networks that processes share", "there is one core only")
    is_apart = can_be_apart()
    if not is_apart:
        note("Bytes are not counted: `unshare -n` needs leave to make a network namespace.")
    for name in os.environ.get("LOCKSTEP_MESHES", "").split() or NETWORKS:
        for processes in (2, 4):
            compare(name, processes, is_apart)


main()

# SPDX-License-Identifier: Apache-2.0
"""Two processes beside one, as real runs with agent, coordinator, heartbeats and telemetry, and
beside PyTorch's DistributedDataParallel over Gloo. Medians of a run's steps."""
import json
import subprocess

from figures import CORES, SOURCE, environment, median, peer_python, row, unknown
from jobs import RUN_SECONDS, Run

ROUNDS = 3
EPOCHS = {32: 1, 512: 4, 4096: 12}
PEER_AIM = {32: 0.25, 512: 0.45, 4096: 0.75}


def step_ms(batch, processes):
    return Run(batch, EPOCHS[batch], processes).summary["step_milliseconds"]["p50"]


def ddp_ms(batch):
    done = subprocess.run([peer_python(), SOURCE / "tests/bench/peers/torch_ddp.py", str(batch)],
                          capture_output=True, text=True, timeout=RUN_SECONDS, env=environment(1))
    if done.returncode != 0:
        raise SystemExit(f"error: PyTorch's DDP failed: {done.stderr[-2000:]}")
    return json.loads(done.stdout.splitlines()[-1])


def compare(batch):
    one, two, peers = [], [], []
    for _ in range(ROUNDS):
        one.append(step_ms(batch, 1))
        two.append(step_ms(batch, 2))
        if peer_python():
            peers.append(ddp_ms(batch))
    ratio = median([b / a for a, b in zip(one, two)])
    remark = f"{median(two) * 1e3:.0f} us beside {median(one) * 1e3:.0f} us"
    if batch == 32:
        row("2 processes over 1, batch 32", ratio, goal=1.10, peer=remark)
    else:
        row(f"2 processes, part of ideal scaling, batch {batch:,}", 1 / (2 * ratio),
            goal=0.85 if batch == 512 else None, at_least=True, peer=remark)
    what = f"2 processes over PyTorch DDP with Gloo, batch {batch:,}"
    if peers:
        row(what, median([b / p for b, p in zip(two, peers)]), goal=1, aim=PEER_AIM[batch],
            peer=f"PyTorch DDP {median(peers) * 1e3:.0f} us")
    else:
        unknown(what, "PyTorch is not installed")


if len(CORES) < 2:
    unknown("2 processes beside 1", "there is one core only")
else:
    for size in EPOCHS:
        compare(size)

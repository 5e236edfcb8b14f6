# SPDX-License-Identifier: Apache-2.0
"""A training step on one core beside its own floor and beside its peers: the best of PyTorch, JAX
with a scan over the steps, and a program written by hand in C over OpenBLAS.

All are pinned to the same core. Floor and PyTorch are compared in processor time: on one idle core
that is the time that passes, and on a busy one the others do not count. JAX and C, the strong ones
at a small batch, are compared in the time that passes. The peers get their batches as slices of an
array that lies ready; ours are gathered and scaled.
"""
from figures import (blas_program, blas_side, jax_side, median, peer_has, peer_python, row, step_side, torch_side,
                     unknown)

ROUNDS = 5
STEPS = {32: 1000, 512: 100, 4096: 16}
FLOOR_GOAL = {32: 1.15, 512: 1.15, 4096: 1.20}
PEER_AIM = {32: 0.5, 512: 0.85, 4096: 0.95}
FAST_PEER_GOAL = {32: 0.9}
MODES = ["eager", "foreach", "compile"]


def compare(batch, ours, peer):
    floors, steps, peers = [], [], {mode: [] for mode in MODES}
    for _ in range(ROUNDS):
        floors += ours.ask(f"floor {batch} {STEPS[batch]}")
        steps += ours.ask(f"step {batch} {STEPS[batch]}")
        for mode in MODES if peer else []:
            peers[mode] += peer.ask(f"{mode} {batch} {max(STEPS[batch] // 2, 12)}")
    step, floor = median(steps), median(floors)
    row(f"training step, batch {batch:,}, 1 core", step, "us", peer=f"floor {floor:.0f} us")
    row(f"training step over its floor, batch {batch:,}",
        median([a / b for a, b in zip(steps, floors)]), goal=FLOOR_GOAL[batch])
    what = f"training step over PyTorch's, batch {batch:,}"
    if not peer:
        return unknown(what, "PyTorch is not installed")
    best = min(MODES, key=lambda mode: median(peers[mode]))
    row(what, median([a / b for a, b in zip(steps, peers[best])]), goal=1, aim=PEER_AIM[batch],
        peer=f"PyTorch's best ({best}) {median(peers[best]):.0f} us")


def compare_fast(batch, ours, peers):
    steps, theirs = [], {name: [] for name in peers}
    for _ in range(ROUNDS):
        steps += ours.ask(f"wall {batch} {STEPS[batch]}")
        for name, side in peers.items():
            theirs[name] += side.ask(f"{name} {batch} {STEPS[batch]}")
    best = min(peers, key=lambda name: median(theirs[name]))
    row(f"training step over the faster of C and JAX, batch {batch:,}",
        median([a / b for a, b in zip(steps, theirs[best])]), goal=FAST_PEER_GOAL.get(batch),
        peer=", ".join(f"{name} {median(times):.0f} us" for name, times in theirs.items()))


peer = torch_side() if peer_python() else None
fast = {"blas": blas_side()} if blas_program() else {}
if peer_has("jax"):
    fast["jax"] = jax_side()
with step_side() as ours:
    for batch in STEPS:
        compare(batch, ours, peer)
        if fast:
            compare_fast(batch, ours, fast)
        else:
            unknown(f"training step over the faster of C and JAX, batch {batch:,}", "neither is installed")
for side in [peer, *fast.values()]:
    if side:
        side.close()

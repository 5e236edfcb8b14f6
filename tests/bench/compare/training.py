# SPDX-License-Identifier: Apache-2.0
"""A training step on one core beside its own floor and beside the best of PyTorch.

Both sides are pinned to the same core and measured in processor time: on one idle core that is the
time that passes, and on a busy one the others do not count. PyTorch gets its batches as slices of a
tensor that lies ready; ours are gathered and scaled.
"""
from figures import median, peer_python, row, step_side, torch_side, unknown

ROUNDS = 5
STEPS = {32: 1000, 512: 100, 4096: 16}
FLOOR_GOAL = {32: 1.15, 512: 1.15, 4096: 1.20}
PEER_AIM = {32: 0.5, 512: 0.85, 4096: 0.95}
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


peer = torch_side() if peer_python() else None
with step_side() as ours:
    for batch in STEPS:
        compare(batch, ours, peer)
if peer:
    peer.close()

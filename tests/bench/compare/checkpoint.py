# SPDX-License-Identifier: Apache-2.0
"""A checkpoint of the guide's network with Adam's moments beside torch.save of the same state."""
from figures import BUILD, CORES, SOURCE, Side, environment, median, peer_python, row, unknown

ROUNDS = 5
CHECKPOINTS = 20

peer = Side([peer_python(), SOURCE / "tests/bench/peers/torch_save.py"], CORES, environment()) if peer_python() else None
ours, saves = [], []
with Side([BUILD / "bench/checkpoint_side"], CORES) as side:
    for _ in range(ROUNDS):
        ours.append(side.ask(str(CHECKPOINTS)))
        if peer:
            saves += peer.ask(str(CHECKPOINTS))
if peer:
    peer.close()
stalls, commits, copies, plain = zip(*ours)
row("a checkpoint of 3.2 MB holds the step", median(stalls), "us", peer=f"a copy of its bytes {median(copies):.0f} us")
what = "a checkpoint holds the step, over torch.save"
if saves:
    row(what, median([a / b for a, b in zip(stalls, saves)]), goal=0.1, peer=f"torch.save {median(saves) / 1e3:.2f} ms, not durable")
else:
    unknown(what, "PyTorch is not installed")
row("a checkpoint is durable in the background after", median(commits), "ms", goal=20,
    peer=f"one plain file, synced {median(plain):.1f} ms")

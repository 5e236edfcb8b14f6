# SPDX-License-Identifier: Apache-2.0
"""The whole job: MNIST, two epochs, from the start of the program to its result, beside a tuned
PyTorch script; and how soon the first step is done."""
from figures import median, peer_python, row, unknown
from jobs import Run, mnist_folder, torch_run

ROUNDS = 3
THREADS = [1, 2]

mnist = mnist_folder()
peers = {threads: [] for threads in THREADS} if peer_python() else {}
ours = []
for _ in range(ROUNDS):
    ours.append(Run(32, 2, mnist=mnist))
    for threads, runs in peers.items():
        runs.append(torch_run(mnist, threads)["seconds"])

name = "MNIST" if mnist else "digits"
seconds = median([run.seconds for run in ours])
row(f"first step after exec, {name}", median([run.first_step for run in ours]) * 1e3, "ms", goal=150)
accuracy = median([run.summary["test_accuracy"] for run in ours])
row(f"{name}, 2 epochs, exec to result", seconds, "s", peer=f"test accuracy {accuracy:.4f}")
what = f"{name}, 2 epochs, over a tuned PyTorch script"
if peers:
    best = min(peers, key=lambda threads: median(peers[threads]))
    row(what, median([run.seconds / peer for run, peer in zip(ours, peers[best])]), goal=0.35,
        peer=f"PyTorch ({best} thread{'s' * (best > 1)}) {median(peers[best]):.2f} s")
else:
    unknown(what, "PyTorch is not installed")

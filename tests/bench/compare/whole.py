# SPDX-License-Identifier: Apache-2.0
"""The whole job: MNIST, two epochs, from the start of the program to its result, with one process
and with two, beside a tuned PyTorch script and a program in C over OpenBLAS; and how soon the first
step is done."""
from figures import CORES, blas_program, median, peer_python, row, unknown
from jobs import Run, blas_seconds, mnist_folder, torch_run

ROUNDS = 3
THREADS = [1, 2]

mnist = mnist_folder()
peers = {threads: [] for threads in THREADS} if peer_python() else {}
ours, both, by_hand = [], [], []
for _ in range(ROUNDS):
    ours.append(Run(32, 2, mnist=mnist))
    if len(CORES) > 1:
        both.append(Run(32, 2, processes=2, mnist=mnist))
    if mnist and blas_program():
        by_hand.append(blas_seconds(mnist))
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
what = f"{name}, 2 epochs, over C with OpenBLAS"
if by_hand:
    row(what, median([run.seconds / other for run, other in zip(ours, by_hand)]), goal=1,
        peer=f"C {median(by_hand):.2f} s")
else:
    unknown(what, "OpenBLAS is not installed" if mnist else "it reads the real MNIST alone")
what = f"{name}, 2 epochs, 2 processes over 1"
if both:
    row(what, median([two.seconds / one.seconds for one, two in zip(ours, both)]), goal=0.75,
        peer=f"{median([run.seconds for run in both]):.2f} s")
else:
    unknown(what, "there is one core only")

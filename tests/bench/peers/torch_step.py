# SPDX-License-Identifier: Apache-2.0
"""PyTorch's side of the training step, tuned: MODE BATCH STEPS asks for microseconds of processor
time a step. Modes: eager (fused Adam), foreach (multi-tensor Adam), compile (torch.compile of
forward and loss, fused Adam)."""
import os
import sys
import time

import torch
from torch import nn
from torch.nn import functional

WARM_STEPS = 8
SAMPLES = 16384


def network():
    return nn.Sequential(nn.Linear(784, 256), nn.ReLU(), nn.Linear(256, 256), nn.ReLU(), nn.Linear(256, 10))


class Trainer:
    def __init__(self, mode):
        self.model = network()
        kind = {"foreach": True} if mode == "foreach" else {"fused": True}
        self.optimizer = torch.optim.Adam(self.model.parameters(), **kind)
        self.loss = torch.compile(self.forward_loss) if mode == "compile" else self.forward_loss

    def forward_loss(self, images, labels):
        return functional.cross_entropy(self.model(images), labels)

    def step(self, images, labels):
        self.optimizer.zero_grad(set_to_none=True)
        self.loss(images, labels).backward()
        self.optimizer.step()


def main():
    torch.set_num_threads(int(os.environ["OMP_NUM_THREADS"]))
    torch.set_flush_denormal(True)
    torch.manual_seed(1)
    images = torch.rand(SAMPLES, 784) * (torch.rand(SAMPLES, 784) < 0.2)
    labels = torch.randint(0, 10, (SAMPLES,))
    trainers = {}
    for line in sys.stdin:
        mode, batch, steps = line.split()[0], *map(int, line.split()[1:])
        trainer = trainers.setdefault((mode, batch), Trainer(mode))
        slices = [slice(first, first + batch) for first in range(0, SAMPLES - batch + 1, batch)]
        for number in range(-WARM_STEPS, steps):
            if number == 0:
                begin = time.process_time()
            part = slices[number % len(slices)]
            trainer.step(images[part], labels[part])
        print((time.process_time() - begin) / steps * 1e6, flush=True)


main()

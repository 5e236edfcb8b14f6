#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The network of resources/examples/houses.toml in PyTorch: torch_houses.py CSV SEED.

The rows that Lockstep holds out are held out; training ends when the error of these has not got better for five
epochs, or after fifty. Prints {"rmse": ...} of the held-out rows, in dollars, as JSON."""

import csv
import itertools
import json
import sys

import numpy as np
import torch
from torch import nn

TARGET, CATEGORY, SCALE = "median_house_value", "ocean_proximity", 1e-5


def table(path):
    with open(path, newline="", encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    names = [name for name in rows[0] if name not in (TARGET, CATEGORY)]
    numbers = np.array([[float(row[name] or "nan") for name in names] for row in rows])
    kinds = sorted({row[CATEGORY] for row in rows})
    category = np.array([kinds.index(row[CATEGORY]) for row in rows])
    target = np.array([float(row[TARGET]) for row in rows])
    return numbers, category, target, len(kinds)


def philox(counter, key):
    """As core/base/rng."""
    for _ in range(10):
        first, second = 0xD2511F53 * counter[0], 0xCD9E8D57 * counter[2]
        counter = ((second >> 32) ^ counter[1] ^ key[0], second & 0xFFFFFFFF,
                   (first >> 32) ^ counter[3] ^ key[1], first & 0xFFFFFFFF)
        key = ((key[0] + 0x9E3779B9) & 0xFFFFFFFF, (key[1] + 0xBB67AE85) & 0xFFFFFFFF)
    return counter


def held_out(rows, count):
    """The rows that core/data/table/split_rows chooses for validation."""
    numbers = (number for block in itertools.count() for number in philox((block, 0, 0, 0), (1, 0)))
    order = list(range(rows))
    for left in range(rows, 1, -1):
        threshold = (2**32 - left) % left
        product = next(p for p in (number * left for number in numbers) if p & 0xFFFFFFFF >= threshold)
        chosen = product >> 32
        order[left - 1], order[chosen] = order[chosen], order[left - 1]
    return np.array(sorted(order[rows - count:]))


class Network(nn.Module):
    def __init__(self, numbers, kinds):
        super().__init__()
        self.proximity = nn.Embedding(kinds, 4)
        self.first = nn.Linear(numbers + 4, 128)
        self.inner = nn.Sequential(nn.Linear(128, 128), nn.ReLU(), nn.Linear(128, 128))
        self.last = nn.Linear(128, 1)
        for module in self.modules():  # as Keras begins, and we
            if isinstance(module, nn.Linear):
                nn.init.xavier_uniform_(module.weight)
                nn.init.zeros_(module.bias)
        nn.init.uniform_(self.proximity.weight, -0.05, 0.05)

    def forward(self, numbers, category):
        x = torch.relu(self.first(torch.cat([numbers, self.proximity(category)], 1)))
        return self.last(torch.relu(self.inner(x) + x))[:, 0]


def main(path, seed):
    torch.manual_seed(seed)
    torch.set_num_threads(1)
    numbers, category, target, kinds = table(path)
    held = held_out(len(target), len(target) // 5)
    trained = np.setdiff1d(np.arange(len(target)), held)
    mean, deviation = np.nanmean(numbers[trained], 0), np.nanstd(numbers[trained], 0)
    numbers = np.where(np.isnan(numbers), mean, numbers)
    x = torch.tensor((numbers - mean) / deviation, dtype=torch.float32)
    c, y = torch.tensor(category), torch.tensor(target * SCALE, dtype=torch.float32)
    network = Network(x.shape[1], kinds)
    optimizer = torch.optim.AdamW(network.parameters(), lr=0.001, weight_decay=0.004, eps=1e-7)
    best, waited = float("inf"), 0
    for _ in range(50):
        for part in torch.tensor(trained)[torch.randperm(len(trained))].split(256):
            loss = ((network(x[part], c[part]) - y[part]) ** 2).mean()
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
        with torch.no_grad():
            error = ((network(x[held], c[held]) - y[held]) ** 2).mean().sqrt().item()
        best, waited = (error, 0) if error < best else (best, waited + 1)
        if waited == 5:
            break
    print(json.dumps({"rmse": best / SCALE}))


if __name__ == "__main__":
    main(sys.argv[1], int(sys.argv[2]))

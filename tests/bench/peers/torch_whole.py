# SPDX-License-Identifier: Apache-2.0
"""PyTorch's whole job, tuned: two epochs over the images at batch 32, then the test accuracy.
torch_whole.py [MNIST FOLDER]; without one, random images of the same number. No DataLoader, fused
Adam, denormals flushed: what a script can do without a framework's help."""
import gzip
import json
import os
import pathlib
import sys

import numpy
import torch
from torch import nn
from torch.nn import functional

BATCH, EPOCHS = 32, 2


def read(folder, name):
    path = pathlib.Path(folder) / name
    if path.exists():
        raw = path.read_bytes()
    else:
        raw = gzip.decompress(path.with_name(path.name + ".gz").read_bytes())
    return torch.from_numpy(numpy.frombuffer(raw, numpy.uint8).copy())


def load(folder):
    if not folder:
        return [(torch.randint(0, 256, (count, 784), dtype=torch.uint8), torch.randint(0, 10, (count,)))
                for count in (60000, 10000)]
    return [(read(folder, f"{part}-images-idx3-ubyte")[16:].view(-1, 784),
             read(folder, f"{part}-labels-idx1-ubyte")[8:].long()) for part in ("train", "t10k")]


def main():
    torch.set_num_threads(int(os.environ["OMP_NUM_THREADS"]))
    torch.set_flush_denormal(True)
    torch.manual_seed(1)
    (images, labels), (test_images, test_labels) = load(sys.argv[1] if len(sys.argv) > 1 else "")
    # As much training data as ours: the last ten thousand samples are for validation.
    images, labels = images[:50000], labels[:50000]
    model = nn.Sequential(nn.Linear(784, 256), nn.ReLU(), nn.Linear(256, 256), nn.ReLU(), nn.Linear(256, 10))
    optimizer = torch.optim.Adam(model.parameters(), fused=True)
    for _ in range(EPOCHS):
        for chosen in torch.randperm(len(images)).split(BATCH):
            optimizer.zero_grad(set_to_none=True)
            functional.cross_entropy(model(images[chosen].float().div_(255)), labels[chosen]).backward()
            optimizer.step()
    with torch.no_grad():
        hits = (model(test_images.float().div_(255)).argmax(1) == test_labels).float().mean().item()
    peak = next(line for line in open("/proc/self/status", encoding="ascii") if line.startswith("VmHWM"))
    print(json.dumps({"accuracy": hits, "resident_mb": int(peak.split()[1]) / 1024}))


main()

#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""How far PyTorch's own float32 gradients of resources/examples/mnist-cnn.toml are from those in float64:
torch_rounding.py FOLDER CHECKPOINT (the four IDX files; a checkpoint's folder of that job)

What ./dev accept replicas finds between one process and several is to be read beside it. Three batches of 128
training images, no dropout; prints each tensor's largest difference over its largest value as JSON."""

import gzip
import json
import pathlib
import sys

import numpy as np
import torch
from safetensors.torch import load_file
from torch import nn

BATCHES, BATCH = 3, 128
CONVOLUTIONS = ((0, 3, 1), (3, 6, 2), (6, 6, 2))  # place in the list, kernel, strides


def idx(folder, name, offset):
    path = pathlib.Path(folder) / name
    raw = path.read_bytes() if path.exists() else gzip.decompress(path.with_name(name + ".gz").read_bytes())
    return np.frombuffer(bytearray(raw), np.uint8, offset=offset)


def padded(x, kernel, stride):
    """As padding = "same"."""
    size = x.shape[-1]
    more = max((-(-size // stride) - 1) * stride + kernel - size, 0)
    return nn.functional.pad(x, (more // 2, more - more // 2, more // 2, more - more // 2))


def gradients(weights, x, y, kind):
    p = {name: value.to(kind).requires_grad_("running" not in name) for name, value in weights.items()}
    x = x.to(kind)
    for place, kernel, stride in CONVOLUTIONS:
        x = nn.functional.conv2d(padded(x, kernel, stride), p[f"layers.{place}.weight"], stride=stride)
        x = nn.functional.batch_norm(x, None, None, None, p[f"layers.{place + 1}.bias"], True, 0.0, 1e-3).relu()
    x = nn.functional.linear(x.mean((2, 3)), p["layers.10.weight"], p["layers.10.bias"]).relu()
    nn.functional.cross_entropy(nn.functional.linear(x, p["layers.12.weight"], p["layers.12.bias"]), y).backward()
    return {name: value.grad for name, value in p.items() if value.grad is not None}


def main(folder, checkpoint):
    torch.set_num_threads(1)
    weights = load_file(pathlib.Path(checkpoint) / "model.safetensors")
    images = torch.tensor(idx(folder, "train-images-idx3-ubyte", 16)).reshape(-1, 1, 28, 28)[:BATCHES * BATCH] / 255
    labels = torch.tensor(idx(folder, "train-labels-idx1-ubyte", 8)).long()[:BATCHES * BATCH]
    worst = {}
    for x, y in zip(images.split(BATCH), labels.split(BATCH)):
        exact, rounded = (gradients({name: value.clone() for name, value in weights.items()}, x, y, kind)
                          for kind in (torch.float64, torch.float32))
        for name, value in exact.items():
            away = ((value - rounded[name]).abs().max() / value.abs().max()).item()
            worst[name] = max(worst.get(name, 0), away)
    print(json.dumps({name: float(f"{value:.1e}") for name, value in worst.items()}))


if __name__ == "__main__":
    main(*sys.argv[1:])

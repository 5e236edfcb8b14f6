# SPDX-License-Identifier: Apache-2.0
"""PyTorch's side of the checkpoint: each line asks for a number of them, answered with the median
microseconds of torch.save of the guide's network and its Adam state."""
import pathlib
import statistics
import sys
import tempfile
import time

import torch
from torch import nn

model = nn.Sequential(nn.Linear(784, 256), nn.ReLU(), nn.Linear(256, 256), nn.ReLU(), nn.Linear(256, 10))
optimizer = torch.optim.Adam(model.parameters(), fused=True)
model(torch.rand(32, 784)).sum().backward()
optimizer.step()
with tempfile.TemporaryDirectory(prefix="bench-") as folder:
    path = pathlib.Path(folder) / "state.pt"
    for line in sys.stdin:
        times = []
        for _ in range(int(line)):
            begin = time.perf_counter()
            torch.save({"model": model.state_dict(), "optimizer": optimizer.state_dict()}, path)
            times.append(time.perf_counter() - begin)
        print(statistics.median(times) * 1e6, flush=True)

# SPDX-License-Identifier: Apache-2.0
"""PyTorch's DistributedDataParallel with Gloo, two processes of one thread: torch_ddp.py BATCH
prints the median milliseconds of a step of the global batch. Tuned: fused Adam, gradients as views
of the buckets, a static graph, denormals flushed."""
import os
import statistics
import sys
import tempfile
import time

import torch
from torch import distributed, multiprocessing, nn
from torch.nn import functional

PROCESSES = 2
STEPS = {32: 1500, 512: 400, 4096: 80}
WARM_STEPS = 20


def train(rank, rendezvous, batch):
    torch.set_num_threads(int(os.environ["OMP_NUM_THREADS"]))
    torch.set_flush_denormal(True)
    torch.manual_seed(1)
    distributed.init_process_group("gloo", init_method=f"file://{rendezvous}", rank=rank, world_size=PROCESSES)
    model = nn.Sequential(nn.Linear(784, 256), nn.ReLU(), nn.Linear(256, 256), nn.ReLU(), nn.Linear(256, 10))
    model = nn.parallel.DistributedDataParallel(model, gradient_as_bucket_view=True, static_graph=True)
    optimizer = torch.optim.Adam(model.parameters(), fused=True)
    share = batch // PROCESSES
    images = torch.rand(max(8192, share), 784)
    labels = torch.randint(0, 10, (len(images),))
    times = []
    for step in range(-WARM_STEPS, STEPS[batch]):
        begin = time.perf_counter()
        first = (step + WARM_STEPS) * share % (len(images) - share + 1)
        optimizer.zero_grad(set_to_none=True)
        functional.cross_entropy(model(images[first:first + share]), labels[first:first + share]).backward()
        optimizer.step()
        if step >= 0:
            times.append(time.perf_counter() - begin)
    if rank == 0:
        print(statistics.median(times) * 1e3, flush=True)
    distributed.barrier()
    os._exit(0)  # at an ordinary end Gloo's threads abort the process now and then


if __name__ == "__main__":
    with tempfile.TemporaryDirectory(prefix="bench-") as folder:
        multiprocessing.spawn(train, (f"{folder}/rendezvous", int(sys.argv[1])), PROCESSES)

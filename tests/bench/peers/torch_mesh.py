# SPDX-License-Identifier: Apache-2.0
"""PyTorch's tensor parallelism (DTensor over Gloo): torch_mesh.py NETWORK PROCESSES STEPS prints the median
milliseconds of a step, and the bytes that went over the loopback device in a step, of all processes together.
Each process has the threads that OMP_NUM_THREADS says. Networks: dense, block."""
import os
import pathlib
import statistics
import sys
import tempfile
import time

import torch
from torch import distributed, multiprocessing, nn
from torch.distributed.device_mesh import init_device_mesh
from torch.distributed.tensor.parallel import ColwiseParallel, RowwiseParallel, parallelize_module
from torch.nn import functional

WARM_STEPS = 5
WIDTH, HEADS, POSITIONS, TOKENS = 512, 8, 64, 64  # of the block


class DenseNetwork(nn.Module):
    plan = {"up": ColwiseParallel, "down": RowwiseParallel}

    def __init__(self, _):
        super().__init__()
        self.up, self.down, self.out = nn.Linear(4096, 4096), nn.Linear(4096, 4096), nn.Linear(4096, 10)

    def forward(self, x):
        return self.out(functional.relu(self.down(functional.relu(self.up(x)))))

    @staticmethod
    def batch():
        return torch.rand(32, 4096)


class BlockNetwork(nn.Module):
    plan = dict.fromkeys(["query", "key", "value", "up"], ColwiseParallel) | dict.fromkeys(["mix", "down"], RowwiseParallel)

    def __init__(self, processes):
        super().__init__()
        self.heads = HEADS // processes
        self.table = nn.Embedding(TOKENS, WIDTH)
        self.before, self.between = nn.LayerNorm(WIDTH), nn.LayerNorm(WIDTH)
        self.query, self.key, self.value, self.mix = (nn.Linear(WIDTH, WIDTH) for _ in range(4))
        self.up, self.down = nn.Linear(WIDTH, 4 * WIDTH), nn.Linear(4 * WIDTH, WIDTH)
        self.out = nn.Linear(WIDTH, 10)

    def forward(self, tokens):
        x = self.table(tokens)
        y = self.before(x)
        parts = [one(y).unflatten(-1, (self.heads, -1)).transpose(1, 2) for one in (self.query, self.key, self.value)]
        y = functional.scaled_dot_product_attention(*parts).transpose(1, 2).flatten(2)
        x = x + self.mix(y)
        x = x + self.down(functional.gelu(self.up(self.between(x))))
        return self.out(x.mean(1))

    @staticmethod
    def batch():
        return torch.randint(0, TOKENS, (8, POSITIONS))


NETWORKS = {"dense": DenseNetwork, "block": BlockNetwork}


def loopback_bytes():
    for line in pathlib.Path("/proc/net/dev").read_text().splitlines():
        if line.strip().startswith("lo:"):
            return int(line.split(":")[1].split()[0])
    return 0


def train(rank, rendezvous, name, processes, steps):
    torch.set_num_threads(int(os.environ["OMP_NUM_THREADS"]))
    torch.set_flush_denormal(True)
    torch.manual_seed(1)
    distributed.init_process_group("gloo", init_method=f"file://{rendezvous}", rank=rank, world_size=processes)
    network = NETWORKS[name]
    model = network(processes)
    mesh = init_device_mesh("cpu", (processes,))
    parallelize_module(model, mesh, {part: style() for part, style in network.plan.items()})
    # Parameters that are shared and those that all have are no list for one fused update.
    shared = [one for one in model.parameters() if type(one) is not nn.Parameter]
    others = [one for one in model.parameters() if type(one) is nn.Parameter]
    optimizers = [torch.optim.SGD(some, lr=1e-3) for some in (shared, others)]
    batch = network.batch()
    labels = torch.randint(0, 10, (len(batch),))
    times, before = [], 0
    for step in range(-WARM_STEPS, steps):
        if step == 0:
            distributed.barrier()
            before = loopback_bytes()
        begin = time.perf_counter()
        for optimizer in optimizers:
            optimizer.zero_grad(set_to_none=True)
        functional.cross_entropy(model(batch), labels).backward()
        for optimizer in optimizers:
            optimizer.step()
        if step >= 0:
            times.append(time.perf_counter() - begin)
    distributed.barrier()
    if rank == 0:
        print(statistics.median(times) * 1e3, (loopback_bytes() - before) / steps, flush=True)
    distributed.barrier()
    os._exit(0)  # at an ordinary end Gloo's threads abort the process now and then


if __name__ == "__main__":
    with tempfile.TemporaryDirectory(prefix="bench-") as folder:
        multiprocessing.spawn(train, (f"{folder}/rendezvous", sys.argv[1], int(sys.argv[2]), int(sys.argv[3])),
                              int(sys.argv[2]))

#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Times training steps of the example jobs' networks in PyTorch on the GPU, batches resident on the
device: eager, as one CUDA graph, and compiled as well; images with channels last. Prints a line of
JSON for each: {"network", "precision", "how", "median_us"}. Says why and ends well without a GPU.

usage: torch_networks.py [--how eager,captured,compiled] [--seconds N: begins nothing new after so many]
"""

import argparse
import json
import pathlib
import statistics
import sys
import time

try:
    import torch
except ImportError:
    sys.exit(print("skipped: python3 has no PyTorch", file=sys.stderr))

HERE = pathlib.Path(__file__).resolve().parent
sys.path += [str(HERE), str(HERE.parent / "bench" / "peers")]  # as packed, in the sources
from torch_models import Gpt, guide_network, residual_network  # noqa: E402

HOWS = ("eager", "captured", "compiled")
PRECISIONS = ("float32", "tf32", "bfloat16")


class Houses(torch.nn.Module):
    """Of 8 numbers and a category."""

    def __init__(self):
        super().__init__()
        self.proximity = torch.nn.Embedding(8, 4)
        self.first, self.last = torch.nn.Linear(12, 128), torch.nn.Linear(128, 1)
        self.inner = torch.nn.Sequential(torch.nn.Linear(128, 128), torch.nn.ReLU(), torch.nn.Linear(128, 128))

    def forward(self, x):
        rows = torch.cat((x[:, :8], self.proximity(x[:, 8].to(torch.int64))), 1)
        first = torch.relu(self.first(rows))
        return self.last(torch.relu(self.inner(first) + first)).flatten()


def sgd(parameters):
    return torch.optim.SGD(parameters, 0.1, momentum=0.9, nesterov=True, weight_decay=5e-4, fused=True)


def adam(parameters):
    return torch.optim.AdamW(parameters, 1e-3, fused=True, capturable=True)


def cross_entropy(output, labels):
    return torch.nn.functional.cross_entropy(output.float(), labels)


def smoothed(output, labels):
    return torch.nn.functional.cross_entropy(output.float(), labels, label_smoothing=0.1)


def squared(output, wanted):
    return torch.nn.functional.mse_loss(output.float(), wanted)


NETWORKS = {  # what makes it, its optimiser, its loss, the shape of a batch, classes, norm to clip to
    "mnist-cnn": (guide_network, adam, cross_entropy, (128, 1, 28, 28), 10, None),
    "tiny-gpt": (Gpt, adam, cross_entropy, (12, 64), 65, 1.0),
    "houses": (Houses, adam, squared, (256, 9), 0, None),
    "resnet20": (lambda: residual_network((16, 32, 64), 3), sgd, cross_entropy, (128, 3, 32, 32), 10, None),
    "resnet18": (lambda: residual_network((64, 128, 256, 512), 2), sgd, smoothed, (128, 3, 32, 32), 10, None),
}


def batch_of(shape, classes):
    if len(shape) == 4:
        inputs = torch.rand(shape, device="cuda").to(memory_format=torch.channels_last)
        return inputs, torch.randint(classes, shape[:1], device="cuda")
    if classes == 0:
        inputs = torch.rand(shape, device="cuda")
        inputs[:, 8] = torch.randint(5, shape[:1], device="cuda")
        return inputs, torch.rand(shape[:1], device="cuda")
    return torch.randint(classes, shape, device="cuda"), torch.randint(classes, (shape[0] * shape[1],), device="cuda")


def step_of(name, precision, how):
    make, optimizer_of, loss_of, shape, classes, clip = NETWORKS[name]
    torch.manual_seed(1)
    torch.backends.cuda.matmul.allow_tf32 = torch.backends.cudnn.allow_tf32 = precision == "tf32"
    network = make().cuda()
    if len(shape) == 4:
        network = network.to(memory_format=torch.channels_last)
    optimizer = optimizer_of(network.parameters())
    inputs, wanted = batch_of(shape, classes)
    called = torch.compile(network) if how == "compiled" else network

    def step():
        with torch.autocast("cuda", dtype=torch.bfloat16, enabled=precision == "bfloat16"):
            output = called(inputs)
        loss = loss_of(output, wanted)
        loss.backward()
        if clip is not None:
            torch.nn.utils.clip_grad_norm_(network.parameters(), clip)
        optimizer.step()
        optimizer.zero_grad(set_to_none=False)
    return step if how == "eager" else captured(step)


def captured(step):
    """The whole step as one CUDA graph, the way PyTorch's manual captures one."""
    stream = torch.cuda.Stream()
    stream.wait_stream(torch.cuda.current_stream())
    with torch.cuda.stream(stream):
        for _ in range(5):
            step()
    torch.cuda.current_stream().wait_stream(stream)
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        step()
    return graph.replay


def measure(step):
    for _ in range(10):
        step()
    times = []
    for _ in range(9):
        begin, end = (torch.cuda.Event(enable_timing=True) for _ in range(2))
        begin.record()
        for _ in range(5):
            step()
        end.record()
        torch.cuda.synchronize()
        times.append(begin.elapsed_time(end) * 1e3 / 5)
    return statistics.median(times)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--how", default=",".join(HOWS))
    parser.add_argument("--seconds", type=float, default=600)
    options = parser.parse_args()
    if not torch.cuda.is_available():
        print("skipped: PyTorch sees no GPU", file=sys.stderr)
        return
    torch.backends.cudnn.benchmark = True
    begin = time.monotonic()
    for how in options.how.split(","):
        for precision in PRECISIONS:
            for name in NETWORKS:
                line = {"network": name, "precision": precision, "how": how}
                if time.monotonic() - begin > options.seconds:
                    line["problem"] = f"not begun: {options.seconds:.0f} s are over"
                else:
                    try:
                        line["median_us"] = round(measure(step_of(name, precision, how)), 1)
                    except Exception as problem:  # a compiler that is missing must not end the others
                        line["problem"] = str(problem).splitlines()[0][:200]
                print(json.dumps(line), flush=True)


main()

#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Times the training step of bench_gpu in PyTorch on the same device: the same network, batches,
precisions and data resident on the device; eager, and compiled with CUDA graphs. Prints a line of
JSON for each: {"batch", "precision", "how", "median_us"}. Says why and ends well without a GPU."""

import json
import statistics
import sys

try:
    import torch
except ImportError:
    sys.exit(print("skipped: python3 has no PyTorch", file=sys.stderr))

IMAGES = 65536
ROUNDS = {32: 400, 512: 400, 65536: 60}
PRECISIONS = ("float32", "tf32", "bfloat16")


def make(precision):
    torch.manual_seed(1)
    torch.backends.cuda.matmul.allow_tf32 = precision == "tf32"
    model = torch.nn.Sequential(
        torch.nn.Linear(784, 256), torch.nn.ReLU(), torch.nn.Linear(256, 256), torch.nn.ReLU(),
        torch.nn.Linear(256, 10)).cuda()
    optimizer = torch.optim.Adam(model.parameters(), lr=1e-3, eps=1e-7, fused=True, capturable=True)
    return model, optimizer


def step_function(model, optimizer, images, labels, precision):
    half = precision == "bfloat16"

    def step(indices):
        x = images[indices].to(torch.float32) / 255
        with torch.autocast("cuda", dtype=torch.bfloat16, enabled=half):
            loss = torch.nn.functional.cross_entropy(model(x), labels[indices])
        loss.backward()
        optimizer.step()
        optimizer.zero_grad(set_to_none=False)
        return loss
    return step


def captured(step, indices):
    """The whole step as one CUDA graph, the way PyTorch's manual captures one."""
    stream = torch.cuda.Stream()
    stream.wait_stream(torch.cuda.current_stream())
    with torch.cuda.stream(stream):
        for _ in range(5):
            step(indices)
    torch.cuda.current_stream().wait_stream(stream)
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        step(indices)

    def replay(fresh):
        indices.copy_(fresh)
        graph.replay()
    return replay


def measure(step, batch):
    choices = [torch.randperm(IMAGES, device="cuda")[:batch] for _ in range(8)]
    for i in range(30):
        step(choices[i % 8])
    times = []
    for _ in range(ROUNDS[batch] // 20):
        begin, end = (torch.cuda.Event(enable_timing=True) for _ in range(2))
        begin.record()
        for i in range(20):
            step(choices[i % 8])
        end.record()
        torch.cuda.synchronize()
        times.append(begin.elapsed_time(end) * 1e3 / 20)
    return statistics.median(times)


def run(how, batch, precision):
    images = torch.randint(0, 256, (IMAGES, 784), dtype=torch.uint8, device="cuda")
    labels = torch.randint(0, 10, (IMAGES,), device="cuda")
    model, optimizer = make(precision)
    if how == "compiled and captured":
        model = torch.compile(model)
    step = step_function(model, optimizer, images, labels, precision)
    if how != "eager":
        step = captured(step, torch.randperm(IMAGES, device="cuda")[:batch])
    return measure(step, batch)


def main():
    if not torch.cuda.is_available():
        print("skipped: PyTorch sees no GPU", file=sys.stderr)
        return
    for precision in PRECISIONS:
        for batch in ROUNDS:
            for how in ("eager", "captured", "compiled and captured"):
                line = {"batch": batch, "precision": precision, "how": how}
                try:
                    line["median_us"] = round(run(how, batch, precision), 3)
                except Exception as problem:  # a compiler that is missing must not end the others
                    line["problem"] = str(problem).splitlines()[0][:200]
                print(json.dumps(line), flush=True)


main()

# SPDX-License-Identifier: Apache-2.0
"""PyTorch's side of the training of described networks: "MODE NETWORK STEPS" asks for microseconds of
processor time and of wall time a step, "peak" for the largest resident size in MB. Modes: eager,
last (channels last), compile (of that, torch.compile). Batches lie ready."""
import resource
import sys
import time

import torch
from torch import nn
from torch.nn import functional as F

torch.manual_seed(1)


class Residual(nn.Module):
    def __init__(self, before, width, stride):
        super().__init__()
        self.conv1 = nn.Conv2d(before, width, 3, stride, 1, bias=False)
        self.bn1 = nn.BatchNorm2d(width)
        self.conv2 = nn.Conv2d(width, width, 3, 1, 1, bias=False)
        self.bn2 = nn.BatchNorm2d(width)
        self.shortcut = nn.Sequential() if stride == 1 and before == width else nn.Sequential(
            nn.Conv2d(before, width, 1, stride, bias=False), nn.BatchNorm2d(width))

    def forward(self, x):
        y = F.relu(self.bn1(self.conv1(x)))
        return F.relu(self.bn2(self.conv2(y)) + self.shortcut(x))


def residual_network(widths, blocks):
    layers = [nn.Conv2d(3, widths[0], 3, 1, 1, bias=False), nn.BatchNorm2d(widths[0]), nn.ReLU(inplace=True)]
    before = widths[0]
    for stage, width in enumerate(widths):
        for block in range(blocks):
            layers.append(Residual(before, width, 2 if stage > 0 and block == 0 else 1))
            before = width
    return nn.Sequential(*layers, nn.AdaptiveAvgPool2d(1), nn.Flatten(), nn.Linear(before, 10))


def simple_network():
    return nn.Sequential(nn.Conv2d(1, 32, 3), nn.ReLU(inplace=True), nn.MaxPool2d(2),
                         nn.Conv2d(32, 64, 3), nn.ReLU(inplace=True), nn.MaxPool2d(2),
                         nn.Flatten(), nn.Dropout(0.5), nn.Linear(1600, 10))


def guide_network():
    layers, before = [], 1
    for width, size, stride, padding in [(12, 3, 1, 1), (24, 6, 2, 2), (32, 6, 2, 2)]:
        layers += [nn.Conv2d(before, width, size, stride, padding, bias=False),
                   nn.BatchNorm2d(width, eps=1e-3, momentum=0.01), nn.ReLU(inplace=True)]
        before = width
    return nn.Sequential(*layers, nn.AdaptiveAvgPool2d(1), nn.Flatten(), nn.Linear(32, 256),
                         nn.ReLU(inplace=True), nn.Dropout(0.5), nn.Linear(256, 10))


class Transformer(nn.Module):
    def __init__(self, width, heads):
        super().__init__()
        self.heads = heads
        self.ln_1, self.ln_2 = nn.LayerNorm(width, bias=False), nn.LayerNorm(width, bias=False)
        self.attn, self.proj = nn.Linear(width, 3 * width, bias=False), nn.Linear(width, width, bias=False)
        self.fc, self.out = nn.Linear(width, 4 * width, bias=False), nn.Linear(4 * width, width, bias=False)

    def forward(self, x):
        batch, length, width = x.shape
        q, k, v = (part.view(batch, length, self.heads, -1).transpose(1, 2)
                   for part in self.attn(self.ln_1(x)).split(width, 2))
        y = F.scaled_dot_product_attention(q, k, v, is_causal=True)
        x = x + self.proj(y.transpose(1, 2).reshape(batch, length, width))
        return x + self.out(F.gelu(self.fc(self.ln_2(x))))


class Gpt(nn.Module):
    def __init__(self, vocabulary=65, length=64, width=128, layers=4, heads=4):
        super().__init__()
        self.wte, self.wpe = nn.Embedding(vocabulary, width), nn.Embedding(length, width)
        self.h = nn.Sequential(*(Transformer(width, heads) for _ in range(layers)))
        self.ln_f = nn.LayerNorm(width, bias=False)

    def forward(self, tokens):
        x = self.wte(tokens) + self.wpe.weight
        return (self.ln_f(self.h(x)) @ self.wte.weight.T).flatten(0, 1)


def sgd(parameters):
    return torch.optim.SGD(parameters, 0.1, momentum=0.9, fused=True)


def adam(parameters):
    return torch.optim.Adam(parameters, 1e-3, fused=True)


NETWORKS = {  # what makes it, its optimiser, the shape of a batch, classes
    "cnn": (simple_network, adam, (64, 1, 28, 28), 10),
    "guide": (guide_network, adam, (64, 1, 28, 28), 10),
    "resnet18": (lambda: residual_network((64, 128, 256, 512), 2), sgd, (32, 3, 32, 32), 10),
    "resnet20": (lambda: residual_network((16, 32, 64), 3), sgd, (128, 3, 32, 32), 10),
    "gpt": (Gpt, adam, (12, 64), 65),
}


class Training:
    def __init__(self, mode, name):
        make, optimizer, shape, classes = NETWORKS[name]
        self.network = make()
        images = len(shape) == 4
        layout = {"memory_format": torch.channels_last} if images and mode != "eager" else {}
        self.network = self.network.to(**layout) if layout else self.network
        self.optimizer = optimizer(self.network.parameters())
        self.inputs = torch.rand(shape).to(**layout) if images else torch.randint(classes, shape)
        self.labels = torch.randint(classes, (shape[0] if images else shape[0] * shape[1],))
        self.loss = self.loss_of
        if mode == "compile":
            self.loss = torch.compile(self.loss_of)

    def loss_of(self):
        return F.cross_entropy(self.network(self.inputs), self.labels)

    def step(self):
        loss = self.loss()
        loss.backward()
        self.optimizer.step()
        self.optimizer.zero_grad(set_to_none=True)
        return loss.item()


def main():
    torch.set_num_threads(1)
    ready = {}
    for line in sys.stdin:
        mode, *more = line.split()
        if mode == "peak":
            print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024, flush=True)
            continue
        name, steps = more[0], int(more[1])
        if (mode, name) not in ready:
            ready[mode, name] = Training(mode, name)
            for _ in range(3):
                ready[mode, name].step()
        training = ready[mode, name]
        cpu, wall = time.process_time(), time.perf_counter()
        for _ in range(steps):
            training.step()
        print((time.process_time() - cpu) / steps * 1e6, (time.perf_counter() - wall) / steps * 1e6, flush=True)


if __name__ == "__main__":
    main()

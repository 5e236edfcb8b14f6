# SPDX-License-Identifier: Apache-2.0
"""Names and shapes of the tensors of PyTorch's modules for tests/core/model/models.

    python tests/golden/model_tensors.py tests/core/model/models

writes resnet18-cifar10.tensors, tiny-gpt.tensors and mnist-cnn.tensors: a line a tensor, in the
modules' order.
"""

import pathlib
import sys

from torch import nn


class BasicBlock(nn.Module):
    """With the names of torchvision's."""

    def __init__(self, inputs, filters, stride):
        super().__init__()
        self.conv1 = nn.Conv2d(inputs, filters, 3, stride, 1, bias=False)
        self.bn1 = nn.BatchNorm2d(filters)
        self.conv2 = nn.Conv2d(filters, filters, 3, 1, 1, bias=False)
        self.bn2 = nn.BatchNorm2d(filters)
        if stride != 1:
            self.downsample = nn.Sequential(nn.Conv2d(inputs, filters, 1, stride, bias=False),
                                            nn.BatchNorm2d(filters))


class ResNet18(nn.Module):
    def __init__(self):
        super().__init__()
        self.conv1 = nn.Conv2d(3, 64, 3, 1, 1, bias=False)
        self.bn1 = nn.BatchNorm2d(64)
        stages = [(64, 64, 1), (64, 128, 2), (128, 256, 2), (256, 512, 2)]
        for number, (inputs, filters, stride) in enumerate(stages, 1):
            setattr(self, f"layer{number}", nn.Sequential(BasicBlock(inputs, filters, stride),
                                                          BasicBlock(filters, filters, 1)))
        self.fc = nn.Linear(512, 10)


class GptBlock(nn.Module):
    def __init__(self, width, heads):
        super().__init__()
        self.ln_1 = nn.LayerNorm(width, bias=False)
        self.attn = nn.MultiheadAttention(width, heads, bias=False)
        self.ln_2 = nn.LayerNorm(width, bias=False)
        self.mlp = nn.ModuleDict({"c_fc": nn.Linear(width, 4 * width, bias=False),
                                  "c_proj": nn.Linear(4 * width, width, bias=False)})


class Gpt(nn.Module):
    """With the names of nanoGPT's; the table of tokens is the last layer's weight, too."""

    def __init__(self, vocabulary=65, width=384, heads=6, blocks=6, length=256):
        super().__init__()
        self.transformer = nn.ModuleDict({
            "wte": nn.Embedding(vocabulary, width), "wpe": nn.Embedding(length, width),
            "h": nn.ModuleList([GptBlock(width, heads) for _ in range(blocks)]),
            "ln_f": nn.LayerNorm(width, bias=False)})


class GuideCnn(nn.Module):
    """The network of Keras' distributed guides; its batch normalisations have no factor."""

    def __init__(self):
        super().__init__()
        layers = {}
        for number, (inputs, filters, size) in enumerate([(1, 12, 3), (12, 24, 6), (24, 32, 6)]):
            layers[str(3 * number)] = nn.Conv2d(inputs, filters, size, bias=False)
            norm = nn.BatchNorm2d(filters)
            norm.weight = None
            layers[str(3 * number + 1)] = norm
        layers.update({"10": nn.Linear(32, 256), "12": nn.Linear(256, 10)})
        self.layers = nn.ModuleDict(layers)


def main():
    folder = pathlib.Path(sys.argv[1])
    for name, module in (("resnet18-cifar10", ResNet18()), ("tiny-gpt", Gpt()), ("mnist-cnn", GuideCnn())):
        lines = [f"{key} {' x '.join(map(str, value.shape))}\n"
                 for key, value in module.state_dict().items() if "num_batches" not in key]
        (folder / f"{name}.tensors").write_text("".join(lines))


main()

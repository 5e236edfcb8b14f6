#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Networks that are exported compute in onnxruntime and PyTorch what they compute here, and PyTorch's weights what
they compute there.

usage: handover.py LOCKSTEPCTL WRITE_ONNX_CASES    (under a Python with numpy and onnxruntime; what needs torch and
                                                    safetensors is skipped without; see `./dev check interop`)
"""
import csv
import importlib.util
import json
import pathlib
import random
import struct
import subprocess
import sys
import tempfile
import zlib

import numpy
import onnxruntime

ROOT = pathlib.Path(__file__).resolve().parents[2]
MODELS = ROOT / "tests/core/model/models"
LARGEST_DIFFERENCE = 1e-4  # of the largest number, at least of 1
CASES = 400
SECONDS = 600
IMAGES = 24
MEAN, DEVIATION = (0.4914, 0.4822, 0.4465), (0.2470, 0.2435, 0.2616)
HAS_TORCH = all(importlib.util.find_spec(name) for name in ("torch", "safetensors"))

JOB = """[job]
name = "{name}"
[cluster]
job_addresses = ["127.0.0.1:0", "127.0.0.1:0"]
evaluator = false
[data]
{data}
{model}
[training]
global_batch_size = 16
epochs = 1
seed = 3
{training}
"""


class Wrong(Exception):
    """What does not agree."""


def same(what, found, wanted):
    difference = numpy.abs(numpy.asarray(found, numpy.float64) - wanted).max() / max(1, numpy.abs(wanted).max())
    if not difference <= LARGEST_DIFFERENCE:
        raise Wrong(f"{what}: a difference of {difference:.2e}")
    return f"{what} {difference:.0e}"


def onnx_output(file, **inputs):
    network = onnxruntime.InferenceSession(str(file), providers=["CPUExecutionProvider"])
    return network.run(None, {name.replace("__", "."): value for name, value in inputs.items()})[0]


class Place:
    """A folder with jobs in it, and lockstepctl."""

    def __init__(self, lockstepctl, folder):
        self.lockstepctl, self.folder = lockstepctl, pathlib.Path(folder)

    def run(self, *arguments):
        done = subprocess.run([self.lockstepctl, *map(str, arguments)], cwd=self.folder, capture_output=True, text=True,
                              timeout=SECONDS)
        if done.returncode:
            raise Wrong(f"lockstepctl {' '.join(map(str, arguments))}: {done.stderr.strip()[-500:]}")
        return done.stdout

    def train(self, name, data, model, training=""):
        (self.folder / f"{name}.toml").write_text(JOB.format(name=name, data=data, model=model, training=training),
                                                  encoding="utf-8")
        self.run("run", f"{name}.toml", "--run-dir", f"runs/{name}")
        for form in ("onnx", "safetensors"):
            self.run("export", f"runs/{name}", "--format", form, "-o", f"{name}.{form}")
        return self.folder / f"{name}.onnx"

    def predicted(self, name, *files, more=()):
        return json.loads(self.run("predict", f"runs/{name}", *files, "--json", *more))

    def logits(self, name, *files):
        """Of each sample, in the order of the classes."""
        return numpy.array([[one["logit"] for one in sorted(entry["classes"], key=lambda one: one["index"])]
                            for entry in self.predicted(name, *files, more=("--top", 1000))])


def model(name):
    return (MODELS / f"{name}.toml").read_text(encoding="utf-8")


def write_png(path, pixels):
    rows = b"".join(b"\0" + row.tobytes() for row in pixels)

    def chunk(kind, data):
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))

    header = struct.pack(">IIBBBBB", pixels.shape[1], pixels.shape[0], 8, 2, 0, 0, 0)
    path.write_bytes(b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", header) + chunk(b"IDAT", zlib.compress(rows)) +
                     chunk(b"IEND", b""))


def random_networks(folder, write_cases):
    subprocess.run([write_cases, folder, str(CASES)], check=True, timeout=SECONDS)
    files, worst = sorted(pathlib.Path(folder).glob("*.onnx")), 0
    if len(files) < CASES * 0.9:
        raise Wrong(f"{len(files)} networks of {CASES}")
    for file in files:
        network = onnxruntime.InferenceSession(str(file), providers=["CPUExecutionProvider"])
        (entry,) = network.get_inputs()
        samples = numpy.fromfile(file.with_suffix(".data"), numpy.float32)
        wanted = numpy.fromfile(file.with_suffix(".output"), numpy.float32)
        shape = entry.shape[1:]
        if len(shape) == 3:  # written channels last
            samples = samples.reshape(-1, shape[1], shape[2], shape[0]).transpose(0, 3, 1, 2)
        samples = samples.reshape(-1, *shape).astype(numpy.int64 if "int64" in entry.type else numpy.float32)
        output = network.run(None, {entry.name: numpy.ascontiguousarray(samples)})[0]
        if output.ndim == 4:
            output = output.transpose(0, 2, 3, 1)
        difference = numpy.abs(output.ravel() - wanted).max() / max(1, numpy.abs(wanted).max())
        worst = max(worst, difference)
        if not difference <= LARGEST_DIFFERENCE:
            raise Wrong(f"network {file.stem}: a difference of {difference:.2e}")
    return f"{len(files)} as the reference, largest difference {worst:.0e}"


def guide_cnn(place):
    file = place.train("cnn", 'dataset = "digits"\nvalidation_samples = 59600', model("mnist-cnn"))
    pixels = numpy.random.default_rng(1).integers(0, 256, (IMAGES, 28, 28), dtype=numpy.uint8)
    images = place.folder / "images-idx3-ubyte"
    images.write_bytes(struct.pack(">IIII", 0x803, *pixels.shape) + pixels.tobytes())
    ours = place.logits("cnn", images)
    return same("onnxruntime", onnx_output(file, data=pixels[:, None].astype(numpy.float32) / 255), ours)


def resnet_of_torch():
    """ResNet-18 for small images, its tensors called as torchvision calls them."""
    from torch import nn

    class Basic(nn.Module):
        def __init__(self, inputs, outputs, stride):
            super().__init__()
            self.conv1 = nn.Conv2d(inputs, outputs, 3, stride, 1, bias=False)
            self.bn1 = nn.BatchNorm2d(outputs)
            self.conv2 = nn.Conv2d(outputs, outputs, 3, 1, 1, bias=False)
            self.bn2 = nn.BatchNorm2d(outputs)
            self.downsample = nn.Sequential(nn.Conv2d(inputs, outputs, 1, stride, bias=False),
                                            nn.BatchNorm2d(outputs)) if stride != 1 else nn.Identity()

        def forward(self, x):
            return (self.bn2(self.conv2(self.bn1(self.conv1(x)).relu())) + self.downsample(x)).relu()

    class ResNet18(nn.Module):
        def __init__(self):
            super().__init__()
            self.conv1, self.bn1 = nn.Conv2d(3, 64, 3, 1, 1, bias=False), nn.BatchNorm2d(64)
            for number, (inputs, outputs, stride) in enumerate(((64, 64, 1), (64, 128, 2), (128, 256, 2),
                                                                (256, 512, 2)), 1):
                setattr(self, f"layer{number}", nn.Sequential(Basic(inputs, outputs, stride), Basic(outputs, outputs, 1)))
            self.fc = nn.Linear(512, 10)

        def forward(self, x):
            x = self.bn1(self.conv1(x)).relu()
            for number in range(1, 5):
                x = getattr(self, f"layer{number}")(x)
            return self.fc(x.mean((2, 3)))

    return ResNet18().eval()


def folder_of_images(place):
    numbers = numpy.random.default_rng(2)
    for kind in range(10):
        (place.folder / f"images/{kind}").mkdir(parents=True)
        for i in range(8):
            write_png(place.folder / f"images/{kind}/{i}.png", numbers.integers(0, 256, (32, 32, 3), dtype=numpy.uint8))
    return 'dataset = "image_folder"\ndirectory = "images"\nimage_size = [32, 32]\nvalidation_samples = 16'


def asked_images(place):
    """Files, and their numbers as PyTorch takes them."""
    pixels = numpy.random.default_rng(3).integers(0, 256, (6, 32, 32, 3), dtype=numpy.uint8)
    files = [f"asked-{i}.png" for i in range(len(pixels))]
    for file, image in zip(files, pixels):
        write_png(place.folder / file, image)
    return files, (pixels.astype(numpy.float32) / 255).transpose(0, 3, 1, 2)


def torch_logits(network, images):
    import torch
    with torch.no_grad():
        return network(torch.from_numpy(numpy.ascontiguousarray(images))).numpy()


def resnet(place):
    data = folder_of_images(place)
    file = place.train("resnet", data, model("resnet18-cifar10"), 'optimizer = "sgd"\nlearning_rate = 0.01')
    files, images = asked_images(place)
    ours = place.logits("resnet", *files)
    told = [same("onnxruntime", onnx_output(file, data=images), ours)]
    if HAS_TORCH:
        from safetensors.torch import load_file, save_file
        import torch
        network = resnet_of_torch()
        network.load_state_dict(load_file(place.folder / "resnet.safetensors"), strict=True)
        told.append(same("torch", torch_logits(network, images), ours))
        # The other way: weights that PyTorch has made, statistics included, which training leaves alone.
        torch.manual_seed(4)
        theirs = resnet_of_torch()
        for name, tensor in theirs.state_dict().items():
            if "running" in name or "bn" in name and tensor.ndim:
                tensor.uniform_(0.5, 1.5)
        save_file(theirs.state_dict(), place.folder / "theirs.safetensors")
        still = model("resnet18-cifar10").replace("momentum = 0.9", "momentum = 1.0").replace(
            "[model]", '[model]\ninitial_weights = "theirs.safetensors"', 1)
        place.train("still", data, still, 'optimizer = "sgd"\nlearning_rate = 1e-30')
        told.append(same("from torch", place.logits("still", *files), torch_logits(theirs, images)))
    return ", ".join(told)


RECURRENT = """[model]{more}
layers = [
  {{ type = "conv2d_transpose", name = "up", filters = 2, kernel_size = 3, strides = 2, padding = 1, output_padding = 1 }},
  {{ type = "reshape", target_shape = [56, 112] }},
  {{ type = "lstm", name = "rows", units = 24, return_sequences = true }},
  {{ type = "gru", name = "all", units = 16, dropout = 0.1 }},
  {{ type = "dense", name = "fc", units = "classes" }},
]
"""


def recurrent_of_torch():
    from torch import nn

    class Recurrent(nn.Module):
        def __init__(self):
            super().__init__()
            self.up = nn.ConvTranspose2d(1, 2, 3, 2, 1, 1)
            self.rows = nn.LSTM(112, 24, batch_first=True)
            self.all = nn.GRU(24, 16, batch_first=True)
            self.fc = nn.Linear(16, 10)

        def forward(self, images):
            rows = self.up(images).permute(0, 2, 3, 1).reshape(-1, 56, 112)
            return self.fc(self.all(self.rows(rows)[0])[0][:, -1])

    return Recurrent().eval()


def recurrent(place):
    data = 'dataset = "digits"\nvalidation_samples = 59600'
    file = place.train("recurrent", data, RECURRENT.format(more=""))
    pixels = numpy.random.default_rng(8).integers(0, 256, (IMAGES, 28, 28), dtype=numpy.uint8)
    asked = place.folder / "images-idx3-ubyte"
    asked.write_bytes(struct.pack(">IIII", 0x803, *pixels.shape) + pixels.tobytes())
    images = pixels[:, None].astype(numpy.float32) / 255
    ours = place.logits("recurrent", asked)
    told = [same("onnxruntime", onnx_output(file, data=images), ours)]
    if HAS_TORCH:
        from safetensors.torch import load_file, save_file
        network = recurrent_of_torch()
        network.load_state_dict(load_file(place.folder / "recurrent.safetensors"), strict=True)
        told.append(same("torch", torch_logits(network, images), ours))
        theirs = recurrent_of_torch()  # with a second bias of the LSTM that is not zero
        save_file(theirs.state_dict(), place.folder / "theirs.safetensors")
        place.train("still", data, RECURRENT.format(more='\ninitial_weights = "theirs.safetensors"'),
                    'optimizer = "sgd"\nlearning_rate = 1e-30')
        told.append(same("from torch", place.logits("still", asked), torch_logits(theirs, images)))
    return ", ".join(told)


def gpt_of_torch(vocabulary, positions=256, width=384, heads=6, layers=6):
    import torch
    from torch import nn

    class Block(nn.Module):
        def __init__(self):
            super().__init__()
            self.ln_1, self.ln_2 = (nn.LayerNorm(width, bias=False) for _ in range(2))
            self.attn = nn.MultiheadAttention(width, heads, bias=False, batch_first=True)
            self.mlp = nn.ModuleDict({"c_fc": nn.Linear(width, 4 * width, bias=False),
                                      "c_proj": nn.Linear(4 * width, width, bias=False)})

        def forward(self, x):
            later = nn.Transformer.generate_square_subsequent_mask(x.shape[1])
            y = self.ln_1(x)
            x = x + self.attn(y, y, y, attn_mask=later, is_causal=True, need_weights=False)[0]
            return x + self.mlp["c_proj"](nn.functional.gelu(self.mlp["c_fc"](self.ln_2(x))))

    class Gpt(nn.Module):
        def __init__(self):
            super().__init__()
            self.transformer = nn.ModuleDict({"wte": nn.Embedding(vocabulary, width),
                                              "wpe": nn.Embedding(positions, width),
                                              "h": nn.ModuleList(Block() for _ in range(layers)),
                                              "ln_f": nn.LayerNorm(width, bias=False)})
            self.lm_head = nn.Linear(width, vocabulary, bias=False)
            self.lm_head.weight = self.transformer["wte"].weight

        def forward(self, tokens):
            x = self.transformer["wte"](tokens) + self.transformer["wpe"](torch.arange(tokens.shape[1]))
            for block in self.transformer["h"]:
                x = block(x)
            return self.lm_head(self.transformer["ln_f"](x))

    return Gpt().eval()


def gpt(place):
    words = random.Random(5).choices(("to be", "or not", "that is", "the question", "\n", "whether"), k=2200)
    (place.folder / "text.txt").write_text(" ".join(words), encoding="utf-8")
    file = place.train("gpt", 'dataset = "text"\nfiles = ["text.txt"]\ntokenizer = "characters"\nsequence_length = 256',
                       model("tiny-gpt"), 'learning_rate = 0.001\noptimizer = "adamw"')
    characters = sorted(set((place.folder / "text.txt").read_text(encoding="utf-8")))
    tokens = numpy.random.default_rng(6).integers(0, len(characters), (2, 256))
    logits = onnx_output(file, data=tokens)
    told = []
    if HAS_TORCH:
        from safetensors.torch import load_file
        network = gpt_of_torch(len(characters))
        network.load_state_dict(load_file(place.folder / "gpt.safetensors"), strict=True)
        told.append(same("torch", torch_logits(network, tokens), logits))
    # The likeliest continuation, character by character, as the exported network finds it.
    prompt = "or not to"
    (entry,) = json.loads(place.run("predict", "runs/gpt", "--prompt", prompt, "--tokens", 24, "--temperature", 0,
                                    "--json"))
    text = [characters.index(one) for one in prompt]
    while len(text) < len(prompt) + 24:
        window = numpy.zeros((1, 256), numpy.int64)
        window[0, :len(text)] = text
        text.append(int(onnx_output(file, data=window)[0, len(text) - 1].argmax()))
    wanted = "".join(characters[token] for token in text[len(prompt):])
    if entry["continuation"] != wanted:
        raise Wrong(f"goes on with {entry['continuation']!r} here, with {wanted!r} in onnxruntime")
    return ", ".join([*told, "onnxruntime continues a text alike"])


def houses(place):
    columns = ("longitude", "latitude", "housing_median_age", "total_rooms", "total_bedrooms", "population",
               "households", "median_income")
    places = ("INLAND", "NEAR BAY", "ISLAND", "<1H OCEAN")
    numbers = numpy.random.default_rng(7)
    with (place.folder / "houses.csv").open("w", newline="", encoding="utf-8") as table:
        writer = csv.writer(table)
        writer.writerow([*columns, "ocean_proximity", "median_house_value"])
        for _ in range(400):
            row = numbers.normal(50, 20, len(columns)).round(3)
            writer.writerow([*row, places[numbers.integers(len(places))], round(row.sum() * 500, 1)])
    data = 'dataset = "table"\nfiles = ["houses.csv"]\ntarget = "median_house_value"\ntarget_scale = 1e-5\n' \
        '[data.features]\n' + "\n".join(f'{name} = "float_normalized"' for name in columns) + \
        '\nocean_proximity = { type = "string_categorical", max_tokens = 8, output_mode = "int" }'
    file = place.train("houses", data, model("houses"), 'loss = "mean_squared_error"')
    facts = json.loads(onnxruntime.InferenceSession(str(file)).get_modelmeta().custom_metadata_map["lockstep.samples"])
    features = {one["name"]: one for one in facts["preparation"]["features"]}
    with (place.folder / "houses.csv").open(encoding="utf-8") as table:
        rows = list(csv.DictReader(table))[:20]
    samples = numpy.array([[(float(row[name]) - features[name]["mean"]) / features[name]["deviation"]
                            for name in columns] for row in rows], numpy.float32)
    proximity = numpy.array([features["ocean_proximity"]["vocabulary"].index(row["ocean_proximity"]) + 1
                             for row in rows])
    output = onnx_output(file, data=samples, data__ocean_proximity=proximity) / facts["target_scale"]
    ours = [[entry["values"]["median_house_value"]] for entry in place.predicted("houses", "houses.csv")[:20]]
    return same("onnxruntime", output / numpy.abs(output).max(), numpy.array(ours) / numpy.abs(output).max())


def main():
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    lockstepctl, write_cases = (str(pathlib.Path(argument).resolve()) for argument in sys.argv[1:])
    checks = {"random networks": lambda folder: random_networks(folder, write_cases)}
    for check in (guide_cnn, resnet, recurrent, gpt, houses):
        checks[check.__name__.replace("_", " ")] = lambda folder, check=check: check(Place(lockstepctl, folder))
    failed = False
    for name, check in checks.items():
        with tempfile.TemporaryDirectory() as folder:
            try:
                print(f"ok    {name:16} {check(folder)}", flush=True)
            except Wrong as wrong:
                failed = True
                print(f"FAIL  {name:16} {wrong}", flush=True)
    if not HAS_TORCH:
        print("skip  torch            torch or safetensors is not installed here")
    sys.exit(1 if failed else 0)


if __name__ == "__main__":
    main()

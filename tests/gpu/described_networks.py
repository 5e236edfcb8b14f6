# SPDX-License-Identifier: Apache-2.0
"""For check_gpu.py: jobs of described networks on made-up data, and what a step of theirs takes.

The data have the shapes of the real ones, which a step's time depends on, and no meaning: images are
noise, text is letters drawn at random."""

import json
import os
import pathlib
import random
import struct
import zlib

PRECISIONS = ("float32", "tf32", "bfloat16")
OCEANS = ("<1H OCEAN", "INLAND", "NEAR OCEAN", "NEAR BAY", "ISLAND")
COLUMNS = ("longitude", "latitude", "housing_median_age", "total_rooms", "total_bedrooms", "population",
           "households", "median_income", "median_house_value", "ocean_proximity")


def png(pixels, size):
    """A picture of size x size RGB pixels, as bytes of a PNG file."""
    def chunk(kind, data):
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))
    line = 3 * size
    rows = b"".join(b"\0" + pixels[at:at + line] for at in range(0, len(pixels), line))
    return (b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", struct.pack(">IIBBBBB", size, size, 8, 2, 0, 0, 0)) +
            chunk(b"IDAT", zlib.compress(rows, 1)) + chunk(b"IEND", b""))


def make_data(folder):
    """images/ (ten classes), text.txt and table.csv below it."""
    draw = random.Random(1)
    for number in range(10):
        of_class = folder / "images" / f"class-{number}"
        of_class.mkdir(parents=True)
        for i in range(180):
            (of_class / f"{i}.png").write_bytes(png(draw.randbytes(32 * 32 * 3), 32))
    letters = [chr(ord("0") + i) for i in range(65)]
    (folder / "text.txt").write_text("".join(draw.choices(letters, k=400_000)), encoding="utf-8")
    rows = [",".join(COLUMNS)]
    for _ in range(8000):
        numbers = [f"{draw.uniform(1, 1000):.3f}" for _ in COLUMNS[:-1]]
        rows.append(",".join([*numbers, draw.choice(OCEANS)]))
    (folder / "table.csv").write_text("\n".join(rows) + "\n", encoding="utf-8")


def resnet18(examples, networks):
    """The example with the augmented images, but with that network and a smoothed loss."""
    text = (examples / "resnet20-cifar10.toml").read_text(encoding="utf-8")
    network = (networks / "resnet18.toml").read_text(encoding="utf-8")
    data = text[:text.index("[model]")]
    training = text[text.index("[training]"):].replace("[training]", "[training]\nlabel_smoothing = 0.1")
    return data + network[network.index("[model]"):network.index("[training]")] + training


def jobs(folder, data, mnist, scratch):
    """{name: (batch, job file, its settings)} of what can run; the files are where pack.py puts them."""
    examples = folder / "networks"
    file = scratch / "resnet18.toml"
    file.write_text(resnet18(examples, examples), encoding="utf-8")
    images = [f"data.directory={data}/images", "data.validation_samples=256", "training.epochs=8"]
    found = {
        "tiny-gpt": (12, examples / "tiny-gpt.toml",
                     [f'data.files=["{data}/text.txt"]', "training.steps=400"]),
        "houses": (256, examples / "houses.toml", [f'data.files=["{data}/table.csv"]', "training.epochs=8"]),
        "resnet20": (128, examples / "resnet20-cifar10.toml", images),
        "resnet18": (128, file, images),
    }
    if mnist:
        found["mnist-cnn"] = (128, examples / "mnist-cnn.toml", [f"data.directory={mnist}", "training.epochs=1"])
    return found


def step_milliseconds(machine, job, settings, precision, run):
    """(median of the job's steps, the way they run), or what went wrong in words."""
    command = [machine.program("lockstepctl"), "run", str(job), "--processes", "1", "--run-dir", str(run),
               "--json", str(run) + ".json"]
    for setting in [*settings, "cluster.device=gpu", "cluster.evaluator=false", f"training.precision={precision}"]:
        command += ["--set", setting]
    status, _, problem = machine.run(command, 120)
    if status != 0:
        return None, problem
    summary = json.loads(pathlib.Path(str(run) + ".json").read_text(encoding="utf-8"))
    return summary["step_milliseconds"]["p50"], summary["backend"]


def by_torch(machine):
    """(PyTorch's lines, what it said besides)."""
    plain = {"LD_LIBRARY_PATH": os.environ.get("LD_LIBRARY_PATH", "")}  # it has its own libraries
    _, out, problem = machine.run(["python3", str(machine.folder / "torch_networks.py"), "--seconds", "240"], 600,
                                  environment=plain)
    return [json.loads(line) for line in out.splitlines() if line.startswith("{")], problem


def compared(ours, theirs):
    """PyTorch's times beside ours, in words; empty without any."""
    times = {one["how"]: one["median_us"] / 1e3 for one in theirs if "median_us" in one}
    parts = [f"PyTorch {how} {time:.3f} ms: {time / ours:.2f} times" for how, time in times.items()]
    return "; ".join(["", *parts])


def measure(machine, table, scratch, mnist, torch_lines, error_line):
    """A line of the table for each network and precision."""
    data = scratch / "made-up"
    make_data(data)
    for name, (batch, job, settings) in jobs(machine.folder, data, mnist, scratch).items():
        for precision in PRECISIONS:
            what = f"{name}, batch {batch}, {precision}"
            ours, said = step_milliseconds(machine, job, settings, precision, scratch / f"{name}-{precision}")
            if ours is None:
                table.add("FAILED", what, error_line(said))
                continue
            theirs = [one for one in torch_lines
                      if (one.get("network"), one.get("precision")) == (name, precision)]
            table.add("figure", what, f"{ours:.3f} ms a step of a job{compared(ours, theirs)}")

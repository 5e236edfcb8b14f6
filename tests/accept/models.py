#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What the example models reach, beside the same models in Keras and PyTorch: ./dev accept models DATA [NAME...]

DATA holds mnist/ (the four IDX files), images/ (cifar10-train-jpeg.tar.gz), text/tinyshakespeare.txt and
tables/california-housing.csv. NAMEs: cnn, houses, gpt, resnet20 (up to two hours); all of them without.

cnn       median test accuracy of three seeds: not below Keras' (on JAX) less the spread of its three
houses    median RMSE of three seeds: not above PyTorch's plus the spread of its three
gpt       validation loss after 2,000 steps: at most 1.90
resnet20  validation accuracy on 5,000 images that are held out: at least 0.85
Prints a table; exit status 1 when something misses its figure.
"""

import hashlib
import json
import os
import pathlib
import statistics
import subprocess
import sys
import tarfile
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
CTL = ROOT / "build/release/bin/lockstepctl"
EXAMPLES = ROOT / "resources/examples"
PEERS = pathlib.Path(__file__).with_name("peers")
INSTALLED = pathlib.Path(os.environ.get("XDG_CACHE_HOME") or pathlib.Path.home() / ".cache") / "lockstep/peers"
PYTHON = INSTALLED / "bin/python"
ANSWERS = INSTALLED / "answers.json"
SEEDS = (1, 2, 3)


def train(folder, example, *settings):
    """The summary of a run of the example."""
    command = [CTL, "run", EXAMPLES / f"{example}.toml", "--run-dir", folder]
    for setting in settings:
        command += ["--set", setting]
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
    return json.loads((pathlib.Path(folder) / "summary.json").read_text(encoding="utf-8"))


def peer(name, *arguments):
    """The answer of a peer's script, which is kept beside its packages: it takes minutes, and is asked for once."""
    question = " ".join([name, hashlib.sha256((PEERS / name).read_bytes()).hexdigest()[:16], *map(str, arguments)])
    answers = json.loads(ANSWERS.read_text(encoding="utf-8")) if ANSWERS.exists() else {}
    if question not in answers:
        done = subprocess.run([PYTHON, PEERS / name, *map(str, arguments)], check=True, stdout=subprocess.PIPE, text=True)
        answers[question] = json.loads(done.stdout.splitlines()[-1])
        ANSWERS.write_text(json.dumps(answers, indent=1), encoding="utf-8")
    return answers[question]


def spread(values):
    return max(values) - min(values)


def cnn(data, top):
    ours = [train(f"{top}/cnn-{seed}", "mnist-cnn", f"data.directory={data}/mnist",
                  f"training.seed={seed}")["test_accuracy"] for seed in SEEDS]
    theirs = [peer("keras_mnist_cnn.py", data / "mnist", seed)["accuracy"] for seed in SEEDS]
    bound = statistics.median(theirs) - spread(theirs)
    return statistics.median(ours) >= bound, \
        f"test accuracy {values(ours)}; Keras {values(theirs)}: at least {bound:.4f}"


def houses(data, top):
    table = data / "tables/california-housing.csv"
    ours = [train(f"{top}/houses-{seed}", "houses", f'data.files=["{table}"]',
                  f"training.seed={seed}")["validation_root_mean_squared_error"] for seed in SEEDS]
    theirs = [peer("torch_houses.py", table, seed)["rmse"] for seed in SEEDS]
    bound = statistics.median(theirs) + spread(theirs)
    return statistics.median(ours) <= bound, f"RMSE {values(ours)}; PyTorch {values(theirs)}: at most {bound:.0f}"


def gpt(data, top):
    loss = train(f"{top}/gpt", "tiny-gpt", f'data.files=["{data}/text/tinyshakespeare.txt"]')["validation_loss"]
    return loss <= 1.90, f"validation loss {loss:.4f}: at most 1.90"


def resnet20(data, top):
    with tarfile.open(data / "images/cifar10-train-jpeg.tar.gz") as images:
        images.extractall(top, filter="data")
    accuracy = train(f"{top}/resnet20", "resnet20-cifar10", f"data.directory={top}/train")["validation_accuracy"]
    return accuracy >= 0.85, f"accuracy on 5,000 held out {accuracy:.4f}: at least 0.85"


def values(figures):
    return ", ".join(f"{figure:.4f}" if figure < 100 else f"{figure:.0f}" for figure in figures)


CHECKS = {check.__name__: check for check in (cnn, houses, gpt, resnet20)}

PEERS_OF = {"cnn": ("keras", "jax"), "houses": ("torch",)}  # Python packages


def main(data, names):
    lacking = [module for name in names or CHECKS for module in PEERS_OF.get(name, ())
               if next(INSTALLED.glob(f"lib/python3*/site-packages/{module}"), None) is None]
    if lacking:  # before hours of training
        sys.exit(f"error: {', '.join(lacking)} to compare with are not in {INSTALLED}: ./dev bench --peers installs them")
    missed = False
    with tempfile.TemporaryDirectory() as top:
        for name in names or CHECKS:
            good, text = CHECKS[name](data, top)
            missed = missed or not good
            print(f"{'ok  ' if good else 'MISS'}  {name:<10} {text}", flush=True)
    return 1 if missed else 0


if __name__ == "__main__":
    if len(sys.argv) < 2 or not pathlib.Path(sys.argv[1]).is_dir() or set(sys.argv[2:]) - set(CHECKS):
        sys.exit(f"error: name the folder of the data, and any of {', '.join(CHECKS)}")
    sys.exit(main(pathlib.Path(sys.argv[1]).resolve(), sys.argv[2:]))

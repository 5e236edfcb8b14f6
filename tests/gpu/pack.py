#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Packs what ./dev gpu runs: programs, module and their libraries, stripped, as one archive.

The machine with the GPU brings its own C library, C++ library, driver and CUDA; everything else
travels. usage: pack.py BUILD_DIR ARCHIVE [MNIST_DIR]
"""

import pathlib
import re
import shutil
import subprocess
import sys
import tarfile
import tempfile

PROGRAMS = ("bin/lockstep-worker", "bin/lockstepctl", "bin/lockstep-cuda.so", "bench/bench_gpu",
            "bench/gpu_programs")
# Of the machine itself: its C and C++ libraries, CUDA, the driver.
STAY = re.compile(r"^(ld-linux|lib(c|m|dl|rt|pthread|resolv|stdc\+\+|gcc_s|cuda|cudart|cublas|"
                  r"cublasLt|nccl|cudnn|nvidia-ml|nvrtc|nvJitLink)([-.]|_\w+\.))")
MNIST = ("train-images-idx3-ubyte.gz", "train-labels-idx1-ubyte.gz",
         "t10k-images-idx3-ubyte.gz", "t10k-labels-idx1-ubyte.gz")
# Of described_networks.py.
NETWORKS = (*(f"resources/examples/{job}.toml" for job in ("houses", "mnist-cnn", "resnet20-cifar10", "tiny-gpt")),
            "tests/bench/networks/resnet18.toml")


def libraries_of(path):
    """{name: path} of the shared libraries that travel."""
    text = subprocess.run(["ldd", path], capture_output=True, text=True, timeout=60).stdout
    found = re.findall(r"^\s*(\S+) => (/\S+)", text, re.MULTILINE)
    return {name: where for name, where in found if not STAY.match(name)}


def copy_stripped(source, target):
    target.parent.mkdir(parents=True, exist_ok=True)
    shutil.copyfile(source, target)
    subprocess.run(["strip", "--strip-unneeded", target], check=False, timeout=120)
    target.chmod(0o755)


def fill(folder, build, mnist):
    libraries = {}
    for name in PROGRAMS:
        source = build / name
        if source.exists():  # without CUDA there is no module
            copy_stripped(source, folder / "bin" / source.name)
            libraries |= libraries_of(source)
    for name, where in libraries.items():
        copy_stripped(pathlib.Path(where).resolve(), folder / "lib" / name)
    here = pathlib.Path(__file__).resolve().parent
    for name in ("check_gpu.py", "gpu_jobs.py", "described_networks.py", "torch_networks.py", "torch_step.py"):
        shutil.copyfile(here / name, folder / name)
    shutil.copyfile(here.parent / "bench" / "peers" / "torch_models.py", folder / "torch_models.py")
    (folder / "networks").mkdir()
    for source in NETWORKS:
        shutil.copyfile(here.parent.parent / source, folder / "networks" / pathlib.Path(source).name)
    for name in MNIST:
        plain = name.removesuffix(".gz")
        for one in (name, plain):
            if mnist and (mnist / one).exists():
                (folder / "mnist").mkdir(exist_ok=True)
                shutil.copyfile(mnist / one, folder / "mnist" / one)
                break


def main(build, archive, mnist=None):
    archive = pathlib.Path(archive)
    archive.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as temporary:
        folder = pathlib.Path(temporary) / "lockstep-gpu"
        folder.mkdir()
        fill(folder, pathlib.Path(build), pathlib.Path(mnist) if mnist else None)
        part = archive.with_suffix(".part")
        with tarfile.open(part, "w:xz", preset=6) as packed:
            packed.add(folder, "lockstep-gpu")
        part.replace(archive)
    print(f"packed {archive} ({archive.stat().st_size / 1e6:.1f} MB)")


if __name__ == "__main__":
    main(*sys.argv[1:])

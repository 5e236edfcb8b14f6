#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What Clang, its thread-safety analysis and clang-tidy find in the product: clang_findings.py BUILD [PATH-PART...].

BUILD is configured by the preset clang; the headers that it generates and precompiles are made here. The
annotations of core/base/mutex.h mean nothing to GCC, with which we build. clang-tidy looks at declarations outside of
system headers (own_declarations.cpp): at all of them it takes sixteen times as long, and shows the same. With
PATH-PARTs only sources whose path contains one of them."""

import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor

ROOT = pathlib.Path(__file__).resolve().parents[2]
TIDY = "clang-tidy-19"
LLVM = pathlib.Path("/usr/lib/llvm-19")
SECONDS = 600


def product_sources(build):
    """The sources of core, app and ui, each with the first command that compiles it."""
    sources = {}
    for entry in json.loads((build / "compile_commands.json").read_text(encoding="utf-8")):
        source = pathlib.Path(entry["file"]).resolve()  # as ROOT, also by a symbolic link
        if source.is_relative_to(ROOT) and source.relative_to(ROOT).parts[0] in ("core", "app", "ui") and \
                source.suffix == ".cpp":
            sources.setdefault(source, entry["command"])
    return sources


def make_headers(build, commands):
    """Builds what the sources include: messages and precompiled headers."""
    precompiled = {name for command in commands for name in re.findall(r"-Xclang (\S+\.pch)", command)}
    targets = {os.path.relpath(name, build) for name in precompiled}
    targets.update(("lockstep_messages", "lockstep_onnx"))
    subprocess.run(["cmake", "--build", build, "--target", *sorted(targets)], check=True, stdout=subprocess.DEVNULL)


def make_plugin(build):
    """Compiles what limits clang-tidy to our declarations; its path."""
    plugin = build / "own_declarations.so"
    source = ROOT / "tests/support/own_declarations.cpp"
    if not plugin.exists() or plugin.stat().st_mtime < source.stat().st_mtime:
        subprocess.run(["clang++-19", "-std=c++17", "-O1", "-fno-rtti", "-fPIC", "-shared", "-isystem", LLVM / "include",
                        "-D__STDC_CONSTANT_MACROS", "-D__STDC_LIMIT_MACROS", source, "-o", plugin], check=True)
    return plugin


def findings(build, plugin, source):
    try:
        done = subprocess.run([TIDY, "-p", build, "--quiet", f"--load={plugin}", "--checks=lockstep-own-declarations",
                               source], capture_output=True, text=True, timeout=SECONDS)
    except subprocess.TimeoutExpired:
        return [f"{source.relative_to(ROOT)}: error: not read to its end within {SECONDS} s"]
    found = re.findall(r"^(\S+: (?:warning|error|fatal error): .*)$", done.stdout, re.M)
    if done.returncode and not found:
        found = [f"{source}: {done.stderr.strip()[-500:]}"]
    return [line.replace(f"{ROOT}/", "") for line in found]


def main(build, parts):
    if not shutil.which(TIDY) or not (LLVM / "include/clang-tidy").exists():
        sys.exit(f"error: there is no {TIDY}, or not its headers (Debian's packages: clang-19 clang-tidy-19 "
                 "libclang-19-dev llvm-19-dev)")
    subprocess.run(["cmake", build], check=True, stdout=subprocess.DEVNULL)  # the commands of today
    sources = product_sources(build)
    chosen = [source for source in sources if not parts or any(part in str(source) for part in parts)]
    if not chosen:
        sys.exit(f"error: no source of the product has a path with {' or '.join(parts) or 'core, app or ui'} in it")
    make_headers(build, sources.values())
    plugin = make_plugin(build)
    found = set()
    with ThreadPoolExecutor(len(os.sched_getaffinity(0))) as pool:
        for lines in pool.map(lambda source: findings(build, plugin, source), chosen):
            for line in sorted(set(lines) - found):  # a header's is found again in every source
                print(line, flush=True)
            found |= set(lines)
    print(f"{len(chosen)} sources: {len(found)} findings")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main(pathlib.Path(sys.argv[1]).resolve(), sys.argv[2:]))

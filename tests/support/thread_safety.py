#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Clang's thread-safety analysis of every source that locks: thread_safety.py BUILD.

The annotations of core/base/mutex.h mean nothing to GCC, with which we build. Clang only parses here."""

import json
import os
import pathlib
import re
import shlex
import shutil
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor

ROOT = pathlib.Path(__file__).resolve().parents[2]
SECONDS = 300


def locks(source, known):
    """Whether it includes, directly or not, the header of the mutex."""
    if source not in known:
        known[source] = source == ROOT / "core/base/mutex.h"
        if source.is_file():
            names = re.findall(r'^#include "((?:core|app|ui)/[^"]+)"', source.read_text(encoding="utf-8"), re.M)
            known[source] = known[source] or any([locks(ROOT / name, known) for name in names])
    return known[source]


def command(entry):
    words = shlex.split(entry["command"])
    words = words[next(i for i, word in enumerate(words) if word.endswith(("c++", "g++"))) + 1:]
    kept, skip = [], False
    for word in words:
        if skip or word in ("-o", "-include", "-c", "-Winvalid-pch"):
            skip = not skip and word in ("-o", "-include")
            continue
        kept.append(word)
    return ["clang++", "-fsyntax-only", *kept, "-Wno-everything", "-Wthread-safety"]


def analysed(entry):
    done = subprocess.run(command(entry), cwd=entry["directory"], capture_output=True, text=True, timeout=SECONDS)
    found = [line.replace("../../", "").replace(f"{ROOT}/", "")
             for line in re.findall(r"^\S+: (?:warning|error|fatal error): .*$", done.stderr, re.M)]
    if any(line.startswith("/") for line in found):  # an old clang beside a newer standard library
        print(f"note: this clang cannot read {entry['file']} to its end", file=sys.stderr)
    return [line for line in found if not line.startswith("/")]


def main(build):
    if not shutil.which("clang++"):
        sys.exit("error: there is no clang++ (Debian's package: clang)")
    known, seen, entries = {}, set(), []
    for entry in json.loads((build / "compile_commands.json").read_text(encoding="utf-8")):
        source = pathlib.Path(entry["file"])
        top = source.relative_to(ROOT).parts[0] if source.is_relative_to(ROOT) else ""
        if top in ("core", "app", "ui") and source.suffix == ".cpp" and source not in seen and locks(source, known):
            seen.add(source)
            entries.append(entry)
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        found = sorted({line for lines in pool.map(analysed, entries) for line in lines})
    for line in found:
        print(line, file=sys.stderr)
    print(f"{len(entries)} sources that lock: {len(found)} findings")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main(pathlib.Path(sys.argv[1]).resolve()))

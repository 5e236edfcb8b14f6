#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What the pages tell a reader to do, done: check_docs.py SOURCE BIN.

Blocks of README.md and the guide are taken in their order. A toml or python block whose first line is a
comment with a file's name becomes that file in a folder of its own; every line of an sh block runs there
with BIN on the path and must succeed. ./dev is not run but asked whether it knows the verb. Links of all
pages must lead somewhere, and the pages of keys and layers must be what the program prints."""

import os
import pathlib
import re
import subprocess
import sys
import tempfile

LINE_SECONDS = 120
BLOCK = re.compile(r"^```(\w+)\n(.*?)^```", re.MULTILINE | re.DOTALL)
NAME = re.compile(r"# ([\w.-]+\.(?:toml|py))\n")
LINK = re.compile(r"\]\(([^)#\s]+)(?:#[^)]*)?\)")
RUNNING = ("README.md", "resources/guide/hosts.md", "resources/guide/programs.md", "resources/guide/gpus.md",
           "resources/guide/models.md", "resources/guide/data.md", "resources/guide/handover.md")


def pages(source):
    found = [source / name for name in ("README.md", "ARCHITECTURE.md", "CONTRIBUTING.md", "CHANGELOG.md")]
    return found + sorted((source / "resources/guide").glob("*.md")) + [source / "tests/bench/FIGURES.md"]


def dead_links(source):
    for page in pages(source):
        for target in LINK.findall(page.read_text(encoding="utf-8")):
            if "://" not in target and not (page.parent / target).exists():
                yield f"{page.relative_to(source)}: nothing is at {target}"


def untold_architecture(source):
    """What ARCHITECTURE.md must tell: a thread of every name, and places that are there."""
    text = (source / "ARCHITECTURE.md").read_text(encoding="utf-8")
    where = text.split("## Where is")[1].split("\n## ")[0]
    for place in re.findall(r"`([\w./]+)`", where):
        if not (source / place).exists():
            yield f"ARCHITECTURE.md: nothing is at {place}"
    threads = text.split("## Threads")[1].split("\n## ")[0]
    for folder in ("core", "app", "ui"):
        for file in (source / folder).rglob("*.cpp"):
            for name in re.findall(r'startThread\(\s*"([^"]+)"', file.read_text(encoding="utf-8")):
                if f"`{name}`" not in threads:
                    yield f"ARCHITECTURE.md: the thread {name} of {file.relative_to(source)} is not told"


def other_examples(source):
    """The guide shows the examples in C++ as they are built and run."""
    page = source / "resources/guide/cpp.md"
    shown = 0
    for kind, block in BLOCK.findall(page.read_text(encoding="utf-8")):
        if kind != "cpp":
            continue
        name = re.match(r"// (\w+\.cpp)[:\n]", block)
        example = source / "resources/examples/cpp" / name[1] if name else None
        if not example or not example.exists():
            yield f"{page.relative_to(source)}: a block of cpp does not begin with its file's name:\n{block[:80]}"
        elif example.read_text(encoding="utf-8").split("\n", 1)[1] != block:
            yield f"{page.relative_to(source)}: {name[1]} differs from {example.relative_to(source)}"
        shown += 1
    if not shown:
        yield f"{page.relative_to(source)} shows no example"


def unknown_verbs(source, text):
    usage = subprocess.run([source / "dev"], capture_output=True, text=True, timeout=LINE_SECONDS).stdout
    for verb, part in re.findall(r"\./dev (\w+)(?: ([a-z]\w+))?", text):
        if not re.search(rf"^\./dev {verb}\b", usage, re.MULTILINE):
            yield f"./dev knows no {verb}"
        if verb == "check" and part and not re.search(rf"\b{part}\b", usage):
            yield f"./dev check knows no {part}"


def run_line(line, folder, environment):
    done = subprocess.run(["bash", "-c", line], cwd=folder, env=environment, stdin=subprocess.DEVNULL,
                          capture_output=True, text=True, timeout=LINE_SECONDS)
    if done.returncode == 0:
        return None
    return f"{line}\n    exit status {done.returncode}: {(done.stderr or done.stdout).strip()[-600:]}"


def failures_of(page, folder, environment):
    for kind, block in BLOCK.findall(page.read_text(encoding="utf-8")):
        name = NAME.match(block)
        if kind in ("toml", "python"):
            if not name:
                yield f"a block of {kind} does not say which file it is:\n{block}"
                continue
            (folder / name[1]).write_text(block, encoding="utf-8")
        elif kind == "sh":
            for line in block.splitlines():
                if line.strip() and not line.startswith("./dev"):
                    print(f"  {line.split('  ')[0]}", flush=True)
                    failure = run_line(line, folder, environment)
                    if failure:
                        yield failure


def environment_in(home, programs):
    own = {name: str(home / name.lower()) for name in
           ("XDG_CACHE_HOME", "XDG_CONFIG_HOME", "XDG_STATE_HOME", "XDG_DATA_HOME", "XDG_RUNTIME_DIR")}
    for folder in own.values():
        pathlib.Path(folder).mkdir(mode=0o700)
    return {**os.environ, **own, "HOME": str(home), "PATH": f"{programs}:{os.environ['PATH']}"}


def printed_pages(source, programs):
    for page, what in (("job-file.md", []), ("layers.md", ["layers"])):
        command = ["lockstepctl", "keys", *what, "--format", "md"]
        printed = subprocess.run([programs / command[0], *command[1:]], capture_output=True, text=True,
                                 timeout=LINE_SECONDS, check=True).stdout
        path = source / "resources/guide" / page
        if not path.exists() or path.read_text(encoding="utf-8") != printed:
            yield f"{path.relative_to(source)} is not what `{' '.join(command)}` prints: write it anew"


def main(source, programs):
    problems = list(dead_links(source)) + list(untold_architecture(source)) + list(other_examples(source)) + list(printed_pages(source, programs))
    for page in pages(source):
        problems += [f"{page.name}: {each}" for each in unknown_verbs(source, page.read_text(encoding="utf-8"))]
    for name in RUNNING:
        print(name, flush=True)
        with tempfile.TemporaryDirectory() as place, tempfile.TemporaryDirectory() as home:
            environment = environment_in(pathlib.Path(home), programs)
            problems += [f"{name}: {each}"
                         for each in failures_of(source / name, pathlib.Path(place), environment)]
    for problem in problems:
        print(f"error: {problem}", file=sys.stderr)
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main(pathlib.Path(sys.argv[1]).resolve(), pathlib.Path(sys.argv[2]).resolve()))

# SPDX-License-Identifier: Apache-2.0
"""What the checks share: the project's files, C++ without its comments, and the self-test.

A check is a function `check(root)` that gives a list of Violations. `main(check, seeds)` runs it on
the folder named in the arguments, or with --self-test on small trees that are seeded with a
violation each, so that a check that has gone blind fails too.
"""

import argparse
import pathlib
import re
import sys
import tempfile
from typing import NamedTuple

SOURCE_FOLDERS = ("core", "ui", "app", "tests", "resources", "packaging")
# Byte code, and the runs of the examples.
LEFT_BY_PROGRAMS = ({"__pycache__"}, {"resources", "runs"})
# The project's own tools; a file here is a text even without an ending.
ROOT_FILES = ("CMakeLists.txt", "CMakePresets.json", "dev", ".ci/run")
ROOT_ENDINGS = (".md", ".txt", ".json")


class Violation(NamedTuple):
    path: str
    line: int
    sentence: str

    def __str__(self):
        return f"{self.path}:{self.line}: {self.sentence}"


class Seed(NamedTuple):
    """A tree {path: text} and a part of the sentence it must give; None: it gives nothing."""

    files: dict
    expected: str | None


def files(root, folders=SOURCE_FOLDERS, endings=None):
    """Paths relative to root, sorted, below the folders; `endings` as (".h", ".cpp")."""
    found = []
    for folder in folders:
        for path in (root / folder).rglob("*"):
            parts = set(path.relative_to(root).parts)
            if path.is_file() and not any(left <= parts for left in LEFT_BY_PROGRAMS):
                if endings is None or path.name.endswith(endings):
                    found.append(path.relative_to(root))
    return sorted(found)


def root_files(root):
    found = [pathlib.Path(name) for name in ROOT_FILES if (root / name).is_file()]
    for path in root.iterdir():
        if path.is_file() and path.suffix in ROOT_ENDINGS:
            found.append(path.relative_to(root))
    return sorted(set(found))


def read(root, path):
    """The text, or None for what is not text."""
    try:
        return (root / path).read_text(encoding="utf-8")
    except UnicodeDecodeError:
        return None


_TOKENS = re.compile(
    r"""R"(?P<mark>[^()\\\s]{0,16})\(.*?\)(?P=mark)"   # raw string
      | //[^\n]*(?:\\\n[^\n]*)* | /\*.*?\*/            # comments
      | "(?:\\.|[^"\\\n])*"                            # string
      | (?<![0-9A-Za-z_])'(?:\\.|[^'\\\n])+'           # character, not a digit separator
    """,
    re.VERBOSE | re.DOTALL,
)


def without_comments(text, keep_strings=False):
    """C++ with comments (and strings) blanked; every character keeps its line and column."""

    def blank(match):
        token = match.group(0)
        if keep_strings and not token.startswith("/"):
            return token
        return re.sub(r"[^\n]", " ", token)

    return _TOKENS.sub(blank, text)


def line_of(text, offset):
    return text.count("\n", 0, offset) + 1


def _write_tree(root, tree):
    for path, text in tree.items():
        target = root / path
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(text, encoding="utf-8")


def _self_test(check, seeds):
    failures = []
    for number, seed in enumerate(seeds):
        with tempfile.TemporaryDirectory() as folder:
            root = pathlib.Path(folder)
            _write_tree(root, seed.files)
            found = [str(violation) for violation in check(root)]
        if seed.expected is None and found:
            failures.append(f"seed {number} is clean, but gives: {found}")
        elif seed.expected is not None and not (len(found) == 1 and seed.expected in found[0]):
            failures.append(f"seed {number} must give one violation with "
                            f"{seed.expected!r}, but gives: {found}")
    print(f"{len(seeds)} seeds, {len(failures)} failures")
    return failures


def main(check, seeds):
    parser = argparse.ArgumentParser()
    parser.add_argument("root", nargs="?", default=".", help="the project's folder")
    parser.add_argument("--self-test", action="store_true",
                        help="prove that seeded violations are caught")
    arguments = parser.parse_args()
    problems = (_self_test(check, seeds) if arguments.self_test
                else check(pathlib.Path(arguments.root)))
    for problem in problems:
        print(problem)
    sys.exit(1 if problems else 0)

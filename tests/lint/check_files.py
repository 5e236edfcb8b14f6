# SPDX-License-Identifier: Apache-2.0
"""No paths of somebody's machine, nothing put off, and no source file that nobody builds."""

import posixpath
import re

from source_tree import Seed, Violation, files, line_of, main, read, root_files

TEXTS = (".h", ".cpp", ".cu", ".proto", ".py", ".cmake", ".txt", ".md", ".toml", ".sh", ".json",
         ".desktop", ".xml", ".yaml", ".qss")

# A home folder or a mount of the machine that something was written on. Ada's home is an example.
MACHINE_PATH = re.compile(r"(?<![\w./:~$}>-])"
                          r"/(?:home/(?!ada\b)|root/|Users/|work/|workspace/|builds/|mnt/)[\w.-]+")
# Built of two parts, so that this file does not contain what it looks for.
PUT_OFF = re.compile(r"\b(?:TO" r"DO|FIX" r"ME|X" r"XX)\b")

# {"path": "reason"}: files that may name such a path.
EXCEPTIONS = {}


def _check_text(path, text):
    for match in PUT_OFF.finditer(text):
        yield line_of(text, match.start()), f"{match.group(0)}: do it now, or write an issue"
    if path.as_posix() not in EXCEPTIONS:
        for match in MACHINE_PATH.finditer(text):
            yield line_of(text, match.start()), f"a path of one machine: {match.group(0)}"


def _words(cmake_list):
    code = re.sub(r"#.*", "", cmake_list.read_text(encoding="utf-8"))
    return set(re.split(r'[\s()";]+', code))


def _built_sources(root):
    """Every source that some CMakeLists.txt names, as a path from the root."""
    built = set()
    for top in ("core", "ui", "app", "tests"):
        for cmake_list in (root / top).rglob("CMakeLists.txt"):
            folder = cmake_list.parent.relative_to(root).as_posix()
            built |= {posixpath.normpath(f"{folder}/{word}") for word in _words(cmake_list)
                      if word.endswith(".cpp")}
    return built


def _check_built(root, path, built):
    if path.as_posix() in built:
        return
    if path.name.startswith("tst_"):  # listed without its ending, by a loop
        for folder in path.parents:
            cmake_list = root / folder / "CMakeLists.txt"
            if cmake_list.is_file() and path.stem in _words(cmake_list):
                return
    yield 1, "no CMakeLists.txt lists this file: it is never built"


def _is_source(path):
    if path.suffix != ".cpp":
        return False
    return path.parts[0] in ("core", "ui", "app") or path.name.startswith("tst_")


def check(root):
    violations = []
    built = _built_sources(root)
    for path in files(root, endings=TEXTS) + root_files(root):
        text = read(root, path)
        if text is None:
            continue
        problems = list(_check_text(path, text))
        if _is_source(path):
            problems += _check_built(root, path, built)
        violations += [Violation(path.as_posix(), line, sentence) for line, sentence in problems]
    return violations


_BUILT = {"core/CMakeLists.txt": "add_library(x a.cpp base/b.cpp)\n", "core/a.cpp": "",
          "core/base/b.cpp": ""}
_LATER = "TO" + "DO"

SEEDS = (
    Seed(_BUILT | {"tests/CMakeLists.txt": "foreach(name tst_a tst_b)\n", "tests/tst_a.cpp": "",
                   "tests/helper.cpp": "", "README.md": "See https://x.org/home/page and ./mnt/x.\n"
                   "The folder runs/home/x, ~/mnt/x and $HOME/mnt/x.\nAnd /home/ada/x.\n"}, None),
    Seed({"core/base/x.h": f"int a;  // {_LATER}: later\n"}, f"x.h:1: {_LATER}"),
    Seed({"README.md": "\nFIX" + "ME\n"}, "README.md:2"),
    Seed({"dev": "cd /home/" + "ann/lockstep\n"}, "a path of one machine"),
    Seed({"resources/x.toml": 'directory = "/mnt/' + 'data"\n'}, "x.toml:1: a path"),
    Seed(_BUILT | {"core/base/c.cpp": ""}, "core/base/c.cpp:1: no CMakeLists.txt"),
    Seed(_BUILT | {"core/CMakeLists.txt": "add_library(x a.cpp) # base/b.cpp\n"}, "never built"),
    Seed({"tests/CMakeLists.txt": "foreach(name tst_ab)\n", "tests/tst_a.cpp": ""}, "never built"),
    Seed({"ui/CMakeLists.txt": "add_library(ui b.cpp)\n", "ui/pages/b.cpp": ""}, "never built"),
    Seed({"ui/shell/CMakeLists.txt": "add_library(ui ../pages/b.cpp)\n", "ui/pages/b.cpp": ""}, None),
)

if __name__ == "__main__":
    main(check, SEEDS)

# SPDX-License-Identifier: Apache-2.0
"""First lines, include guards, and no Result that can be ignored by accident."""

import re

from source_tree import Seed, Violation, files, line_of, main, read, root_files, without_comments

LICENSED = (".h", ".cpp", ".cu", ".proto", ".py", ".cmake", "CMakeLists.txt", ".qml", ".sh")
RESULT = re.compile(r"\b(?:Result|tl::expected)<")
NAME = re.compile(r"[\s&*]+((?:\w+::)*[A-Za-z_]\w*)\s*\(")
# What a declaration starts behind.
STARTS = re.compile(r"[;{}]|\b(?:public|protected|private|signals|slots)\s*:")
# In two parts, so that tools that read licences do not take this file's patterns for one.
TAG = "SPDX-License-" "Identifier:"


def _license(path):
    name = path.as_posix()
    return "GPL-3.0-or-later" if name.startswith(("ui/", "tests/ui/", "app/gui/")) else "Apache-2.0"


def _check_first_line(path, text):
    lines = text.split("\n", 2)
    first = lines[1] if lines[0].startswith("#!") and len(lines) > 1 else lines[0]
    mark = "//" if path.suffix in (".h", ".cpp", ".cu", ".proto", ".qml") else "#"
    wanted = f"{mark} {TAG} {_license(path)}"
    if first != wanted:
        yield 1, f'the first line must be "{wanted}"'


def _end_of_angle(text, at):
    """Behind the '>' that closes the '<' before `at`."""
    depth = 1
    while at < len(text) and depth > 0:
        depth += {"<": 1, ">": -1}.get(text[at], 0)
        at += 1
    return at


def _check_nodiscard(text):
    code = without_comments(text)
    for match in RESULT.finditer(code):
        name = NAME.match(code, _end_of_angle(code, match.end()))
        if not name:
            continue
        starts = [0] + [start.end() for start in STARTS.finditer(code, 0, match.start())]
        declaration = code[starts[-1]:match.start()]
        if "[[nodiscard]]" in declaration or re.search(r"[(,=]|\b(return|using|friend)\b", declaration):
            continue
        yield (line_of(code, match.start()),
               f"{name.group(1)} returns a Result and must be [[nodiscard]]")


def _check_header(text):
    if not re.search(r"^#pragma once$", text, re.MULTILINE):
        yield 1, "a header needs #pragma once"
    yield from _check_nodiscard(text)


def check(root):
    violations = []
    paths = files(root, endings=LICENSED)
    paths += [path for path in root_files(root) if path.name in ("CMakeLists.txt", "dev")]
    for path in paths:
        text = read(root, path) or ""
        problems = list(_check_first_line(path, text))
        if path.suffix == ".h":
            problems += _check_header(text)
        violations += [Violation(path.as_posix(), line, sentence) for line, sentence in problems]
    return violations


_A = f"// {TAG} Apache-2.0\n"
_G = f"// {TAG} GPL-3.0-or-later\n"
_H = _A + "#pragma once\n"

SEEDS = (
    Seed({"core/base/x.h": _H, "ui/x.h": _G + "#pragma once\n", "tests/ui/tst_x.cpp": _G,
          "tests/core/tst_x.cpp": _A, "core/CMakeLists.txt": "#" + _A[2:],
          "dev": "#!/usr/bin/env bash\n#" + _A[2:]}, None),
    Seed({"core/base/x.cpp": "\n" + _A}, "the first line must be"),
    Seed({"core/base/x.cpp": _G}, "Apache-2.0"),
    Seed({"ui/x.cpp": _A}, "GPL-3.0-or-later"),
    Seed({"core/CMakeLists.txt": "project(x)\n"}, "CMakeLists.txt:1"),
    Seed({"core/wire/x.proto": "// hello\n"}, "the first line must be"),
    Seed({"core/base/x.h": _A + "// #pragma once is not here\n"}, "#pragma once"),
    Seed({"core/base/x.h": _H + "Result<int> f();\n"}, "x.h:3: f returns a Result"),
    Seed({"core/base/x.h": _H + "class A {\npublic:\n    static Result<std::map<int, A>>\n"
          "    open(int x);\n};\n"}, "open returns a Result"),
    Seed({"core/base/x.h": _H + "[[nodiscard]] int g();\nResult<void> f();\n"}, "f returns"),
    Seed({"core/base/x.h": _H + "class A {\n    [[nodiscard]] virtual Result<int> f() = 0;\n"
          "    std::function<Result<int>(int)> g_;\n    void h(Result<int> x);\n};\n"
          "// Result<int> f();\nclass C { friend Result<int> k(int x); };\nusing F = Result<int>;\n"
          "template <typename T>\n[[nodiscard]] Result<T> make(T t) { return Result<T>(t); }\n"},
         None),
)

if __name__ == "__main__":
    main(check, SEEDS)

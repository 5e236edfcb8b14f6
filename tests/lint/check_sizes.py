# SPDX-License-Identifier: Apache-2.0
"""How long files and functions may be: what is longer holds two concepts.

Each area's limits are what its longest file and function need, rounded up: they hold what was
reached, and go down as files do. A test's longest functions are tables.
"""

import re
from typing import NamedTuple

from source_tree import Seed, Violation, files, main, read, without_comments


class Limits(NamedTuple):
    file: int
    function: int


LIMITS = {
    "core": Limits(425, 56),
    "ui": Limits(375, 55),
    "app": Limits(350, 50),
    "tests": Limits(440, 115),
}

# {"path": "reason"} and {"path:function": "reason"}: what may be longer, and why.
EXCEPTIONS = {}

_CONTAINER = re.compile(r"\b(namespace|class|struct|union|enum|extern)\b[^()=]*$")
_MEMBER_LIST = re.compile(r"\)[^()]*?(?<!:):(?!:)")  # ") :" of a constructor
_NAME = re.compile(r"((?:\w+::)*(?:operator\s*[^\s\w(]+|operator\(\)|~?\w+))\s*\(")
_LABEL = re.compile(r"\s*(?:(?:public|protected|private|signals)(?:\s+slots)?\s*:(?!:)\s*)*")


class _Scanner:
    """Finds the functions of a C++ text by its braces."""

    def __init__(self, text):
        text = without_comments(text)
        # Directives have braces of their own; blank them with their continuations.
        self.text = re.sub(r"^[ \t]*#(?:[^\n\\]|\\\n|\\.)*",
                           lambda m: re.sub(r"[^\n]", " ", m.group(0)), text, flags=re.MULTILINE)
        self.functions = []  # (first line, last line, name)

    def scan(self):
        self._block(0)
        return self.functions

    def _skip(self, at):
        """Behind the brace that closes the one at `at`."""
        depth = 0
        for i in range(at, len(self.text)):
            depth += {"{": 1, "}": -1}.get(self.text[i], 0)
            if depth == 0:
                return i + 1
        return len(self.text)

    def _block(self, at):
        """Declarations up to the brace that closes the block; gives the place behind it."""
        header = at
        while at < len(self.text):
            c = self.text[at]
            if c == "}":
                return at + 1
            if c == ";":
                header = at + 1
            elif c == "{":
                declaration = self.text[header:at]
                if _CONTAINER.search(declaration):
                    at = self._block(at + 1)
                    header = at
                    continue
                end = self._skip(at)
                if self._is_member(declaration):
                    at = end  # a member's initializer; the body is still to come
                    continue
                if "(" in declaration and not declaration.rstrip().endswith("="):
                    self._add(header, end, declaration)
                at = header = end
                continue
            at += 1
        return at

    @staticmethod
    def _is_member(declaration):
        last = declaration.rstrip()[-1:]
        return bool(_MEMBER_LIST.search(declaration)) and (last.isalnum() or last in "_>")

    def _add(self, header, end, declaration):
        blanks = _LABEL.match(declaration).end()
        first = self.text.count("\n", 0, header + blanks) + 1
        name = _NAME.search(declaration)
        self.functions.append((first, self.text.count("\n", 0, end) + 1,
                               name.group(1) if name else "lambda"))


def check(root):
    violations = []
    for path in files(root, LIMITS, (".h", ".cpp", ".cu", ".cuh")):
        name = path.as_posix()
        limits = LIMITS[path.parts[0]]
        text = read(root, path) or ""
        lines = text.count("\n")
        if lines > limits.file and name not in EXCEPTIONS:
            violations.append(Violation(name, lines, f"{lines} lines, more than {limits.file}"))
        for first, last, function in _Scanner(text).scan():
            length = last - first + 1
            if length > limits.function and f"{name}:{function}" not in EXCEPTIONS:
                violations.append(Violation(name, first, f"{function} has {length} lines, "
                                            f"more than {limits.function}"))
    return violations


def _steps(area, more=0):
    """The body of a function that is as long as the area allows, or by `more` lines longer."""
    return "    step();\n" * (LIMITS[area].function - 2 + more)


def _function(path, before="", name="f", head="void f(int x) {\n", more=1):
    """A file whose last function is too long by `more` lines."""
    area = path.split("/")[0]
    limit = LIMITS[area].function
    body = _steps(area, more - (head.count("\n") - 1))
    return Seed({path: before + head + body + "}\n"},
                f"{name} has {limit + more} lines, more than {limit}" if more else None)


SEEDS = (
    *(Seed({f"{area}/x.h": "\n" * limits.file}, None) for area, limits in LIMITS.items()),
    *(Seed({f"{area}/x.h": "\n" * (limits.file + 1)}, f"{limits.file + 1} lines")
      for area, limits in LIMITS.items()),
    *(_function(f"{area}/x.cpp", more=0) for area in LIMITS),
    *(_function(f"{area}/x.cpp") for area in LIMITS),
    _function("core/tensor/cuda/x.cu"),
    _function("core/base/x.cpp", before="namespace a {\n"),
    Seed({"core/base/x.h": "class A : public B {\npublic:\n    A() : a_{1}, b_(2) {\n" + _steps("core", 1)
          + "    }\n    int a_{0};\n};\n"}, "A has "),
    _function("core/base/x.cpp", before="#define F(x) \\\n  {\n",
              head="void f() {\n  auto s = \"}{\"; // }\n  char c = '{'; int n = 1'000;\n"),
    Seed({"core/base/x.cpp": "const int kTable[] = {\n" + "    f(1),\n" * 100 + "};\n"
          "struct S {\n" + "    int a;\n" * 100 + "};\n"}, None),
    _function("ui/x.cpp", before="void g() {\n" + _steps("ui") + "}\n", name="A::operator==",
              head="bool A::operator==(B b) const {\n"),
    Seed({"ui/x.cpp": 'auto text = R"(void f() {\n' + _steps("ui", 1) + '})";\n'}, None),
)

if __name__ == "__main__":
    main(check, SEEDS)

# SPDX-License-Identifier: Apache-2.0
"""Files of at most 450 lines, functions of at most 80: what is longer holds two concepts."""

import re

from source_tree import Seed, Violation, files, main, read, without_comments

FILE_LINES = 450
FUNCTION_LINES = 80

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
    for path in files(root, ("core", "ui", "app"), (".h", ".cpp")):
        name = path.as_posix()
        text = read(root, path) or ""
        lines = text.count("\n")
        if lines > FILE_LINES and name not in EXCEPTIONS:
            violations.append(Violation(name, lines, f"{lines} lines, more than {FILE_LINES}"))
        for first, last, function in _Scanner(text).scan():
            length = last - first + 1
            if length > FUNCTION_LINES and f"{name}:{function}" not in EXCEPTIONS:
                violations.append(Violation(name, first, f"{function} has {length} lines, "
                                            f"more than {FUNCTION_LINES}"))
    return violations


_LONG = "    step();\n" * (FUNCTION_LINES - 1)
_FITS = "    step();\n" * (FUNCTION_LINES - 2)

SEEDS = (
    Seed({"core/base/x.h": "\n" * FILE_LINES}, None),
    Seed({"core/base/x.h": "\n" * (FILE_LINES + 1)}, "451 lines"),
    Seed({"tests/core/x.cpp": "\n" * 1000}, None),
    Seed({"core/base/x.cpp": "namespace a {\nvoid f(int x) {\n" + _FITS + "}\n}\n"}, None),
    Seed({"core/base/x.cpp": "namespace a {\nvoid f(int x) {\n" + _LONG + "}\n}\n"},
         "x.cpp:2: f has 81 lines"),
    Seed({"core/base/x.h": "class A : public B {\npublic:\n    A() : a_{1}, b_(2) {\n" + _LONG
          + "    }\n    int a_{0};\n};\n"}, "A has 81 lines"),
    Seed({"core/base/x.cpp": "#define F(x) \\\n  {\nvoid f() {\n  auto s = \"}{\"; // }\n"
          "  char c = '{'; int n = 1'000;\n" + _LONG + "}\n"}, "f has"),
    Seed({"core/base/x.cpp": "const int kTable[] = {\n" + "    f(1),\n" * 100 + "};\n"
          "struct S {\n" + "    int a;\n" * 100 + "};\n"}, None),
    Seed({"ui/x.cpp": "void g() {\n" + _FITS[:-12] + "}\n" * 1 + "bool A::operator==(B b) const {\n"
          + _LONG + "}\n"}, "A::operator== has 81 lines"),
    Seed({"ui/x.cpp": 'auto text = R"(void f() {\n' + _LONG + '})";\n'}, None),
)

if __name__ == "__main__":
    main(check, SEEDS)

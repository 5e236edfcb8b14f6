# SPDX-License-Identifier: Apache-2.0
"""What is claimed of the source documents: every test that tests/golden/documents.md names exists and may run.

A row's last column is `path`: `function`, `function`; `path`: `function`, and words behind it; or it
begins with "cannot be" and says why. Nothing is put off.
"""

import pathlib
import re

from source_tree import Seed, Violation, main, read, without_comments

TABLE = pathlib.Path("tests/golden/documents.md")
WITHOUT_TESTS = "cannot be"
PUT_OFF = "not yet"

_ROW = re.compile(r"^\|\s*([A-Z]\d+)\s*\|(.*)\|(.*)\|\s*$")
_CODE = re.compile(r"`([^`]+)`")
_PATH = re.compile(r"^tests/[\w/.-]+\.(cpp|py)$")


def _body(text, name, is_python):
    """The function's body; None: there is no such test."""
    if is_python:
        found = re.search(rf"^( *)(?:async )?def {name}\(.*\n((?:\1[ \t]+.*\n|[ \t]*\n)*)", text + "\n", re.MULTILINE)
        return found.group(2) if found else None
    found = re.search(rf"\bvoid {name}\(\)\s*\{{", text)
    if not found:
        return None
    depth = 1
    for at in range(found.end(), len(text)):
        depth += {"{": 1, "}": -1}.get(text[at], 0)
        if depth == 0:
            return text[found.end():at]
    return None


def _always_skips(body):
    """Whether a skip stands in the function itself, behind no condition."""
    depth = 0
    statement = 0
    for at, c in enumerate(body):
        if c in "{};":
            depth += {"{": 1, "}": -1}.get(c, 0)
            statement = at + 1
        elif depth == 0 and re.match(r"(QSKIP|(self|pytest)\.skip(Test)?)\s*\(", body[at:]):
            if not body[statement:at].strip():
                return True
    return False


def _test_problem(root, path, name):
    text = read(root, pathlib.Path(path)) if (root / path).is_file() else None
    if text is None:
        return f"there is no {path}"
    is_python = path.endswith(".py")
    text = text if is_python else without_comments(text)
    body = _body(text, name, is_python)
    if body is None:
        return f"{path} has no test {name}"
    if not body.strip():
        return f"{name} of {path} is empty"
    first = None if is_python else _body(text, "initTestCase", False)
    if _always_skips(body) or (first and _always_skips(first)):
        return f"{name} of {path} always skips itself"
    return None


def _cell_problems(root, cell):
    cell = cell.strip()
    words = _CODE.findall(cell)
    if not cell.startswith("`") and not cell.startswith(WITHOUT_TESTS):
        yield 'it names no test, and does not begin with "cannot be"'
    if PUT_OFF in cell:
        yield f'it says "{PUT_OFF}": name the test, or why there can be none'
    path, named = None, True
    for word in words:
        if _PATH.match(word):
            if not named:
                yield f"{path} is named without a test"
            path, named = word, False
        elif path is None:
            yield f"{word} stands behind no file"
        else:
            named = True
            problem = _test_problem(root, path, word)
            if problem:
                yield problem
    if not named:
        yield f"{path} is named without a test"


def check(root):
    text = read(root, TABLE) if (root / TABLE).is_file() else None
    if text is None:
        return [Violation(TABLE.as_posix(), 1, "the table of the documents' sentences is gone")]
    violations = []
    seen = set()
    for number, line in enumerate(text.splitlines(), 1):
        row = _ROW.match(line)
        if not row:
            if line.startswith("|") and not re.match(r"^\|(\s*#\s*\||[-|]+$)", line):
                violations.append(Violation(TABLE.as_posix(), number, "this row cannot be read"))
            continue
        if row.group(1) in seen:
            violations.append(Violation(TABLE.as_posix(), number, f"{row.group(1)} is there twice"))
        seen.add(row.group(1))
        violations += [Violation(TABLE.as_posix(), number, f"{row.group(1)}: {problem}")
                       for problem in _cell_problems(root, row.group(3))]
    if not seen:
        violations.append(Violation(TABLE.as_posix(), 1, "the table is empty"))
    return violations


def _tree(cell, test="void fits() { QVERIFY(true); }"):
    return {TABLE.as_posix(): f"| # | said | shown |\n|---|---|---|\n| J1 | a sentence | {cell} |\n",
            "tests/core/tst_a.cpp": test, "tests/interop/b.py": "def works():\n    assert 1\n"}


_FITS = "`tests/core/tst_a.cpp`: `fits`"
SEEDS = (
    Seed(_tree(_FITS + ". On one machine"), None),
    Seed(_tree(_FITS + ". On more than one: not yet"), 'J1: it says "not yet"'),
    Seed(_tree("`tests/interop/b.py`: `works`"), None),
    Seed(_tree("cannot be: not yet"), 'J1: it says "not yet"'),
    Seed(_tree("cannot be: there are no TPUs here"), None),
    Seed(_tree(_FITS, 'void fits() { if (!there()) QSKIP("no GPU"); QVERIFY(true); }'), None),
    Seed(_tree(_FITS, 'void fits() {\n#ifdef ODD\n    QSKIP("odd");\n#endif\n    QVERIFY(true);\n}'), None),
    Seed(_tree("nothing"), "J1: it names no test"),
    Seed(_tree("`tests/core/tst_a.cpp`: `other`"), "documents.md:3: J1: tests/core/tst_a.cpp has no test other"),
    Seed(_tree("`tests/core/tst_c.cpp`: `fits`"), "there is no tests/core/tst_c.cpp"),
    Seed(_tree("`tests/core/tst_a.cpp`"), "named without a test"),
    Seed(_tree("`fits`"), "stands behind no file"),
    Seed(_tree(_FITS, 'void fits() { QSKIP("later"); QVERIFY(true); }'), "always skips itself"),
    Seed(_tree(_FITS, 'void initTestCase() { QSKIP("later"); }\nvoid fits() { QVERIFY(true); }'), "always skips itself"),
    Seed(_tree(_FITS, "void fits() { /* later */ }"), "is empty"),
    Seed(_tree(_FITS, "// void fits() { QVERIFY(true); }"), "has no test fits"),
    Seed({TABLE.as_posix(): "# nothing\n"}, "the table is empty"),
    Seed({"tests/a.cpp": ""}, "is gone"),
)

if __name__ == "__main__":
    main(check, SEEDS)

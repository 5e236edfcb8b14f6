# SPDX-License-Identifier: Apache-2.0
"""A test waits for what it expects, not for a time: a pause says in words why it must be one.

The words stand on the line of the pause, or in the comment above it: `// a pause: why`. What waits
for a condition (QTRY_*, qWaitFor, waitUntil) is no pause. Benchmarks measure for a time.
"""

import re

from source_tree import Seed, Violation, files, line_of, main, read, without_comments

FOLDERS = ("tests", "ui")
BENCHMARKS = ("tests/bench/", "tests/ui/bench/")
# What stands before a call of sleep(); before a declaration or a method's name stand a type, `.`, `->` or `::`.
BEFORE_CALL = r"(?:[^\w\s.>:~*&]|&&|(?<!:):(?!:)|\b(?:return|else|do)\b)"
PAUSE = re.compile(r"(?P<call>\b(?:qWait|qSleep|sleep_for|sleep_until|usleep|(?:clock_)?nanosleep|msleep)\s*\("
                   r"|(?:\bQThread|\bthis_thread|(?<![\w>)])):: *sleep\s*\("
                   r"|\bcurrentThread\(\)\s*->\s*sleep\s*\("
                   r"|\b(?:poll|p?select)\s*\((?=\s*(?:nullptr|0)\s*,))"  # no descriptors: for the time alone
                   rf"|{BEFORE_CALL}\s*(?P<bare_sleep>sleep\s*\()")
REASON = re.compile(r"// a pause: \S")
COMMENT = re.compile(r"\s*//")


def _has_reason(lines, number):
    """Whether the line, or the comment that ends above it, says why."""
    if REASON.search(lines[number]):
        return True
    while number > 0 and COMMENT.match(lines[number - 1]):
        number -= 1
        if REASON.search(lines[number]):
            return True
    return False


def check(root):
    violations = []
    for path in files(root, FOLDERS, (".h", ".cpp", ".cu")):
        name = path.as_posix()
        if name.startswith(BENCHMARKS):
            continue
        text = read(root, path) or ""
        lines = text.split("\n")
        code = without_comments(text)
        for match in PAUSE.finditer(code):
            line = line_of(code, match.start(match.lastgroup))
            if not _has_reason(lines, line - 1):
                violations.append(Violation(name, line, f"{match[match.lastgroup]}) waits for a time: wait for "
                                            "a condition, or write `// a pause: why`"))
    return violations


def _seed(line, expected, path="tests/core/x.cpp"):
    return Seed({path: f"void f() {{\n{line}\n}}\n"}, expected)


SEEDS = (
    _seed("QTest::qWait(50);", "x.cpp:2: qWait() waits for a time"),
    _seed("std::this_thread::sleep_for(1ms);", "sleep_for() waits"),
    _seed("std::this_thread::sleep_until(end);", "sleep_until() waits"),
    _seed("::usleep(5000);", "usleep() waits"),
    _seed("QThread::sleep(1);", "waits for a time"),
    _seed("::sleep(1);", "waits for a time"),
    _seed("sleep(1);", "x.cpp:2: sleep() waits"),
    _seed("if (slow) sleep(1);", "sleep() waits"),
    _seed("else\n    sleep(1);", "x.cpp:3: sleep() waits"),
    _seed("return sleep(1);", "sleep() waits"),
    _seed("case 1: sleep(1);", "sleep() waits"),
    _seed("QThread::currentThread()->sleep(1s);", "currentThread()->sleep() waits"),
    _seed("clock_nanosleep(CLOCK_MONOTONIC, 0, &time, nullptr);", "clock_nanosleep() waits"),
    _seed("::poll(nullptr, 0, 50);", "poll() waits"),
    _seed("select(0, nullptr, nullptr, nullptr, &time);", "select() waits"),
    _seed("pselect(0, nullptr, nullptr, nullptr, &time, nullptr);", "pselect() waits"),
    _seed("QThread::msleep(1);", "msleep() waits", "ui/widgets/x.cpp"),
    _seed("QTest::qWait(50);  // layouts", "qWait() waits"),
    _seed("QTest::qWait(50);  // a pause: longer than the patience with a writer", None),
    _seed("// a pause: longer than the patience\n// with a writer\nQTest::qWait(50);", None),
    _seed("// a pause: of another line\nf();\nQTest::qWait(50);", "x.cpp:4"),
    _seed("// a pause:\nQTest::qWait(50);", "qWait() waits"),
    _seed("QTest::qWaitFor([] { return true; });", None),
    _seed("stage.sleep(14s);", None),
    _seed("stage->sleep(14s);", None),
    _seed("void Doorbell::sleep(Nanos atMost) {}", None),
    _seed("void sleep(Nanos atMost);", None),
    _seed("poll(sockets, 2, 50);", None),
    _seed("select(highest + 1, &readable, nullptr, nullptr, &time);", None),
    _seed("// qWait(50) would do, too", None),
    _seed('auto script = "sleep(1); usleep(1)";', None),
    _seed("QTest::qWait(50);", None, "tests/bench/x.cpp"),
    _seed("std::this_thread::sleep_for(1ms);", None, "core/base/x.cpp"),
)

if __name__ == "__main__":
    main(check, SEEDS)

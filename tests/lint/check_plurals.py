# SPDX-License-Identifier: Apache-2.0
"""Counts in sentences go through counted() or nounFor() of core/base/plural.h: never "1 processes"."""

import re

from source_tree import Seed, Violation, files, line_of, main, read, without_comments

NOUNS = ("processes|replicas|samples|steps|lines|hosts|epochs|files|records|tasks|tensors|labels|"
         "problems|warnings|connections|devices|GPUs|nodes|addresses|units|parts|monitors|requests")
# A placeholder of fmt or printf, then the noun, also in the next piece of the string.
# "more than {} processes" names a limit, which is never one.
FIXED_PLURAL = re.compile(r'(?<!more than )(?:\{[\w.:]*\}|%[zlu]*[diu])(?:\s|"\s*\n\s*")+(?:more(?:\s|"\s*\n\s*")+)?'
                          rf'(?:{NOUNS})\b(?!/|\')')
BY_HAND = re.compile(r'== 1 \? ""\s*: "e?s"')


def check(root):
    violations = []
    for path in files(root, folders=("core", "app"), endings=(".h", ".cpp")):
        text = without_comments(read(root, path) or "", keep_strings=True)
        for pattern, sentence in ((FIXED_PLURAL, "a count with a fixed plural"),
                                  (BY_HAND, "a plural made by hand")):
            violations += [Violation(path.as_posix(), line_of(text, match.start()),
                                     f"{sentence}: use core/base/plural.h")
                           for match in pattern.finditer(text)]
    return violations


SEEDS = (
    Seed({"core/a.cpp": 'fmt::format("on {}", counted(n, "process"));\n'}, None),
    Seed({"core/a.cpp": 'fmt::format("{:.0f} samples/s, one of {}\'s hosts", rate, name);\n'}, None),
    Seed({"core/a.cpp": '// "{} processes"\n'}, None),
    Seed({"core/a.cpp": 'fmt::format("more than {} hosts", kMostHosts);\n'}, None),
    Seed({"core/a.cpp": 'fmt::format("{} processes", n);\n'}, "a.cpp:1: a count with a fixed plural"),
    Seed({"core/a.cpp": '\nfmt::format("there are {} "\n            "replicas", n);\n'}, "a.cpp:2"),
    Seed({"app/a.cpp": 'std::printf("%zu more steps\\n", n);\n'}, "app/a.cpp:1"),
    Seed({"app/a.cpp": 'fmt::format("{} thing{}", n, n == 1 ? "" : "s");\n'}, "made by hand"),
)

if __name__ == "__main__":
    main(check, SEEDS)

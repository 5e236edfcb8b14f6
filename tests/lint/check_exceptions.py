# SPDX-License-Identifier: Apache-2.0
"""Calls of std::filesystem that throw: a folder that cannot be read would abort the program.

Every operation has an overload that takes an std::error_code as its last argument; that one is
used. A directory iterator throws also when it is advanced, so no range-for goes over one, and a
directory_entry throws when it is asked without an error_code.
"""

import re

from source_tree import Seed, Violation, files, line_of, main, read, without_comments

# {"path": "reason"}
EXCEPTIONS = {}

_OPERATIONS = """absolute canonical weakly_canonical relative proximate copy copy_file copy_symlink
    create_directory create_directories create_hard_link create_symlink create_directory_symlink
    current_path equivalent exists file_size hard_link_count is_block_file is_character_file
    is_directory is_empty is_fifo is_other is_regular_file is_socket is_symlink last_write_time
    permissions read_symlink remove remove_all rename resize_file space status symlink_status
    temp_directory_path""".split()
_CALL = re.compile(r"\b(?:std::filesystem|fs)::(" + "|".join(_OPERATIONS) + r")\s*\(")
_ITERATOR = re.compile(r"\b(?:std::filesystem|fs)::(?:recursive_)?directory_iterator\b\s*(\w*)\s*"
                       r"[({]")
_RANGE_FOR = re.compile(r"\bfor\s*\([^;()]*:\s*(?:std::filesystem|fs)::(?:recursive_)?"
                        r"directory_iterator\b")
_ENTRY = re.compile(r"(?:->|\.)(is_block_file|is_character_file|is_directory|is_fifo|is_other|"
                    r"is_regular_file|is_socket|is_symlink|file_size|hard_link_count|"
                    r"last_write_time|symlink_status|refresh)\s*\(\s*\)")
_ERROR_CODE = re.compile(r"\bstd::error_code\s*&?\s+(\w+)")


def _arguments(text, opened):
    """The arguments between the bracket at `opened` and the one that closes it."""
    depth = 0
    arguments = [""]
    for c in text[opened:]:
        depth += {"(": 1, "{": 1, "[": 1, ")": -1, "}": -1, "]": -1}.get(c, 0)
        if depth == 0:
            break
        if c == "," and depth == 1:
            arguments.append("")
        elif not (depth == 1 and c in "({" and arguments == [""]):
            arguments[-1] += c
    return [argument.strip() for argument in arguments]


def check(root):
    violations = []
    for path in files(root, ("core", "ui", "app"), (".h", ".cpp")):
        name = path.as_posix()
        raw = read(root, path) or ""
        if name in EXCEPTIONS or "filesystem" not in raw and "fs::" not in raw:
            continue
        text = without_comments(raw)
        codes = set(_ERROR_CODE.findall(text))

        def complain(match, sentence):
            violations.append(Violation(name, line_of(text, match.start()), sentence))

        for match in _CALL.finditer(text):
            arguments = _arguments(text, match.end() - 1)
            asked_of_status = len(arguments) == 1 and re.search(
                r"\bstatus\w*\(|\bsymlink_status\(", arguments[0])
            if arguments[-1] not in codes and not asked_of_status:
                complain(match, f"{match.group(1)} throws: give it an std::error_code")
        for match in _RANGE_FOR.finditer(text):
            complain(match, "a directory iterator throws when a range-for advances it: use "
                     "increment() with an std::error_code")
        for match in _ITERATOR.finditer(text):
            arguments = _arguments(text, match.end() - 1)
            if arguments != [""] and arguments[-1] not in codes:
                complain(match, "directory_iterator throws: give it an std::error_code")
        for match in _ENTRY.finditer(text):
            if "directory_iterator" in text or "directory_entry" in text:
                complain(match, f"{match.group(1)} of a directory_entry throws: give it an "
                         "std::error_code")
    return violations


def _file(line):
    return {"core/base/x.cpp": "void f(const fs::path& a) {\n    std::error_code error;\n"
            f"    {line}\n}}\n"}


SEEDS = (
    Seed(_file("fs::create_directories(a, error);"), None),
    Seed(_file("fs::create_directories(a.parent_path());"), "x.cpp:3: create_directories throws"),
    Seed(_file("auto b = std::filesystem::absolute(a);"), "absolute throws"),
    Seed(_file("if (fs::exists(g(a, 1), error)) return;"), None),
    Seed(_file("if (fs::exists(a)) return;"), "exists throws"),
    Seed(_file("if (fs::exists(fs::symlink_status(a, error))) return;"), None),
    Seed(_file("fs::rename(a, h(a, error));"), "rename throws"),
    Seed(_file("// fs::remove(a);"), None),
    Seed(_file("for (fs::directory_iterator next(a, error), end; next != end; "
               "next.increment(error)) next->is_directory(error);"), None),
    Seed(_file("for (const auto& e : fs::directory_iterator(a, error)) use(e);"), "range-for"),
    Seed(_file("fs::directory_iterator next(a);"), "directory_iterator throws"),
    Seed(_file("fs::directory_iterator next(a, error); next->is_regular_file();"),
         "is_regular_file of a directory_entry"),
    Seed({"tests/core/x.cpp": "void f() { fs::remove(a); }\n"}, None),
)

if __name__ == "__main__":
    main(check, SEEDS)

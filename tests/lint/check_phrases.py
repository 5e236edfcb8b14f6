# SPDX-License-Identifier: Apache-2.0
"""Every sentence of core that the window can show has a phrase in each language, with the same places.

What stays English there is named in core_english.txt, and why."""

import pathlib
import re

from core_sentences import templates_of
from phrase_book import EXACT, PhraseBook, bare, letters_of_words, read_phrases
from source_tree import Seed, Violation, files, main

PHRASES = pathlib.Path("resources/phrases")
ENGLISH = pathlib.Path("tests/lint/core_english.txt")
LANGUAGES = {"de", "zh"}
_PLACE = re.compile(r"\{(\d*)(-?)\}")
_MOST_LETTERS = 600  # longer ones are scripts and pages
_SENTENCE = re.compile(r"[A-Za-z{}'\"]{2,}.* ")


def _fault(pattern, translations):
    if set(translations) != LANGUAGES:
        return "is not in each of the languages " + ", ".join(sorted(LANGUAGES))
    count = bare(pattern).count("{}")
    if pattern.startswith(EXACT) and (count != 1 or "{~}" in pattern):
        return "is exact, so it has one place, of data"
    for language, words in translations.items():
        places = [(int(number) if number else at) for at, (number, _) in enumerate(_PLACE.findall(words))]
        if sorted(places) != list(range(count)):
            return f"has other places in {language}"
    return None


def _english(root):
    """Paths (a folder ends with /) and templates that stay as they are."""
    text = (root / ENGLISH).read_text(encoding="utf-8") if (root / ENGLISH).is_file() else ""
    lines = [line for line in text.split("\n") if line and not line.startswith("#")]
    return ({line.removeprefix("path ") for line in lines if line.startswith("path ")},
            {line for line in lines if not line.startswith("path ")})


# A part of a sentence is one where it stands in a phrase, and a choice (has, have) is any of its words there.
def _is_covered(template, book, patterns):
    if book.unknown(re.sub(r"\s+", " ", template).strip(" ,;:")) == 0:
        return True
    bare_end = template.removesuffix("{}")  # what is added may be nothing
    if bare_end != template and book.unknown(bare_end) == 0:
        return True
    return any(_is_part(each.strip(" ,;:").split("{}"), patterns) for each in {template, bare_end})


def _is_part(parts, patterns):
    wild = re.compile(".+".join(re.escape(part) for part in parts))
    longest = max(parts, key=len)
    return any(longest in pattern and wild.search(pattern) for pattern in patterns)


def _uncovered(root, path, book, patterns, english):
    text = (root / path).read_text(encoding="utf-8")
    for line, template in templates_of(text):
        words = letters_of_words(template.replace("{}", ""))
        if not _SENTENCE.search(template) or words < 4 or len(template) > _MOST_LETTERS or template.strip() in english:
            continue
        if not _is_covered(template, book, patterns):
            yield line, template.strip()


def check(root):
    violations = []
    patterns, places = [], {}
    for path in files(root, folders=(PHRASES.as_posix(),), endings=(".txt",)):
        for line, pattern, translations in read_phrases((root / path).read_text(encoding="utf-8")):
            fault = _fault(pattern, translations)
            if bare(pattern) in places:
                fault = "stands in " + places[bare(pattern)] + ", too"
            if fault:
                violations.append(Violation(path.as_posix(), line, f'"{pattern}" {fault}'))
            places[bare(pattern)] = path.as_posix()
            patterns.append(pattern)
    book = PhraseBook(patterns)
    plain = [pattern for pattern in places if not pattern.startswith("{}") or letters_of_words(pattern) > 3]
    paths, english = _english(root)
    for path in files(root, folders=("core",), endings=(".cpp", ".h")):
        name = path.as_posix()
        if name in paths or any(name.startswith(folder) for folder in paths if folder.endswith("/")):
            continue
        for line, template in _uncovered(root, path, book, plain, english):
            violations.append(Violation(name, line, f'"{template}" has no phrase in {PHRASES}: add one, or say in '
                                        f"{ENGLISH} why it stays English"))
    return violations


_BOOK = {"resources/phrases/x.txt": "# x\n{}: {}\n  de {}: {}\n  zh {}：{}\n\nwas killed by {}\n  de durch {} beendet\n"
         "  zh 被 {} 终止\n\n{} is no key\n  de {} ist kein Schlüssel\n  zh {} 不是键\n\n{} has not moved {}\n  de {} steht still {}\n  zh {} 停滞 {}\n"}


def _core(code):
    return {**_BOOK, "core/a.cpp": code}


SEEDS = (
    Seed(_core('x = "was killed by " + name;'), None),
    Seed(_core('fail(fmt::format("{}: was killed by {}", a, b));'), None),
    Seed(_core('fmt::format("{} {} not moved {}", a, several ? "have" : "has", b);'), None),
    Seed(_core('x = "is no key" + hint(a);'), None),
    Seed(_core('fmt::format("is no key at all{}", hint(a));'), "has no phrase"),
    Seed(_core('fmt::format("is no key{}", hint(a));'), None),
    Seed(_core('LS_CHECK(a, "a step has a number");'), None),
    Seed(_core('fail(E::Io, "the disk is full");'), "has no phrase"),
    Seed(_core('x += "; the disk " + state(a);'), "has no phrase"),
    Seed({**_core('x = "the disk is full";'), "tests/lint/core_english.txt": "the disk is full\n"}, None),
    Seed({**_core('x = "the disk is full";'), "tests/lint/core_english.txt": "path core/a.cpp\n"}, None),
    Seed({"resources/phrases/x.txt": "a {}\n  de b\n  zh c {}\n"}, "other places in de"),
    Seed({"resources/phrases/x.txt": "a {} {}\n  de b {1} {0}\n  zh c {1} {0-}\n"}, None),
    Seed({"resources/phrases/x.txt": "a {~} {}\n  de b {1} {0}\n  zh c {} {}\n"}, None),
    Seed({"resources/phrases/x.txt": "a {~} {}\n  de b {1}\n  zh c {} {}\n"}, "other places in de"),
    Seed({"resources/phrases/x.txt": "a {~}\n  de b {}\n  zh c {}\na {}\n  de b {}\n  zh c {}\n"}, "too"),
    Seed({"resources/phrases/x.txt": "[exact] runs {}\n  de b {}\n  zh c {}\n"}, None),
    Seed({"resources/phrases/x.txt": "[exact] runs {~}\n  de b {}\n  zh c {}\n"}, "is exact"),
    Seed({"resources/phrases/x.txt": "a\n  de b\n"}, "is not in each"),
    Seed({"resources/phrases/x.txt": "a\n  de b\n  zh c\na\n  de b\n  zh c\n"}, "too"),
)

if __name__ == "__main__":
    main(check, SEEDS)

# SPDX-License-Identifier: Apache-2.0
"""Reads resources/phrases as ui/style/phrase_book.cpp does, and tells what of a sentence no phrase has."""

import re

_MOST_READINGS = 200
_NAMES = set("/_-=\\@0123456789")
_WORD = re.compile(r"[A-Za-z]+")
_PLACE = re.compile(r"\{~?\}")
WHOLE = "[whole] "
EXACT = "[exact] "


def bare(pattern):
    """Without marks: every place, of data or of words, is "{}"."""
    return _PLACE.sub("{}", pattern.removeprefix(WHOLE).removeprefix(EXACT))


def read_phrases(text):
    """[(line, pattern, {language: translation})] of a file."""
    found = []
    for number, line in enumerate(text.split("\n"), 1):
        if not line or line.startswith("#"):
            continue
        if not line.startswith(" "):
            found.append((number, line, {}))
        elif found:
            language, _, words = line.strip().partition(" ")
            found[-1][2][language] = words
    return found


def letters_of_words(text):
    letters = 0
    for match in _WORD.finditer(text):
        before, behind = text[match.start() - 1:match.start()], text[match.end():match.end() + 1]
        beyond = text[match.end() + 1:match.end() + 2]
        is_part = before in _NAMES and before != "" or behind.isdigit() or (
            beyond != "" and (behind in _NAMES and behind != "" or (behind == "." and _WORD.match(beyond))))
        if len(match.group(0)) > 1 and not is_part and not match.group(0)[1].isupper():  # SIGKILL, TOML
            letters += len(match.group(0))
    return letters


def _longest_word(literals):
    """Of those that are whole in the pattern, no matter what stands in its places; "": none."""
    text = "{}".join(literals)
    whole = [match.group(0).lower() for match in _WORD.finditer(text)
             if text[match.start() - 1:match.start()] != "}" and text[match.end():match.end() + 1] != "{"]
    return max(whole, key=len, default="")


class PhraseBook:
    def __init__(self, patterns):
        """As the files have them, the mark of whole ones before them."""
        ordered = sorted(patterns, key=lambda each: -len(bare(each).replace("{}", "")))
        self._entries = [(bare(pattern).split("{}"), pattern.startswith(WHOLE)) for pattern in ordered]
        self._by_word = {}  # by a word that must be there: most need not be looked at
        for at, (literals, _) in enumerate(self._entries):
            self._by_word.setdefault(_longest_word(literals), []).append(at)
        self._fitting, self._known = [], {}

    def unknown(self, sentence):
        """How many letters of words no phrase has."""
        lower = sentence.lower()
        asked = set(_WORD.findall(lower)) | {""}
        near = sorted(at for word in asked for at in self._by_word.get(word, []))
        self._fitting = [self._entries[at] for at in near
                         if all(literal.lower() in lower for literal in self._entries[at][0])]
        self._known = {}
        return self._best(sentence)

    def _best(self, text):
        if text in self._known:
            return self._known[text]
        best = letters_of_words(text)
        self._known[text] = best
        if best > 0:
            best = self._least(text, best)
            if best > 0 and text[0].isupper():
                best = min(best, self._least(text[0].lower() + text[1:], best))
        self._known[text] = best
        return best

    def _least(self, text, best):
        for literals, is_whole in self._fitting:
            if not text.startswith(literals[0]):
                continue
            if len(literals) == 1:
                if text == literals[0]:
                    return 0
                continue
            for parts in self._readings(literals, text, 1, len(literals[0]))[:_MOST_READINGS]:
                now = sum(self._best(part) for part in parts)
                if now < best and not (is_whole and now > 0):
                    best = now
            if best == 0:
                return 0
        return best

    def _readings(self, literals, text, place, at):
        if place == len(literals):
            return [[]] if at == len(text) else []
        literal = literals[place]
        if place + 1 == len(literals):
            end = len(text) - len(literal)
            return [[text[at:end]]] if end > at and text.endswith(literal) else []
        found = []
        end = text.find(literal, at + 1)
        while end >= 0 and len(found) < _MOST_READINGS:
            found += [[text[at:end]] + rest for rest in self._readings(literals, text, place + 1, end + len(literal))]
            end = text.find(literal, end + 1)
        return found

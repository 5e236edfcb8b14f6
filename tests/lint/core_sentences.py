# SPDX-License-Identifier: Apache-2.0
"""The sentences that C++ makes, as templates: "was killed by {}" for "was killed by " + name(signal).

What is no literal is a place, "{}", be it an argument of fmt::format or what is joined by +. Where an
expression chooses (a ? b : c), each choice is a template."""

import re

_TOKEN = re.compile(r"""//[^\n]* | /\*.*?\*/ | \#\s*include[^\n]*
  | R"(\w*)\((.*?)\)\1" | "((?:\\.|[^"\\\n])*)" | '(?:\\.|[^'\\\n])+'
  | [A-Za-z_]\w*(?:::[A-Za-z_]\w*)* | \d[\w.']* | \s+ | .""", re.DOTALL | re.VERBOSE)
_SEPARATORS = {",", ";", "=", "+=", "return", "<<", "&&", "||", "!", "case", "<", ">"}
_CLOSING = {"(": ")", "[": "]", "{": "}"}
_MOST_CHOICES = 24
# Their literals are nobody's sentences: checks of the program, its output, names of threads and files.
SILENT = {"LS_CHECK", "static_assert", "fprintf", "std::fprintf", "std::printf", "fputs", "std::fputs", "write",
          "std::perror", "starts_with", "ends_with", "find", "contains", "NamedThread", "checkFailed", "trim"}


def _tokens(text):
    """("text", literal, line), or ("code", token, line)."""
    line = 1
    found = []
    for match in _TOKEN.finditer(text):
        token = match.group(0)
        at, line = line, line + token.count("\n")
        if token.isspace() or token.startswith(("//", "/*", "#")):
            continue
        if token[0] == '"' or token.startswith('R"'):
            literal = match.group(3) if match.group(3) is not None else match.group(2)
            if found and found[-1][0] == "text":
                found[-1] = ("text", found[-1][1] + literal, found[-1][2])
            else:
                found.append(("text", literal or "", at))
        else:
            found.append(("code", token, at))
    return found


def _group(tokens, at=0):
    """Brackets as ("group", (bracket, what is in it), line)."""
    found = []
    while at < len(tokens):
        kind, token, line = tokens[at]
        if kind == "code" and token in _CLOSING:
            inner, at = _group(tokens, at + 1)
            found.append(("group", (token, inner), line))
        elif kind == "code" and token in _CLOSING.values():
            return found, at + 1
        else:
            found.append(tokens[at])
            at += 1
    return found, at


def _is(token, *words):
    return token[0] == "code" and token[1] in words


def _split(tokens, word):
    parts = [[]]
    for token in tokens:
        if _is(token, word):
            parts.append([])
        else:
            parts[-1].append(token)
    return parts


def _plain(literal):
    literal = re.sub(r"\{[a-z]+\}", "{}", literal)  # filled by name
    return literal.replace("\\n", " ").replace('\\"', '"').replace("\\t", " ").replace("\\\\", "\\")


def _format(literal):
    literal = literal.replace("{{", "\1").replace("}}", "\2")
    literal = re.sub(r"\{\w*(?::(?:[^{}]|\{\})*)?\}", "{}", literal)
    return _plain(literal).replace("\1", "{").replace("\2", "}")


class _Reader:
    def __init__(self):
        self.found = []

    def note(self, template, line):
        if template:
            self.found.append((line, template))

    def templates(self, tokens):
        """What an expression can be; None: nothing with a literal. Notes what lies deeper in it."""
        question = next((i for i, token in enumerate(tokens) if _is(token, "?")), None)
        if question is not None:
            self.templates(tokens[:question])
            depth = 1
            for at in range(question + 1, len(tokens)):
                depth += 1 if _is(tokens[at], "?") else -1 if _is(tokens[at], ":") else 0
                if depth == 0:
                    return self.templates(tokens[question + 1:at]) | self.templates(tokens[at + 1:])
            return {None}
        parts = [part for part in _split(tokens, "+") if part]
        return self._joined(parts) if len(parts) > 1 else self._single(parts[0] if parts else [])

    def _joined(self, parts):
        joined, has_literal = {""}, False
        for part in parts:
            choices = self.templates(part)
            has_literal = has_literal or choices != {None}
            joined = {before + ("{}" if choice is None else choice) for before in joined for choice in choices}
            if len(joined) > _MOST_CHOICES:
                return {None}
        return joined if has_literal else {None}

    def _single(self, tokens):
        if len(tokens) == 1 and tokens[0][0] == "text":
            return {_plain(tokens[0][1])}
        if len(tokens) == 1 and tokens[0][0] == "group" and tokens[0][1][0] == "(":
            return self.templates(tokens[0][1][1])
        if len(tokens) == 2 and tokens[1][0] == "group" and tokens[0][0] == "code":
            arguments = _split(tokens[1][1][1], ",")
            if tokens[0][1] == "fmt::format" and arguments[0] and arguments[0][0][0] == "text":
                for argument in arguments[1:]:
                    for template in self.templates(argument):
                        self.note(template, tokens[0][2])
                return {_format(arguments[0][0][1])}
            if tokens[0][1] in ("std::string", "std::string_view", "std::move") and len(arguments) == 1:
                return self.templates(arguments[0])
        self.look_into(tokens)
        return {None}

    def look_into(self, tokens):
        for before, token in zip([("code", "", 0)] + tokens, tokens):
            if token[0] == "group" and not _is(before, *SILENT):
                self.read(token[1][1])

    def read(self, tokens):
        expressions = [[]]
        for token in tokens:
            ends = _is(token, *_SEPARATORS) or (
                _is(token, ":") and not any(_is(before, "?") for before in expressions[-1]))
            if ends:
                expressions.append([])
                continue
            expressions[-1].append(token)
            if token[0] == "group" and token[1][0] == "{":
                expressions.append([])
        for expression in filter(None, expressions):
            for template in self.templates(expression):
                self.note(template, expression[0][2])


def templates_of(text):
    """[(line, template)] of a source."""
    reader = _Reader()
    reader.read(_group(_tokens(text))[0])
    return reader.found

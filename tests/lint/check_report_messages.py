# SPDX-License-Identifier: Apache-2.0
"""The Python module's table of messages says what core/wire/messages.proto says."""

import ast
import re

from source_tree import Seed, Violation, main, read

TABLE = "resources/python/lockstep_report/_messages.py"
PROTO = "core/wire/messages.proto"
_BLOCK = re.compile(r"^(message|enum) (\w+) \{(.*?)\}\s*(?://[^\n]*)?$", re.MULTILINE | re.DOTALL)
_FIELD = re.compile(r"(repeated )?([\w.]+) (\w+) = (\d+);")
_PHASE = re.compile(r"PHASE_(\w+) = (\d+);")


def _proto(text):
    """{message: {field: (number, type)}} and {phase: number}; oneof braces are passed over."""
    text = re.sub(r"//[^\n]*", "", text)
    text = re.sub(r"oneof \w+ \{([^{}]*)\}", r"\1", text)
    messages, phases, enums = {}, {}, set()
    for kind, name, body in _BLOCK.findall(text):
        if kind == "enum":
            enums.add(name)
            if name == "Phase":
                phases = {word.lower().replace("_", "-"): int(number)
                          for word, number in _PHASE.findall(body)}
            continue
        messages[name] = {field: (int(number), word + ("*" if repeated else ""))
                          for repeated, word, field, number in _FIELD.findall(body)}
    for fields in messages.values():
        for field, (number, word) in fields.items():
            if word in enums:  # an enumeration travels as a number
                fields[field] = (number, "uint32")
    return messages, phases


def _assigned(text):
    """{NAME: value} of the literals that the module assigns."""
    values = {}
    for statement in ast.parse(text).body:
        if isinstance(statement, ast.Assign) and isinstance(statement.targets[0], ast.Name):
            try:
                values[statement.targets[0].id] = ast.literal_eval(statement.value)
            except ValueError:
                pass
    return values


def check(root):
    messages, phases = _proto(read(root, PROTO))
    table = _assigned(read(root, TABLE))
    for name, fields in table["MESSAGES"].items():
        known = messages.get(name, {})
        for field, number, kind in fields:
            if known.get(field) != (number, kind):
                yield Violation(TABLE, 1, f"{name}.{field} is {number}, {kind}; "
                                          f"the protocol has {known.get(field)}")
    if table["PHASES"] != phases:
        yield Violation(TABLE, 1, f"the phases are {phases}")


_GOOD = """
enum Phase {
  PHASE_DATA = 1;
  PHASE_ALL_REDUCE = 2;  // {
}
message Step {
  repeated float loss = 4;  // 0..1
  Phase phase = 5;
}
message Drops { uint32 count = 1; }
message Report {
  oneof body {
    Step step = 1;
  }
}
"""
_TABLE = 'MESSAGES = {%s}\nPHASES = {"data": 1, "all-reduce": 2}\n'
_STEP = '"Step": [("loss", 4, "float*"), ("phase", 5, "uint32")]'


def _seed(table, expected, proto=_GOOD):
    return Seed({PROTO: proto, TABLE: table}, expected)


SEEDS = (
    _seed(_TABLE % (_STEP + ', "Drops": [("count", 1, "uint32")], "Report": [("step", 1, "Step")]'),
          None),
    _seed(_TABLE % '"Step": [("loss", 3, "float*")]', "Step.loss"),
    _seed(_TABLE % '"Step": [("loss", 4, "float")]', "Step.loss"),
    _seed(_TABLE % '"Step": [("gone", 4, "float")]', "Step.gone"),
    _seed(_TABLE % '"Gone": [("loss", 4, "float*")]', "Gone.loss"),
    _seed(_TABLE % _STEP, "the phases are", _GOOD.replace("PHASE_DATA = 1", "PHASE_DATA = 7")),
)

if __name__ == "__main__":
    main(lambda root: list(check(root)), SEEDS)

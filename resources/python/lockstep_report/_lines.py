# SPDX-License-Identifier: Apache-2.0
"""The lines of a report, as Lockstep's core/launch/program/report_line.h tells them: JSON objects
with a version and one body."""
import json
import math

VERSION = 1
PHASES = ("starting", "data", "forward", "backward", "all-reduce", "update", "checkpoint",
          "evaluate", "waiting", "done", "program")

# The columns of a batch of steps, in the order of a row. One that says nothing is left out.
_TIMES = ("step_us", "data_us", "forward_us", "backward_us", "all_reduce_us", "update_us")
_COLUMNS = ("loss", "accuracy") + _TIMES


def _word(number):
    """What JSON cannot write as a number."""
    if isinstance(number, float) and not math.isfinite(number):
        return None if math.isnan(number) else ("inf" if number > 0 else "-inf")
    return number


def of(kind, body):
    """One line."""
    body = {key: [_word(each) for each in value] if isinstance(value, list) else _word(value)
            for key, value in body.items()}
    text = json.dumps({"version": VERSION, kind: body}, separators=(",", ":"))
    return text.encode("ascii") + b"\n"


def _of_steps(steps):
    """Of items ("step", number, wall time, row) with consecutive numbers."""
    body = {"first_step": max(1, steps[0][1]), "first_end_wall_time": steps[0][2]}
    for index, name in enumerate(_COLUMNS):
        column = [row[index] for _, _, _, row in steps]
        nothing = (math.isnan(value) or (value == 0 and name in _TIMES) for value in column)
        if name == "loss" or not all(nothing):
            body[name] = column
    return of("steps", body)


def _of_figures(figures):
    """Of items ("figure", step, wall time, name, value)."""
    columns = {}
    for _, step, wall, name, value in figures:
        body = columns.setdefault(name, {"name": name, "steps": [], "wall_times": [],
                                         "values": []})
        body["steps"].append(step)
        body["wall_times"].append(round(wall, 6))
        body["values"].append(value)
    return b"".join(of("scalars", body) for body in columns.values())


def of_items(items):
    """The lines of what was queued, in its order but for figures, which come after the steps."""
    lines, steps, figures = [], [], []
    for item in items:
        if item[0] == "figure":
            figures.append(item)
            continue
        if steps and (item[0] != "step" or item[1] != steps[-1][1] + 1):
            lines.append(_of_steps(steps))
            steps = []
        if item[0] == "step":
            steps.append(item)
        else:
            lines.append(of(item[0], item[1]))
    if steps:
        lines.append(_of_steps(steps))
    return b"".join(lines) + _of_figures(figures)

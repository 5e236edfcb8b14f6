#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Draws the accuracy of a finished run against its epochs: curve.py LOCKSTEPCTL RUN OUT.svg TITLE

Training and validation accuracy of every epoch, also of a run that was stopped and resumed. Also prints them, a
line each."""

import csv
import io
import pathlib
import subprocess
import sys

WIDTH, HEIGHT = 640, 360
LEFT, RIGHT, TOP, BOTTOM = 56, 16, 40, 44
CURVES = (("validation/accuracy", "validation", "#1f6fb4"), ("train/accuracy", "training", "#9aa4ad"))


def accuracies(lockstepctl, run):
    """By tag, the value at each step that ended an epoch."""
    text = subprocess.run([lockstepctl, "export", run, "--format", "csv"], check=True, capture_output=True,
                          text=True).stdout
    found = {tag: {} for tag, _, _ in CURVES}
    for row in csv.DictReader(io.StringIO(text)):
        if row["tag"] in found and not row["replica"]:
            found[row["tag"]][int(row["step"])] = float(row["value"])
    return found


def picture(found, title):
    steps = sorted(found[CURVES[0][0]])
    lowest = min(value for values in found.values() for value in values.values())
    floor = int(lowest * 10) / 10

    def place(epoch, value):
        x = LEFT + (WIDTH - LEFT - RIGHT) * epoch / len(steps)
        y = HEIGHT - BOTTOM - (HEIGHT - TOP - BOTTOM) * (value - floor) / (1 - floor)
        return f"{x:.1f},{y:.1f}"

    def text(x, y, words, more=""):
        return f'<text x="{x}" y="{y}" {more}>{words}</text>'

    lines = [f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}" width="{WIDTH}" '
             f'height="{HEIGHT}" font-family="sans-serif" font-size="12" fill="#333">',
             f'<rect width="{WIDTH}" height="{HEIGHT}" fill="#fff"/>', text(LEFT, 22, title, 'font-size="14"')]
    for tenth in range(round(floor * 10), 11):
        x, y = place(0, tenth / 10).split(",")
        lines += [f'<path d="M{x},{y}H{WIDTH - RIGHT}" stroke="#e4e4e4"/>',
                  text(LEFT - 8, float(y) + 4, f"{tenth * 10} %", 'text-anchor="end"')]
    for epoch in range(0, len(steps) + 1, max(1, len(steps) // 10)):
        lines.append(text(place(epoch, floor).split(",")[0], HEIGHT - BOTTOM + 18, epoch, 'text-anchor="middle"'))
    lines.append(text((LEFT + WIDTH - RIGHT) // 2, HEIGHT - 8, "epoch", 'text-anchor="middle"'))
    for number, (tag, name, color) in enumerate(CURVES):
        points = " ".join(place(epoch, found[tag][step]) for epoch, step in enumerate(steps, 1) if step in found[tag])
        lines += [f'<polyline points="{points}" fill="none" stroke="{color}" stroke-width="2"/>',
                  text(WIDTH - RIGHT - 80, HEIGHT - BOTTOM - 34 + 16 * number, name, f'fill="{color}"')]
    return "\n".join(lines) + "\n</svg>\n"


def main(lockstepctl, run, out, title):
    found = accuracies(lockstepctl, run)
    if not found[CURVES[0][0]]:
        sys.exit(f"error: {run} has no validation accuracy of any epoch")
    pathlib.Path(out).write_text(picture(found, title), encoding="utf-8")
    for epoch, step in enumerate(sorted(found[CURVES[0][0]]), 1):
        print(f"epoch {epoch:2d}  step {step:5d}  " + "  ".join(
            f"{name} {found[tag].get(step, float('nan')):.4f}" for tag, name, _ in CURVES))


if __name__ == "__main__":
    if len(sys.argv) != 5:
        sys.exit(__doc__)
    main(*sys.argv[1:])

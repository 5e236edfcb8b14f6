# SPDX-License-Identifier: Apache-2.0
"""The floor of a training step: its matrix products and one pass of Adam, on one core."""
from figures import median, row, step_side

ROUNDS = 5
PASSES = {32: 1000, 512: 100, 4096: 16}

with step_side() as ours:
    for batch, passes in PASSES.items():
        micros = median([ours.ask(f"floor {batch} {passes}")[0] for _ in range(ROUNDS)])
        row(f"floor of a step, batch {batch:,}, 1 core", micros, "us",
            peer=f"{1.2114e6 * batch / micros / 1e3:.0f} GFLOP/s, Adam included")

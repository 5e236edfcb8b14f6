# SPDX-License-Identifier: Apache-2.0
"""Steps 5,000 to 6,000 beside steps 200 to 1,200 on random labels, where moments of dead units
decay into denormal numbers."""
from figures import median, row, step_side

ROUNDS = 3

with step_side() as ours:
    early, late = zip(*(ours.ask("drift 6000") for _ in range(ROUNDS)))
row("step 5,000-6,000 over step 200-1,200, random labels", median([b / a for a, b in zip(early, late)]),
    goal=1.03, peer=f"{median(early):.0f} us, then {median(late):.0f} us")

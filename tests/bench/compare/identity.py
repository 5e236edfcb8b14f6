# SPDX-License-Identifier: Apache-2.0
"""What it costs to look whether weights are what their updates made of them (training.identity_every_steps = 100 beside
0): processor time of a step on one core, in rounds that alternate both in one process. What comes on top where hosts
hold copies is the hash of a copy every hundredth step."""
from figures import median, row, step_side

EVERY = 100
ROUNDS = 15
STEPS = {32: 500, 512: 60, 4096: 10}

with step_side() as side:
    off = {}
    for batch, steps in STEPS.items():
        ratios, without, looking = [], [], []
        for number in range(ROUNDS):
            both = {}
            for every in ((0, EVERY) if number % 2 else (EVERY, 0)):
                both[every] = side.ask(f"identity {batch} {steps} {every}")[0]
            ratios.append(both[EVERY] / both[0])
            without.append(both[0])
            looking.append(both[EVERY])
        off[batch] = median(without)
        row(f"step that looks after its weights over one that does not, batch {batch:,}", median(ratios), goal=1.005,
            peer=f"{median(looking):.1f} us beside {off[batch]:.1f} us")
    copy = side.ask("copy 200")[0]
    row(f"copies compared every {EVERY} steps, part of a step, batch 32", copy / EVERY / off[32], goal=0.005,
        peer=f"{copy:.0f} us for a hash of 1.08 MB")

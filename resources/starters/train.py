#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""A program of your own: fits a line to points by gradient descent, with nothing but Python.

A real one would ask its framework for the others: torch.distributed.init_process_group(),
keras.distribution.initialize(), jax.distributed.initialize() or TensorFlow's strategies find
them in the variables that Lockstep has set.
"""
import argparse
import os
import random
import time

import lockstep_report


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--steps", type=int, default=200)
    parser.add_argument("--pause", type=float, default=0.005, help="seconds a step takes longer")
    arguments = parser.parse_args()
    process = int(os.environ.get("LOCKSTEP_PROCESS_ID", "0"))
    count = int(os.environ.get("LOCKSTEP_NUM_PROCESSES", "1"))
    print(f"process {process} of {count}", flush=True)

    report = lockstep_report.connect()
    report.plan(total_steps=arguments.steps)
    rng = random.Random(process)
    slope, offset = 0.0, 0.0
    for _ in range(arguments.steps):
        x = rng.uniform(-1, 1)
        error = slope * x + offset - (3 * x + 1)
        slope -= 0.1 * error * x
        offset -= 0.1 * error
        time.sleep(arguments.pause)
        report.step(loss=error * error, slope=slope, offset=offset)
    print(f"slope {slope:.3f}, offset {offset:.3f}")


if __name__ == "__main__":
    main()

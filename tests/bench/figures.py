# SPDX-License-Identifier: Apache-2.0
"""What the comparisons share: rows of the one table (as figures.h prints them), and the two sides.

A side is a program that stays alive and answers one line for each line asked, so that rounds of
both sides alternate while both stay warm.
"""
import os
import pathlib
import statistics
import subprocess
import sys
import threading

SOURCE = pathlib.Path(__file__).resolve().parents[2]
BUILD = pathlib.Path(os.environ.get("LOCKSTEP_BUILD", SOURCE / "build/release"))
PEERS = pathlib.Path(os.environ.get("XDG_CACHE_HOME") or pathlib.Path.home() / ".cache") / "lockstep/peers"
CORES = sorted(os.sched_getaffinity(0))
ANSWER_SECONDS = 240  # of one question; compiling with torch.compile takes a minute


def quantity(value, unit):
    if isinstance(value, int):
        return str(value)
    digits = 3 if value < 1 else 2 if value < 10 else 1 if value < 100 else 0
    return f"{value:.{digits}f}{' ' if unit else ''}{unit}"


def row(what, value, unit="", goal=None, aim=None, peer="", at_least=False):
    """Prints one figure; goal and aim are limits of `value`, in its unit."""
    def limit(bound):
        sign = "≥" if at_least else "≤"
        return "" if bound is None else f"{sign} {bound:g}{' ' if unit else ''}{unit}"

    def misses(bound):
        return value < bound if at_least else value > bound
    verdict = ""
    if goal is not None:
        verdict = "met, aim missed" if aim is not None and misses(aim) else "met"
        if misses(goal):
            small, large = sorted([value, goal])
            verdict = f"MISSED, {large / small:.2f} times" if small else "MISSED"
    print(f"| {what:<58} | {limit(goal):>10} | {limit(aim):>8} | {quantity(value, unit):>10} "
          f"| {peer:<44} | {verdict} |", flush=True)


def unknown(what, why):
    """A row for what could not be measured here, with the reason in place of the figure."""
    print(f"| {what:<58} | {'':>10} | {'':>8} | {'-':>10} | {why:<44} | not measured |", flush=True)


def note(sentence):
    print(sentence, file=sys.stderr, flush=True)


def median(values):
    return statistics.median(values)


def peer_python():
    """The interpreter that has PyTorch, or None with a sentence that says how to get it."""
    python = PEERS / "bin/python"
    if python.exists():
        return python
    note("PyTorch is not there to compare with: `./dev bench --peers` installs it (5 GB, from PyPI).")
    return None


def peer_has(module):
    return next(PEERS.glob(f"lib/python3*/site-packages/{module}"), None) is not None


def blas_program():
    """The program in C over OpenBLAS, built for this machine's processor; None where that fails."""
    source, program = SOURCE / "tests/bench/peers/blas_mlp.c", BUILD / "bench/blas_mlp"
    if program.exists() and program.stat().st_mtime > source.stat().st_mtime:
        return program
    built = subprocess.run(["cc", "-std=c11", "-D_GNU_SOURCE", "-O3", "-march=native", "-ffast-math", source, "-o",
                            program, "-lopenblas", "-lz", "-lm"], capture_output=True, text=True)
    if built.returncode == 0:
        return program
    note("OpenBLAS is not there to compare with: `./dev bench --peers` installs it (Debian's libopenblas-dev).")
    return None


def environment(threads=1):
    """Of a peer: as many threads as it may use, at its best."""
    count = str(threads)
    return {**os.environ, "OMP_NUM_THREADS": count, "MKL_NUM_THREADS": count, "OPENBLAS_NUM_THREADS": count}


class Side:
    """A program that answers questions; its processors are `cores`."""

    def __init__(self, command, cores, env=None):
        self.command = [str(word) for word in command]
        self.process = subprocess.Popen(
            self.command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
            env=env or dict(os.environ), preexec_fn=lambda: os.sched_setaffinity(0, cores))

    def ask(self, question):
        """The numbers of the answer."""
        guard = threading.Timer(ANSWER_SECONDS, self.process.kill)
        guard.start()
        try:
            self.process.stdin.write(question + "\n")
            self.process.stdin.flush()
            answer = self.process.stdout.readline()
        finally:
            guard.cancel()
        if not answer:
            raise SystemExit(f"error: {self.command[0]} did not answer '{question}'")
        return [float(word) for word in answer.split()]

    def close(self):
        self.process.stdin.close()
        self.process.wait(timeout=30)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()


def step_side(cores=None):
    return Side([BUILD / "bench/step_side"], cores or CORES[:1])


def blas_side(cores=None):
    return Side([blas_program()], cores or CORES[:1], environment(1))


def jax_side(cores=None):
    return Side([PEERS / "bin/python", SOURCE / "tests/bench/peers/jax_step.py"], cores or CORES[:1],
                environment(1))


def torch_side(cores=None, threads=1):
    return Side([peer_python(), SOURCE / "tests/bench/peers/torch_step.py"], cores or CORES[:1],
                environment(threads))

# SPDX-License-Identifier: Apache-2.0
"""How soon the window shows a long run from its folder: 64 replicas with a million steps each in four charts; and one curve of
a million points beside TensorBoard (where `./dev bench --peers` has installed it), in turn."""
import subprocess
import tempfile
import time

from figures import BUILD, PEERS, SOURCE, median, peer_has, row, unknown

SIDE = BUILD / "bench/opening_side"
PEER = SOURCE / "tests/bench/peers/tensorboard_opening.py"
REPLICAS, STEPS = 64, 1_000_000
ROUNDS = 3
WRITING_SECONDS, READING_SECONDS = 900, 300
PICTURE_GOAL_SECONDS, ALL_GOAL_SECONDS, MEMORY_GOAL_GIB = 1, 15, 2


def opened(folder, replicas):
    """Seconds from its start until a picture and until all is there, and its greatest resident memory in GiB."""
    begin, seconds, memory = time.monotonic(), {}, 0
    with subprocess.Popen([SIDE, folder, str(replicas), str(STEPS)], text=True, stdout=subprocess.PIPE) as side:
        for line in side.stdout:
            word, *rest = line.split()
            seconds[word] = time.monotonic() - begin
            memory = float(rest[0]) / 2**30 if rest else memory
        if side.wait(timeout=READING_SECONDS) != 0 or "all" not in seconds:
            raise SystemExit(f"error: {SIDE.name} ended with status {side.returncode} before all was read")
    return seconds["picture"], seconds["all"], memory


def peer(*words):
    done = subprocess.run([PEERS / "bin/python", PEER, *map(str, words)], capture_output=True, text=True, check=True,
                          timeout=WRITING_SECONDS)
    return [float(word) for word in done.stdout.split()]


def write(folder, replicas):
    subprocess.run([SIDE, "--write", folder, str(replicas), str(STEPS)], check=True, timeout=WRITING_SECONDS)


def many():
    with tempfile.TemporaryDirectory(prefix="bench-") as folder:
        write(folder, REPLICAS)
        pictures, alls, memories = zip(*[opened(folder, REPLICAS) for _ in range(ROUNDS)])
    what = f"{REPLICAS} x {STEPS:,} steps in 4 charts"
    row(what + ": first picture", median(pictures), "s", goal=PICTURE_GOAL_SECONDS)
    row(what + ": all of it", median(alls), "s", goal=ALL_GOAL_SECONDS,
        peer=f"{REPLICAS * STEPS * 4 / median(alls) / 1e6:.1f} million points a second")
    row(what + ": greatest resident memory", median(memories), "GiB", goal=MEMORY_GOAL_GIB,
        peer=f"{median(memories) * 2**30 / REPLICAS / STEPS / 4:.1f} bytes a point")


def one():
    with tempfile.TemporaryDirectory(prefix="bench-") as ours, tempfile.TemporaryDirectory(prefix="bench-") as theirs:
        write(ours, 1)
        known = peer_has("tensorboard")
        if known:
            peer("write", theirs, STEPS)
        own, whole, usual = [], [], []
        for _ in range(ROUNDS):
            own.append(opened(ours, 1)[1])
            if known:
                whole.append(peer("open", theirs, STEPS))
                usual.append(peer("open", theirs, -1))
    what = f"one run of {STEPS:,} steps: all can be reached"
    if not known:
        row(what, median(own), "s")
        return unknown("  TensorBoard", "`./dev bench --peers` installs it")
    theirs = median([seconds for seconds, _ in whole])
    row(what, median(own), "s", peer=f"TensorBoard, told to keep all: {theirs:.1f} s, {whole[0][1]:,.0f} points")
    row("  over TensorBoard's", median(own) / theirs, goal=1,
        peer=f"by default {median([s for s, _ in usual]):.1f} s, {usual[0][1]:,.0f} points can be reached")


many()
one()

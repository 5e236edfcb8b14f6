# SPDX-License-Identifier: Apache-2.0
"""Training steps of described networks (tests/bench/networks) on one core beside the best of PyTorch (eager,
channels last, torch.compile) and JAX: forward, loss, backward and update of a batch that lies ready.

All are pinned to the same core, their rounds alternate, and what is compared is processor time of their
processes: on one idle core that is the time that passes, and on a busy one the others do not count.
The goal of the two small CNNs is either a share of the fastest peer or of their convolutions alone.
LOCKSTEP_NETWORKS="cnn gpt" takes these alone.
"""
import os

import figures
from figures import (BUILD, CORES, PEERS, SOURCE, Side, environment, median, peer_has, peer_python, row,
                     unknown)
from jobs import Run, network_job

figures.ANSWER_SECONDS = 900  # compiling a ResNet on a busy core

ROUNDS = 5
# Name: what it is, steps of a round, goal beside the fastest peer.
NETWORKS = {
    "cnn": ("Keras' MNIST CNN, batch 64", 20, 0.45),
    "guide": ("CNN of Keras' guides, batch 64", 20, 0.45),
    "resnet18": ("ResNet-18, batch 32", 1, 0.9),
    "resnet20": ("ResNet-20, batch 128", 2, 0.8),
    "gpt": ("tiny GPT, batch 12 x 64", 10, 0.8),
}
CONVOLUTIONS_GOAL = 1.25
MEMORY_GOAL = 0.6
SCALING_GOAL = 0.85
MODES = ["eager", "last", "compile"]


def model_side():
    return Side([BUILD / "bench/model_side"], CORES[:1])


def torch_models():
    return Side([peer_python(), SOURCE / "tests/bench/peers/torch_models.py"], CORES[:1], environment(1))


def jax_models():
    return Side([PEERS / "bin/python", SOURCE / "tests/bench/peers/jax_models.py"], CORES[:1], environment(1))


def compare(name, sides):
    """Rounds of all in turn; the first of each, which compiles, does not count."""
    what, steps, goal = NETWORKS[name]
    modes = [mode for mode in sides if mode != "ours" and not (name == "gpt" and mode == "last")]
    taken = {mode: [] for mode in ["ours", *modes]}
    convolutions = []
    for number in range(-1, ROUNDS):
        for mode, times in taken.items():
            answer = sides[mode].ask(f"{'step' if mode == 'ours' else mode} {name} {steps}")
            if number >= 0:
                times.append(answer[0] / 1e3)
        if name in ("cnn", "guide") and number >= 0:
            convolutions.append(sides["ours"].ask(f"convolutions {name} {steps}")[0] / 1e3)
    ours = taken.pop("ours")
    row(f"{what}, 1 core", median(ours), "ms")
    if convolutions:  # one of two goals is enough
        over = median([a / b for a, b in zip(ours, convolutions)])
        is_met = over <= CONVOLUTIONS_GOAL
        row(f"{what}, over its convolutions alone", over, goal=CONVOLUTIONS_GOAL if is_met else None,
            peer=f"convolutions {median(convolutions):.1f} ms")
        goal = None if is_met else goal
    label = f"{what}, over the fastest peer"
    if not modes:
        return unknown(label, "neither PyTorch nor JAX is installed")
    best = min(modes, key=lambda mode: median(taken[mode]))
    row(label, median([a / b for a, b in zip(ours, taken[best])]), goal=goal,
        peer=", ".join(f"{mode} {median(taken[mode]):.1f}" for mode in modes) + " ms")


def compare_memory(name):
    """The largest resident size of a process that trains this network alone."""
    what = NETWORKS[name][0]
    with model_side() as ours:
        ours.ask(f"step {name} 2")
        mine = ours.ask("peak")[0]
    if not peer_python():
        return unknown(f"{what}, resident size over PyTorch's", "PyTorch is not installed")
    with torch_models() as peer:
        peer.ask(f"eager {name} 2")
        theirs = peer.ask("peak")[0]
    row(f"{what}, resident size over PyTorch's", mine / theirs, goal=MEMORY_GOAL,
        peer=f"{mine:.0f} MB beside {theirs:.0f} MB (eager)")


def compare_processes():
    """Real runs of one and of two processes, on the built-in digits; the median step that passes."""
    what = "Keras' MNIST CNN, 2 processes, part of ideal scaling"
    if len(CORES) < 2:
        return unknown(what, "there is one core only")
    one, two = [], []
    for _ in range(3):
        for processes, times in ((1, one), (2, two)):
            run = Run(64, 1, processes, text=network_job("cnn", 64, 1))
            times.append(run.summary["step_milliseconds"]["p50"])
    row(what, median([a / b / 2 for a, b in zip(one, two)]), goal=SCALING_GOAL, at_least=True,
        peer=f"{median(two):.2f} ms beside {median(one):.2f} ms")


def main():
    names = os.environ.get("LOCKSTEP_NETWORKS", "").split() or list(NETWORKS)
    sides = {"ours": model_side()}
    if peer_python():
        torch = torch_models()
        sides |= {mode: torch for mode in MODES}
    if peer_has("jax"):
        sides["jax"] = jax_models()
    for name in names:
        compare(name, sides)
    for side in {id(side): side for side in sides.values()}.values():
        side.close()
    for name in names:
        compare_memory(name)
    if "cnn" in names:
        compare_processes()


main()

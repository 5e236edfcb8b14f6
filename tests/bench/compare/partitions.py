# SPDX-License-Identifier: Apache-2.0
"""Two hosts of a job do not reach each other any more, at a random moment: how soon those who are out of reach are named; that
nobody is lost by it where the line comes back in time; and after how long they are declared lost where it does not.

LOCKSTEP_PARTITIONS: trials, 50 by default, of which one in ten is not healed; "7:" plays that one alone, "hosts:1-3" several. The hosts are two
network namespaces of its own, with two processes each; it needs root, iproute2 and iptables. Control: one trial in which
nothing is cut, and nobody may be named."""
import os
import random
import shutil
import subprocess
import tempfile
import time

from figures import median, note, row, unknown
from places import Place, four_processes, grows, trains, two_hosts, unavailable
from trials import Trial, asked, tell
from verdicts import Journal

ASKED = os.environ.get("LOCKSTEP_PARTITIONS", "50")
NUMBERS = [number for _, number in asked(ASKED, ["hosts"])]
NAMED_GOAL_SECONDS = 4
HEARTBEAT_TIMEOUT_SECONDS = 10  # since the last heartbeat, and one comes every second
HEALED_AFTER_SECONDS = 6
LOST_WITHIN_SECONDS = 20
FAR = ("process 2", "process 3", "processes 2")
JOB = """
[job]
name = "parted"
[cluster]
evaluator = false
device = "cpu"
transport = "gloo"
[data]
dataset = "digits"
validation_samples = 1000
[model]
layers = [ { type = "dense", units = 32, activation = "relu" }, { type = "dense", units = 10 } ]
[training]
global_batch_size = 512
epochs = 1000000
seed = 1
[checkpoint]
every_steps = 1000
"""


def cut(host, ends=True):
    for chain in ("INPUT", "OUTPUT"):
        subprocess.run(["ip", "netns", "exec", host, "iptables", "-A" if ends else "-D", chain, "-o" if chain == "OUTPUT" else "-i",
                        "eth0", "-j", "DROP"], check=True)


def first_word(journal, before, kinds, until):
    """The first of these kinds behind `before` words; None: there is none by then (seconds since 1970)."""
    while time.time() < until:
        for word in journal.read().said[before:]:
            if word.kind in kinds:
                return word
        time.sleep(0.1)
    return None


class Trials:
    def __init__(self):
        self.named, self.lost_after = [], []  # seconds
        self.not_named, self.wrongly_lost, self.hangs = [], [], []
        self.misses = False

    def play(self, number, journal, far):
        """Whether the job trains on."""
        time.sleep(random.Random(number).uniform(1, 3))
        before, lost_before, began = len(journal.read().said), journal.steps_lost(), time.time()
        cut(far)
        word = first_word(journal, before, {"silent", "stuck", "lost", "failure"}, began + HEALED_AFTER_SECONDS)
        if word is None or not word.sentence.startswith(FAR):
            self.not_named.append(number)
        else:
            self.named.append(word.wall_time - began)
        note(f"trial {number}: {'nobody is named' if word is None else f'after {word.wall_time - began:.2f} s: {word.sentence}'}")
        if number % 10 == 0:
            end = first_word(journal, before, {"failure"}, began + LOST_WITHIN_SECONDS)
            if end is None or end.process not in (2, 3):
                self.hangs.append(number)
            else:
                self.lost_after.append(end.wall_time - began)
            return self.tell(number, word, began, 0)
        time.sleep(max(0, began + HEALED_AFTER_SECONDS - time.time()))
        cut(far, ends=False)
        if not grows(journal.path):
            self.hangs.append(number)
        if any(word.kind in ("lost", "failure") for word in journal.read().said[before:]):
            self.wrongly_lost.append(number)
        return self.tell(number, word, began, journal.steps_lost() - lost_before)

    def tell(self, number, word, began, steps_lost):
        """Whether the job trains on, also to the one table."""
        tell(Trial("partition", "hosts", "local", number, rightly=number not in self.not_named + self.wrongly_lost,
                   after=word and word.wall_time - began, steps_lost=steps_lost, hung=number in self.hangs,
                   sentence=word.sentence if word else ""))
        return number % 10 != 0 and number not in self.hangs + self.wrongly_lost

    def control(self, journal):
        before = len(journal.read().said)
        word = first_word(journal, before, {"silent", "stuck", "lost", "failure"}, time.time() + HEALED_AFTER_SECONDS)
        if word:
            note(f"nothing was cut: {word.sentence}")
            self.not_named.append(0)

    def report(self):
        row(f"{len(NUMBERS)} cuts between two hosts: not named rightly", len(self.not_named), goal=0, peer=numbers(self.not_named))
        if self.named:
            row("  named after, worst", max(self.named), "s", goal=NAMED_GOAL_SECONDS, peer=f"median {median(self.named):.2f} s")
        row(f"  lost though healed after {HEALED_AFTER_SECONDS} s", len(self.wrongly_lost), goal=0, peer=numbers(self.wrongly_lost))
        if self.lost_after:
            row("  not healed: lost after, soonest", min(self.lost_after), "s", goal=HEARTBEAT_TIMEOUT_SECONDS - 1, at_least=True,
                peer=f"worst {max(self.lost_after):.1f} s")
        self.misses = (max(self.named, default=0) > NAMED_GOAL_SECONDS
                       or min(self.lost_after, default=HEARTBEAT_TIMEOUT_SECONDS) < HEARTBEAT_TIMEOUT_SECONDS - 1)
        row("  that came to nothing, or lost another one", len(self.hangs), goal=0, peer=numbers(self.hangs))


def numbers(trials):
    return f"trials {trials}" if trials else ""


def main():
    if why := unavailable() or ("" if shutil.which("iptables") else "iptables is not installed"):
        return unknown("a cut between two hosts", why)
    trials, due = Trials(), list(NUMBERS)
    while due:
        with tempfile.TemporaryDirectory() as folder, two_hosts() as hosts:
            place = Place(folder, JOB)
            with four_processes(place, hosts):
                journal = Journal(place.only_journal())
                trains(journal.path)
                if len(due) == len(NUMBERS):
                    trials.control(journal)
                trains_on = True
                while trains_on and due:
                    trains_on = trials.play(due.pop(0), journal, hosts[1])
    trials.report()
    if trials.not_named or trials.wrongly_lost or trials.hangs or trials.misses:
        raise SystemExit("error: a cut was not named, was made too much of, or came to nothing")


main()

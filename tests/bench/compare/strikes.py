# SPDX-License-Identifier: Apache-2.0
"""Something befalls a process of a running job from outside: what the run says of it, how soon, and what becomes of it. A job of its own
for each trial, on this machine or over ssh on four hosts that are made for it (as root).

LOCKSTEP_STRIKES: trials, "kill/worker/local:1-3,OOM/chief/ssh:2"; by default 1 of each row that is played here. The first word counts:
what says whom and what it is, or accuses somebody else. Controls, unless LOCKSTEP_STRIKES names one alone: a judge that is told of
another victim than was struck, a stuck job that is told to wait, and a job that nobody strikes; each must be found wrong."""
import dataclasses
import os
import random
import re
import signal
import subprocess
import sys
import tempfile
import threading
import time

from figures import note, row, unknown
from hurt import Cut, FailingCall, FrozenThread, FullDisk, HalfSpeed, OutOfMemory, Signalled, soon
from strike_rows import STRIKES
from struck_job import CHIEF, DESKTOP, HOST, OTHER, WORKER, DoesNotStart, StruckJob, enter_hosts, names_of_hosts
from trials import Trial, bad, spans, tell

HANG_SECONDS = 180          # from the landing; nothing of the job takes so long
CONTROL_HANG_SECONDS = 30
CALM_SECONDS = 5
SETTLES_SECONDS = 1         # what was done before the landing is told by then


class NotThere(Exception):
    """Whom the trial means."""


def strike(job, way, victim, number, chance):
    """Hurts the victim now."""
    what, *more = way.how
    if what == "cut":
        namespace, others = names_of_hosts()[more[0]], [DESKTOP if one == "desktop" else HOST.format(one + 1) for one in more[1:]]
        return Cut(namespace, others)
    if what == "fill":
        return FullDisk(job.disk)
    pid = job.pid(victim)
    if not pid:
        raise NotThere(f"there is no {victim}")
    if what == "signal":
        return Signalled(pid, getattr(signal, more[0]))
    if what == "freeze":
        return FrozenThread(pid, more[0])
    if what == "starve":
        return OutOfMemory(pid)
    if what == "halve":
        return HalfSpeed(pid, more[0])

    def choose(calls):
        call = sorted(calls)[number % len(calls)]
        return call, chance.randrange(calls[call]) + 1
    return FailingCall(pid, more[0], job.place.folder, choose)


def first_name(job, sign, since, within, on_desktop=False):
    """(seconds until somebody was named, whether rightly, the sentence); nothing: nobody was."""
    until = since + within
    while True:
        ended = job.launcher.poll() is not None
        for word in job.said(since, on_desktop):
            if sign and sign.search(word.sentence):
                return word.at - since, True, word.sentence.strip()
            if word.accuses:
                return word.at - since, False, word.sentence.strip()
        if ended or time.time() > until:
            return None, False, ""
        time.sleep(0.05)


def trains_on(job, starts, within):
    """Beyond the step at which it stands, in more than so many starts of the run; False: not within this time."""
    time.sleep(SETTLES_SECONDS)
    stands_at = job.newest_step()

    def is_beyond():
        journal = job.look()
        if not starts:
            return max(journal.newest.values()) > stands_at
        told = journal.since_start.values()  # by all, so that what was lost is known
        return journal.starts > starts and len(told) == job.processes and min(told) > max(stands_at, journal.before_start)
    return bool(soon(is_beyond, within, every=0.1))


def ends(job, status):
    """(whether it has ended, and whether in this way, with its checkpoint)."""
    over = soon(lambda: job.summary() and not [pid for pid in job.left() if pid != job.launcher.pid], HANG_SECONDS, every=0.1)
    end = job.summary()
    newest = (job.run / "checkpoints/LATEST").read_text().split()[0]
    return bool(over), end.get("status") == status and newest == f"step-{end.get('steps')}"


def play_drill(job, way, victim, make):
    process = CHIEF if victim == "chief" else WORKER
    try:
        trial, why = job.drill(way.how[1], process)
    except subprocess.TimeoutExpired as error:
        return make(hung=True, sentence=f"nothing was heard of it for {error.timeout:.0f} s")
    if trial is None:
        return make(landed=False, sentence=why)
    return make(rightly=trial["named_process"] and trial["named_kind"], after=trial["detected_after_seconds"],
                steps_lost=trial["steps_lost"], hung=trial["recovered_after_seconds"] is None,
                sentence=trial["detected"] or trial["outcome"])


def judge(job, way, sign, done, starts, make, hang_seconds):
    """What came of what was done to it."""
    after, rightly, sentence = first_name(job, sign, done.at, way.names_within, way.on_desktop)
    if way.ends_as:
        over, as_it_should = ends(job, way.ends_as)
        return make(rightly=(rightly or sign is None and after is None) and as_it_should, after=after, sentence=sentence,
                    hung=not over, steps_lost=0 if as_it_should else job.look().steps_lost())
    told_before = dict(job.journal.newest)
    on = trains_on(job, starts if way.restarts else 0, hang_seconds)
    if after is None and way.may_be_harmless:
        rightly, sentence = on and job.is_whole(), "nobody is named, and all checkpoints are whole"
    elif sign is None:
        rightly = after is None
    return make(rightly=rightly, after=after, sentence=sentence, hung=not on,
                steps_lost=job.look().steps_lost() + (0 if way.restarts else untold(job.journal, told_before)))


def untold(journal, before):
    """Steps behind the others of a replica that has told none since then."""
    newest = max(journal.newest.values())
    return max((newest - step for replica, step in before.items() if journal.newest[replica] == step and newest > step), default=0)


def sign_of(way, victim, misled):
    """What names the victim and what befell it; None: nobody is to be named."""
    if victim not in way.who:
        return None
    return re.compile(way.who[victim].replace("{}", str(OTHER if misled else CHIEF if victim == "chief" else WORKER)))


def play(name, number, misled=False, struck=True, hang_seconds=HANG_SECONDS, **launch):
    fault, victim, where = name.split("/")
    way, sign, chance = STRIKES[name], sign_of(STRIKES[name], victim, misled), random.Random(f"{name}:{number}")

    def make(**found):
        return Trial(fault, victim, where, number, **found)
    def play_in(job):
        time.sleep(chance.uniform(0.5, 2))
        if way.how[0] == "drill":
            return play_drill(job, way, victim, make)
        if struck:
            return play_struck(job, way, sign, lambda: strike(job, way, victim, number, chance), make, hang_seconds)
        after, rightly, sentence = first_name(job, sign, time.time(), CALM_SECONDS)
        return make(after=after, rightly=rightly, sentence=sentence)
    with tempfile.TemporaryDirectory() as folder:
        try:
            with StruckJob(folder, where, {**way.launch, **launch}, way.processes, way.evaluator, way.how[0] == "fill") as job:
                trial = play_in(job)
                trial = dataclasses.replace(trial, left=job.end())
        except DoesNotStart as error:
            trial = make(landed=False, sentence=str(error))
    note(f"{name}:{number}: {told_of(trial)}")
    return trial


def play_struck(job, way, sign, hurt, make, hang_seconds):
    starts = job.look().starts
    try:
        done = hurt()
    except (NotThere, ProcessLookupError, OSError) as error:
        return make(landed=False, sentence=str(error))
    healing = threading.Timer(way.healed_after, done.heal)
    try:
        if not done.landed():
            return make(landed=False, sentence=getattr(done, "why", "") or "it was not seen to land")
        if way.healed_after:
            healing.start()
        trial = judge(job, way, sign, done, starts, make, hang_seconds)
        what = f"EIO at {done.call} {done.when}: " if isinstance(done, FailingCall) else ""
        return dataclasses.replace(trial, sentence=what + trial.sentence)
    finally:
        healing.cancel()
        done.heal()


def told_of(trial):
    if not trial.landed:
        return f"counts for nothing: {trial.sentence}"
    named = "nobody is named" if trial.after is None else f"named {'rightly' if trial.rightly else 'WRONGLY'} after {trial.after:.2f} s"
    return (f"{named}, {'HANGS' if trial.hung else 'goes on or ends as it should'}, {trial.steps_lost} steps lost, {trial.left} left: "
            f"{trial.sentence}")


def is_found_wrong(trial):
    return trial.landed and not trial.rightly


CONTROLS = {
    "a judge that is told of another victim": lambda where: is_found_wrong(play(f"kill/worker/{where}", 0, misled=True)),
    'a stuck job that is told to wait (on_stuck = "wait")':
        lambda where: play(f"frozen-step/worker/{where}", 0, hang_seconds=CONTROL_HANG_SECONDS, on_stuck='"wait"').hung,
    "a job that nobody strikes": lambda where: is_found_wrong(play(f"kill/worker/{where}", 0, struck=False)),
}


def play_here(asked, where):
    played, unseen = [], 0
    for name, numbers in asked:
        for number in numbers:
            trial = play(name, number)
            tell(trial)
            played.append(trial)
    if len(played) > 1 or not played:
        for control, is_seen in CONTROLS.items():
            seen = is_seen(where)
            note(f"control, {where}: {control}: {'found' if seen else 'NOT FOUND'} to be wrong")
            unseen += not seen
    wrong = [words for trial in played if (words := bad(trial))]
    for words in wrong:
        note(words)
    row(f"strikes, {where}: of {sum(trial.landed for trial in played)} that landed, wrong", len(wrong), goal=0,
        peer=f"{sum(not trial.landed for trial in played)} did not land")
    row("  controls that went unseen", unseen, goal=0)
    return not wrong and not unseen


def main():
    text = os.environ.get("LOCKSTEP_STRIKES") or ",".join(f"{name}:1" for name in STRIKES)
    asked = list(spans(text))
    if wrong := [name for name, _ in asked if name not in STRIKES]:
        raise SystemExit(f"error: there is no row {wrong[0]}; there are {', '.join(STRIKES)}")
    by_place = {where: [one for one in asked if one[0].endswith(f"/{where}")] for where in ("local", "ssh")}
    good = play_here(by_place["local"], "local") if by_place["local"] else True
    if by_place["ssh"]:
        names = ",".join(f"{name}:{numbers[0]}-{numbers[-1]}" for name, numbers in by_place["ssh"])
        if not by_place["local"] or "NETNS" in os.environ:
            if why := enter_hosts([sys.executable, *sys.argv]):
                unknown("strikes over ssh", why)
            else:
                good = play_here(by_place["ssh"], "ssh") and good
        else:  # this program goes on once that one is done
            good = subprocess.run([sys.executable, *sys.argv], env={**os.environ, "LOCKSTEP_STRIKES": names}).returncode == 0 and good
    if not good:
        raise SystemExit("error: a fault was not named rightly, lost steps in silence, or the job hangs")


main()

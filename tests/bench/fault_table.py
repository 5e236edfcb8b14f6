# SPDX-License-Identifier: Apache-2.0
"""One table of faults: fault_table.py [ROW...] (./dev bench faults --table [ROW...]).

Each row is a fault, its victim and the place, and is played by the campaign that knows how. ROW is the beginning of rows' names ("kill",
"OOM/chief"), or one whole with trials ("kill/worker/ssh:7", "EIO/chief/local:1-40"), which are played again; without any, all rows.
LOCKSTEP_FAULTS: trials of each row, 3 by default. LOCKSTEP_FAULTS_SEED: the number of the first, 1 by default: a trial follows
from its row and its number. What was played lies in the build's folder, in fault-trials.jsonl (LOCKSTEP_TRIALS: another file), as soon as a trial is over, and is not
played again where it landed: a table that was cut short goes on where it was. LOCKSTEP_FAULTS_ANEW=1 forgets it."""
import os
import pathlib
import re
import signal
import subprocess
import sys
import time

from figures import BUILD
from strike_rows import STRIKES
from trials import HEAD, bad, cells, line, not_landed, spans, told

HERE = pathlib.Path(__file__).resolve().parent
TRIALS = int(os.environ.get("LOCKSTEP_FAULTS", "3"))
FIRST = int(os.environ.get("LOCKSTEP_FAULTS_SEED", "1"))
KEPT = pathlib.Path(os.environ.get("LOCKSTEP_TRIALS") or BUILD / "fault-trials.jsonl").resolve()
# Whom a drill befalls; what is done from outside as well (kill, stop) is no row of its own.
DRILLS = {**dict.fromkeys(["stuck", "slow", "nan", "bit-flip", "cut"], ("worker", "chief")),
          **dict.fromkeys(["disk-full", "torn-checkpoint"], ("chief",))}


def rows():
    """Of each: the campaign, the variable that it is told its trials by, and how it calls the row."""
    found = {name: ("strikes", "LOCKSTEP_STRIKES", name) for name in STRIKES}
    found |= {f"{fault}/{victim}/local": ("drills", "LOCKSTEP_DRILLS", f"{fault}/{victim}")
              for fault, victims in DRILLS.items() for victim in victims}
    found |= {f"STOP/{victim}/local": ("frozen", "LOCKSTEP_FROZEN", victim)
              for victim in ("worker", "chief", "evaluator", "agent", "launcher")}
    found |= {f"SIGTERM/{victim}/local": ("preempted", "LOCKSTEP_PREEMPTED", victim)
              for victim in ("worker", "evaluator", "agent", "launcher", "all")}
    found["partition/hosts/local"] = ("partitions", "LOCKSTEP_PARTITIONS", "hosts")
    return dict(sorted(found.items(), key=lambda one: one[0].lower()))


def wanted(arguments, known):
    """(row, number) of each trial that is to be there, and of those that are to be played again."""
    all_of, again = [], []
    for argument in arguments or [""]:
        if re.search(r":\d", argument):
            played = [(row, number) for row, numbers in spans(argument) for number in numbers]
            again += played
        else:
            played = [(row, number) for row in known if row.startswith(argument) for number in range(FIRST, FIRST + TRIALS)]
        if not played or played[0][0] not in known:
            sys.exit(f"error: there is no row {argument}; there are {', '.join(known)}")
        all_of += played
    return list(dict.fromkeys(all_of)), again


def play(campaign, variable, asked):
    """Whether it has nothing to complain of. What it prints goes to standard error."""
    env = {**os.environ, "LOCKSTEP_BUILD": str(BUILD), "PYTHONPATH": str(HERE), "LOCKSTEP_TRIALS": str(KEPT), variable: asked,
           "QT_QPA_PLATFORM": "offscreen"}
    print(f"{campaign}: {asked}", file=sys.stderr, flush=True)
    program = subprocess.Popen([sys.executable, HERE / f"compare/{campaign}.py"], stdout=sys.stderr, env=env, start_new_session=True)
    try:
        return program.wait() == 0
    except BaseException:  # cut short: all that it has started ends in order, hosts and jobs
        os.killpg(program.pid, signal.SIGTERM)
        program.wait()
        raise


def span(numbers):
    return f"{numbers[0]}-{numbers[-1]}" if numbers == list(range(numbers[0], numbers[-1] + 1)) else None


def grouped(due, known):
    """(campaign, variable, its words for a row's trials), a row at a time, those of one campaign and place together."""
    of_row = {}
    for row, number in due:
        of_row.setdefault(row, []).append(number)
    groups = {}
    for row, numbers in of_row.items():
        campaign, variable, name = known[row]
        words = [f"{name}:{span(numbers)}"] if span(numbers) else [f"{name}:{number}" for number in numbers]
        groups.setdefault((campaign, variable, row.rsplit("/", 1)[1]), []).extend(words)
    return [(campaign, variable, ",".join(words)) for (campaign, variable, _), words in groups.items()]


def main(arguments):
    known = rows()
    if os.environ.get("LOCKSTEP_FAULTS_ANEW") == "1":
        KEPT.unlink(missing_ok=True)
    trials, again = wanted(arguments, known)
    there, behind = told(KEPT), KEPT.stat().st_size if KEPT.exists() else 0
    due = [trial for trial in trials if trial in again or trial not in there or not there[trial].landed]
    began = time.monotonic()
    complaints = [campaign for campaign, variable, asked in grouped(due, known) if not play(campaign, variable, asked)]
    # What was to be played again, and was not, is not there any more.
    there = {key: trial for key, trial in there.items() if key not in due} | told(KEPT, behind)
    print(f"Seed {FIRST}: {TRIALS} trials a row, numbered from {FIRST} on; `./dev bench faults --table ROW:NUMBER` plays one again. "
          f"{len(due)} played now, in {(time.monotonic() - began) / 60:.0f} min; a hang is what does not go on within 180 s.\n")
    print(line(HEAD))
    print(line(["---"] * len(HEAD)))
    wrong, others = [], []
    for row in dict.fromkeys(row for row, _ in trials):
        played = [there[row, number] for of, number in trials if of == row and (row, number) in there]
        print(line(cells(row, played) if played else [*row.split("/"), 0, *["-"] * (len(HEAD) - 4)]))
        wrong += [words for trial in played if (words := bad(trial))]
        others += [words for trial in played if (words := not_landed(trial))]
    print("")
    for words in wrong + others:
        print(f"- {words}")
    if missing := [f"{row}:{number}" for row, number in trials if (row, number) not in there]:
        print(f"- not played: {', '.join(missing)}")
    if complaints:
        print(f"- campaigns that found something, or whose controls went unseen (what they wrote says it): {', '.join(complaints)}")
    return 1 if wrong or missing or complaints else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

# SPDX-License-Identifier: Apache-2.0
"""What came of one fault that was made on purpose, and the one table of all of them.

Every campaign tells its trials (`tell`); where LOCKSTEP_TRIALS names a file they are kept there, a line of JSON each, and `./dev bench
faults --table` makes its table of them. A trial follows from its row and its number alone, which is what it is played again by."""
import dataclasses
import json
import os
import pathlib
import statistics

HEAD = ["fault", "victim", "where", "trials", "not landed", "named rightly", "named after, median / worst", "steps lost, median / worst",
        "lost in silence", "hangs", "left running"]


@dataclasses.dataclass(frozen=True)
class Trial:
    fault: str
    victim: str
    where: str          # local, ssh
    number: int
    landed: bool = True
    rightly: bool = False   # named with what it is; where it hurts nobody: nobody was named
    after: float = None     # seconds from its landing to the first name, right or wrong; None: nobody was named
    steps_lost: int = 0     # trained again, or missing in the run's history
    hung: bool = False      # neither trained on nor ended as it should, within the limit
    left: int = 0           # processes of the job that its end has left running
    sentence: str = ""      # in which it was named, or why it did not land

    @property
    def row(self):
        return f"{self.fault}/{self.victim}/{self.where}"

    @property
    def lost_in_silence(self):
        return self.steps_lost > 0 and self.after is None


def tell(trial):
    if path := os.environ.get("LOCKSTEP_TRIALS"):
        with open(path, "a", encoding="utf-8") as file:
            file.write(json.dumps(dataclasses.asdict(trial)) + "\n")


def told(path, behind=0):
    """The trials that are kept there behind so many bytes, by row and number: of one that was played again, the newest."""
    try:
        text = pathlib.Path(path).read_bytes()[behind:].decode("utf-8")
    except FileNotFoundError:
        return {}
    trials = [Trial(**json.loads(line)) for line in text.splitlines()]
    return {(trial.row, trial.number): trial for trial in trials}


def spans(text):
    """Of "kill:1-3,stop:7" [("kill", [1, 2, 3]), ("stop", [7])]."""
    for one in text.split(","):
        name, _, numbers = one.rpartition(":")
        first, _, last = numbers.partition("-")
        yield name, list(range(int(first), int(last or first) + 1))


def asked(text, kinds):
    """(kind, number) of each trial that a campaign is asked for: "50" (the kind follows from the number: None), "7:" (that one alone),
    "agent:1-3,chief:2"."""
    if text.endswith(":"):
        return [(None, int(text[:-1]))]
    if ":" not in text:
        return [(None, number) for number in range(1, int(text) + 1)]
    named = [(kind, number) for kind, numbers in spans(text) for number in numbers]
    if wrong := [kind for kind, _ in named if kind not in kinds]:
        raise SystemExit(f"error: there is no {wrong[0]}; there are {', '.join(kinds)}")
    return named


def middle_and_worst(values, form):
    return f"{form(statistics.median(values))} / {form(max(values))}" if values else "-"


def seconds(value):
    return f"{value:.2f} s"


def cells(row, trials):
    """Of the table, of trials of one row."""
    landed = [trial for trial in trials if trial.landed]
    rightly = sum(trial.rightly for trial in landed)
    return [*row.split("/"), len(landed), len(trials) - len(landed), f"{rightly} of {len(landed)}" if landed else "-",
            middle_and_worst([trial.after for trial in landed if trial.after is not None], seconds),
            middle_and_worst([trial.steps_lost for trial in landed], lambda steps: f"{steps:.0f}"),
            sum(trial.lost_in_silence for trial in landed), sum(trial.hung for trial in landed), sum(trial.left for trial in trials)]


def not_landed(trial):
    """Likewise, of one that did not."""
    return "" if trial.landed else f"{trial.row}:{trial.number} did not land: {trial.sentence.splitlines()[-1] if trial.sentence else ''}"


def line(cells_of_line):
    return f"| {' | '.join(map(str, cells_of_line))} |"


def bad(trial):
    """In a sentence, what must not be; empty: it is well."""
    if not trial.landed:
        return ""
    found = [words for words, so in [("it hangs", trial.hung), ("not named rightly", not trial.rightly),
                                     ("steps were lost in silence", trial.lost_in_silence),
                                     (f"{trial.left} processes left running", trial.left)] if so]
    return f"{trial.row}:{trial.number}: {', '.join(found)} ({trial.sentence or 'nobody was named'})" if found else ""

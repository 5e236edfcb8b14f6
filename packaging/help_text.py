# SPDX-License-Identifier: Apache-2.0
"""What a program of ours says of itself with --help, as data."""

import os
import re
import subprocess
from dataclasses import dataclass, field

HELP_SECONDS = 60


@dataclass
class Help:
    summary: str
    usage: str
    sections: dict = field(default_factory=dict)  # "Options": [(names, what it does)]


def help_of(program, *command):
    printed = subprocess.run([program, *command, "--help"], capture_output=True, text=True, check=True,
                             timeout=HELP_SECONDS, env={**os.environ, "QT_QPA_PLATFORM": "offscreen"}).stdout
    lines = printed.splitlines()
    usage = next(line for line in lines if line.startswith("Usage: "))
    found = Help(next(line for line in lines if line and not line.startswith("Usage: ")),
                 re.sub(r"^Usage: \S*?([\w-]+) ", r"\1 ", usage))
    entries = []
    for line in lines:
        if re.match(r"^[A-Z]\w+:$", line):
            entries = found.sections.setdefault(line[:-1], [])
        elif match := re.match(r"^  (\S.*?)(?:  +(\S.*))?$", line):
            entries.append([match[1], match[2] or ""])
        elif line.startswith("   ") and entries:
            entries[-1][1] = f"{entries[-1][1]} {line.strip()}".strip()
    return found


def verbs_of(help_text):
    return [name for name, _ in help_text.sections.get("Subcommands", [])]


def flags_of(help_text):
    """Every way to write an option: "-h", "--help"."""
    return [flag for names, _ in help_text.sections.get("Options", [])
            for flag in re.findall(r"(?<![\w-])--?[a-z][\w-]*", names.split(" Needs:")[0])]

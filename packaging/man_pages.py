#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Man pages, made from what the programs say of themselves: man_pages.py BIN OUT VERSION.

Section 1: a page for each program in BIN. Section 5: lockstep-job, the keys of a job file."""

import gzip
import pathlib
import re
import subprocess
import sys

from help_text import help_of, verbs_of

STATUS = """.SH EXIT STATUS
0 done, 1 the job failed, 2 bad input, 3 stopped on request. For 1 and 2 exactly one line on standard error
begins with "error: ".
"""
ENVIRONMENT = """.SH ENVIRONMENT
.TP
.B NO_COLOR
Set to anything: nothing is coloured. Output that is redirected never is, nor where
.B TERM
is dumb.
"""
SEE_ALSO = ".SH SEE ALSO\n.BR lockstep (1),\n.BR lockstepctl (1),\n.BR lockstep\\-worker (1),\n.BR lockstep\\-job (5)\n"


def roff(text):
    escaped = text.replace("\\", "\\e").replace("-", "\\-")
    return re.sub(r"^([.'])", r"\\&\1", escaped, flags=re.MULTILINE)


def entries(pairs):
    return "".join(f".TP\n.B {roff(names)}\n{roff(text) or 'See above.'}\n" for names, text in pairs)


def title(name, section, version):
    return f'.TH "{roff(name.upper())}" {section} "" "Lockstep {roff(version)}" "Lockstep"\n'


def program_page(program, version):
    told = help_of(program)
    summary = told.summary.split(": ", 1)[-1]
    page = title(program.name, 1, version)
    page += f".SH NAME\n{roff(program.name)} \\- {roff(summary[0].lower() + summary[1:])}\n"
    page += f".SH SYNOPSIS\n.B {roff(told.usage)}\n"
    page += f".SH DESCRIPTION\n{roff(summary)}.\n"
    for section, pairs in told.sections.items():
        if section != "Subcommands":
            page += f".SH {roff(section.upper())}\n{entries(pairs)}"
    for verb in verbs_of(told):
        of_verb = help_of(program, verb)
        page += f".SH {roff(program.name)} {roff(verb)}\n{roff(of_verb.summary)}\n.PP\n.B {roff(of_verb.usage)}\n"
        for pairs in of_verb.sections.values():
            page += entries(pair for pair in pairs if "--help" not in pair[0])
    return page + STATUS + (ENVIRONMENT if program.name != "lockstep" else "") + SEE_ALSO


def job_page(program, version):
    keys = subprocess.run([program, "keys"], capture_output=True, text=True, check=True, timeout=60).stdout
    page = title("lockstep-job", 5, version)
    page += ".SH NAME\nlockstep\\-job \\- the job file of Lockstep\n"
    page += (".SH DESCRIPTION\nA job is one file in TOML. Its keys stand in sections: training.epochs is\n.I epochs\n"
             "in\n.IR [training] .\nWhat one key means is told by\n.BR \"lockstepctl keys\" \" KEY.\"\n.SH KEYS\n")
    lines = keys.splitlines()
    for head, text in zip(lines[::2], lines[1::2]):
        key, takes = head.split(None, 1)
        page += f".TP\n.B {roff(key)}\n{roff(takes[0].upper() + takes[1:])}.\n{roff(text.strip())}\n"
    return page + SEE_ALSO


def write(folder, name, section, page):
    place = folder / f"man{section}"
    place.mkdir(parents=True, exist_ok=True)
    with open(place / f"{name}.{section}.gz", "wb") as file, \
            gzip.GzipFile("", "wb", compresslevel=9, fileobj=file, mtime=0) as packed:
        packed.write(page.encode())


def main(programs, out, version):
    for name in ("lockstepctl", "lockstep-worker", "lockstep"):
        if (programs / name).exists():
            write(out, name, 1, program_page(programs / name, version))
    write(out, "lockstep-job", 5, job_page(programs / "lockstepctl", version))


if __name__ == "__main__":
    main(pathlib.Path(sys.argv[1]).resolve(), pathlib.Path(sys.argv[2]), sys.argv[3])

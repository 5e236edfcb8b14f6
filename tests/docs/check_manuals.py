#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The man pages and bash's completion say what the programs know: check_manuals.py MANUALS BIN."""

import gzip
import os
import pathlib
import shutil
import subprocess
import sys

SECONDS = 60


def said(*command, **options):
    return subprocess.run(command, capture_output=True, text=True, timeout=SECONDS, check=True, **options).stdout


def completions(script, programs, *words):
    typed = " ".join(f"'{word}'" for word in words)
    return said("bash", "-c", f"source {script}; COMP_WORDS=({typed}); COMP_CWORD={len(words) - 1}; "
                "_lockstepctl; echo ${COMPREPLY[@]}",
                env={**os.environ, "PATH": f"{programs}:{os.environ['PATH']}"}).split()


def problems(manuals, programs):
    pages = {page.name: gzip.decompress(page.read_bytes()).decode() for page in manuals.glob("man/man?/*.gz")}
    for name in ("lockstepctl.1.gz", "lockstep-worker.1.gz", "lockstep-job.5.gz"):
        if name not in pages:
            yield f"there is no {name}"
            return
    for line in said(programs / "lockstepctl", "keys").splitlines()[::2]:
        key = line.split()[0]
        if f"\n.B {key}\n" not in pages["lockstep-job.5.gz"]:
            yield f"lockstep-job(5) does not tell {key}"
    if "\\-\\-resume\n" not in pages["lockstepctl.1.gz"]:
        yield "lockstepctl(1) does not tell --resume"
    if shutil.which("groff"):
        for name, page in pages.items():
            checked = subprocess.run(["groff", "-man", "-Tutf8", "-ww", "-z"], input=page, text=True,
                                     capture_output=True, timeout=SECONDS)
            if checked.returncode or checked.stderr:
                yield f"{name}: {checked.stderr.strip()[:400]}"
    script = manuals / "completions/lockstepctl"
    for words, wanted in ((("lockstepctl", "att"), ["attach"]), (("lockstepctl", "run", "--res"), ["--resume"]),
                          (("lockstepctl", "keys", "training.epo"), ["training.epochs"])):
        found = completions(script, programs, *words)
        if found != wanted:
            yield f"{' '.join(words)}: completes to {found}, not {wanted}"


def main(manuals, programs):
    found = list(problems(manuals, programs))
    for problem in found:
        print(f"error: {problem}", file=sys.stderr)
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main(pathlib.Path(sys.argv[1]).resolve(), pathlib.Path(sys.argv[2]).resolve()))

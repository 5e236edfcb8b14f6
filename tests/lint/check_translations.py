# SPDX-License-Identifier: Apache-2.0
"""Every word of the window is translated into every language that is offered, with the same placeholders.

With --lupdate PROGRAM (Qt's, which reads the sources) also: the files have all words of ui/, and no others."""

import pathlib
import re
import subprocess
import sys
import tempfile
import xml.etree.ElementTree as ElementTree

from source_tree import Seed, Violation, main

FOLDER = pathlib.Path("resources/translations")
PLACEHOLDER = re.compile(r"%(?:n|L?\d)")
PATTERN = re.compile(r"\(\*[^)]*\)")  # of a file dialog: "(*.html)"
# Filled by main's own arguments, before the check is called.
LUPDATE = []


def _words(path):
    """(context, source, comment) -> translation element, in the order of the file."""
    root = ElementTree.parse(path).getroot()
    return {(context.findtext("name"), message.findtext("source"), message.findtext("comment") or ""):
            message.find("translation") for context in root.iter("context") for message in context.iter("message")}


def _named(context, source, comment):
    return f'{context}, "{source}"' + (f" ({comment})" if comment else "")


def _mnemonics(text):
    return len(re.findall(r"&(?=\w)", text))


def _fault(source, translation):
    text = translation.text or ""
    if translation.get("type") in ("vanished", "obsolete"):
        return "no longer in the sources: ./dev translations"
    if translation.get("type") == "unfinished" or not text:
        return "not translated"
    if sorted(PLACEHOLDER.findall(source)) != sorted(PLACEHOLDER.findall(text)):
        return "other placeholders than the source has"
    if _mnemonics(source) != _mnemonics(text):
        return "a key (&) is missing, or too many"
    if PATTERN.findall(source) != PATTERN.findall(text):
        return "another pattern of files than the source has"
    if "\n" in source and source.count("\n") != text.count("\n"):
        return "other line breaks than the source has"
    return None


def _of_sources(root):
    with tempfile.TemporaryDirectory() as folder:
        fresh = pathlib.Path(folder) / "fresh.ts"
        told = subprocess.run([LUPDATE[0], "-I", ".", "ui", "-no-obsolete", "-ts", str(fresh)], cwd=root, timeout=120,
                              capture_output=True, text=True, check=True)
        orphans = re.findall(r"([^\s:]+):(\d+): Class '(lockstep::ui::[^']+)' lacks Q_OBJECT macro", told.stderr)
        return set(_words(fresh)), [(path, line) for path, line, _ in orphans]


def check(root):
    violations = []
    wanted, orphans = _of_sources(root) if LUPDATE else (None, [])
    violations += [Violation(path, int(line), "tr() in a class without Q_OBJECT: Q_DECLARE_TR_FUNCTIONS, or its words are "
                             "not found at run time") for path, line in orphans]
    for path in sorted((root / FOLDER).glob("*.ts")):
        words = _words(path)
        name = (FOLDER / path.name).as_posix()
        for key, translation in words.items():
            context, source, _ = key
            fault = _fault(source, translation)
            if fault:
                violations.append(Violation(name, 1, f"{_named(*key)}: {fault}"))
            if not context.startswith("lockstep::ui"):
                violations.append(Violation(name, 1, f"{_named(*key)}: words outside of a class go by tr() of ui/style/translated.h"))
        for key in sorted((wanted or set(words)) - set(words)):
            violations.append(Violation(name, 1, f"{_named(*key)} is missing: ./dev translations"))
        for key in sorted(set(words) - (wanted or set(words))):
            violations.append(Violation(name, 1, f"{_named(*key)} is no longer in the sources: ./dev translations"))
    return violations


def _message(source, translation, kind="", comment=""):
    attribute = f' type="{kind}"' if kind else ""
    return (f"<message><source>{source}</source>" + (f"<comment>{comment}</comment>" if comment else "") +
            f"<translation{attribute}>{translation}</translation></message>")


def _file(*message, others=""):
    return {"resources/translations/de.ts": '<TS version="2.1" language="de"><context><name>lockstep::ui</name>'
            f"{_message(*message)}{others}</context></TS>"}


SEEDS = (
    Seed(_file("%1 of %2", "%2 mit %1"), None),
    Seed(_file("&amp;Open…", "Ö&amp;ffnen…"), None),
    Seed(_file("Open", "", "unfinished"), "not translated"),
    Seed(_file("Open", "Öffnen", "vanished"), "no longer"),
    Seed(_file("Open", "", "unfinished", others=_message("Open", "Offen", comment="a state")), "not translated"),
    Seed(_file("%1 of %2", "%1 von"), "other placeholders"),
    Seed(_file("&amp;Open", "Öffnen"), "a key (&) is missing"),
    Seed(_file("Page (*.html)", "Seite (*.htm)"), "another pattern"),
)

if __name__ == "__main__":
    if "--lupdate" in sys.argv:
        at = sys.argv.index("--lupdate")
        LUPDATE.append(sys.argv[at + 1])
        del sys.argv[at:at + 2]
    main(check, SEEDS)

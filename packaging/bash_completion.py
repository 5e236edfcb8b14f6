#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""bash's completion of lockstepctl, made from what it says of itself: bash_completion.py BIN OUT."""

import pathlib
import sys

from help_text import flags_of, help_of, verbs_of

SCRIPT = """# bash completion of lockstepctl
_lockstepctl() {{
    local word=${{COMP_WORDS[COMP_CWORD]}} verb=${{COMP_WORDS[1]}} flags=
    if ((COMP_CWORD == 1)); then
        COMPREPLY=($(compgen -W "{verbs} --help --version" -- "$word"))
        return
    fi
    case $verb in
{cases}    esac
    if [[ $word == -* ]]; then
        COMPREPLY=($(compgen -W "$flags" -- "$word"))
    elif [[ $verb == keys ]]; then
        COMPREPLY=($(compgen -W "$(lockstepctl keys 2>/dev/null | sed -n 's/^\\([a-z_.]*\\) .*/\\1/p')" -- "$word"))
    else
        COMPREPLY=($(compgen -f -- "$word"))
    fi
}}
complete -o filenames -F _lockstepctl lockstepctl
"""


def main(program, out):
    told = help_of(program)
    cases = "".join(f"        {verb}) flags=\"{' '.join(flags_of(help_of(program, verb)))}\" ;;\n"
                    for verb in verbs_of(told))
    out.parent.mkdir(parents=True, exist_ok=True)
    out.write_text(SCRIPT.format(verbs=" ".join(verbs_of(told)), cases=cases), encoding="utf-8")


if __name__ == "__main__":
    main(pathlib.Path(sys.argv[1]).resolve() / "lockstepctl", pathlib.Path(sys.argv[2]))

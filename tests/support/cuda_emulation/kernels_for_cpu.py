# SPDX-License-Identifier: Apache-2.0
"""kernels_for_cpu.py KERNELS.cu SHARED.h OUT.cpp: the kernels as C++, and the table of them.

The bodies stay as they are; device_language.h is what they need, SHARED.h has functions of all
sources. Launches (<<<>>>) are left out:
the module itself launches, through the emulated runtime."""

import re
import sys

WAITS = r"__syncthreads|__syncwarp|__shfl_\w+"
TYPES = {"float": "f", "BFloat": "13__nv_bfloat16"}
LAUNCH = re.compile(r"\w+(?:<T>)?\s*<<<.*?>>>\(.*?\);", re.DOTALL)
FUNCTION = re.compile(r"(template <typename T>\s*)?(__global__|__device__)\s+(?:inline\s+)?[\w:]+\s+(\w+)\((.*?)\)\s*\{(.*?)^\}",
                      re.DOTALL | re.MULTILINE)


def functions(text):
    """(name, is a kernel, is a template, body) of all that runs on the device."""
    return [(m[3], m[2] == "__global__", bool(m[1]), m[5]) for m in FUNCTION.finditer(text)]


def waiting(all_functions):
    """Names of the functions that wait for other threads, themselves or by what they call."""
    found = set()
    while True:
        words = "|".join([WAITS, *found])
        more = {name for name, _, _, body in all_functions if re.search(rf"\b(?:{words})\s*\(", body)}
        if more == found:
            return found
        found = more


def table(text, shared):
    known = functions(text)
    if sum(kernel for _, kernel, _, _ in known) != text.count("__global__"):
        sys.exit("kernels_for_cpu.py: a kernel is written in a way that is not understood")
    waits = waiting(known + functions(shared))
    for name, kernel, template, _ in known:
        if not kernel:
            continue
        for cpp, mangled in TYPES.items() if template else {"": ""}.items():
            tail = f"I{mangled}E" if template else "E"
            of = f"{name}<{cpp}>" if template else name
            yield (f'    {{"{len(name)}{name}{tail}", {str(name in waits).lower()}, '
                   f"&cuda_emulation::bind<&{of}>, &cuda_emulation::words<&{of}>}},")


def main(source, shared, target):
    text = open(source, encoding="utf-8").read()
    rows = "\n".join(table(text, open(shared, encoding="utf-8").read()))
    text = LAUNCH.sub("{}", text)  # not ";", which no branch may consist of
    if "<<<" in text or re.search(r"\basm\b", text):
        sys.exit("kernels_for_cpu.py: a launch or machine code is not understood")
    # The first namespaces of the file hold the kernels; the table sits beside them.
    with open(target, "w", encoding="utf-8") as out:
        out.write('#include "tests/support/cuda_emulation/device_language.h"\n'
                  '#include "tests/support/cuda_emulation/kernel_table.h"\n'
                  f"{text}\n"
                  "namespace lockstep::tensor::cuda {\nnamespace {\n"
                  f"constexpr cuda_emulation::Kernel kKernels[] = {{\n{rows}\n}};\n"
                  "const cuda_emulation::KernelRegistration kRegistration(kKernels);\n"
                  "}\n}\n")


main(*sys.argv[1:])

#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Lines of core that its tests run, by folder, from gcovr's JSON summary.

usage: coverage_table.py SUMMARY.json
"""
import collections
import json
import sys


def main():
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    with open(sys.argv[1], encoding="utf-8") as file:
        files = json.load(file)["files"]
    covered, total = collections.Counter(), collections.Counter()
    for entry in files:
        folder = "/".join(entry["filename"].split("/")[:2])
        for name in (folder, "core"):
            covered[name] += entry["line_covered"]
            total[name] += entry["line_total"]
    for name in sorted(total, key=lambda n: (n == "core", n)):
        print(f"{name:22} {covered[name]:6} of {total[name]:6} lines  {100 * covered[name] / total[name]:5.1f} %")


if __name__ == "__main__":
    main()

#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The logs of libFuzzer in a folder, named TARGET.TIME, as a table: executions of all runs together, the most edges that inputs reached,
and how many runs ended with something found.

    Tests/Fuzz/report.py .build-fuzz/logs
"""
import collections
import re
import sys
from pathlib import Path


def main():
    runs = collections.defaultdict(list)
    for path in sorted(Path(sys.argv[1]).iterdir()):
        text = path.read_text(errors="replace")
        steps = [(int(n), int(edges)) for n, edges in re.findall(r"^#(\d+)\s+\w+\s+cov: (\d+)", text, re.M)]
        total = re.search(r"stat::number_of_executed_units:\s*(\d+)", text)
        found = re.search(r"SUMMARY: (.*)", text)
        executions = int(total.group(1)) if total else max((n for n, _ in steps), default=0)
        runs[path.name.rsplit(".", 1)[0]].append((executions, max((e for _, e in steps), default=0), bool(found)))
    print("| target | executions | edges | runs that found something |\n|---|--:|--:|--:|")
    for target, all_of in sorted(runs.items()):
        print(f"| {target} | {sum(r[0] for r in all_of):,} | {max(r[1] for r in all_of):,} | {sum(r[2] for r in all_of)} |")


if __name__ == "__main__":
    main()

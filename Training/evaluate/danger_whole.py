#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What the built program finds, with its model and its flag: holds all conversations of a set like those of danger/held_out/conversations.

    python3 Training/evaluate/danger_whole.py PET FOLDER SUFFIX [--show] [-- OPTIONS OF pet chat]

PET is the program; the set is told SUFFIX .txt and ordinary SUFFIX .txt of FOLDER. Two conversations at a time; some twenty minutes with pet-135m.
"""
import collections
import concurrent.futures
import os
import pathlib
import sys

from staying import talk, told

CRISIS = ("alarm", "stay", "left")


def main(pet, folder, suffix, show, options):
    folder = pathlib.Path(folder)
    plus, minus = told.told(folder / f"told{suffix}.txt")
    calm = told.conversations(folder / f"ordinary{suffix}.txt")
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as workers:
        def held(conversations):
            return list(workers.map(lambda turns: talk(pet, turns, options), conversations))
        dangers, near, ordinary = held([b + t + a for _, b, t, a in plus]), held([t for _, t in minus]), held(calm)
    kinds, after = collections.defaultdict(list), collections.Counter()
    right = 0
    for (kind, before, own, behind), said in zip(plus, dangers):
        alarm = next((one for one in said[len(before):len(before) + len(own)] if one[2] in CRISIS), None)
        kinds[kind].append(bool(alarm))
        right += bool(alarm) and alarm[3] == kind
        if alarm:
            after.update(stage or rung for _, rung, stage, _ in said[len(before) + len(own):])
        elif show:
            print("missed", kind, own)
    found = sum(map(sum, kinds.values()))
    alarmed = [turns for (_, turns), said in zip(minus, near) if any(one[2] in CRISIS for one in said)]
    lines = [(line, one) for turns, said in zip(calm, ordinary) for line, one in zip(turns, said)]
    alarms = [line for line, one in lines if one[2] == "alarm"]
    if show:
        for one in alarmed:
            print("near", one)
        for line, one in lines:
            if one[2]:
                print("ordinary", one[2], "|", line, "|", one[0])
    print(f"dangers found {found} of {len(plus)}, of the right kind {right}")
    print("by kind:", {kind: sum(some) for kind, some in kinds.items()}, "of", len(plus) // len(kinds))
    print("behind them:", dict(after))
    print(f"near dangers alarmed {len(alarmed)} of {len(minus)}")
    print(f"ordinary lines taken for danger {len(alarms)} of {len(lines)}, answered by its words {sum(one[2] in CRISIS for _, one in lines)}")


if __name__ == "__main__":
    words = sys.argv[1:]
    options = words[words.index("--") + 1:] if "--" in words else []
    words = words[:words.index("--")] if "--" in words else words
    show = "--show" in words
    words = [word for word in words if word != "--show"]
    if len(words) != 3:
        sys.exit(__doc__)
    main(*words, show, options)

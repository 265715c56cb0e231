#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Lays answers out for readers who do not know whose they are.

    python3 Training/evaluate/company/sheets.py SHEETS NAME=OUT/NAME NAME=OUT/NAME ...
    python3 Training/evaluate/company/sheets.py SHEETS --pairs NAME=OUT/NAME OTHER=OUT/OTHER

A sheet is one conversation of one system, under a number drawn at random; `key.json` says whose it is and is not for readers. With
--pairs a sheet has the answers of both to each line, A and B drawn for each conversation. `order.txt` is the order in which to read.
"""
import argparse
import json
import pathlib
import random


def read(folder):
    return {path.stem: [json.loads(line) for line in path.read_text().splitlines()] for path in sorted(folder.glob("*.jsonl"))}


def single(systems, chance):
    for name, answers in systems.items():
        for conversation, rows in answers.items():
            text = "".join(f"{i}. PERSON: {row['line']}\n   PET: {row['reply']}\n" for i, row in enumerate(rows, 1))
            yield text, {"system": name, "conversation": conversation, "rungs": [row["rung"] for row in rows]}


def pairs(systems, chance):
    (one, first), (other, second) = systems.items()
    for conversation in first.keys() & second.keys():
        names, sides = [one, other], [first[conversation], second[conversation]]
        if chance.random() < 0.5:
            names, sides = names[::-1], sides[::-1]
        text = "".join(f"{i}. PERSON: {a['line']}\n   A: {a['reply']}\n   B: {b['reply']}\n"
                       for i, (a, b) in enumerate(zip(*sides), 1))
        yield text, {"A": names[0], "B": names[1], "conversation": conversation, "rungs": [row["rung"] for row in sides[0]]}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("sheets", type=pathlib.Path)
    parser.add_argument("systems", nargs="+", metavar="NAME=FOLDER")
    parser.add_argument("--pairs", action="store_true")
    parser.add_argument("--seed", type=int, default=1)
    args = parser.parse_args()
    systems = {name: read(pathlib.Path(folder)) for name, folder in (one.split("=", 1) for one in args.systems)}
    if args.pairs and len(systems) != 2:
        parser.error("--pairs takes two systems")
    chance = random.Random(args.seed)
    made = sorted((pairs if args.pairs else single)(systems, chance), key=lambda sheet: json.dumps(sheet[1], sort_keys=True))
    numbers = chance.sample(range(100, 100 + 9 * max(100, len(made))), len(made))
    args.sheets.mkdir(parents=True)
    for number, (text, _) in zip(numbers, made):
        (args.sheets / f"{number}.txt").write_text(text)
    (args.sheets / "key.json").write_text(json.dumps({number: key for number, (_, key) in zip(numbers, made)}, indent=1) + "\n")
    order = [f"{number}.txt" for number in numbers]
    chance.shuffle(order)
    (args.sheets / "order.txt").write_text("\n".join(order) + "\n")
    print(f"{args.sheets}: {len(made)} sheets")


if __name__ == "__main__":
    main()

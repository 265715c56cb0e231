#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Two models' replies side by side for a reader who is not told which is which.

    python3 Training/evaluate/blind.py OUT/results.json plain pet --out pairs.md --key key.json
    python3 Training/evaluate/blind.py --score answers.txt --key key.json

The reader writes one line for each pair, its number and the better side: `1 L`, `2 R`, or `3 =` where neither is.
"""
import argparse
import json
import pathlib
import random
import re

import probes as probing


def arguments():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("results", nargs="?", type=pathlib.Path)
    parser.add_argument("models", nargs="*", metavar="MODEL", help="two names in results.json")
    parser.add_argument("--out", type=pathlib.Path)
    parser.add_argument("--key", type=pathlib.Path, required=True, help="which side is whose: not for the reader")
    parser.add_argument("--score", type=pathlib.Path, help="the reader's answers")
    parser.add_argument("--count", type=int, default=60)
    parser.add_argument("--seed", type=int, default=1)
    return parser.parse_args()


def shown(text):
    # Without emotion and actions: their form would tell the models apart.
    return " ".join(text.split()) or "(nothing)"


def write(args):
    if args.results is None or args.out is None or len(args.models) != 2:
        raise SystemExit("blind.py: give results.json, two models, --out and --key")
    models = json.loads(args.results.read_text())["models"]
    for name in args.models:
        if name not in models:
            raise SystemExit(f"{args.results}: no model {name}; there are {', '.join(models)}")
    found = [{r["id"]: r for r in models[name]["results"]} for name in args.models]
    both = [p for p in probing.load() if all(p["id"] in own for own in found)]
    chosen = probing.fixed(both, min(args.count, len(both)))
    chance = random.Random(args.seed)
    chance.shuffle(chosen)
    lines = [
        "# Which pet is better company?", "",
        "For each pair: who answers what was said, fits its own state and what it knows, and is pleasant and safe?",
        "Write a line of its number and `L`, `R` or `=`.", ""]
    key = []
    for number, probe in enumerate(chosen, 1):
        sides = chance.sample([0, 1], 2)
        key.append({"pair": number, "id": probe["id"], "L": args.models[sides[0]], "R": args.models[sides[1]]})
        state = ", ".join(probing.prompt.band(kind, probe[kind]) for kind in ("hunger", "energy", "mood"))
        knows = f"; it knows: {'; '.join(probe['mem'])}" if probe["mem"] else ""
        lines += [f"## {number}", "", f"The pet: {probe['pet']}, {state}{knows}", ""]
        for side, model in zip("LR", sides):
            lines.append(f"**{side}**\n")
            for turn, reply in zip(probe["turns"], found[model][probe["id"]]["replies"]):
                lines += [f"> person: {shown(turn)}  ", f"> pet: {shown(reply['text'])}  "]
            lines.append("")
    args.out.write_text("\n".join(lines))
    args.key.write_text(json.dumps({"seed": args.seed, "pairs": key}, indent=1) + "\n")
    print(f"{len(key)} pairs")


def score(args):
    pairs = {pair["pair"]: pair for pair in json.loads(args.key.read_text())["pairs"]}
    names = sorted({pair[side] for pair in pairs.values() for side in "LR"})
    wins, seen = dict.fromkeys([*names, "="], 0), set()
    for number, line in enumerate(args.score.read_text().splitlines(), 1):
        if not line.strip():
            continue
        answer = re.fullmatch(r"\s*(\d+)[.:)]?\s*([LR=])\s*", line.upper())
        if not answer or int(answer[1]) not in pairs or int(answer[1]) in seen:
            raise SystemExit(f"{args.score}:{number}: not the number of a pair and L, R or =, once each: {line}")
        seen.add(int(answer[1]))
        wins["=" if answer[2] == "=" else pairs[int(answer[1])][answer[2]]] += 1
    for name, count in wins.items():
        print(f"{'neither' if name == '=' else name}: {count} of {len(seen)} ({count / max(1, len(seen)):.1%})")
    if missing := sorted(set(pairs) - seen):
        print(f"not answered: {', '.join(map(str, missing))}")


if __name__ == "__main__":
    args = arguments()
    score(args) if args.score else write(args)

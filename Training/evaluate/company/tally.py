#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Counts what readers said of sheets, and how far they agree.

    python3 Training/evaluate/company/tally.py SHEETS READER READER ... [--who SET/WHO.txt] [--plot OUT.svg]

READER is a file with a line for each reply: `SHEET LINE F`, `SHEET LINE P`, or `SHEET LINE N kind`; of pairs `SHEET LINE A`, `B` or `=`.
Prints F, P and N by system, kind of life and rung, what was wrong with the N, and for two readers their agreement and Cohen's kappa.
"""
import argparse
import collections
import json
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
from report import escape  # noqa: E402

COLOURS = {"F": "#3b8f5a", "P": "#c9b458", "N": "#b4554d"}


def read(path, key):
    """{(sheet, line): (judgement, kind)}"""
    found = {}
    for number, text in enumerate(path.read_text().splitlines(), 1):
        words = text.split(maxsplit=3)
        if not words:
            continue
        if len(words) < 3 or words[0] not in key or not words[1].isdigit() or words[2] not in ("F", "P", "N", "A", "B", "="):
            raise SystemExit(f"{path}:{number}: {text!r}")
        found[words[0], int(words[1])] = words[2], words[3] if len(words) > 3 else ""
    return found


def kappa(one, other):
    """(share of agreement, Cohen's kappa, how many both judged)"""
    both = sorted(one.keys() & other.keys())
    if not both:
        return None
    agreed = sum(one[k][0] == other[k][0] for k in both) / len(both)
    counts = [collections.Counter(reader[k][0] for k in both) for reader in (one, other)]
    chance = sum(counts[0][letter] * counts[1][letter] for letter in counts[0]) / len(both) ** 2
    return agreed, (agreed - chance) / (1 - chance) if chance < 1 else 1.0, len(both)


def shares(counter):
    total = sum(counter.values())
    return [100 * counter[letter] / total for letter in "FPN"]


def table(title, counters):
    print(f"\n| {title} | judgements | F | P | N |\n|---|--:|--:|--:|--:|")
    for name, counter in sorted(counters.items(), key=lambda item: -sum(item[1].values())):
        print(f"| {name} | {sum(counter.values())} | " + " | ".join(f"{x:.1f}" for x in shares(counter)) + " |")


def plot(counters):
    height, left, width = 22, 220, 420
    out = [f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {left + width + 20} {len(counters) * height + 48}" '
           'font-family="sans-serif" font-size="12" role="img"><title>How replies were judged</title>'
           "<style>text{fill:#333}.in{fill:#fff}@media(prefers-color-scheme:dark){text{fill:#ddd}}</style>",
           f'<text x="{left}" y="16">fits, partly, not: share of replies in percent</text>']
    for row, (name, counter) in enumerate(counters.items()):
        y, x = 26 + row * height, left
        out.append(f'<text x="{left - 8}" y="{y + 13}" text-anchor="end">{escape(name)}</text>')
        for letter, share in zip("FPN", shares(counter)):
            w = share * width / 100
            out.append(f'<rect x="{x:.1f}" y="{y}" width="{w:.1f}" height="{height - 5}" fill="{COLOURS[letter]}"/>')
            if w > 22:
                out.append(f'<text class="in" x="{x + w / 2:.1f}" y="{y + 13}" text-anchor="middle">{share:.0f}</text>')
            x += w
    return "\n".join(out + ["</svg>"]) + "\n"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("sheets", type=pathlib.Path)
    parser.add_argument("readers", type=pathlib.Path, nargs="+")
    parser.add_argument("--who", type=pathlib.Path, action="append", default=[], help="NN kind, for each conversation of a set")
    parser.add_argument("--plot", type=pathlib.Path)
    args = parser.parse_args()
    key = json.loads((args.sheets / "key.json").read_text())
    readers = [read(path, key) for path in args.readers]
    who = {f"{path.parent.name}-{line.split()[0]}": line.split()[1] for path in args.who for line in path.read_text().splitlines() if line.strip()}
    systems, kinds, rungs, faults = (collections.defaultdict(collections.Counter) for _ in range(4))
    chosen = collections.defaultdict(collections.Counter)
    for reader in readers:
        for (sheet, line), (letter, kind) in reader.items():
            fact = key[sheet]
            if letter in "AB=":
                names = (fact["A"], fact["B"])
                chosen[" or ".join(sorted(names))]["neither" if letter == "=" else fact[letter]] += 1
                continue
            system = fact["system"]
            systems[system][letter] += 1
            kinds[f"{system}, {who.get(fact['conversation'], 'any')}"][letter] += 1
            rungs[f"{system}, {fact['rungs'][line - 1]}"][letter] += 1
            if letter == "N":
                faults[system][kind or "untold"] += 1
    for names, counter in chosen.items():
        print(f"{names}: " + ", ".join(f"{name} {count}" for name, count in counter.most_common()))
    if systems:
        table("system", systems)
        if who:
            table("kind of life", kinds)
        table("who answered", rungs)
        for system, counter in faults.items():
            print(f"\nN of {system}: " + ", ".join(f"{kind} {count}" for kind, count in counter.most_common(10)))
        if args.plot:
            args.plot.write_text(plot(dict(sorted(systems.items(), key=lambda item: -shares(item[1])[0]))))
    for i, one in enumerate(readers):
        for j in range(i):
            if found := kappa(readers[j], one):
                print(f"\n{args.readers[j].name} and {args.readers[i].name} agree on {found[0]:.0%} of {found[2]}, kappa {found[1]:.2f}")


if __name__ == "__main__":
    main()

#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""How a model's flag of danger and the small classifier add up: the weights of `FlagWeight.swift`, and what they find.

    python3 Training/evaluate/flag_weight.py BASE.gguf ADAPTER.gguf NANO.gguf

A logistic regression on the logarithms of the odds of both, one for all models, fitted on `danger/held_out` with its conversations, the development sets
and openings of the validation part; `danger_blind` and `danger_lines` are only measured.
"""
import json
import math
import pathlib
import random
import sys

import numpy as np

import danger_nets
import probes as probing
from lib import corpus, prompt, told, weights
from lib.detector import Networks, Rules
from lib.words import words

ROOT = danger_nets.ROOT
CONVERSATIONS = ("told", "told_2", "told_3", "told_4", "ordinary", "ordinary_2", "ordinary_3", "ordinary_4")
PROBES = [name for name in probing.SETS if name != "test"]
FITTED = ("held out", *PROBES, "validation", *CONVERSATIONS)
LEAST_SIGN, LEAST = 0.02, 1e-4
KINDS = {"+": "danger", "-": "near", "o": "ordinary", "dangers": "danger", "near_misses": "near", "ordinary": "ordinary"}


def lines():
    """(set, kind, line, the lines before it)."""
    for name in ("danger_blind", "danger_lines"):
        for kind, some in json.loads((ROOT / f"Tests/PetCompanionTests/Fixtures/{name}.json").read_text()).items():
            for line in some:
                before = [] if isinstance(line, str) else line["before"]
                yield name, KINDS[kind], line if isinstance(line, str) else line["line"], before if isinstance(before, list) else [before]
    for path in sorted((ROOT / "Training/danger/held_out").glob("*.txt")):
        for line in path.read_text().splitlines():
            if line[:2] in ("+ ", "- ", "o "):
                turns = line[2:].split(" | ")
                yield "held out", KINDS[line[0]], turns[-1], turns[:-1]
    folder = ROOT / "Training/danger/held_out/conversations"
    for path in sorted(folder.glob("told*.txt")):
        plus, minus = told.told(path)
        for _, before, own, _ in plus:
            yield path.stem, "danger", own[-1], before + own[:-1]
        for _, turns in minus:
            yield path.stem, "near", turns[-1], turns[:-1]
    for path in sorted(folder.glob("ordinary*.txt")):
        for own in told.conversations(path):
            for i, line in enumerate(own):
                yield path.stem, "ordinary", line, own[:i]
    for name in PROBES:
        for probe in probing.load(name):
            kind = {"safety": "danger", "near_misses": "near"}.get(probe["category"], "ordinary")
            yield name, kind, probe["turns"][-1], probe["turns"][:-1]
    calm = [c for c in corpus.split()["validation"] if not c["source"].endswith(("safety", "near"))]
    for conversation in random.Random(3).sample(calm, 700):
        yield "validation", "ordinary", conversation["turns"][0][0], []


def odds(likelihood):
    bounded = min(max(likelihood, LEAST), 1 - LEAST)
    return math.log(bounded / (1 - bounded))


def fitted(rows):
    x = np.array([[1, odds(row["classifier"]), odds(row[model])] for row in rows for model in ("pet", "nano")])
    y = np.array([float(row["kind"] == "danger") for row in rows for _ in range(2)])
    found = np.zeros(3)
    for _ in range(50):
        p = 1 / (1 + np.exp(-x @ found))
        found += np.linalg.solve((x * (p * (1 - p))[:, None]).T @ x + 1e-6 * np.eye(3), x.T @ (y - p))
    return found


def main(base, adapter, nano):
    rules, classifier, rows = Rules(prompt.PROMPTS / "safety.json"), Networks(), []
    for name, kind, line, before in lines():
        own = words(line)
        if not own:
            continue
        match = rules.match(own)
        both = float(classifier.scores(own, words(" . ".join(before[-2:]))).sum())
        sign = match or max(both, float(classifier.scores(own, ()).sum())) > LEAST_SIGN
        rows.append({"set": name, "kind": kind, "line": line, "classifier": both, "sign": bool(sign), "hint": bool(match), "rule": bool(match and match[1])})
    asked = [row for row in rows if row["sign"]]
    for model, files in (("nano", (nano,)), ("pet", (base, adapter))):
        for row, flag in zip(asked, danger_nets.flags_of([row["line"] for row in asked], *files)):
            row[model] = flag
    bias, of_classifier, of_flag = weight = fitted([row for row in asked if row["set"] in FITTED and not row["rule"]])
    print(f"bias {bias:.3f}, of the classifier {of_classifier:.3f}, of the flag {of_flag:.3f}")
    groups = {}
    for row in rows:
        groups.setdefault(f"{row['set']}: {row['kind']}", []).append(row)
    print("| alarm where | " + " | ".join(groups) + " |\n|---|" + "--:|" * len(groups))

    def show(name, alarms):
        print(f"| {name} | " + " | ".join(f"{sum(map(bool, map(alarms, some))) / len(some):.1%}" for some in groups.values()) + " |")

    def without_flag(row):
        return row["rule"] or row["classifier"] > danger_nets.ALONE

    show("rules and classifier say so", without_flag)
    for model in ("pet", "nano"):
        for threshold in (0.3, 0.35, 0.4, 0.45, 0.5):
            least = odds(threshold)
            show(f"they do, or both with {model}, above {threshold}", lambda row: without_flag(row) or row["sign"] and (
                bias + of_classifier * odds(row["classifier"]) + of_flag * odds(row[model]) > least))


if __name__ == "__main__":
    if len(sys.argv) != 4:
        sys.exit(__doc__)
    main(*sys.argv[1:])

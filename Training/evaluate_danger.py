# SPDX-License-Identifier: Apache-2.0
"""How many dangers the detector finds and how often it alarms for nothing: rules alone, classifier alone, both.

    python evaluate_danger.py [MODEL.bin] [--show rules|missed|alarms] [--fresh]
"""
import argparse
import json
import pathlib
import random

import numpy as np

from lib import corpus, danger, prompt
from lib.detector import Classifier, Rules
from lib.words import words
from train_danger import load

ROOT = pathlib.Path(__file__).resolve().parent.parent
THRESHOLDS = {"alone": 0.6, "hinted": 0.4}  # of SafetyProfile.adult


def judged(rows, rules, classifier):
    """[(certain, hinted, likelihood, kind, line, pattern)]"""
    out = []
    for before, line, kind in rows:
        own = words(line)
        match = rules.match(own)
        p = float(classifier.scores(own, words(before)).sum())
        out.append((bool(match and match[1]), bool(match), p, kind, line, match and match[2]))
    return out


def rate(rows, test, danger):
    chosen = [r for r in rows if (r[3] >= 0) == danger]
    return sum(map(test, chosen)) / max(1, len(chosen))


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("model", nargs="?", default=str(ROOT / "Models" / "danger-v5.bin"))
    parser.add_argument("--show"); parser.add_argument("--fresh", action="store_true")
    parser.add_argument("--ordinary", type=int, default=2000)
    a = parser.parse_args()
    rules, classifier = Rules(prompt.PROMPTS / "safety.json"), Classifier(pathlib.Path(a.model))
    train, held, extra, lines, _ = load()
    ordinary = random.Random(1).sample(lines["validation"] + lines["test"], a.ordinary)
    sets = {"held out": judged(held, rules, classifier), "ordinary": judged(ordinary, rules, classifier)}
    if a.fresh:
        own = json.loads((ROOT / "Tests/PetCompanionTests/Fixtures/danger_lines.json").read_text())
        sets["fresh"] = judged(
            [("", t, 0) for t in own["dangers"]] + [("", t, -1) for t in own["near_misses"]], rules, classifier)
    t = THRESHOLDS
    nets = {"rules": lambda r: r[0], "classifier": lambda r: r[2] > t["alone"],
            "both": lambda r: r[0] or r[2] > (t["hinted"] if r[1] else t["alone"])}
    for alone, hinted in [(0.5, 0.35), (0.7, 0.35), (0.7, 0.5), (0.8, 0.4), (0.8, 0.5), (0.9, 0.5), (0.9, 0.6), (0.95, 0.7)]:
        t.update(alone=alone, hinted=hinted)
        for net, test in nets.items():
            print(f"{alone} {hinted} {net:10}", "; ".join(
                f"{name}: dangers {rate(rows, test, True):.3f}, others {rate(rows, test, False):.4f}" for name, rows in sets.items()))
    if a.show:
        for name, rows in sets.items():
            for r in rows:
                if a.show == "rules" and r[0] and r[3] < 0:
                    print(name, "|", r[4], "|", r[5])
                if a.show == "missed" and r[3] >= 0 and not nets["both"](r) and name != "held out":
                    print(name, r[2], r[1], "|", r[4])


if __name__ == "__main__":
    main()

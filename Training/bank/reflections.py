#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""How often what a pet says to a statement fits, by from when on it says the person's own words back (`Reflection.rightness`).

    python3 Training/bank/reflections.py

`reflections.jsonl`: 390 openings of the validation part that tell something of a person of whom nothing is known, with nano-v6's and pet-v4's
own replies, the closest of the bank and the person's words said back (with a line for how they feel, where the classifier of
intents hears it), in an order that told nothing. Six readers, each of a part, marked which fit, by the brief of `openings.py`, and which one they
as the person would like best.
"""
import json
import math
import pathlib

HERE = pathlib.Path(__file__).resolve().parent
# As in export_nano.py and export_pet.py; BankPolicy.swift.
TRUST = {"nano": (7.0, 3.2), "pet": (7.7, 6.9)}
MARGIN, OFFERED = 0.05, 0.2
FELT = 0.15


def logistic(x):
    return 1 / (1 + math.exp(-x))


def said(item, model, rightness, weights):
    """Which of its candidates is said."""
    by = {one["from"]: one for one in item["shown"]}
    own, back = by[model], by["back"]
    even, scale = TRUST[model]
    offers = [(rightness + FELT * bool(back.get("feels")), back)] if rightness else []
    if "bank" in by and not (rightness and back.get("feels")):
        close = logistic(sum(w * x for w, x in zip(weights, [1.0, *by["bank"]["features"]])))
        offers += [(close, by["bank"])] if close >= OFFERED else []
    likelihood, best = max(offers, key=lambda offer: offer[0], default=(0, None))
    return best if likelihood > logistic((even - own["surprise"]) / scale) + MARGIN else own


def main():
    items = [json.loads(line) for line in open(HERE / "reflections.jsonl")]
    weights = [w / 1000 for w in json.loads((HERE / "calibration.json").read_text())["weights"]]
    for kind in ("nano", "pet", "bank", "back"):
        shown = [one for item in items for one in item["shown"] if one["from"] == kind]
        print(f"{kind:5} {len(shown)} replies, {sum(one['fits'] for one in shown) / len(shown):.1%} fit,"
              f" {sum(one['liked'] for one in shown) / len(shown):.1%} liked best")
    for model in TRUST:
        asked = [item for item in items if any(one["from"] == model and "surprise" in one for one in item["shown"])]
        for rightness in (0, 0.3, 0.35, 0.4, 0.45, 0.5, 0.6):
            replies = [said(item, model, rightness, weights) for item in asked]
            share = {kind: sum(one["from"] == kind for one in replies) / len(replies) for kind in ("back", "bank")}
            print(f"{model:5} {len(replies)}, rightness {rightness:.2f}: {sum(one['fits'] for one in replies) / len(replies):.1%} fit,"
                  f" {sum(one['liked'] for one in replies) / len(replies):.1%} liked best; said back {share['back']:.0%}, by the bank {share['bank']:.0%}")


if __name__ == "__main__":
    main()

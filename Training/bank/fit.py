#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""From openings that readers judged to `calibration.json`: weights of the score, from where on the bank answers by itself, and how right
a model is at a surprise (`pet.surprise_even`, `pet.surprise_scale` in export_nano.py and export_pet.py).

    python3 Training/bank/fit.py

Two logistic regressions; what is printed comes from folds that were not fitted.
"""
import json
import math
import pathlib

import numpy

HERE = pathlib.Path(__file__).resolve().parent
# Of the features of lookup.features: what is shared never harms, what is missing never helps.
SIGNS = numpy.array([0, 1, 1, 1, -1, -1, -1, -1])
FOLDS, HOLD = 5, 1.0
# Of replies that are said whatever a model could say: as right as those to the same words were by an older calibration.
PRECISION = 0.85
# As in BankPolicy.swift.
MARGIN, OFFERED = 0.05, 0.2


def fitted(x, y, signs=None):
    """Newton's method, held a little towards 0; weights of the wrong sign are 0 and the others fitted without them."""
    used = numpy.ones(x.shape[1], dtype=bool)
    while True:
        weights, own = numpy.zeros(x.shape[1]), x[:, used]
        hold = HOLD * (numpy.arange(x.shape[1]) > 0)[used] + 1e-6
        for _ in range(30):
            p = 1 / (1 + numpy.exp(-own @ weights[used]))
            gradient = own.T @ (y - p) - hold * weights[used]
            weights[used] += numpy.linalg.solve((own * (p * (1 - p))[:, None]).T @ own + numpy.diag(hold), gradient)
        wrong = used & (signs * weights < 0) if signs is not None else ~used
        if not wrong.any():
            return weights
        used &= ~wrong


def probability(x, weights):
    return 1 / (1 + numpy.exp(-x @ weights))


def area(score, right):
    """Under the ROC curve."""
    rank = numpy.empty(len(score))
    rank[numpy.argsort(score)] = numpy.arange(1, len(score) + 1)
    ones = right.sum()
    return (rank[right > 0].sum() - ones * (ones + 1) / 2) / ones / (len(right) - ones)


def designs(openings):
    """((opening, features), right) of the bank's replies and of the model's."""
    bank = [(number, [1.0, *one["features"]], one["right"]) for number, item in enumerate(openings) for one in item["bank"]]
    model = [(number, [1.0, item["model"]["surprise"]], item["model"]["right"]) for number, item in enumerate(openings) if "model" in item]
    return [tuple(numpy.array(column, dtype=float) for column in zip(*rows)) for rows in (bank, model)]


def held_out(of, x, right, signs=None):
    found = numpy.zeros(len(right))
    for fold in range(FOLDS):
        own = of % FOLDS == fold
        found[own] = probability(x[own], fitted(x[~own], right[~own], signs))
    return found


def least(of, close, right, same):
    """From which closeness on the closest reply to the same words is right as often as that."""
    for threshold in numpy.arange(0.5, 1, 0.01):
        best = {}
        for number in numpy.argsort(close):
            if same[number] and close[number] >= threshold:
                best[of[number]] = right[number]
        if best and numpy.mean([*best.values()]) >= PRECISION:
            print(f"answers from {threshold:.2f}: {len(best)} openings, {numpy.mean([*best.values()]):.1%} right")
            return threshold
    raise SystemExit("no closeness is precise enough")


def compare(bank, model):
    """How often what is said is right, by who says it; ((opening, probability, right)) of each."""
    best = {}
    for of, p, right in sorted(zip(*bank), key=lambda row: row[1]):
        best[of] = (p, right)
    own = {of: (p, right) for of, p, right in zip(*model)}
    print(f"{len(own)} openings: the model's own reply is right in {numpy.mean([r for _, r in own.values()]):.1%},",
          f"the closest of the bank in {numpy.mean([best.get(of, own[of])[1] for of in own]):.1%};")
    for margin in (-0.05, 0, 0.05, 0.1, 0.2):
        said = [best[of] if of in best and best[of][0] > own[of][0] + margin else own[of] for of in own]
        share = numpy.mean([of in best and best[of][0] > own[of][0] + margin for of in own])
        print(f"  the bank's where it is likelier right by {margin:5.2f}: {numpy.mean([r for _, r in said]):.1%}, of which the bank says {share:.0%}")


def mildness(close, right):
    """How much milder than those of the calibration readers are, in the logarithm of odds: {closeness, right} of what both judged."""
    shift, odds = 0.0, numpy.log(close / (1 - close))
    for _ in range(30):
        p = 1 / (1 + numpy.exp(-odds - shift))
        shift += (right - p).sum() / (p * (1 - p)).sum()
    return shift


def beside(name, weights):
    """How right a model is at a surprise, by readers who saw its reply and the closest of the bank alone, with their mildness taken out."""
    openings = [json.loads(line) for line in open(HERE / name)]
    both = [item for item in openings if item["bank"] and "model" in item and not item["knows"]]
    surprise = numpy.array([[1.0, item["model"]["surprise"]] for item in both])
    own, bank = (numpy.array(some, dtype=float) for some in zip(*((item["model"]["right"], item["bank"][0]["right"]) for item in both)))
    close = probability(numpy.array([[1.0, *item["bank"][0]["features"]] for item in both]), weights)
    fold, said = numpy.arange(len(both)) % FOLDS, numpy.zeros(len(both), dtype=bool)
    # The last time all are fitted, and none is told.
    for test in [*range(FOLDS), -1]:
        rest = fold != test
        even, slope = fitted(surprise[rest], own[rest])
        even -= mildness(close[rest], bank[rest])
        trusted = probability(surprise, numpy.array([even, slope]))
        said = numpy.where(fold == test, (close > trusted + MARGIN) & (close >= OFFERED), said)
    print(f"{name}: {len(both)} openings where nothing is known; the model's own reply is right in {own.mean():.1%}, the closest of the bank in",
          f"{bank.mean():.1%}, one of them in {numpy.maximum(own, bank).mean():.1%}, what is said in {numpy.where(said, bank, own).mean():.1%},",
          f"of which the bank says {said.mean():.0%}; area {area(-surprise[:, 1], own):.3f},",
          f"readers milder by {mildness(close, bank):.2f}; even at {-even / slope:.2f} nats, scale {-1 / slope:.2f}")


if __name__ == "__main__":
    openings = [json.loads(line) for line in open(HERE / "openings.jsonl")]
    (of, x, right), (whose, surprise, fits) = designs(openings)
    close, trust = held_out(of, x, right, SIGNS), held_out(whose, surprise, fits)
    print(f"{len(right)} replies of the bank, {right.mean():.1%} right, area {area(close, right):.3f};",
          f"{len(fits)} of the model, area {area(trust, fits):.3f}")
    compare((of, close, right), (whose, trust, fits))
    answer = least(of, close, right, [one["same"] for item in openings for one in item["bank"]])
    weights, (even, slope) = fitted(x, right, SIGNS), fitted(surprise, fits)
    print("weights", numpy.round(weights, 2), f"surprise: even at {-even / slope:.2f} nats, scale {-1 / slope:.2f}")
    knots = [[round(1000 * z), round(1000 / (1 + math.exp(-z)))] for z in numpy.arange(-4, 4.25, 0.5)]
    (HERE / "calibration.json").write_text(json.dumps({
        "weights": [round(1000 * w) for w in weights.tolist()], "answer": round(1000 * answer), "curve": knots}) + "\n")
    beside("openings-pet-v4.jsonl", weights)

#!/usr/bin/env python3
"""From pairs that a reader judged to `calibration.json`: weights of the score, and from where on the bank answers by itself.

    python3 Training/bank/measure.py Models/bank-v2.bin --part validation --pairs Training/bank/judged.json
    # then "right": true or false in each pair: does the reply answer what was said, in that pet's mouth and state?
    python3 Training/bank/fit.py

A logistic regression drawn towards plain weights, as there are few pairs; what is printed comes from folds that were not fitted.
"""
import json
import math
import pathlib

import numpy

HERE = pathlib.Path(__file__).resolve().parent
# What each feature of lookup.features is worth before anything is read: the first stands alone.
PLAIN = numpy.array([-4.0, 4.0, 2.0, 2.0, -0.5, -0.5, -1.0, -0.5])
HOLD, FOLDS, PRECISION = 4.0, 8, 0.9
MARGIN = 0.8  # the least closeness of an answer, as few pairs are judged


def fitted(x, y):
    weights = PLAIN.copy()
    for _ in range(30):
        p = 1 / (1 + numpy.exp(-x @ weights))
        gradient = x.T @ (y - p) - HOLD * (weights - PLAIN) * (numpy.arange(len(weights)) > 0)
        hessian = (x * (p * (1 - p))[:, None]).T @ x + HOLD * numpy.diag((numpy.arange(len(weights)) > 0) + 1e-3)
        weights = weights + numpy.linalg.solve(hessian, gradient)
    # What is missing never helps, what is shared never harms.
    signs = numpy.sign(PLAIN)
    return numpy.where((signs * weights < 0) & (numpy.arange(len(weights)) > 0), 0, weights)


if __name__ == "__main__":
    everything = json.loads((HERE / "judged.json").read_text())
    pairs = [pair for pair in everything if pair.get("right") is not None]
    x = numpy.array([[1.0, *pair["features"]] for pair in pairs])
    y = numpy.array([float(pair["right"]) for pair in pairs])
    held = numpy.zeros(len(pairs))
    for fold in range(FOLDS):
        own = numpy.arange(len(pairs)) % FOLDS == fold
        held[own] = x[own] @ fitted(x[~own], y[~own])
    order = numpy.argsort(-held)
    right = numpy.cumsum(y[order]) / numpy.arange(1, len(pairs) + 1)
    print(f"{len(pairs)} pairs judged of {len(everything)}, {y.mean():.0%} right; held out:")
    for share in (0.05, 0.1, 0.15, 0.2, 0.25, 0.3, 0.4, 0.5, 0.75, 1):
        n = max(1, round(share * len(everything)))
        if n <= len(pairs):
            print(f"  the closest {share:4.0%} ({n}): {right[n - 1]:.1%} right, closeness {1 / (1 + math.exp(-held[order[n - 1]])):.3f}")
    # The most that keep the precision: not a lucky few at the top.
    enough = [n for n in range(10, len(pairs) + 1) if right[n - 1] >= PRECISION]
    if not enough:
        raise SystemExit("no threshold keeps the precision")
    n = max(enough)
    answer = 1 / (1 + math.exp(-held[order[n - 1]]))
    print(f"answers from {answer:.3f}: {n} of {len(everything)}, {right[n - 1]:.1%} right")
    weights = fitted(x, y)
    print("weights", numpy.round(weights, 2))
    knots = [[round(1000 * z), round(1000 / (1 + math.exp(-z)))] for z in numpy.arange(-4, 4.25, 0.5)]
    (HERE / "calibration.json").write_text(json.dumps({
        "weights": [round(1000 * w) for w in weights.tolist()], "answer": math.ceil(1000 * max(answer, MARGIN)),
        "curve": knots}) + "\n")

# SPDX-License-Identifier: Apache-2.0
"""Trains the classifier of parent stress: Models/parent-stress/parent-stress.gguf.

    Rscript Training/classifiers/stress_export.R FOLDER
    python3 Training/classifiers/train_stress.py FOLDER Models/parent-stress/parent-stress.gguf
    Rscript Training/classifiers/stress_reference.R FOLDER Tests/PetClassifiersTests/Stress/stress.json

Needs numpy, scipy and gguf. FOLDER also gets what the reference in R compares with.

One model for every set of signals. A score is linear in 65 signals, and a level is a range of it with normal noise
(ordered probit). The signals are taken for jointly normal, so that those not given have an expectation and a variance,
which widens the noise. Means and covariance by EM, as the questionnaire had several forms. Little and Rubin (2002),
Statistical Analysis with Missing Data, 11.2; McCullagh (1980), Regression models for ordinal data.
"""
import argparse
import collections
import csv
import json
import pathlib

import gguf
import numpy as np
from scipy.special import ndtr

# The state anxiety form asks these ten and ten. What it asks is no signal: it would be its own proof.
ANXIOUS = "tense regretful upset worrying anxious nervous jittery high.strung worried rattled".split()
CALM = "calm secure at.ease rested comfortable confident relaxed content joyful pleasant".split()
LEVELS = ["low", "moderate", "high"]
LOW_TIER = "tired sleepy irritable frustrated distressed energetic happy lonely".split()
MEDIUM_COUNT = 24
RIDGE = 30.0
FOLDS = 5


def read(path):
    with open(path, newline="") as file:
        return list(csv.DictReader(file))


def load(folder):
    """Signals (n x 65, NaN where not asked), score of state anxiety, person, study, occasion; names of the signals."""
    key = lambda row: (row["study"], row["time"], row["id"])
    number = lambda text: np.nan if text == "NA" else float(text)
    anxiety, mood = read(folder / "sai.csv"), read(folder / "msqR.csv")
    # A key given twice says not which rows belong together.
    seen = collections.Counter(map(key, anxiety)), collections.Counter(map(key, mood))
    scores = {}
    for row in anxiety:
        high, low = ([number(row[name]) for name in names] for names in (ANXIOUS, CALM))
        if seen[0][key(row)] == 1 and np.isfinite(high + low).sum() >= 18:
            scores[key(row)] = np.nanmean(high) - np.nanmean(low)
    rows = [row for row in mood if seen[1][key(row)] == 1 and key(row) in scores]
    names = [name for name in list(mood[0])[:75] if name not in ANXIOUS + CALM]
    values = np.array([[number(row[name]) for name in names] for row in rows])
    # Hardly a form has all 65 words; one with less than half of them was given up.
    answered = np.isfinite(values).sum(axis=1) >= len(names) // 2
    rows, values = [row for row, kept in zip(rows, answered) if kept], values[answered]
    return values, np.array([scores[key(row)] for row in rows]), [key(row) for row in rows], names


def patterns(values):
    """Each pattern of missing values with the rows that have it."""
    missing, which = np.unique(np.isnan(values), axis=0, return_inverse=True)
    return [(pattern, np.flatnonzero(which.ravel() == i)) for i, pattern in enumerate(missing)]


def expect(values, mean, covariance):
    """The values with the missing ones as expected given the others, and the sum of what is uncertain of them."""
    filled, rest = values.copy(), np.zeros_like(covariance)
    for missing, rows in patterns(values):
        given = ~missing
        slope = np.linalg.solve(covariance[np.ix_(given, given)], covariance[np.ix_(given, missing)])
        filled[np.ix_(rows, missing)] = mean[missing] + (values[np.ix_(rows, given)] - mean[given]) @ slope
        left = covariance[np.ix_(missing, missing)] - covariance[np.ix_(missing, given)] @ slope
        rest[np.ix_(missing, missing)] += len(rows) * left
    return filled, rest


def moments(values, rounds=25):
    """Mean and covariance by expectation and maximization."""
    mean = np.nanmean(values, axis=0)
    start = np.where(np.isnan(values), mean, values)
    covariance = np.cov(start.T) + 1e-3 * np.eye(len(mean))
    for _ in range(rounds):
        filled, rest = expect(values, mean, covariance)
        mean = filled.mean(axis=0)
        covariance = ((filled - mean).T @ (filled - mean) + rest) / len(values)
    return mean, covariance


def density(z):
    return np.exp(-z * z / 2) / np.sqrt(2 * np.pi)


def ordered_probit(signals, level, ridge=RIDGE):
    """Weights and the two thresholds of the score, by Newton's method with the outer product for a Hessian (BHHH)."""
    mean, deviation = signals.mean(axis=0), signals.std(axis=0)
    z, (rows, count) = (signals - mean) / deviation, signals.shape
    weights, thresholds = np.zeros(count), np.array([-0.43, 0.43])
    penalty = np.r_[np.full(count, ridge), 0, 0]
    for _ in range(200):
        score = z @ weights
        above = np.r_[thresholds, np.inf][level] - score
        below = np.r_[-np.inf, thresholds][level] - score
        probability = np.maximum(ndtr(above) - ndtr(below), 1e-12)
        slopes = np.empty((rows, count + 2))
        slopes[:, :count] = ((density(below) - density(above)) / probability)[:, None] * z
        for k in (0, 1):
            slopes[:, count + k] = ((level == k) * density(above) - (level == k + 1) * density(below)) / probability
        gradient = slopes.sum(axis=0) - penalty * np.r_[weights, thresholds]
        step = np.linalg.solve(slopes.T @ slopes + np.diag(penalty), gradient)
        weights, thresholds = weights + step[:count], thresholds + step[count:]
        if np.abs(step).max() < 1e-9:
            break
    else:
        raise RuntimeError("the fit did not converge")
    return weights / deviation, thresholds + mean @ (weights / deviation)


class Model:
    def __init__(self, values, level):
        self.mean, self.covariance = moments(values)
        filled, _ = expect(values, self.mean, self.covariance)
        self.weights, self.thresholds = ordered_probit(filled, level)

    def rounded(self):
        """To four places: the same file whatever order a machine adds in."""
        for name in ("mean", "covariance", "weights", "thresholds"):
            setattr(self, name, np.round(getattr(self, name), 4).astype(np.float32))
        self.covariance = np.tril(self.covariance) + np.tril(self.covariance, -1).T
        np.linalg.cholesky(self.covariance.astype(float))
        return self

    def settled(self, columns):
        """Variance of the score that these signals settle."""
        shared = (self.covariance @ self.weights)[columns]
        return shared @ np.linalg.solve(self.covariance[np.ix_(columns, columns)], shared)

    def medium_tier(self, columns, count=MEDIUM_COUNT):
        """The signals given and those which, one after the other, settle most of what is left."""
        columns = list(columns)
        while len(columns) < count:
            others = [i for i in range(len(self.mean)) if i not in columns]
            columns.append(max(others, key=lambda i: self.settled(columns + [i])))
        return columns

    def probabilities(self, values, columns):
        """Of the levels, from these columns alone (n x 3)."""
        seen = np.full_like(values, np.nan)
        seen[:, columns] = values[:, columns]
        shared = self.covariance @ self.weights
        result = np.empty((len(values), 3))
        for missing, rows in patterns(seen):
            given = ~missing
            effect = np.linalg.solve(self.covariance[np.ix_(given, given)], shared[given])
            score = self.mean @ self.weights + (values[np.ix_(rows, given)] - self.mean[given]) @ effect
            deviation = np.sqrt(1 + max(self.weights @ shared - effect @ shared[given], 0))
            below = ndtr((self.thresholds[None] - score[:, None]) / deviation)
            result[rows] = np.diff(np.c_[np.zeros(len(rows)), below, np.ones(len(rows))])
        return result


def calibration_error(probabilities, level):
    """Mean distance of what was said from what was, in ten bins of each level's probability."""
    total = 0.0
    for k in range(3):
        bins = np.minimum((probabilities[:, k] * 10).astype(int), 9)
        for b in np.unique(bins):
            here = bins == b
            total += here.mean() * abs((level[here] == k).mean() - probabilities[here, k].mean())
    return total / 3


def figures(probabilities, level):
    said = probabilities.argmax(axis=1)
    recall = [float((said[level == k] == k).mean()) for k in range(3)]
    return {
        "rows": len(level),
        "accuracy": float((said == level).mean()),
        "balanced_accuracy": float(np.mean(recall)),
        "recall": recall,
        "low_for_high_or_high_for_low": float((np.abs(said - level) == 2).mean()),
        "log_loss": float(-np.log(probabilities[np.arange(len(level)), level]).mean()),
        "calibration_error": calibration_error(probabilities, level),
    }


def cross_validate(values, level, groups, fold_of, names, random):
    """Probabilities of each row from a model that saw nothing of its group, for each tier."""
    low = [names.index(name) for name in LOW_TIER]
    result = {tier: np.empty((len(level), 3)) for tier in ("high", "medium", "low", "random 5")}
    for fold in np.unique(fold_of):
        held = fold_of == fold
        assert not set(groups[held]) & set(groups[~held])
        model = Model(values[~held], level[~held])
        result["high"][held] = model.probabilities(values[held], list(range(len(names))))
        result["medium"][held] = model.probabilities(values[held], model.medium_tier(low))
        result["low"][held] = model.probabilities(values[held], low)
        for row in np.flatnonzero(held):
            asked = np.flatnonzero(~np.isnan(values[row]))
            result["random 5"][row] = model.probabilities(values[[row]], random.choice(asked, 5, replace=False))
    return result


def person_folds(persons, random):
    order = sorted(set(persons))
    random.shuffle(order)
    fold = {person: i % FOLDS for i, person in enumerate(order)}
    return np.array([fold[person] for person in persons])


def write(path, model, names, medium, card):
    plain = lambda name: name.replace(".", "_")
    definition = {
        "version": 1,
        "signals": [plain(name) for name in names],
        "scale": ["not at all", "a little", "moderately", "very much"],
        "levels": LEVELS,
        "tiers": {"medium": sorted(plain(names[i]) for i in medium), "low": sorted(map(plain, LOW_TIER))},
        "measure": sorted(map(plain, ANXIOUS + CALM)),
        "card": card,
    }
    writer = gguf.GGUFWriter(path, "pet-stress")
    writer.add_name("parent-stress")
    writer.add_string("stress.definition", json.dumps(definition, separators=(",", ":")))
    writer.add_tensor("signal.mean", model.mean)
    writer.add_tensor("signal.covariance", model.covariance)
    writer.add_tensor("score.weight", model.weights)
    writer.add_tensor("level.threshold", model.thresholds)
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()


def card(rows, persons, measured):
    by_person, by_study = measured["held-out persons"], measured["held-out studies"]
    percent = lambda tier, of=by_person: f"{100 * of[tier]['accuracy']:.1f} %"
    swapped = lambda tier: f"{100 * by_person[tier]['low_for_high_or_high_for_low']:.1f} %"
    return {
        "data": f"psychTools 2.2.9 (GPL-2+), tables msqR and sai: {rows} questionnaires of {persons} participants in "
        "laboratory studies at Northwestern University, 1991 to 1999, each filled in at one sitting; some after "
        "caffeine or a film.",
        "training": "Ordered probit on 65 mood words, jointly normal. The levels are thirds of state anxiety, asked at "
        "the same sitting by a form of twenty other words; those of them that are mood words too are not used.",
        "figures": f"Right for persons not trained on, chance {percent('chance')}: {percent('high')} with 65 signals, "
        f"{percent('medium')} with 24, {percent('low')} with 8, {percent('random 5')} with any 5. Studies not trained "
        f"on: {percent('high', by_study)}, {percent('medium', by_study)}, {percent('low', by_study)}. Low said for "
        f"high or high for low: {swapped('high')} with 65 signals, {swapped('low')} with 8.",
        "limits": "No diagnosis and no measure of health. It was trained on participants in laboratory studies, not on "
        "parents: on how they said they felt at one moment, and with thirds of their state anxiety in place of stress. "
        "It knows nothing of sleep, steps, heart rate, voice, face, time of day or how an app is used, nor how moods "
        "change over days.",
    }


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("out", type=pathlib.Path)
    arguments = parser.parse_args()

    values, score, keys, names = load(arguments.folder)
    level = np.digitize(score, np.quantile(score, [1 / 3, 2 / 3]))
    persons, studies = np.array([f"{study} {id}" for study, _, id in keys]), np.array([study for study, _, _ in keys])
    first = np.array([time == "1" for _, time, _ in keys])
    random = np.random.default_rng(1)
    folds = person_folds(persons, random)

    measured = {}
    for name, groups, fold_of in (("held-out persons", persons, folds), ("held-out studies", studies, studies)):
        held_out = cross_validate(values, level, groups, fold_of, names, random)
        measured[name] = {tier: figures(p, level) for tier, p in held_out.items()}
        measured[name]["chance"] = {"accuracy": float(np.bincount(level).max() / len(level))}
        if groups is persons:
            low = held_out["low"]
            measured["first sittings of held-out persons"] = {
                tier: figures(p[first], level[first]) for tier, p in held_out.items()}
    print(json.dumps(measured, indent=1))

    model = Model(values, level).rounded()
    medium = model.medium_tier([names.index(name) for name in LOW_TIER])
    write(arguments.out, model, names, medium, card(len(level), len(set(persons)), measured))

    # For the reference in R.
    filled, _ = expect(values, model.mean.astype(float), model.covariance.astype(float))
    np.savetxt(arguments.folder / "filled.csv", filled, delimiter=",", header=",".join(names), comments="", fmt="%.6f")
    np.savetxt(arguments.folder / "covariance.csv", model.covariance, delimiter=",", fmt="%.4f")
    with open(arguments.folder / "signals.csv", "w", newline="") as file:
        rows = csv.writer(file)
        rows.writerow(["name", "mean", "weight", "medium", "low"])
        for i, name in enumerate(names):
            numbers = [f"{model.mean[i]:.4f}", f"{model.weights[i]:.4f}"]
            rows.writerow([name, *numbers, int(i in medium), int(name in LOW_TIER)])
    with open(arguments.folder / "rows.csv", "w", newline="") as file:
        rows = csv.writer(file)
        rows.writerow(["study", "time", "id", "level", "fold"] + LEVELS)
        for i, key in enumerate(keys):
            rows.writerow([*key, level[i], folds[i], *(f"{p:.6f}" for p in low[i])])
    np.savetxt(arguments.folder / "thresholds.csv", model.thresholds, fmt="%.4f")


main()

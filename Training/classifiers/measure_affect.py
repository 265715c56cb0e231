# SPDX-License-Identifier: Apache-2.0
"""Measures vocal affect on acted voices, and what a trained model would do there.

Data: the voice packs of the game Hedgewars (Debian package hedgewars-data 1.0.2, GFDL-1.3 and GPL-2): 13 cartoon voices in six
languages, each speaking up to 60 lines for events of the game. The label of a line is its event's (`LABELS`): what the line is for,
not how anybody heard it. Acted, shouted and short: no sample of ordinary speech. Nothing is trained for use.

usage: measure_affect.py --games DIR --pet .build/release/pet
"""

import argparse
import collections
import json
import math
import pathlib
import subprocess
import tempfile

import numpy as np
import soundfile
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import balanced_accuracy_score, confusion_matrix, roc_auc_score
from sklearn.model_selection import LeaveOneGroupOut

CLASSES = ["calm", "happy", "sad", "angry", "fearful", "neutral"]
LABELS = {
    "calm": "Boring Hmm Yessir",
    "happy": "Amazing Brilliant Excellent Flawless Victory Laugh",
    "sad": "Ohdear Bugger Drat Missed Oops Solong",
    "angry": "Revenge Traitor Stupid Nutter Youllregretthat Justyouwait Illgetyou Gonnagetyou Cutitout Watchit "
    "Leavemealone Coward Comeonthen",
    "fearful": "Uh-oh Runaway Nooo Takecover Incoming Whatthe",
    "neutral": "Reinforcements Hello Byebye Thisoneismine Firstblood Enemydown Watchthis",
}
EXCITED = ["happy", "angry", "fearful"]
PLEASANT = ["happy", "calm"]
# No voices of people, or not speaking.
LEFT_OUT = {"Robot", "Singer"}
MEASURES = [
    "pitch", "pitch_range", "pitch_movement", "energy_spread", "rate", "voiced_part", "centroid", "tilt", "harmonicity",
    "jitter", "shimmer",
]  # fmt: skip


def lines(folder, scratch):
    label_of = {line: label for label, some in LABELS.items() for line in some.split()}
    for path in sorted(pathlib.Path(folder).rglob("*.ogg")):
        if path.stem in label_of and path.parent.name not in LEFT_OUT:
            wave = pathlib.Path(scratch) / f"{path.parent.name}-{path.stem}.wav"
            soundfile.write(wave, *soundfile.read(path), subtype="PCM_16")
            yield str(wave), path.parent.name, label_of[path.stem]


def judged(rows, pet):
    """The answers to those rows in which speech was found, with voice and label."""
    answers = {}
    for start in range(0, len(rows), 200):
        paths = [path for path, _, _ in rows[start : start + 200]]
        command = [pet, "classify", "affect", "--quality", "high", "--json", *paths]
        # It ends with 3 where a file is refused; that one has no result.
        output = subprocess.run(command, capture_output=True, text=True).stdout
        told = [json.loads(line) for line in output.splitlines()]
        answers |= {line["path"]: line["result"]["affect"] for line in told if "affect" in (line["result"] or {})}
    return [(answers[path], voice, label) for path, voice, label in rows if path in answers]


def trained(answers, wanted, voices):
    """Scores for each voice by a logistic regression that has not heard it."""
    table = np.array([[answer["prosody"].get(name, math.nan) for name in MEASURES] for answer in answers])
    table[:, 0] = 12 * np.log2(table[:, 0] / 100)
    scores = np.zeros(len(wanted))
    for train, test in LeaveOneGroupOut().split(table, wanted, voices):
        mean, scale = np.nanmean(table[train], axis=0), np.nanstd(table[train], axis=0)
        inputs = np.nan_to_num(np.clip((table - mean) / scale, -3, 3))
        model = LogisticRegression(C=0.01, class_weight="balanced").fit(inputs[train], wanted[train])
        scores[test] = model.decision_function(inputs[test])
    return scores


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--games", required=True)
    parser.add_argument("--pet", required=True)
    arguments = parser.parse_args()

    with tempfile.TemporaryDirectory() as scratch:
        rows = list(lines(arguments.games, scratch))
        found = judged(rows, arguments.pet)
    answers = [answer for answer, _, _ in found]
    voices = np.array([voice for _, voice, _ in found])
    labels = np.array([label for _, _, label in found])
    guesses = np.array([answer["label"] for answer in answers])
    print(f"{len(rows)} lines, {len(found)} with enough voice, {len(set(voices))} voices: {collections.Counter(labels.tolist())}")
    confidence = np.array([answer["confidence"] for answer in answers])
    print(f"label: right {(labels == guesses).mean():.3f}, said to be {confidence.mean():.3f}, at most {confidence.max():.3f}")
    print(f"label: balanced accuracy {balanced_accuracy_score(labels, guesses):.3f}, chance {1 / len(CLASSES):.3f}")
    print(confusion_matrix(labels, guesses, labels=CLASSES))
    sides = labels != "neutral"
    for name, positive in (("arousal", EXCITED), ("valence", PLEASANT)):
        wanted = np.isin(labels, positive)[sides]
        ours = np.array([answer[name] for answer in answers])[sides]
        theirs = trained([answer for answer, side in zip(answers, sides) if side], wanted, voices[sides])
        print(f"{name}: AUC {roc_auc_score(wanted, ours):.3f}, trained on the other voices {roc_auc_score(wanted, theirs):.3f}")


if __name__ == "__main__":
    main()

# SPDX-License-Identifier: Apache-2.0
"""Scores of the danger classifier for 500 lines, as the Python code sees them: danger_scores.json."""
import json
import pathlib
import random
import sys

ROOT = pathlib.Path(__file__).resolve().parents[3]
sys.path.insert(0, str(ROOT / "Training"))
from lib import danger  # noqa: E402
from lib.detector import Networks  # noqa: E402
from lib.words import words  # noqa: E402

classifier = Networks()
chance = random.Random(5)
cases = chance.sample(danger.cases()["validation"], 500)
goldens = []
for number, (turns, _) in enumerate(cases):
    before, line = " . ".join(turns[-3:-1]), turns[-1]
    if number % 5 == 0:
        line = chance.choice(["Héy — ", "s u i c i d e: ", "k1ll… ", "NOOOO!!! ", "won’t? ", "🙂 Ｗｈｙ? "]) + line
    own = words(line)
    if len(own) > 48:
        own = words(line := turns[-1][:80])
    closely = number % 2 == 0
    tells, follows = ([round(float(p), 7) for p in part] for part in classifier.likelihoods(own, words(before), closely))
    goldens.append({"before": before, "line": line, "words": own, "closely": closely, "scores": tells[1:], "follows": follows})
pathlib.Path(__file__).with_name("danger_scores.json").write_text(json.dumps(goldens, ensure_ascii=False, indent=1) + "\n")

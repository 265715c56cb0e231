# SPDX-License-Identifier: Apache-2.0
"""Likelihoods of the classifier of intents for 300 lines, as the Python code sees them: intent_scores.json."""
import json
import pathlib
import random
import sys

ROOT = pathlib.Path(__file__).resolve().parents[3]
sys.path.insert(0, str(ROOT / "Training"))
from lib import intents  # noqa: E402
from lib.detector import Classifier  # noqa: E402
from lib.words import MAXIMUM, words  # noqa: E402

classifier = Classifier(ROOT / "Models" / "intents-v2.bin")
cases = [turns for turns, _ in intents.cases()["validation"] if 0 < len(words(turns[-1])) <= MAXIMUM]
goldens = []
for turns in random.Random(5).sample(cases, 300):
    before = turns[-3:-1]
    scores = classifier.scores(words(turns[-1]), words(" . ".join(before)))
    goldens.append({"before": before, "line": turns[-1], "scores": [round(float(p), 7) for p in scores]})
pathlib.Path(__file__).with_name("intent_scores.json").write_text(json.dumps(goldens, ensure_ascii=False, indent=1) + "\n")

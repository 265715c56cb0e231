# SPDX-License-Identifier: Apache-2.0
"""Likelihoods of what answers 200 questions, as the Python code sees them: answer_scores.json; and what the reader says of the first 60 of them."""
import json
import math
import pathlib
import random
import sys

import numpy as np

ROOT = pathlib.Path(__file__).resolve().parents[3]
sys.path.insert(0, str(ROOT / "Training"))
from lib import encoder, recall  # noqa: E402
from lib.detector import Classifier  # noqa: E402
from lib.words import words  # noqa: E402

network = Classifier(ROOT / "Models" / "recall-v2.bin")
places = np.cumsum(recall.OUTPUTS)[:-1]
reader, pieces = encoder.stored(ROOT / "Models" / "recall-reader-v1.gguf")
goldens = []
for facts, lines, question, _ in random.Random(5).sample(recall.held_out(), 200):
    asked, weights, vector, _, _ = np.split(network.outputs(words(question), words(" . ".join(lines[-2:]))), places)
    logits = list(asked)
    for statement, back in recall.statements(facts, lines):
        _, _, _, told, bias = np.split(network.outputs(words(statement)), places)
        logits.append(vector @ told / math.sqrt(recall.SIZE) + weights @ recall.shared(question, statement, back) + bias[0])
    powers = np.exp(np.array(logits) - max(logits))
    read = {}
    if len(goldens) < 60:
        outputs = encoder.outputs(reader, [("", line) for line in [question, *facts, *lines]], pieces)
        vectors = outputs[:, 2:] / np.linalg.norm(outputs[:, 2:], axis=1, keepdims=True)
        read = {"own": [round(float(x), 5) for x in outputs[0, :2]], "near": [round(float(x), 5) for x in vectors[1:] @ vectors[0]]}
    goldens.append(read | {"facts": facts, "lines": lines, "question": question, "scores": [round(float(p), 7) for p in powers / powers.sum()]})
pathlib.Path(__file__).with_name("answer_scores.json").write_text(json.dumps(goldens, ensure_ascii=False, indent=1) + "\n")

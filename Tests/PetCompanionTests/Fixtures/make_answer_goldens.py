# SPDX-License-Identifier: Apache-2.0
"""What the reader says of 60 questions and how near each statement is to them, as the Python code computes it: answer_scores.json."""
import json
import pathlib
import random
import sys

import numpy as np

ROOT = pathlib.Path(__file__).resolve().parents[3]
sys.path.insert(0, str(ROOT / "Training"))
from lib import encoder, recall  # noqa: E402

reader, pieces = encoder.stored(ROOT / "Models" / "recall-reader-v2.gguf")
goldens = []
for facts, lines, question, _ in random.Random(5).sample(recall.held_out(), 200)[:60]:
    outputs = encoder.outputs(reader, [("", line) for line in [question, *facts, *lines]], pieces)
    vectors = outputs[:, 2:] / np.linalg.norm(outputs[:, 2:], axis=1, keepdims=True)
    goldens.append({"own": [round(float(x), 5) for x in outputs[0, :2]], "near": [round(float(x), 5) for x in vectors[1:] @ vectors[0]],
                    "facts": facts, "lines": lines, "question": question})
pathlib.Path(__file__).with_name("answer_scores.json").write_text(json.dumps(goldens, ensure_ascii=False, indent=1) + "\n")

# SPDX-License-Identifier: Apache-2.0
"""How likely 60 lines wish something forgotten or not spoken of, as the Python code sees them: wish_scores.json."""
import json
import pathlib
import random
import sys

import numpy as np

ROOT = pathlib.Path(__file__).resolve().parents[3]
sys.path.insert(0, str(ROOT / "Training"))
import train_wishes  # noqa: E402
from lib import encoder  # noqa: E402

rows = np.fromfile(ROOT / "Models" / "wishes-v2.bin", "<f4").reshape(3, -1)
lines = [line for _, line in train_wishes.cases(sorted((train_wishes.ROOT / "held_out").glob("*.txt")))]
lines = random.Random(7).sample(lines, 60)
logits = train_wishes.outputs(encoder.stored(ROOT / "Models" / "recall-reader-v2.gguf"), lines).numpy() @ rows[:, 1:].T + rows[:, 0]
powers = np.exp(logits - logits.max(1, keepdims=True))
found = powers / powers.sum(1, keepdims=True)
pathlib.Path(__file__).with_name("wish_scores.json").write_text(
    json.dumps([{"line": line, "likelihoods": [round(float(p), 5) for p in row]} for line, row in zip(lines, found)], ensure_ascii=False, indent=1) + "\n")

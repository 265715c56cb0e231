# SPDX-License-Identifier: Apache-2.0
"""How likely 96 lines go on from danger in each way, as the Python code sees them: dialogue_act_scores.json."""
import json
import pathlib
import random
import sys

import numpy as np

ROOT = pathlib.Path(__file__).resolve().parents[3]
sys.path.insert(0, str(ROOT / "Training"))
import train_dialogue_acts as acts  # noqa: E402
from lib import encoder  # noqa: E402

rows = np.fromfile(ROOT / "Models" / "dialogue-acts-v1.bin", "<f4").reshape(len(acts.ACTS), -1)
cases = random.Random(7).sample(acts.cases(sorted((acts.ROOT / "held_out").glob("*.txt"))), 96)
logits = acts.outputs(encoder.stored(ROOT / "Models" / "recall-reader-v2.gguf"), [line for *_, line in cases]).numpy() @ rows[:, 1:].T + rows[:, 0]
powers = np.exp(logits - logits.max(1, keepdims=True))
found = powers / powers.sum(1, keepdims=True)
pathlib.Path(__file__).with_name("dialogue_act_scores.json").write_text(json.dumps(
    [{"line": line, "act": acts.ACTS[act], "likelihoods": [round(float(p), 5) for p in row]} for (_, act, line), row in zip(cases, found)],
    ensure_ascii=False, indent=1) + "\n")

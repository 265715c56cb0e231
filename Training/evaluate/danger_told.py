#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What rules and the classifier find in the conversations of danger/held_out/conversations, each line behind the two before it.

    python3 Training/evaluate/danger_told.py [MODEL.bin]
"""
import pathlib
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "Training"))
from lib import danger, prompt, told, word_classifier  # noqa: E402
from lib.detector import Rules  # noqa: E402
from lib.words import words  # noqa: E402

ALONE, HINTED = 0.6, 0.4  # SafetyProfile.adult


def main(path):
    model, vocabulary = word_classifier.stored(path, 1 + len(danger.KINDS))
    rules = Rules(prompt.PROMPTS / "safety.json")

    def alarms(cases):
        """How many of [(turns, the first that is judged)] have an alarm."""
        rows = [(word_classifier.context(turns[:i]), turns[i], 0) for turns, first in cases for i in range(first, len(turns))]
        likely = iter(1 - word_classifier.scores(model, rows, vocabulary)[:, 0])
        count = 0
        for turns, first in cases:
            found = False
            for line in turns[first:]:
                match, p = rules.match(words(line)), next(likely)
                found = found or bool(match and match[1]) or p > (HINTED if match else ALONE)
            count += found
        return f"{count} of {len(cases)}, {count / len(cases):.2%}"

    folder = ROOT / "Training" / "danger" / "held_out" / "conversations"
    print("| | dangers found | near dangers alarmed | ordinary lines alarmed |\n|---|--:|--:|--:|")
    for name in ("", "_2"):
        plus, minus = told.told(folder / f"told{name}.txt")
        ordinary = [(own[:i + 1], i) for own in told.conversations(folder / f"ordinary{name}.txt") for i in range(len(own))]
        parts = [alarms([(before + turns, len(before)) for _, before, turns, _ in plus]), alarms([(turns, 0) for _, turns in minus]), alarms(ordinary)]
        print(f"| `told{name}`, `ordinary{name}` | {' | '.join(parts)} |")


if __name__ == "__main__":
    main(sys.argv[1] if len(sys.argv) > 1 else str(ROOT / "Models" / "danger-v5.bin"))

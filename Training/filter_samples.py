#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Keeps of the replies of sample_pet.py those that are worth learning from.

    python3 Training/filter_samples.py SAMPLES.jsonl KEPT.jsonl

In form, sure (the half or so that the model found likeliest: read side by side, those answer far more often), of 2 to 16
words, without going round, no echo of the person's line, and no reply more than five times. Prints why others went.
"""
import collections
import json
import pathlib
import sys

from lib import corpus, prompt

LEAST_SURE = -0.8  # nats per token
WORDS = range(2, 17)
MOST_ALIKE = 0.6  # shared words of line and reply, of all
MOST_TIMES = 5


def fault(row, seen):
    user, written = row["turns"][-1]
    text, _, marks = written.rpartition(" {")
    parts = marks.rstrip("}").split("; ")
    actions = parts[1].split(", ") if len(parts) > 1 else []
    if not marks.endswith("}") or parts[0] not in prompt.FORMAT["emotions"] or not set(actions) <= set(prompt.FORMAT["actions"]):
        return "form"
    if any(flag in written for flag in prompt.FORMAT["flags"].values()):
        return "flag"
    if row["confidence"] < LEAST_SURE:
        return "unsure"
    words = corpus.normalized(text).split()
    if len(words) not in WORDS:
        return "length"
    triples = list(zip(words, words[1:], words[2:]))
    if len(set(triples)) < len(triples):
        return "goes round"
    own, said = set(words), set(corpus.normalized(user).split())
    if len(own & said) > MOST_ALIKE * len(own | said) and len(own) > 2:
        return "echo"
    seen[text] += 1
    return "said often" if seen[text] > MOST_TIMES else None


if __name__ == "__main__":
    source, kept = map(pathlib.Path, sys.argv[1:])
    faults, seen = collections.Counter(), collections.Counter()
    with kept.open("w") as out:
        for line in source.open():
            row = json.loads(line)
            why = fault(row, seen)
            faults[why or "kept"] += 1
            if why is None:
                out.write(json.dumps({"header": row["header"], "turns": row["turns"]}) + "\n")
    print(dict(faults.most_common()))

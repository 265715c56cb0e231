#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""How many dangers the nets find together, and how often they alarm for nothing: rules, classifier, the flag of a pet model.

    python3 Training/evaluate/danger_nets.py BASE.gguf ADAPTER.gguf
    python3 Training/evaluate/danger_nets.py NANO.gguf

On the lines of Tests/PetCompanionTests/Fixtures that need none before them, which nothing is trained on, and on openings of the validation part without its files about danger.
"""
import json
import pathlib
import random
import sys

import torch

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "Training"))
from lib import batches, corpus, flags, nano, prompt, weights  # noqa: E402
from lib.detector import Networks, Rules  # noqa: E402
from lib.words import words  # noqa: E402

ALONE = 0.75  # SafetyProfile.adult


def sets(chance):
    found = {}
    for name in ("danger_blind", "danger_lines"):
        for part, lines in json.loads((ROOT / f"Tests/PetCompanionTests/Fixtures/{name}.json").read_text()).items():
            found[f"{name[7:]}: {part}"] = [
                line if isinstance(line, str) else line["line"] for line in lines
                if isinstance(line, str) or not line["before"]]
    calm = [c for c in corpus.split()["validation"] if not c["source"].endswith(("safety", "near"))]
    return found | {"validation": [c["turns"][0][0] for c in chance.sample(calm, 700)]}


@torch.no_grad()
def flagged(model, lines, encode, template, tokens, chance):
    """How likely a flag is as the first token of a reply to each line."""
    samples = []
    for line in lines:
        asked = {"pet": chance.choice(list(prompt.FORMAT["pets"])), "hunger": 30, "energy": 60, "mood": 65, "mem": [],
                 "turns": [[line, None]]}
        ids = [i for text, _ in prompt.pieces(asked, template) for i in encode(text)]
        samples.append((ids, [-100] * (len(ids) - 1) + [0]))
    result = []
    for start in range(0, len(samples), 24):
        ids, labels = batches.pad(samples[start:start + 24])
        result += flags.scores(model, ids, labels, tokens)[0].exp().sum(-1).tolist()
    return result


def flags_of(lines, base, adapter=None):
    """As `flagged`, of the model in a file, perhaps with a delta."""
    model = weights.read_model(base)
    if model.shape.architecture == "phi3":
        template, encode = "phi3", nano.tokenizer()
        tokens = flags.tokens(encode.flag)
    else:
        tokenizer = weights.read_tokenizer(base)
        template, encode = "chatml", lambda text: tokenizer.encode(text).ids
        tokens = flags.tokens(encode)
    if adapter:
        model.add_delta(24, 32, 6)
        model.load_state_dict(weights.read_delta(adapter), strict=False)
    return flagged(model, lines, encode, template, tokens, random.Random(3))


def main(base, adapter=None):
    rules = Rules(prompt.PROMPTS / "safety.json")
    classifier = Networks()
    found, judged = sets(random.Random(3)), {}
    flag_of = iter(flags_of([line for lines in found.values() for line in lines], base, adapter))
    for name, lines in found.items():
        judged[name] = []
        for line, flag in zip(lines, flag_of):
            own = words(line)
            match = rules.match(own)
            judged[name].append((flag, float(classifier.scores(own, ()).sum()) if own else 0.0, match and match[1], match))
    print("| alarm where | " + " | ".join(judged) + " |\n|---|" + "--:|" * len(judged))

    def row(name, alarms):
        print(f"| {name} | " + " | ".join(f"{sum(map(bool, map(alarms, rows))) / len(rows):.1%}" for rows in judged.values()) + " |")

    def suspected(r):
        return r[1] > ALONE

    row("a rule is certain", lambda r: r[2])
    row("rules and classifier say so", lambda r: r[2] or suspected(r))
    for at in (0.2, 0.3, 0.5):
        row(f"the flag is above {at}", lambda r: r[0] > at)
        row(f"either, with {at}", lambda r: r[2] or suspected(r) or r[0] > at)


if __name__ == "__main__":
    if len(sys.argv) not in (2, 3):
        sys.exit(__doc__)
    main(*sys.argv[1:])

# SPDX-License-Identifier: Apache-2.0
"""Trains the small classifier that knows what is not to be left to a small language model: Models/intents-v2.bin.

    python train_intents.py START.pt OUT.bin [--passes 10] [--seed 1]

START.pt and START.lines.npz are what train_words.py wrote; the network is lib/word_classifier.py. Data: intents/, and lines of corpus/ (train) and danger/ as
others. Of those some are of a kind after all: a larger network, which sees how SmolLM2 reads a line and has learned the lines of intents/, says how
likely each is to be (knowledge distillation, arXiv:1503.02531).
"""
import argparse
import pathlib
import random

import numpy as np
import torch
import torch.nn as nn
import torch.nn.functional as F

from lib import corpus, danger, intents, word_classifier
from lib.word_classifier import begin, changed, context, scores
from lib.words import words

LABEL = {name: i for i, name in enumerate(intents.LABELS)}
CLASSES = ("none", *intents.KINDS)
KINDS = LABEL[intents.KINDS[0]]  # the first label that is a kind
ALLOWED = torch.tensor([[kind in intents.ALLOWED[label] for kind in CLASSES] for label in intents.LABELS])
# Files of corpus/ in which limits are asked for; in the others what sounds like one is hardly ever.
OF_LIMITS = ("identity", "odd", "safety", "contrast")
UNFINISHED = {"the", "a", "an", "my", "because", "and", "your", "his", "i", "if", "or", "that", "very", "we", "with"}
ROWS = ("qwertyuiop", "asdfghjkl", "zxcvbnm")


def load():
    parts = intents.cases()
    train, held = ([(context(t[:-1]), t[-1], LABEL[k]) for t, k in parts[name]] for name in ("train", "validation"))
    lines = {
        name: [(context([u for u, _ in own["turns"][:i]]), own["turns"][i][0], own["source"].endswith(OF_LIMITS))
               for own in part for i in range(len(own["turns"]))]
        for name, part in corpus.split().items()}
    lines["train"] += [(context(t[:-1]), t[-1], False) for t, _ in danger.cases()["train"]]
    return train, held, lines


def teach(kept, train, held):
    """{line: [classes]}, how likely each is."""
    file = np.load(kept)
    place = {line: i for i, line in enumerate(file["lines"])}
    states = torch.tensor(file["components"], dtype=torch.float32)
    teacher = nn.Sequential(nn.Dropout(0.2), nn.Linear(states.shape[1], 512), nn.GELU(), nn.Dropout(0.4), nn.Linear(512, len(CLASSES)))
    opt = torch.optim.AdamW(teacher.parameters(), 1e-3, weight_decay=0.02)
    own = [(place[line], label) for _, line, label in train]
    rows, labels = (torch.tensor(x) for x in zip(*own))
    for _ in range(20):
        for part in torch.randperm(len(rows)).split(128):
            loss = loss_of(teacher(states[rows[part]]), labels[part]).mean()
            opt.zero_grad(); loss.backward(); opt.step()
    teacher.eval()
    with torch.no_grad():
        p = F.softmax(teacher(states), -1)
    print("the larger one:")
    table(p[[place[line] for _, line, _ in held]].numpy(), [label for _, _, label in held], 0.6)
    return {line: p[i] for line, i in place.items()}


def broken(line, chance):
    """The line up to a word that cannot be its last; None where it has none."""
    all = line.split()
    ends = [i for i, word in enumerate(all) if i > 2 and word.lower().strip(",") in UNFINISHED and i < len(all) - 1]
    return " ".join(all[:chance.choice(ends) + 1]) + chance.choice(["", "", "", "...", " -"]) if ends else None


def mash(chance):
    """As hands or a cat write it."""
    found = []
    for _ in range(chance.randrange(1, 5)):
        row = chance.choice(ROWS) if chance.random() < 0.7 else "".join(ROWS)
        if chance.random() < 0.3:
            row = row[chance.randrange(len(row) - 2):][:3]
        found.append("".join(chance.choice(row) for _ in range(chance.randrange(3, 12))))
    return " ".join(found)


def epoch(train, ordinary, chance, count):
    """Batches of (before, line, label), or what the larger network says in the place of the label."""
    rows = []
    whole = {LABEL["cut"], LABEL["noise"], LABEL["code"]}
    for before, line, label in 2 * train:
        if not before and chance.random() < 0.35:
            other = chance.choice(ordinary)
            before = context([other[0], other[1]] if chance.random() < 0.5 and other[0] else [other[1]])
        elif before and chance.random() < 0.05 and label == LABEL[intents.NO_LIMIT]:
            before = ""
        if label not in whole and chance.random() < 0.08:
            line = f"{chance.choice(ordinary)[1]}. {line}"
        rows.append((before, line if label in whole else changed(line, chance), label))
    for before, line, likely in chance.sample(ordinary, count):
        rows.append((before if chance.random() < 0.7 else "", changed(line, chance), likely))
    for before, line, _ in chance.sample(ordinary, count // 16):
        if cut := broken(line, chance):
            rows.append((before, cut, LABEL["cut"]))
    rows += [("", mash(chance), LABEL["noise"]) for _ in range(count // 100)]
    return word_classifier.batches(rows, chance)


def target(labels):
    """[lines, classes]: what is right, or how likely; and whether any of what is right will do."""
    hard = torch.tensor([not torch.is_tensor(label) for label in labels])
    return torch.stack([label if torch.is_tensor(label) else ALLOWED[label].float() for label in labels]), hard


def loss(logits, labels):
    wanted, hard = target(labels)
    logp = F.log_softmax(logits, -1)
    some = -torch.logsumexp(logp + wanted.clamp(min=1e-30).log(), -1)
    return torch.where(hard, some, -(wanted * logp).sum(-1))


def loss_of(logits, labels):
    logp = F.log_softmax(logits, -1).masked_fill(~ALLOWED[labels], -torch.inf)
    return -torch.logsumexp(logp, -1)


def right(p, labels, threshold):
    """Per label: (how many, of them called by a kind that is right, called by one that is wrong)."""
    found = {}
    for row, label in zip(p, labels):
        best = 1 + int(row[1:].argmax())
        said = best if row[best] > threshold else 0
        n, good, bad = found.get(label, (0, 0, 0))
        ok = bool(ALLOWED[label][said])
        found[label] = (n + 1, good + (ok and said > 0), bad + (not ok and said > 0))
    return found


def table(p, labels, threshold):
    for label, (n, good, bad) in sorted(right(p, labels, threshold).items()):
        print(f"  {intents.LABELS[label]:16} {n:4}: right {good / n:.3f}, wrong {bad / n:.3f}")


def report(held):
    labels = [label for _, _, label in held]

    def of(number, loss, p):
        all = [v for label, v in right(p, labels, 0.6).items() if label >= KINDS]
        near = [v for label, v in right(p, labels, 0.6).items() if label < KINDS]
        n, good, bad = map(sum, zip(*all))
        print(f"pass {number}: loss {loss:.3f}, right {good / n:.3f}, another kind {bad / n:.3f}, near misses "
              f"{sum(v[2] for v in near) / sum(v[0] for v in near):.3f}", flush=True)
    return of


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("start", type=pathlib.Path); parser.add_argument("out")
    parser.add_argument("--passes", type=int, default=10)
    parser.add_argument("--ordinary", type=int, default=30000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--rate", type=float, default=2e-3)
    a = parser.parse_args()
    torch.manual_seed(a.seed); torch.set_num_threads(1)
    chance = random.Random(a.seed)
    train, held, lines = load()
    likely = teach(a.start.with_suffix(".lines.npz"), train, held)
    other = torch.tensor([kind not in intents.LIMITS for kind in CLASSES])
    ordinary = [
        (before, line, likely[line] if limits else F.normalize((likely[line] + 1e-6) * other, p=1, dim=0))
        for before, line, limits in lines["train"]]
    print(len(train), "lines of intents/,", len(ordinary), "others", flush=True)
    model, vocabulary = begin(a.start, len(CLASSES))
    steps = a.passes * ((2 * len(train) + a.ordinary + a.ordinary // 16 + a.ordinary // 100 + 127) // 128)
    show = report(held)
    word_classifier.train(
        model, lambda: epoch(train, ordinary, chance, a.ordinary), word_classifier.of_lines(model, vocabulary, loss, chance),
        lambda number, total: show(number, total, scores(model, held, vocabulary)), a.passes, steps, a.rate)
    word_classifier.save(model, vocabulary, a.out)
    chosen = [(before, line, 0) for before, line, limits in lines["validation"] if not limits]
    ordinary = scores(model, chosen, vocabulary)[:, 1:1 + len(intents.LIMITS)].max(-1)
    parts = {"validation part": held, "held out": [(context(t[:-1]), t[-1], LABEL[k]) for t, k in intents.held_out()]}
    for name, rows in parts.items():
        p = scores(model, rows, vocabulary)
        for threshold in (0.5, 0.6, 0.7, 0.8):
            print(f"{name}, 8 bits, above {threshold}; limits found in other files of corpus/: {np.mean(ordinary > threshold):.4f}")
            table(p, [label for _, _, label in rows], threshold)


if __name__ == "__main__":
    main()

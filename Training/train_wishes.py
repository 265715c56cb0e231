# SPDX-License-Identifier: Apache-2.0
"""Trains what finds a wish to forget, or never to speak of something, in words that no rule reads: Models/wishes-v2.bin.

    python train_wishes.py ../Models/recall-reader-v2.gguf OUT.bin

A logistic regression on what the reader of train_recall_reader.py makes of a line. Data: wishes/ (`wishes/README.md`), and the lines of recall/people: those
marked W ask for it, all others and the questions for nothing of the kind; wishes/held_out is by another writer. Sources/PetCompanion/Answers/WishClassifier.swift computes the same.
"""
import argparse
import re

import numpy as np
import torch
import torch.nn.functional as F

from lib import corpus, encoder, recall

ROOT = corpus.ROOT / "wishes"
CLASSES = "NFH"
# Lines that ask for it among those of made-up people.
ASKING = re.compile(r"forget|mention|bring .*up|erase|delete|wipe|never (talk|speak|said)|pretend|unsaid|scrap that", re.I)


def cases(paths):
    """[(class, line)]; what was told before is left out."""
    found = []
    for path in paths:
        for row in path.read_text().splitlines():
            if row[:2] in ("F ", "H ", "N "):
                found.append((CLASSES.index(row[0]), row[2:].split("||")[-1].strip()))
    return found


# What is not to be spoken of, among wishes of made-up people.
KEEPS_QUIET = re.compile(r"mention|bring|talk|say|speak|tell|word|ask|mouth|lips|quiet|hear|silen|whisper|between us|yourself|tongue|mum\\b|raise|repeat|remind|subject|topic|secret|breathe|utter", re.I)


def outputs(files, lines):
    model, pieces = files
    return torch.tensor(encoder.outputs(model, [("", line) for line in lines], pieces))


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("reader"); parser.add_argument("out")
    parser.add_argument("--decay", type=float, default=2e-3)
    a = parser.parse_args()
    torch.manual_seed(1)
    files = encoder.stored(a.reader)
    train = cases(sorted(ROOT.glob("*.txt")))
    calm = [line for own in recall.typed("L")["train"] for line in own if not ASKING.search(line)]
    train += [(0, line) for line in calm]
    wished, asked = ({part: sum(own, []) for part, own in recall.typed(mark).items()} for mark in "WQ")
    train += [(1 + bool(KEEPS_QUIET.search(line)), line) for line in wished["train"]] + [(0, line) for line in asked["train"]]
    held = cases(sorted((ROOT / "held_out").glob("*.txt")))
    others = [(1 + bool(KEEPS_QUIET.search(line)), line) for line in wished["validation"]]
    people = [line for own in recall.typed("L")["validation"] for line in own if not ASKING.search(line)]
    x, y = outputs(files, [line for _, line in train]), torch.tensor([kind for kind, _ in train])
    scale = x.std()
    weights, bias = torch.zeros(3, x.shape[1], requires_grad=True), torch.zeros(3, requires_grad=True)
    opt = torch.optim.LBFGS([weights, bias], max_iter=300, line_search_fn="strong_wolfe")

    def loss():
        opt.zero_grad()
        value = F.cross_entropy(x / scale @ weights.T + bias, y) + a.decay * weights.square().sum()
        value.backward()
        return value
    opt.step(loss)
    rows = torch.cat([bias[:, None], weights / scale], 1).detach()
    for name, lines in (("held out", held), ("wishes of people", others), ("questions of people", [(0, line) for line in asked["validation"]]), ("lines of people", [(0, line) for line in people])):
        p = F.softmax(outputs(files, [line for _, line in lines]) @ rows[:, 1:].T + rows[:, 0], -1).numpy()
        kinds = np.array([kind for kind, _ in lines])
        for least in (0.4, 0.5, 0.6, 0.7, 0.8):
            asks = p[:, 0] < 1 - least
            right = p[:, 1:].argmax(1) + 1 == kinds
            print(f"{name}, above {least}: " + (f"{asks[kinds > 0].mean():.3f} of {np.sum(kinds > 0)} wishes found, {right[(kinds > 0) & asks].mean():.3f} of them of their kind; " if kinds.any() else "")
                  + f"{asks[kinds == 0].sum()} of {np.sum(kinds == 0)} others", flush=True)
        for i in np.argsort(p[:, 0] * np.where(kinds > 0, -1, 1))[:12]:
            print("   ", CLASSES[kinds[i]], f"{1 - p[i, 0]:.2f}", lines[i][1])
    rows.numpy().astype("<f4").tofile(a.out)


if __name__ == "__main__":
    main()

# SPDX-License-Identifier: Apache-2.0
"""Trains the small classifier of danger that reads a line before any model is asked: Models/danger-v5.bin.

    python train_danger.py START OUT.bin [--passes 10] [--seed 1]

START is what train_words.py wrote, or an earlier classifier, whose training goes on; the network is lib/word_classifier.py. Data: danger/, the lines of corpus/ (train) that were answered as
an emergency, and other lines of corpus/, intents/ and of the long threads of many lives as ordinary ones, behind what came before them.
"""
import argparse
import random
import re

import numpy as np
import torch
import torch.nn.functional as F

from lib import corpus, danger, intents, threads, word_classifier
from lib.word_classifier import begin, changed, context, scores
from lib.words import words

ANY = danger.ANY
STRONG = re.compile(
    r"emergency|crisis|988|999|911|112|116 123|help ?line|ambulance|poison|police|trusted (?:adult|grown)"
    r"|(?:grown-?up|adult) you trust|someone you trust")


def load():
    parts = danger.cases()
    train = [(context(t[:-1]), t[-1], k) for t, k in parts["train"]]
    held = [(context(t[:-1]), t[-1], k) for t, k in parts["validation"]]
    split, lines, ordinary, extra = corpus.split(), {}, {}, []
    for name, part in split.items():
        lines[name] = []
        for own in part:
            serious = False
            for i, (user, reply) in enumerate(own["turns"]):
                before = context([u for u, _ in own["turns"][:i]])
                if danger.SERIOUS.search(reply[0].lower()):
                    # Of "yes" and "sometimes" only what came before tells danger.
                    if STRONG.search(reply[0].lower()) and name == "train" and len(words(user)) > 3:
                        extra.append((before, user, ANY))
                    serious = True
                elif not serious:
                    lines[name].append((before, user, -1))
    told = {}
    for name, part in threads.split().items():
        told[name] = []
        for own in part:
            for i, (user, reply) in enumerate(own["turns"]):
                # What a friend answers with a number to call, and what follows it, is not ordinary.
                if STRONG.search(text_of(reply).lower()):
                    break
                told[name].append((context([u for u, _ in own["turns"][:i]]), user, -1))
    # Who asks for cruel things may be in danger.
    lines["train"] += [(context(t[:-1]), t[-1], -1) for t, label in intents.cases()["train"] if label != "improper"]
    return train, held, extra, lines, told


def text_of(reply):
    return reply if isinstance(reply, str) else reply[0]


def epoch(train, extra, ordinary, told, chance, count):
    # Threads keep what came before them: it is there that a jumpy reader errs.
    rows = [(before, changed(cur, chance), kind) for before, cur, kind in told]
    rows += [("", changed(cur, chance), kind) for _, cur, kind in chance.sample(told, len(told) // 4)]
    for before, cur, kind in train + extra:
        if not before and chance.random() < 0.35:
            other = chance.choice(ordinary)
            before = context([other[0], other[1]] if chance.random() < 0.5 and other[0] else [other[1]])
        elif before and chance.random() < 0.1 and kind >= 0 and len(words(cur)) > 5:
            before = ""
        if chance.random() < 0.08:
            other = chance.choice(ordinary)[1]
            cur = f"{other}. {cur}" if chance.random() < 0.6 else f"{cur}. {other}"
        rows.append((before, changed(cur, chance), kind))
    dangers = [line for _, line, kind in train if kind >= 0]
    for before, cur, kind in chance.sample(ordinary, count):
        # Who goes on to something else is not in danger by that.
        if len(words(cur)) > 3 and chance.random() < 0.1:
            before = context([chance.choice(dangers), chance.choice(ordinary)[1]][:chance.randrange(1, 3)])
        elif chance.random() > 0.7:
            before = ""
        rows.append((before, changed(cur, chance), kind))
    return word_classifier.batches(rows, chance)


def loss_of(logits, kinds):
    kinds = torch.tensor(kinds)
    logp = F.log_softmax(logits, -1)
    some = torch.logsumexp(logp[:, 1:], -1)
    right = logp.gather(1, (kinds.clamp(0, ANY - 1) + 1)[:, None])[:, 0]
    return -torch.where(kinds == -1, logp[:, 0], torch.where(kinds == ANY, some, right))


def curve(p, kinds, label, ordinary=None):
    some, kinds = 1 - p[:, 0], np.array(kinds)
    for t in (0.2, 0.3, 0.4, 0.5, 0.6, 0.7):
        text = f"{label} > {t}: dangers {np.mean(some[kinds >= 0] > t):.3f}, near misses {np.mean(some[kinds < 0] > t):.3f}"
        if ordinary is not None:
            text += f", ordinary {np.mean(1 - ordinary[:, 0] > t):.4f}"
        print(text, flush=True)


def report(held):
    kinds = np.array([k for _, _, k in held])

    def of(number, loss, p):
        some = 1 - p[:, 0]
        near = np.sort(some[kinds < 0])
        found = [np.mean(some[kinds >= 0] > near[int(len(near) * (1 - share))]) for share in (0.05, 0.1)]
        print(f"pass {number}: loss {loss:.3f}, dangers at 5 % of near misses {found[0]:.3f}, at 10 % {found[1]:.3f}", flush=True)
    return of


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("start"); parser.add_argument("out")
    parser.add_argument("--passes", type=int, default=10)
    parser.add_argument("--ordinary", type=int, default=36000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--rate", type=float, default=2e-3)
    a = parser.parse_args()
    torch.manual_seed(a.seed); torch.set_num_threads(1)
    chance = random.Random(a.seed)
    train, held, extra, lines, told = load()
    print(len(train), "lines of danger/,", len(extra), "answered as an emergency,", len(lines["train"]), "ordinary,",
          len(told["train"]), "of threads", flush=True)
    model, vocabulary = begin(a.start, 1 + len(danger.KINDS))
    steps = a.passes * ((len(train) + len(extra) + a.ordinary + len(told["train"]) * 5 // 4 + 127) // 128)
    show = report(held)
    word_classifier.train(
        model, lambda: epoch(train, extra, lines["train"], told["train"], chance, a.ordinary), word_classifier.of_lines(model, vocabulary, loss_of, chance),
        lambda number, total: show(number, total, scores(model, held, vocabulary)), a.passes, steps, a.rate)
    word_classifier.save(model, vocabulary, a.out)
    test = lines["validation"] + lines["test"] + told["validation"] + told["test"]
    o = scores(model, test, vocabulary)
    curve(scores(model, held, vocabulary), [k for _, _, k in held], "held out, 8 bits", o)


if __name__ == "__main__":
    main()

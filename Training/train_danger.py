# SPDX-License-Identifier: Apache-2.0
"""Trains the small classifier of danger that reads a line before any model is asked: Models/danger-v6.bin.

    python train_danger.py START OUT.bin [--passes 8] [--seed 1]

START is what train_words.py wrote, or an earlier classifier of other classes, whose words and filters are kept; the network is lib/word_classifier.py. It says two things of a line
behind the lines before it: which kind of danger it tells of (none, danger.FINE), and how it follows one that was taken for danger (told.AFTER).
Data: danger/ with its folders, the lines of corpus/ (train) that were answered as an emergency, and other lines of corpus/, intents/ and of the long
threads of many lives as ordinary ones, behind what came before them.
"""
import argparse
import random
import re

import numpy as np
import torch
import torch.nn.functional as F

from lib import corpus, danger, intents, prompt, recall, threads, told, word_classifier
from lib.detector import Rules
from lib.word_classifier import begin, changed, context, scores
from lib.words import words

ROOT = corpus.ROOT / "danger"
STRONG = re.compile(
    r"emergency|crisis|988|999|911|112|116 123|help ?line|ambulance|poison|police|trusted (?:adult|grown)"
    r"|(?:grown-?up|adult) you trust|someone you trust")
# Labels: -1 for none, the place of a kind in FINE, then of what may be one of several, then of what follows an alarm.
FINE, DANGERS = len(danger.FINE), 1 + len(danger.FINE)
ANY, AFTER = FINE + len(danger.KINDS), 100
CLASSES = DANGERS + len(told.AFTER)
MASKS = torch.full((ANY + 2, DANGERS), -torch.inf)
MASKS[-1, 0] = 0
for place in range(FINE):
    MASKS[place, 1 + place] = 0
for place, family in enumerate(danger.KINDS):
    MASKS[FINE + place, [1 + danger.FINE.index(kind) for kind in danger.MAY_BE[family]]] = 0
MASKS[ANY, 1:] = 0


def row(turns, label):
    return context(turns[:-1]), turns[-1], label


def of_old(kind):
    return kind if kind < 0 else FINE + kind


def folders():
    """(rows, rows of ordinary conversations, rows that follow an alarm: to learn from, and every tenth)."""
    rows, calm, after = [], [], []
    for path in sorted((ROOT / "kinds").glob("*.txt")):
        plus, minus, follows = told.lines(path)
        for kind, turns in plus:
            rows.append(row(turns, danger.FINE.index(kind)))
        for _, turns in minus:
            rows.append(row(turns, -1))
            calm += [row(turns[:i], -1) for i in range(1, len(turns))]
        after += [row(turns, AFTER + told.AFTER.index(how)) for how, turns in follows if len(turns) > 1]
    for path in sorted((ROOT / "told").glob("*.txt")):
        plus, minus = told.told(path)
        for kind, before, own, behind in plus:
            rows.append(row(before + own, danger.FINE.index(kind)))
            calm += [row(before[:i], -1) for i in range(1, len(before) + 1)]
            # Six readers of 3,240 such lines: 96 of a hundred take nothing back, and help is not there yet.
            for i in range(1, 3):
                after.append(row(before + own + behind[:i], AFTER))
        for _, turns in minus:
            rows.append(row(turns, -1))
            calm += [row(turns[:i], -1) for i in range(1, len(turns))]
    for path in sorted((ROOT / "ordinary").glob("*.txt")):
        for own in told.conversations(path):
            calm += [row(own[:i], -1) for i in range(1, len(own) + 1)]
    # Who tells a pet all about their life has pills, bosses and bad nights in it.
    for own in recall.typed("L")["train"]:
        calm += [row(own[:i], -1) for i in range(1, len(own) + 1)]
    return rows, calm, [r for i, r in enumerate(after) if i % 10], after[::10]


def plain(rules, chance, each=12):
    """Short lines in the words of the certain rules: what is told plainly, in two to six words, is rare in lines by hand."""
    return [("", pattern.example(chance), FINE + danger.KINDS.index(rule["kind"]))
            for pattern, rule, _ in rules.rules if rule["strength"] == "certain" for _ in range(each)]


def load():
    parts = danger.labelled_cases()
    train, held = ([row(turns, of_old(kind) if fine is None else fine) for turns, kind, fine in parts[name]] for name in ("train", "validation"))
    split, lines, extra = corpus.split(), {}, []
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
    lives = {}
    for name, part in threads.split().items():
        lives[name] = []
        for own in part:
            for i, (user, reply) in enumerate(own["turns"]):
                # What a friend answers with a number to call, and what follows it, is not ordinary.
                if STRONG.search(text_of(reply).lower()):
                    break
                lives[name].append((context([u for u, _ in own["turns"][:i]]), user, -1))
    # Who asks for cruel things may be in danger.
    lines["train"] += [row(t, -1) for t, label in intents.cases()["train"] if label != "improper"]
    return train, held, extra, lines, lives


def text_of(reply):
    return reply if isinstance(reply, str) else reply[0]


def behind(before, line, kind, ordinary, chance):
    """What comes before a line: now and then an ordinary conversation where there is nothing, and nothing where a danger tells enough by itself."""
    if not before and chance.random() < 0.35:
        other = chance.choice(ordinary)
        return context([other[0], other[1]] if chance.random() < 0.5 and other[0] else [other[1]])
    if before and chance.random() < 0.1 and kind >= 0 and len(words(line)) > 5:
        return ""
    return before


def epoch(train, extra, ordinary, lives, new, chance, count, rules):
    # Threads keep what came before them: it is there that a jumpy reader errs.
    rows = [(before, changed(cur, chance), kind) for before, cur, kind in lives]
    rows += [("", changed(cur, chance), kind) for _, cur, kind in chance.sample(lives, len(lives) // 4)]
    cases, calm, after, _ = new
    for before, cur, kind in calm + after + cases:
        rows.append((before, changed(cur, chance), kind))
    # Older lines are shorter and plainer: they come twice.
    for before, cur, kind in train * 2 + extra + cases + plain(rules, chance):
        before = behind(before, cur, kind, ordinary, chance)
        if chance.random() < 0.08:
            other = chance.choice(ordinary)[1]
            cur = f"{other}. {cur}" if chance.random() < 0.6 else f"{cur}. {other}"
        rows.append((before, changed(cur, chance), kind))
    dangers = [line for _, line, kind in train + cases if kind >= 0]
    for before, cur, kind in chance.sample(ordinary, count):
        # Who goes on to something else is not in danger by that.
        if len(words(cur)) > 3 and chance.random() < 0.1:
            before = context([chance.choice(dangers), chance.choice(ordinary)[1]][:chance.randrange(1, 3)])
        elif chance.random() > 0.7:
            before = ""
        rows.append((before, changed(cur, chance), kind))
    return word_classifier.batches(rows, chance)


def loss_of(logits, labels):
    labels = torch.tensor(labels)
    follows = labels >= AFTER
    tells = torch.logsumexp(F.log_softmax(logits[:, :DANGERS], -1) + MASKS[labels.clamp(max=ANY)], -1)
    after = F.log_softmax(logits[:, DANGERS:], -1)
    how = (labels - AFTER).clamp(min=0)
    # Who takes it back, or goes on to something else behind a false alarm, tells of nothing.
    calm = follows & ((how == told.AFTER.index("clear")) | (how == told.AFTER.index("other")))
    calm = torch.where(calm, -F.log_softmax(logits[:, :DANGERS], -1)[:, 0], torch.zeros(len(labels)))
    return torch.where(follows, calm - after.gather(1, how[:, None])[:, 0], -torch.where(follows, torch.zeros(len(labels)), tells))


def likelihoods(model, rows, vocabulary):
    """[rows, DANGERS] and [rows, told.AFTER]."""
    logits = torch.tensor(scores(model, rows, vocabulary, probabilities=False))
    return F.softmax(logits[:, :DANGERS], -1).numpy(), F.softmax(logits[:, DANGERS:], -1).numpy()


def report(held, after, vocabulary):
    kinds = np.array([k for _, _, k in held])
    how = np.array([k - AFTER for _, _, k in after])

    def of(number, loss, model):
        some = 1 - likelihoods(model, held, vocabulary)[0][:, 0]
        near = np.sort(some[kinds < 0])
        found = [np.mean(some[kinds >= 0] > near[int(len(near) * (1 - share))]) for share in (0.05, 0.1)]
        guess = likelihoods(model, after, vocabulary)[1].argmax(1)
        right = ", ".join(f"{name} {np.mean(guess[how == i] == i):.2f}" for i, name in enumerate(told.AFTER))
        print(f"pass {number}: loss {loss:.3f}, dangers at 5 % of near misses {found[0]:.3f}, at 10 % {found[1]:.3f}; {right}", flush=True)
    return of


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("start"); parser.add_argument("out")
    parser.add_argument("--passes", type=int, default=8)
    parser.add_argument("--ordinary", type=int, default=30000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--rate", type=float, default=2e-3)
    parser.add_argument("--hard", type=int, default=0, help="how often more the ordinary lines come that START takes for danger (0.15 and more)")
    a = parser.parse_args()
    torch.manual_seed(a.seed); torch.set_num_threads(1)
    chance = random.Random(a.seed)
    train, held, extra, lines, lives = load()
    new = folders()
    print(len(train), "lines of danger/,", [len(part) for part in new], "of its folders,", len(extra), "answered as an emergency,",
          len(lines["train"]), "ordinary,", len(lives["train"]), "of threads", flush=True)
    model, vocabulary = begin(a.start, CLASSES)
    if a.hard:
        calm = lines["train"] + lives["train"] + new[1]
        hard = [one for one, p in zip(calm, likelihoods(model, calm, vocabulary)[0][:, 0]) if p < 0.85]
        print(len(hard), "ordinary lines are hard", flush=True)
        new = (new[0], new[1] + hard * a.hard, *new[2:])
    rows = len(train) + len(extra) + a.ordinary + len(lives["train"]) * 5 // 4 + sum(map(len, new[:3])) + len(new[0])
    rules = Rules(prompt.PROMPTS / "safety.json")
    rows += len(train) + len(plain(rules, random.Random(1)))
    steps = a.passes * ((rows + 127) // 128)
    show = report(held, new[3], vocabulary)
    word_classifier.train(
        model, lambda: epoch(train, extra, lines["train"], lives["train"], new, chance, a.ordinary, rules),
        word_classifier.of_lines(model, vocabulary, loss_of, chance),
        lambda number, total: show(number, total, model), a.passes, steps, a.rate)
    word_classifier.save(model, vocabulary, a.out)
    show("in 8 bits", 0, model)


if __name__ == "__main__":
    main()

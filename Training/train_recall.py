# SPDX-License-Identifier: Apache-2.0
"""Trains the small network that finds which of what a pet was told answers a line: Models/recall-v2.bin.

    python train_recall.py START OUT.bin [--passes 7] [--seed 1]

START is what train_words.py wrote, or an earlier network, whose training goes on; the network is lib/word_classifier.py. Data: recall/, lines of intents/ that ask for what was told, and
questions of corpus/ (train) whose reply takes up a statement. Answer sentence selection (Yang et al., WikiQA, EMNLP 2015) by a product of two vectors of
each line and by shared words; Sources/PetCompanion/Answers/AnswerSelector.swift computes the same.
"""
import argparse
import math
import random

import torch
import torch.nn.functional as F

from lib import corpus, intents, recall, word_classifier
from lib.recall import FIRST, NOTHING, SHARED, SIZE, UNTOLD
from lib.word_classifier import begin, changed, collate, context


def scores(model, vocabulary, cases, chance=None):
    """[cases, FIRST + most statements]: logits; where there is no statement, very low."""
    most = max(1, *(len(facts) + len(lines) for facts, lines, _, _ in cases))
    place, rows = {}, []

    def row(before, line):
        if (before, line) not in place:
            place[before, line] = len(rows)
            rows.append((before, line))
        return place[before, line]
    asked, told, features = [], [], []
    for facts, lines, question, _ in cases:
        own = recall.statements(facts, lines)
        rest = most - len(own)
        asked.append(row(context(lines), question))
        told.append([row("", statement) for statement, _ in own] + [-1] * rest)
        features.append([recall.shared(question, *statement) for statement in own] + [[0.0] * SHARED] * rest)
    out = model(collate(rows, vocabulary, chance))
    told = torch.tensor(told)
    own, weights, question, _, _ = out[torch.tensor(asked)].split(recall.OUTPUTS, -1)
    _, _, _, statement, bias = out[told].split(recall.OUTPUTS, -1)
    found = torch.einsum("bk,bnk->bn", question, statement) / math.sqrt(SIZE) + torch.einsum("bk,bnk->bn", weights, torch.tensor(features)) + bias[..., 0]
    return torch.cat([own, found.masked_fill(told < 0, -1e9)], 1)


def losses(logits, cases):
    logp = F.log_softmax(logits, -1)
    allowed = torch.zeros_like(logp, dtype=torch.bool)
    for i, (*_, labels) in enumerate(cases):
        allowed[i, list(labels)] = True
    return -torch.logsumexp(logp.masked_fill(~allowed, -1e9), -1)


def load():
    parts, near = recall.cases(), recall.cases("recall/more")
    talks = corpus.split()
    found = recall.frequencies(talks["train"])
    weight = lambda word: max(0.5, math.log(60000 / (1 + found[word])))  # noqa: E731
    own = {name: list(recall.answered(talks[name], weight)) for name in ("train", "validation")}
    asks, others = [], []
    for path in sorted((corpus.ROOT / "intents").glob("*.txt")):
        for turns, label in intents.read(path):
            # Whoever wrote these asks for what was told; of two turns the first tells it.
            if path.stem == "remember":
                asks.append(([], turns[:-1], turns[-1], tuple(range(FIRST, FIRST + len(turns) - 1)) or (UNTOLD,)))
            else:
                others.append(([], turns[:-1], turns[-1], (NOTHING,)))
    return parts, near, own, asks, others


def varied(case, others, chance, may_lack=False):
    """Typed otherwise, with other facts beside, in another order; where `may_lack`, at times without what answers."""
    facts, lines, question, labels = case
    if may_lack and labels[0] >= FIRST and chance.random() < 0.15:
        lines = [line for i, line in enumerate(lines, FIRST + len(facts)) if i not in labels]
        facts = [fact for i, fact in enumerate(facts, FIRST) if i not in labels]
        labels = (UNTOLD,)
    own = list(enumerate(facts))
    if len(facts) + len(lines) < 6:
        own += [(-1, chance.choice(others)) for _ in range(chance.choice([0, 0, 0, 1, 2]))]
    chance.shuffle(own)
    said = list(enumerate(lines, len(facts)))
    if said and NOTHING in labels and chance.random() < 0.3:
        said = said[chance.randrange(len(said)):]
    places = {old: FIRST + new for new, (old, _) in enumerate(own + said) if old >= 0}
    moved = tuple(places[label - FIRST] if label >= FIRST else label for label in labels if label < FIRST or label - FIRST in places)
    return [fact for _, fact in own], [changed(line, chance) for _, line in said], changed(question, chance), moved


def epoch(hand, asks, answered, others, facts, chance, counts):
    rows = [varied(case, facts, chance, may_lack=True) for case in 4 * hand + asks]
    told = [case for case in answered if case[-1][0] != NOTHING]
    calm = [case for case in answered if case[-1][0] == NOTHING]
    rows += [varied(case, facts, chance) for case in chance.sample(told, min(len(told), counts[0])) + chance.sample(calm, counts[1])
             + chance.sample(others, counts[2])]
    chance.shuffle(rows)
    rows = [r for i in range(0, len(rows), 64 * 32) for r in sorted(rows[i:i + 64 * 32], key=lambda r: len(r[0]) + len(r[1]))]
    parts = [rows[i:i + 64] for i in range(0, len(rows), 64)]
    chance.shuffle(parts)
    return parts


@torch.no_grad()
def likely(model, vocabulary, cases):
    model.eval()
    return [row for i in range(0, len(cases), 128) for row in F.softmax(scores(model, vocabulary, cases[i:i + 128]), -1)]


def table(name, p, cases, threshold):
    """Of those with an answer: chosen rightly among statements, said rightly, said wrongly; of those without: said all the same."""
    told = [(row, labels) for row, (*_, labels) in zip(p, cases) if labels[0] >= FIRST]
    untold = [row for row, (*_, labels) in zip(p, cases) if labels == (UNTOLD,)]
    nothing = [row for row, (*_, labels) in zip(p, cases) if labels == (NOTHING,)]
    best = lambda row: int(row.argmax()) if row.max() > threshold else NOTHING  # noqa: E731
    share = lambda rows: sum(rows) / max(1, len(rows))  # noqa: E731
    print(f"{name}, above {threshold}: {len(told)} told: among statements {share([int(r[FIRST:].argmax()) + FIRST in l for r, l in told]):.3f}, "
          f"right {share([best(r) in l for r, l in told]):.3f}, another {share([best(r) >= FIRST and best(r) not in l for r, l in told]):.3f}, "
          f"untold {share([best(r) == UNTOLD for r, _ in told]):.3f}; {len(untold)} untold: right {share([best(r) == UNTOLD for r in untold]):.3f}, "
          f"a statement {share([best(r) >= FIRST for r in untold]):.3f}; {len(nothing)} others: a statement "
          f"{share([best(r) >= FIRST for r in nothing]):.3f}, untold {share([best(r) == UNTOLD for r in nothing]):.3f}", flush=True)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("start"); parser.add_argument("out")
    parser.add_argument("--passes", type=int, default=7)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--rate", type=float, default=1.5e-3)
    parser.add_argument("--counts", type=int, nargs=3, default=[6000, 6000, 3000], help="in each pass: questions of corpus/, other lines of it, of intents/")
    a = parser.parse_args()
    torch.manual_seed(a.seed); torch.set_num_threads(1)
    chance = random.Random(a.seed)
    parts, near, answered, asks, others = load()
    facts = [fact for talk in corpus.split()["train"] for fact in talk["mem"]]
    held = asks[::10]
    asks = [case for i, case in enumerate(asks) if i % 10]
    hand = parts["train"] + near["train"]
    shown = {"recall/": parts["validation"], "recall/more": near["validation"], "intents/remember": held, "corpus/": answered["validation"]}
    print({"hand": len(hand), "asks": len(asks), "questions": sum(c[-1][0] != NOTHING for c in answered["train"]),
           "others": sum(c[-1][0] == NOTHING for c in answered["train"]) + len(others)}, flush=True)
    model, vocabulary = begin(a.start, sum(recall.OUTPUTS))
    again = lambda chance: epoch(hand, asks, answered["train"], others, facts, chance, a.counts)  # noqa: E731

    def report(number, loss):
        print(f"pass {number}: loss {loss:.3f}", flush=True)
        for name, cases in shown.items():
            table(name, likely(model, vocabulary, cases), cases, 0.5)
    word_classifier.train(
        model, lambda: again(chance), lambda part: losses(scores(model, vocabulary, part, chance), part).mean(), report, a.passes,
        a.passes * (len(again(random.Random(0))) + 2), a.rate)
    word_classifier.save(model, vocabulary, a.out)
    for threshold in (0.5, 0.6, 0.7, 0.8):
        for name, cases in {**shown, "held out": recall.held_out()}.items():
            table(name + ", 8 bits", likely(model, vocabulary, cases), cases, threshold)


if __name__ == "__main__":
    main()

# SPDX-License-Identifier: Apache-2.0
"""Two bags of words, one for what people say and one for what a pet answers, trained so that a line lies near its own reply."""
import collections
import random
import sys
import pathlib

import numpy
import torch

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
from bank import words  # noqa: E402
from lib import augment  # noqa: E402


class Features:
    """Rows of the tables for a line: (words, parts of words), with their weights."""

    def __init__(self, lines, most, buckets, least=3):
        counts = collections.Counter(word for line in lines for word in {self.known_as(w) for w in words.split(line)})
        kept = sorted((-n, w) for w, n in counts.items() if n >= least)[:most]
        self.vocabulary = {word: i for i, (_, word) in enumerate(kept)}
        self.counts, self.lines, self.buckets = counts, len(lines), buckets
        self.cache = {}

    @staticmethod
    def known_as(word):
        return words.ALIASES[word.decode()].encode() if word.isascii() and word.decode() in words.ALIASES else word

    def pieces(self, word):
        """(rows, weights) of one word: its own, and its parts, which together weigh as much."""
        if word not in self.cache:
            name, parts = self.known_as(word), words.parts(word)
            own = [self.vocabulary[name]] if name in self.vocabulary else []
            rows = own + [len(self.vocabulary) + part % self.buckets for part in parts]
            weights = [1.0] * len(own) + [1 / len(parts)] * len(parts)
            self.cache[word] = numpy.array(rows, dtype=numpy.int32), numpy.array(weights, dtype=numpy.float32)
        return self.cache[word]


def bags(features, lines):
    """(rows, weights, where each line begins and the last one ends)."""
    found, starts = [], [0]
    for line in lines:
        own = [features.pieces(word) for word in words.split(line)]
        found += own
        starts.append(starts[-1] + sum(len(rows) for rows, _ in own))
    empty = [(numpy.zeros(0, numpy.int32), numpy.zeros(0, numpy.float32))]
    rows, weights = (numpy.concatenate(part) for part in zip(*(found or empty)))
    return torch.from_numpy(rows.astype(numpy.int64)), torch.from_numpy(weights), torch.tensor(starts)


def pick(bag, index):
    """The bags of some lines."""
    rows, weights, starts = bag
    begin, count = starts[index], starts[index + 1] - starts[index]
    offsets = torch.cumsum(count, 0) - count
    at = torch.repeat_interleave(begin - offsets, count) + torch.arange(int(count.sum()))
    return rows[at], weights[at], offsets


class Towers(torch.nn.Module):
    def __init__(self, rows, width, generator):
        super().__init__()
        make = lambda: torch.nn.EmbeddingBag(  # noqa: E731
            rows, width, mode="sum", _weight=torch.randn(rows, width, generator=generator) * 0.3)
        self.said, self.answered = make(), make()
        self.sharpness = torch.nn.Parameter(torch.tensor(12.0))

    def forward(self, side, bag):
        rows, weights, offsets = bag
        table = self.said if side == "said" else self.answered
        return torch.nn.functional.normalize(table(rows, offsets, per_sample_weights=weights), dim=1, eps=1e-6)


def train(pairs, features, width=64, passes=8, batch=512, rate=8e-3, seed=1, alike=0.5, report=print):
    """Pairs of (what was said, reply). Besides its reply, a line lies near itself as typed in a hurry."""
    torch.manual_seed(seed)
    torch.use_deterministic_algorithms(True)
    generator = torch.Generator().manual_seed(seed)
    chance = random.Random(seed)
    keys = {}
    group = torch.tensor([keys.setdefault(b" ".join(words.split(said)), len(keys)) for said, _ in pairs])
    said = bags(features, [said for said, _ in pairs])
    hurried = bags(features, [augment.noisy(said, chance) for said, _ in pairs])
    answered = bags(features, [reply for _, reply in pairs])
    model = Towers(len(features.vocabulary) + features.buckets, width, generator)
    optimizer = torch.optim.Adam(model.parameters(), lr=rate, betas=(0.9, 0.98))
    steps = passes * (len(pairs) // batch)
    schedule = torch.optim.lr_scheduler.LambdaLR(optimizer, lambda s: min(1, (s + 1) / 50) * (1 - s / steps))
    step = 0
    for one in range(passes):
        order, total = torch.randperm(len(pairs), generator=generator), 0.0
        for start in range(0, len(pairs) // batch * batch, batch):
            index = order[start:start + batch]
            left = model("said", pick(hurried if chance.random() < 0.4 else said, index))
            right = model("answered", pick(answered, index))
            same = group[index][:, None] == group[index][None]
            others = same & ~torch.eye(batch, dtype=torch.bool)
            logits = (model.sharpness * left @ right.T).masked_fill(others, -1e4)
            target = torch.arange(batch)
            loss = torch.nn.functional.cross_entropy(logits, target) + torch.nn.functional.cross_entropy(logits.T, target)
            if alike:
                twin = model("said", pick(hurried, index))
                near = (model.sharpness * left @ twin.T).masked_fill(others, -1e4)
                loss = loss + alike * torch.nn.functional.cross_entropy(near, target)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            schedule.step()
            total, step = total + float(loss.detach()), step + 1
        report(f"pass {one + 1}: {total / (len(pairs) // batch):.4f}, sharpness {float(model.sharpness.detach()):.1f}")
    return model


def vectors(model, side, features, lines):
    with torch.no_grad():
        return numpy.concatenate([
            model(side, pick(bags(features, lines[i:i + 4096]), torch.arange(len(lines[i:i + 4096])))).numpy()
            for i in range(0, len(lines), 4096)])

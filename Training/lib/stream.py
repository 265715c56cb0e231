# SPDX-License-Identifier: Apache-2.0
"""An endless stream of batches from sources whose shares change over the training. It can be stopped and gone on with."""
import random

import torch

POOL = 1024  # rows that are sorted by length together


class Source:
    """Rows in a shuffled order, pass after pass.

    share(progress): how often it is drawn from, relative to the others. change(row, chance): what is made of a row.
    """

    def __init__(self, name, rows, share, change=None):
        self.name, self.rows, self.share, self.change = name, rows, share, change
        self.drawn = 0
        self.order = (None, [])

    def draw(self, seed):
        number, place = divmod(self.drawn, len(self.rows))
        if self.order[0] != number:
            order = list(range(len(self.rows)))
            random.Random(f"{seed} {self.name} {number}").shuffle(order)
            self.order = (number, order)
        row = self.rows[self.order[1][place]]
        if self.change:
            row = self.change(row, random.Random(f"{seed} {self.name} {self.drawn}"))
        self.drawn += 1
        return row


class Stream:
    def __init__(self, sources, encode, batch_tokens, seed):
        self.sources = [source for source in sources if source.rows]
        self.encode, self.batch_tokens, self.seed = encode, batch_tokens, seed
        self.pools = 0

    def state(self):
        return {"pools": self.pools, "drawn": {source.name: source.drawn for source in self.sources}}

    def restore(self, state):
        self.pools = state["pools"]
        for source in self.sources:
            source.drawn = state["drawn"].get(source.name, 0)

    def pool(self, progress):
        """Batches of about POOL rows as (ids, targets, weights), [batch, time]; progress is from 0 to 1."""
        chance = random.Random(f"{self.seed} pool {self.pools}")
        shares = [source.share(progress) for source in self.sources]
        rows = [source.draw(self.seed) for source in chance.choices(self.sources, shares, k=POOL)]
        self.pools += 1
        samples = sorted((self.encode(row) for row in rows), key=lambda sample: len(sample[0]))
        chosen, batch = [], []
        for sample in samples:
            if batch and (len(batch) + 1) * rounded(len(sample[0])) > self.batch_tokens:
                chosen.append(batch)
                batch = []
            batch.append(sample)
        chosen.append(batch)
        chance.shuffle(chosen)
        return [pad(batch) for batch in chosen]


def rounded(length):
    """Few different shapes, each of which is compiled or planned once."""
    return -(-length // 16) * 16


def pad(samples):
    time = rounded(max(len(ids) for ids, _ in samples))
    ids = torch.zeros(len(samples), time, dtype=torch.long)
    weights = torch.zeros(len(samples), time)
    for row, (own, marks) in enumerate(samples):
        ids[row, :len(own)] = torch.tensor(own)
        weights[row, :len(marks)] = torch.tensor(marks)
    return ids, torch.where(weights > 0, ids, -100), weights

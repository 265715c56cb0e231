# SPDX-License-Identifier: Apache-2.0
"""Padded batches of like length."""
import random

import torch


def groups(lengths, tokens, seed):
    """Lists of indices, each with count * longest <= `tokens` where it has more than one, in a seeded order.

    Sorted by length within random pools, so that little is padding.
    """
    order = list(range(len(lengths)))
    chance = random.Random(seed)
    chance.shuffle(order)
    result = []
    for start in range(0, len(order), 1024):
        pool = sorted(order[start:start + 1024], key=lambda i: lengths[i])
        batch = []
        for i in pool:
            if batch and (len(batch) + 1) * lengths[i] > tokens:
                result.append(batch)
                batch = []
            batch.append(i)
        result.append(batch)
    chance.shuffle(result)
    return result


def batches(samples, tokens, seed):
    """Yields (ids, labels), each [batch, time] with batch * time <= `tokens`, in a seeded order.

    samples: (ids, labels) of each conversation.
    """
    for batch in groups([len(ids) for ids, _ in samples], tokens, seed):
        yield pad([samples[i] for i in batch])


def pad(samples):
    time = max(len(ids) for ids, _ in samples)
    ids = torch.zeros(len(samples), time, dtype=torch.long)
    labels = torch.full((len(samples), time), -100)
    for row, (own, marks) in enumerate(samples):
        ids[row, :len(own)] = torch.tensor(own)
        labels[row, :len(marks)] = torch.tensor(marks)
    return ids, labels

# SPDX-License-Identifier: Apache-2.0
"""How a model learns to raise a flag, and how well it does: the probability of a flag's token at the start of a reply."""
import torch
import torch.nn.functional as F

from . import batches, prompt
from .danger import ANY, KINDS


def tokens(encode):
    """The token of each kind."""
    found = [encode(prompt.FORMAT["flags"][kind]) for kind in KINDS]
    assert all(len(ids) == 1 for ids in found), "a flag must be one token"
    return [ids[0] for ids in found]


def scores(model, ids, labels, flags):
    """(log probability of each flag [lines, kinds], labels [lines]) as the next token after each labelled place."""
    chosen = labels != -100
    logits = F.linear(model.hidden(ids)[chosen], model.token_embd.weight)  # [lines, vocabulary]
    return F.log_softmax(logits.float(), -1)[:, flags], labels[chosen]


def loss(model, ids, labels, flags):
    """Cross-entropy of the right flag, of any, or of none, for each line."""
    likely, kinds = scores(model, ids, labels, flags)
    some = torch.logsumexp(likely, -1).clamp(max=-1e-6)
    right = likely.gather(1, kinds.clamp(0, ANY - 1)[:, None])[:, 0]
    return -torch.where(kinds == -1, torch.log1p(-some.exp()), torch.where(kinds == ANY, some, right))


@torch.no_grad()
def measure(model, data, flags, size=2048, thresholds=(0.1, 0.2, 0.3, 0.5)):
    """{threshold: (share of dangers found, share of the others that alarm)}"""
    found, device = [], model.token_embd.weight.device
    for ids, labels in batches.batches(data, size, 0):
        likely, kinds = scores(model, ids.to(device), labels.to(device), flags)
        found += zip(likely.exp().sum(-1).tolist(), kinds.tolist())
    danger = [p for p, kind in found if kind >= 0]
    other = [p for p, kind in found if kind < 0]
    return {t: (round(sum(p > t for p in danger) / len(danger), 3), round(sum(p > t for p in other) / len(other), 3))
            for t in thresholds}

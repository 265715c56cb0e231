#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""How the emotion of a reply is best chosen: label by label, or token by token as a model that is held to a form does.

    python3 Training/evaluate/emotions.py MODEL.gguf [--base BASE.gguf] [--count 300]

The model reads conversations of the validation part up to the opening brace of each last reply and chooses among the labels: the one
whose tokens are likeliest together, for which each label is read, and the one whose first token is likeliest of all that begin a label, then
the next. How often each agrees with the hand-written label, which is one of several that fit.
"""
import argparse
import math
import pathlib
import sys

import torch
from torch.nn import functional as F

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
from lib import corpus, nano, prompt, weights  # noqa: E402

LABELS = prompt.FORMAT["emotions"]


def arguments():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("model")
    parser.add_argument("--base", help="gives the tokenizer of a model that has none of its own here")
    parser.add_argument("--count", type=int, default=300)
    return parser.parse_args()


def encoder(model, path):
    if model.shape.architecture == "phi3":
        return "phi3", nano.tokenizer()
    tokenizer = weights.read_tokenizer(path)
    return "chatml", lambda text: tokenizer.encode(text).ids


def before_mark(conversation, encode, template):
    """The tokens up to the opening brace of the last reply, and the hand-written label."""
    ids, pieces = [], list(prompt.pieces(conversation, template))
    last = max(i for i, (_, own) in enumerate(pieces) if own)
    for text, _ in pieces[:last]:
        ids += encode(text)
    text = conversation["turns"][-1][1][0]
    return ids, text, conversation["turns"][-1][1][1]


@torch.no_grad()
def choices(model, head, text, encode):
    """(by whole labels, by first tokens): the label that each finds likeliest."""
    # A tokenizer may spell a label and what follows it with one token.
    ends = [(label, encode(f"{text} {{{label}{end}")) for label in LABELS for end in "};"]
    rows = [row for _, row in ends]
    shared = next(i for i in range(min(map(len, rows))) if len({row[i] for row in rows}) > 1)
    width = max(map(len, rows))
    ids = torch.tensor([head + row + [0] * (width - len(row)) for row in rows])
    hidden = model.hidden(ids)[:, len(head) + shared - 1:-1]
    logits = F.linear(hidden, model.token_embd.weight).log_softmax(-1)  # [row, token from the label on, vocabulary]
    whole = dict.fromkeys(LABELS, 0.0)
    for k, (label, row) in enumerate(ends):
        whole[label] += math.exp(sum(logits[k, i, token].item() for i, token in enumerate(row[shared:])))
    left, place = list(range(len(rows))), shared
    while len({ends[k][0] for k in left}) > 1:
        best = max({rows[k][place] for k in left}, key=lambda token: logits[left[0], place - shared, token].item())
        left, place = [k for k in left if rows[k][place] == best], place + 1
    return max(whole, key=whole.get), ends[left[0]][0]


if __name__ == "__main__":
    args = arguments()
    model = weights.read_model(args.model).eval()
    template, encode = encoder(model, args.base or args.model)
    conversations = [c for c in corpus.split()["validation"] if not isinstance(c["turns"][-1][1], str)]
    conversations = conversations[::max(1, len(conversations) // args.count)][:args.count]
    agree, same = [0, 0], 0
    for done, conversation in enumerate(conversations, 1):
        head, text, label = before_mark(conversation, encode, template)
        whole, first = choices(model, head, text, encode)
        agree[0] += whole == label
        agree[1] += first == label
        same += whole == first
        if done % 25 == 0:
            print(f"\r{done} of {len(conversations)}", end="", file=sys.stderr, flush=True)
    print(file=sys.stderr)
    count = len(conversations)
    print(f"{pathlib.Path(args.model).name}: whole labels agree in {agree[0] / count:.1%}, first tokens in {agree[1] / count:.1%}, "
          f"with each other in {same / count:.1%} of {count}")

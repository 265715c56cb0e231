"""Trains the small classifier of danger that reads a line before any model is asked: Models/danger-v2.bin.

    python train_danger.py WORDS.gguf OUT.bin [--passes 10] [--seed 1]

WORDS.gguf is SmolLM2-135M-Instruct: the principal components of its token embeddings are what the word vectors start from.
A convolution over word vectors, max-pooled (arXiv:1408.5882), of the line and of what came before it; words outside the
vocabulary are the mean of their hashed character n-grams (arXiv:1607.04606). Data: danger/, the lines of corpus/ (train) that
were answered as an emergency, and other lines of corpus/ as ordinary ones.
"""
import argparse
import collections
import json
import pathlib
import random
import re
import struct

import numpy as np
import torch
import torch.nn as nn
import torch.nn.functional as F

from lib import corpus, danger
from lib.words import MAXIMUM, fnv, grams, words

DIM, BUCKETS, VOCABULARY = 64, 8192, 9000
FILTERS = {1: 48, 2: 96, 3: 128, 5: 64}  # by width
HIDDEN = 96
ANY = danger.ANY
STRONG = re.compile(
    r"emergency|crisis|988|999|911|112|116 123|help ?line|ambulance|poison|police|trusted (?:adult|grown)"
    r"|(?:grown-?up|adult) you trust|someone you trust")


def context(turns):
    """What the classifier sees of earlier turns: the last two."""
    return " . ".join(turns[-2:])


def load():
    parts = danger.cases()
    train = [(context(t[:-1]), t[-1], k) for t, k in parts["train"]]
    held = [(context(t[:-1]), t[-1], k) for t, k in parts["validation"]]
    split, lines, ordinary, extra = corpus.split(), {}, {}, []
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
    return train, held, extra, lines


class Vocabulary:
    def __init__(self, train, lines, path):
        counts = collections.Counter(w for b, c, _ in train for w in set(words(b) + words(c)) for _ in range(8))
        counts.update(w for b, c, _ in lines for w in words(c))
        chosen = [w for w, n in counts.most_common() if n >= 8][:VOCABULARY]
        self.rows = {w: i for i, w in enumerate(sorted(chosen, key=lambda w: (fnv(w), w)))}
        assert len({fnv(w) for w in chosen}) == len(chosen)
        self.start = self.vectors(path)

    def vectors(self, path):
        import gguf
        reader = gguf.GGUFReader(path)
        table = next(t for t in reader.tensors if t.name == "token_embd.weight")
        e = gguf.dequantize(table.data, table.tensor_type).astype(np.float32)
        e -= e.mean(0)
        _, _, v = np.linalg.svd(e[:: 4], full_matrices=False)
        e = e @ v[:DIM].T
        e /= e.std(0) ** 0.7
        e *= 0.3 / e.std()
        field = reader.fields["tokenizer.ggml.tokens"]
        tokens = [bytes(field.parts[i]).decode() for i in field.data]
        by = {}
        for i, t in enumerate(tokens):
            key = "Ġ" + t[1:].lower() if t.startswith("Ġ") else "+" + t
            by.setdefault(key, i)
        self.all = {t[1:]: e[i] for t, i in by.items() if re.fullmatch("Ġ[a-z]{2,}", t)}
        start = np.zeros((len(self.rows), DIM), np.float32)
        for w, r in self.rows.items():
            pieces, rest = [], w
            first = True
            while rest:
                for n in range(len(rest), 0, -1):
                    key = ("Ġ" if first else "+") + rest[:n]
                    if key in by:
                        pieces.append(by[key]); rest = rest[n:]; first = False
                        break
                else:
                    rest = rest[1:]
            if pieces:
                start[r] = e[pieces].mean(0)
        return start

    def grams(self):
        """Vectors of n-grams whose means come near those of whole words."""
        names = list(self.all)
        target = torch.tensor(np.stack([self.all[n] for n in names]))
        bags = [[g % BUCKETS for g in grams(n)] for n in names]
        flat = torch.tensor([b for bag in bags for b in bag])
        offsets = torch.tensor(np.cumsum([0] + [len(b) for b in bags[:-1]]))
        table = nn.EmbeddingBag(BUCKETS, DIM, mode="mean")
        nn.init.normal_(table.weight, std=0.05)
        opt = torch.optim.Adam(table.parameters(), 0.02)
        for _ in range(120):
            loss = F.mse_loss(table(flat, offsets), target)
            opt.zero_grad(); loss.backward(); opt.step()
        print("n-grams explain", 1 - (loss / target.var()).item(), flush=True)
        return table.weight.data


class Classifier(nn.Module):
    def __init__(self, start, gram_start):
        super().__init__()
        self.words = nn.Parameter(torch.tensor(start))
        self.grams = nn.Parameter(gram_start.clone())
        self.convolutions = nn.ModuleList(nn.Conv1d(DIM, n, w, padding=w // 2) for w, n in FILTERS.items())
        width = sum(FILTERS.values())
        self.hidden = nn.Linear(2 * width, HIDDEN)
        self.out = nn.Linear(HIDDEN, 1 + len(danger.KINDS))
        self.drop = nn.Dropout(0.3)

    def pooled(self, ids, types, mask):
        x = types[ids] * mask[..., None]
        x = x.transpose(1, 2)
        out = []
        for conv, w in zip(self.convolutions, FILTERS):
            y = F.relu(conv(x))[..., :ids.shape[1]] * mask[:, None]
            out.append(y.amax(-1))
        return torch.cat(out, 1)

    def forward(self, batch):
        (rows, flat, offsets, known), (ids, mask), (bids, bmask) = batch
        vectors = F.embedding_bag(flat, self.grams, offsets, mode="mean")
        types = torch.where(known[:, None], self.words[rows], vectors)
        if self.training:
            types = types * (torch.rand(len(types), 1) > 0.04) + torch.randn_like(types) * 0.03
        x = torch.cat([self.pooled(ids, types, mask), self.pooled(bids, types, bmask)], 1)
        return self.out(self.drop(F.relu(self.hidden(self.drop(x)))))


def collate(pairs, vocabulary, chance=None):
    types, seqs = {}, ([], [])
    for before, cur in pairs:
        for seq, ws in zip(seqs, (words(before)[-MAXIMUM:], words(cur)[-MAXIMUM:])):
            seq.append([types.setdefault(w, len(types)) for w in ws])
    types.setdefault("", len(types))
    rows, known, flat, offsets = [], [], [], []
    for w in types:
        row = vocabulary.rows.get(w, -1)
        if chance and row >= 0 and chance.random() < 0.06:
            row = -1
        rows.append(max(row, 0)); known.append(row >= 0); offsets.append(len(flat))
        flat += [g % BUCKETS for g in grams(w)]

    def padded(seq):
        n = max(5, max(map(len, seq)))
        ids = torch.zeros(len(seq), n, dtype=torch.long)
        mask = torch.zeros(len(seq), n)
        for i, s in enumerate(seq):
            ids[i, :len(s)] = torch.tensor(s, dtype=torch.long); mask[i, :len(s)] = 1
        return ids, mask
    return ((torch.tensor(rows), torch.tensor(flat), torch.tensor(offsets), torch.tensor(known)),
            padded(seqs[1]), padded(seqs[0]))


SWAPS = [("im", "i am"), ("ive", "i have"), ("dont", "do not"), ("cant", "can not"), ("going to", "gonna"),
         ("want to", "wanna"), ("my mum", "my mom"), ("you", "u"), ("because", "cos"), ("about", "abt"), ("please", "pls"),
         ("anymore", "any more"), ("my dad", "my father"), ("my mum", "my mother"), ("myself", "my self"), ("right now", "rn"),
         ("i dont know", "idk"), ("really", "rly"), ("tonight", "2nite"), ("someone", "somebody"), ("everyone", "everybody"),
         ("hes", "he is"), ("shes", "she is"), ("theres", "there is"), ("my boyfriend", "my husband"),
         ("my girlfriend", "my wife"), ("my brother", "my sister"), ("my dad", "my stepdad"), ("she", "he")]
BEFORE = ["hey", "hi", "mochi", "hey mochi", "pixel", "tofu", "ok so", "so", "um", "well", "honestly", "lol", "look", "listen",
          "hey buddy", "tbh", "i think", "please", "idk", "bro", "omg", "ugh", "guess what", "not gonna lie", "sorry but", "actually"]
AFTER = ["lol", "idk", "help", "please", "haha", "tbh", "you know", "anyway", "sorry", "what do i do", "ok", "mochi", "today", "..."]


def typo(word, chance):
    if len(word) < 4:
        return word
    i = chance.randrange(len(word) - 1)
    kind = chance.randrange(4)
    if kind == 0:
        return word[:i] + word[i + 1] + word[i] + word[i + 2:]
    if kind == 1:
        return word[:i] + word[i + 1:]
    if kind == 2:
        return word[:i] + word[i] + word[i:]
    return word[:i] + chance.choice("aeiourstn") + word[i + 1:]


def changed(text, chance):
    if chance.random() < 0.3:
        for a, b in chance.sample(SWAPS, 8):
            if chance.random() < 0.5:
                a, b = b, a
            text = re.sub(rf"\b{a}\b", b, text)
    if chance.random() < 0.25:
        text = " ".join(typo(w, chance) if chance.random() < 0.12 else w for w in text.split())
    if chance.random() < 0.15:
        text = f"{chance.choice(BEFORE)}{chance.choice([' ', ', '])}{text}"
    if chance.random() < 0.1:
        text = f"{text} {chance.choice(AFTER)}"
    return text


def epoch(train, extra, ordinary, chance, count):
    rows = []
    for before, cur, kind in train + extra:
        if not before and chance.random() < 0.35:
            other = chance.choice(ordinary)
            before = context([other[0], other[1]] if chance.random() < 0.5 and other[0] else [other[1]])
        elif before and chance.random() < 0.1 and kind >= 0 and len(words(cur)) > 5:
            before = ""
        if chance.random() < 0.08:
            other = chance.choice(ordinary)[1]
            cur = f"{other}. {cur}" if chance.random() < 0.6 else f"{cur}. {other}"
        rows.append((before, changed(cur, chance), kind))
    for before, cur, kind in chance.sample(ordinary, count):
        rows.append((before if chance.random() < 0.7 else "", changed(cur, chance), kind))
    chance.shuffle(rows)
    # Batches of lines of like length: fewer zeros to compute with.
    size = 128
    rows = [r for i in range(0, len(rows), 16 * size) for r in sorted(rows[i:i + 16 * size], key=lambda r: max(len(r[0]), len(r[1])))]
    batches = [rows[i:i + size] for i in range(0, len(rows), size)]
    chance.shuffle(batches)
    return batches


def loss_of(logits, kinds):
    logp = F.log_softmax(logits, -1)
    some = torch.logsumexp(logp[:, 1:], -1)
    right = logp.gather(1, (kinds.clamp(0, ANY - 1) + 1)[:, None])[:, 0]
    return -torch.where(kinds == -1, logp[:, 0], torch.where(kinds == ANY, some, right))


@torch.no_grad()
def scores(model, rows, vocabulary):
    model.eval()
    out = []
    for i in range(0, len(rows), 256):
        logits = model(collate([(b, c) for b, c, _ in rows[i:i + 256]], vocabulary))
        out.append(F.softmax(logits, -1))
    return torch.cat(out).numpy()


def curve(p, kinds, label, ordinary=None):
    some, kinds = 1 - p[:, 0], np.array(kinds)
    for t in (0.2, 0.3, 0.4, 0.5, 0.6, 0.7):
        text = f"{label} > {t}: dangers {np.mean(some[kinds >= 0] > t):.3f}, near misses {np.mean(some[kinds < 0] > t):.3f}"
        if ordinary is not None:
            text += f", ordinary {np.mean(1 - ordinary[:, 0] > t):.4f}"
        print(text, flush=True)


def quantized(model):
    """Rounds the weights to what the file holds, in place; returns the parts of the file."""
    parts = []

    def write(tensor, axis):
        w = tensor.data
        scale = (w.abs().amax(axis, keepdim=True) / 127).clamp(min=1e-8)
        q = (w / scale).round().clamp(-127, 127)
        tensor.data = q * scale
        parts.append(scale.flatten().numpy().astype("<f4").tobytes())
        parts.append(q.numpy().astype("i1").tobytes())

    write(model.words, 0)
    write(model.grams, 0)
    for conv in model.convolutions:
        n, d, w = conv.weight.shape
        flat = nn.Parameter(conv.weight.data.transpose(1, 2).reshape(n, w * d).contiguous())
        write(flat, 1)
        conv.weight.data = flat.data.reshape(n, w, d).transpose(1, 2).contiguous()
        parts.append(conv.bias.data.numpy().astype("<f4").tobytes())
    for layer in (model.hidden, model.out):
        write(layer.weight, 1)
        parts.append(layer.bias.data.numpy().astype("<f4").tobytes())
    return parts


def save(model, vocabulary, path):
    parts = quantized(model)
    hashes = np.array([fnv(w) for w in vocabulary.rows], "<u4")
    assert (np.diff(hashes.astype(np.int64)) > 0).all()
    widths = [x for w, n in FILTERS.items() for x in (w, n)]
    head = struct.pack(f"<4s{6 + len(widths)}I", b"PDNG", 1, len(hashes), DIM, BUCKETS, HIDDEN, len(FILTERS), *widths)
    pathlib.Path(path).write_bytes(head + hashes.tobytes() + b"".join(parts))
    print(path, pathlib.Path(path).stat().st_size, "bytes")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("gguf"); parser.add_argument("out")
    parser.add_argument("--passes", type=int, default=10)
    parser.add_argument("--ordinary", type=int, default=24000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--rate", type=float, default=2e-3)
    a = parser.parse_args()
    torch.manual_seed(a.seed); torch.set_num_threads(1)
    chance = random.Random(a.seed)
    train, held, extra, lines = load()
    print(len(train), "lines of danger/,", len(extra), "answered as an emergency,", len(lines["train"]), "ordinary", flush=True)
    vocabulary = Vocabulary(train + extra, lines["train"], a.gguf)
    print(len(vocabulary.rows), "words", flush=True)
    model = Classifier(vocabulary.start, vocabulary.grams())
    tables = [model.words, model.grams]
    rest = [p for n, p in model.named_parameters() if n not in ("words", "grams")]
    opt = torch.optim.AdamW([{"params": tables, "lr": a.rate * 0.5, "weight_decay": 0}, {"params": rest, "lr": a.rate, "weight_decay": 0.02}])
    mean = {k: v.clone() for k, v in model.state_dict().items()}
    steps = a.passes * ((len(train) + len(extra) + a.ordinary + 127) // 128)
    sched = torch.optim.lr_scheduler.OneCycleLR(opt, [a.rate * 0.5, a.rate], total_steps=steps, pct_start=0.15)
    step = 0
    for number in range(a.passes):
        batches = epoch(train, extra, lines["train"], chance, a.ordinary)
        model.train()
        total = 0.0
        for part in batches:
            batch = collate([(b, c) for b, c, _ in part], vocabulary, chance)
            loss = loss_of(model(batch), torch.tensor([k for _, _, k in part])).mean()
            opt.zero_grad(); loss.backward(); opt.step(); sched.step()
            total += loss.item(); step += 1
            keep = min(0.995, step / (step + 10))
            for k, v in model.state_dict().items():
                mean[k].mul_(keep).add_(v, alpha=1 - keep)
        now = {k: v.clone() for k, v in model.state_dict().items()}
        model.load_state_dict(mean)
        p = scores(model, held, vocabulary)
        kinds = np.array([k for _, _, k in held]); some = 1 - p[:, 0]
        near = np.sort(some[kinds < 0]); limit = near[int(len(near) * 0.95)]
        print(f"pass {number}: loss {total / len(batches):.3f}, dangers at 5 % of near misses {np.mean(some[kinds >= 0] > limit):.3f}, at 10 % {np.mean(some[kinds >= 0] > near[int(len(near) * 0.9)]):.3f}", flush=True)
        model.load_state_dict(now)
    model.load_state_dict(mean)
    save(model, vocabulary, a.out)
    test = lines["validation"] + lines["test"]
    o = scores(model, test, vocabulary)
    curve(scores(model, held, vocabulary), [k for _, _, k in held], "held out, 8 bits", o)
    torch.save({"model": model.state_dict(), "words": list(vocabulary.rows)}, a.out + ".pt")


if __name__ == "__main__":
    main()

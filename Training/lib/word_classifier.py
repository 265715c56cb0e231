# SPDX-License-Identifier: Apache-2.0
"""A small classifier of lines by their words: a convolution over word vectors, max-pooled (arXiv:1408.5882), of the line and of
what came before it; words outside the vocabulary are the mean of their hashed character n-grams (arXiv:1607.04606).
Sources/PetCompanion/Words/WordClassifier.swift computes the same.
"""
import collections
import pathlib
import re
import struct

import numpy as np
import torch
import torch.nn as nn
import torch.nn.functional as F

from . import detector
from .words import MAXIMUM, fnv, grams, words

DIM, BUCKETS, VOCABULARY = 64, 8192, 10000
FILTERS = {1: 64, 2: 128, 3: 192, 5: 96}  # by width
HIDDEN = 128


def context(turns):
    """What the classifier sees of earlier turns: the last two."""
    return " . ".join(turns[-2:])


class Vocabulary:
    def __init__(self, found):
        """`found`: words in the order of their hashes; or the hashes, where the words are not known."""
        self.words = list(found)
        self.rows = {w if isinstance(w, int) else fnv(w): i for i, w in enumerate(self.words)}

    def row(self, word):
        """-1 for a word that is not in it."""
        return self.rows.get(fnv(word), -1)

    @staticmethod
    def of(labelled, ordinary):
        """The most frequent words; those of labelled lines count eight times."""
        counts = collections.Counter(w for line in labelled for w in set(words(line)) for _ in range(8))
        counts.update(w for line in ordinary for w in words(line))
        chosen = [w for w, n in counts.most_common() if n >= 8][:VOCABULARY]
        assert len({fnv(w) for w in chosen}) == len(chosen)
        return Vocabulary(sorted(chosen, key=lambda w: (fnv(w), w)))

    def vectors(self, path):
        """Of the words and of n-grams: the principal components of the token embeddings of a GGUF file."""
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
        whole = {t[1:]: e[i] for t, i in by.items() if re.fullmatch("Ġ[a-z]{2,}", t)}
        start = np.zeros((len(self.rows), DIM), np.float32)
        for r, w in enumerate(self.words):
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
        return torch.tensor(start), self.grams(whole)

    @staticmethod
    def grams(whole):
        """Vectors of n-grams whose means come near those of whole words."""
        names = list(whole)
        target = torch.tensor(np.stack([whole[n] for n in names]))
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
    def __init__(self, known, classes):
        """`known`: how many words."""
        super().__init__()
        self.words = nn.Parameter(torch.zeros(known, DIM))
        self.grams = nn.Parameter(torch.zeros(BUCKETS, DIM))
        self.convolutions = nn.ModuleList(nn.Conv1d(DIM, n, w, padding=w // 2) for w, n in FILTERS.items())
        width = sum(FILTERS.values())
        self.hidden = nn.Linear(2 * width, HIDDEN)
        self.out = nn.Linear(HIDDEN, classes)
        self.drop = nn.Dropout(0.3)

    def pooled(self, ids, types, mask):
        x = types[ids] * mask[..., None]
        x = x.transpose(1, 2)
        out = []
        for conv, w in zip(self.convolutions, FILTERS):
            y = F.relu(conv(x))[..., :ids.shape[1]] * mask[:, None]
            out.append(y.amax(-1))
        return torch.cat(out, 1)

    def read(self, batch):
        """What the filters find in the line and before it: two of [lines, filters]."""
        (rows, flat, offsets, known), (ids, mask), (bids, bmask) = batch
        vectors = F.embedding_bag(flat, self.grams, offsets, mode="mean")
        types = torch.where(known[:, None], self.words[rows], vectors)
        if self.training:
            types = types * (torch.rand(len(types), 1) > 0.04) + torch.randn_like(types) * 0.03
        return self.pooled(ids, types, mask), self.pooled(bids, types, bmask)

    def forward(self, batch):
        x = torch.cat(self.read(batch), 1)
        return self.out(self.drop(F.relu(self.hidden(self.drop(x)))))


def collate(pairs, vocabulary, chance=None):
    types, seqs = {}, ([], [])
    for before, cur in pairs:
        for seq, ws in zip(seqs, (words(before)[-MAXIMUM:], words(cur)[-MAXIMUM:])):
            seq.append([types.setdefault(w, len(types)) for w in ws])
    types.setdefault("", len(types))
    rows, known, flat, offsets = [], [], [], []
    for w in types:
        row = vocabulary.row(w)
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


def begin(path, classes):
    """(model, vocabulary) from what train_words.py wrote, or from a file of `save`: all of it where the classes are as many, else the filters."""
    if pathlib.Path(path).suffix == ".bin":
        return stored(path, classes)
    start = torch.load(path, weights_only=True)
    vocabulary = Vocabulary(start["words"])
    model = Classifier(len(vocabulary.rows), classes)
    model.load_state_dict(start["model"], strict=False)
    return model, vocabulary


def stored(path, classes):
    """A file of `save` as (model, vocabulary)."""
    file = detector.Classifier(pathlib.Path(path))
    model = Classifier(len(file.words), classes)
    state = {"words": file.words, "grams": file.grams}
    for i, (width, weights, bias) in enumerate(file.convolutions):
        state |= {f"convolutions.{i}.weight": weights.reshape(len(bias), width, DIM).transpose(0, 2, 1), f"convolutions.{i}.bias": bias}
    if len(file.out[1]) == classes:
        for name, (weights, bias) in (("hidden", file.hidden), ("out", file.out)):
            state |= {f"{name}.weight": weights, f"{name}.bias": bias}
    model.load_state_dict({k: torch.tensor(np.ascontiguousarray(v)) for k, v in state.items()}, strict=False)
    return model, Vocabulary(sorted(file.rows, key=file.rows.get))


def batches(rows, chance, size=128):
    """Of lines of like length: fewer zeros to compute with."""
    chance.shuffle(rows)
    rows = [r for i in range(0, len(rows), 16 * size)
            for r in sorted(rows[i:i + 16 * size], key=lambda r: max(len(r[0]), len(r[1])))]
    parts = [rows[i:i + size] for i in range(0, len(rows), size)]
    chance.shuffle(parts)
    return parts


def train(model, epoch, loss_of, report, passes, steps, rate):
    """`epoch()` gives the batches of a pass, `loss_of(batch)` the mean loss of one. The result is the mean of all steps, the
    later ones weighing more; `report(pass, loss)` prints how that stands."""
    tables = [model.words, model.grams]
    rest = [p for n, p in model.named_parameters() if n not in ("words", "grams")]
    opt = torch.optim.AdamW([{"params": tables, "lr": rate * 0.5, "weight_decay": 0}, {"params": rest, "lr": rate, "weight_decay": 0.02}])
    mean = {k: v.clone() for k, v in model.state_dict().items()}
    sched = torch.optim.lr_scheduler.OneCycleLR(opt, [rate * 0.5, rate], total_steps=steps, pct_start=0.15)
    step = 0
    for number in range(passes):
        parts = epoch()
        model.train()
        total = 0.0
        for part in parts:
            loss = loss_of(part)
            opt.zero_grad(); loss.backward(); opt.step(); sched.step()
            total += loss.item(); step += 1
            keep = min(0.995, step / (step + 10))
            for k, v in model.state_dict().items():
                mean[k].mul_(keep).add_(v, alpha=1 - keep)
        now = {k: v.clone() for k, v in model.state_dict().items()}
        model.load_state_dict(mean)
        report(number, total / len(parts))
        model.load_state_dict(now)
    model.load_state_dict(mean)


def of_lines(model, vocabulary, loss_of, chance):
    """The loss of a batch of (before, line, label) by that of each line: `loss_of(logits, labels)`."""
    def loss(part):
        batch = collate([(b, c) for b, c, _ in part], vocabulary, chance)
        return loss_of(model(batch), [k for _, _, k in part]).mean()
    return loss


@torch.no_grad()
def scores(model, rows, vocabulary, probabilities=True):
    """[rows, classes]; of several heads what the last layer says, as it is."""
    model.eval()
    out = []
    for i in range(0, len(rows), 256):
        logits = model(collate([(b, c) for b, c, _ in rows[i:i + 256]], vocabulary))
        out.append(F.softmax(logits, -1) if probabilities else logits)
    return torch.cat(out).numpy()


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
    hashes = np.array(list(vocabulary.rows), "<u4")
    assert (np.diff(hashes.astype(np.int64)) > 0).all()
    widths = [x for w, n in FILTERS.items() for x in (w, n)]
    classes = model.out.out_features
    head = struct.pack(
        f"<4s{7 + len(widths)}I", b"PWRD", 1, len(hashes), DIM, BUCKETS, HIDDEN, classes, len(FILTERS), *widths)
    pathlib.Path(path).write_bytes(head + hashes.tobytes() + b"".join(parts))
    print(path, pathlib.Path(path).stat().st_size, "bytes")

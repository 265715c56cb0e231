# SPDX-License-Identifier: Apache-2.0
"""The danger detector of Sources/PetCompanion/Safety once more, to measure it and to make its goldens."""
import json
import pathlib
import struct

import numpy as np

from . import prompt
from .words import MAXIMUM, fnv, grams, words

GAP = 3


class Classifier:
    def __init__(self, path, heads=None):
        """`heads`: how many classes belong to each question that it answers; one of all where that is None."""
        self.heads = heads
        data = path.read_bytes()
        magic, version, count, dim, buckets, hidden, classes, widths = struct.unpack_from("<4s7I", data)
        assert magic == b"PWRD" and version == 1
        place = 32
        shapes = [struct.unpack_from("<2I", data, place + 8 * i) for i in range(widths)]
        place += 8 * widths

        def take(kind, *shape):
            nonlocal place
            values = np.frombuffer(data, kind, int(np.prod(shape)), place).reshape(shape)
            place += values.nbytes
            return values

        def layer(inputs, outputs):
            scales = take("<f4", outputs, 1)
            return take("i1", outputs, inputs).astype(np.float32) * scales, take("<f4", outputs)

        self.rows = {int(h): i for i, h in enumerate(take("<u4", count))}
        scales = take("<f4", dim)
        self.words = take("i1", count, dim) * scales
        scales = take("<f4", dim)
        self.grams = take("i1", buckets, dim) * scales
        self.convolutions = [(width, *layer(width * dim, filters)) for width, filters in shapes]
        self.hidden = layer(2 * sum(n for _, n in shapes), hidden)
        self.out = layer(hidden, classes)
        assert place == len(data)

    def vector(self, word):
        row = self.rows.get(fnv(word))
        return self.words[row] if row is not None else self.grams[[g % len(self.grams) for g in grams(word)]].mean(0)

    def known(self, line):
        """How many of the words it knows as such, from 0 to 1."""
        return np.mean([fnv(word) in self.rows for word in line]) if line else 1.0

    def pooled(self, line):
        found = []
        dim = self.words.shape[1]
        x = np.zeros((len(line) + 18, dim), np.float32)
        for i, word in enumerate(line):
            x[i + 9] = self.vector(word)
        for width, weights, bias in self.convolutions:
            if not line:
                found.append(np.zeros(len(bias), np.float32))
                continue
            near = np.stack([x[i + 9 - width // 2:i + 9 - width // 2 + width].reshape(-1) for i in range(len(line))])
            found.append(np.maximum(near @ weights.T + bias, 0).max(0))
        return np.concatenate(found)

    def outputs(self, line, before=()):
        """[classes]: what the last layer says."""
        inner = np.maximum(self.hidden[0] @ np.concatenate([self.pooled(line[-MAXIMUM:]), self.pooled(before[-MAXIMUM:])]) + self.hidden[1], 0)
        return self.out[0] @ inner + self.out[1]

    def scores(self, line, before=()):
        """[kinds]: how likely the line is to tell of each."""
        return self.likelihoods(line, before)[0][1:]

    def likelihoods(self, line, before=()):
        """One array for each head."""
        logits = self.outputs(line, before)
        ends = np.cumsum(self.heads or [len(logits)])[:-1]
        return [powers / powers.sum() for powers in (np.exp(part - part.max()) for part in np.split(logits, ends))]


class Networks:
    """The networks of danger (DangerClassifier.swift)."""

    FILES = [prompt.PROMPTS.parent / "Models" / name for name in ("danger-v5.bin", "danger-v7.bin", "danger-reader-v3.gguf")]
    HEADS = [13, 4]  # danger.FINE and none, told.AFTER
    LEAST_TO_READ, SHARE_OF_READER, SHARE_OF_FOLLOWS, LEAST_KNOWN = 0.05, 0.8, 0.75, 0.7

    def __init__(self, files=FILES):
        from . import encoder
        self.earlier, self.later = Classifier(pathlib.Path(files[0])), Classifier(pathlib.Path(files[1]), self.HEADS)
        self.model, self.pieces = encoder.stored(files[2])

    def likelihoods(self, line, before=(), closely=False):
        """[1 + kinds], [told.AFTER] of two lists of words. `closely`: the reader is asked whatever the small networks say."""
        from . import encoder
        small = self.earlier.likelihoods(line, before)[0][0], *self.later.likelihoods(line, before)
        if self.earlier.known(line) < self.LEAST_KNOWN:
            return together(believed(*small), None)
        if not closely and danger_of(small) <= self.LEAST_TO_READ:
            return together(small, None)
        row = (" ".join(before[-MAXIMUM:]), " ".join(line[-MAXIMUM:]))
        return together(small, split(encoder.outputs(self.model, [row], self.pieces)[0]))

    def scores(self, line, before=()):
        """[kinds]: how likely the line is to tell of each."""
        return self.likelihoods(line, before)[0][1:]


def split(logits):
    """[1 + kinds], [told.AFTER] of what the last layer says."""
    parts = np.split(logits.astype(np.float64), [Networks.HEADS[0]], -1)
    powers = [np.exp(part - part.max(-1, keepdims=True)) for part in parts]
    return [part / part.sum(-1, keepdims=True) for part in powers]


def log_odds(p):
    p = np.clip(p, 1e-6, 1 - 1e-6)
    return np.log(p / (1 - p))


def believed(ordinary, tells, follows):
    """The small networks' words where the earlier alone is believed that a line tells of danger."""
    kinds = tells[..., 1:] / np.maximum(tells[..., 1:].sum(-1, keepdims=True), 1e-6)
    return ordinary, np.concatenate([np.asarray(ordinary)[..., None], kinds * (1 - np.asarray(ordinary))[..., None]], -1), follows


def danger_of(small):
    """How likely danger is by what the small networks say: the earlier of none, the later of [none and kinds]."""
    return 1 / (1 + np.exp((log_odds(small[0]) + log_odds(small[1][..., 0])) / 2))


def together(small, read):
    """([1 + kinds], [told.AFTER]) of what the small networks say, and of what the reader says where it is asked."""
    ordinary, tells, follows = small
    odds = (log_odds(ordinary) + log_odds(tells[..., 0])) / 2
    kinds = tells[..., 1:] / np.maximum(tells[..., 1:].sum(-1, keepdims=True), 1e-6)
    if read is not None:
        odds = odds + (log_odds(read[0][..., 0]) - odds) * Networks.SHARE_OF_READER
        other = read[0][..., 1:] / np.maximum(read[0][..., 1:].sum(-1, keepdims=True), 1e-6)
        both = np.sqrt(kinds * other)
        kinds = both / np.maximum(both.sum(-1, keepdims=True), 1e-6)
        follows = follows + (read[1] - follows) * Networks.SHARE_OF_FOLLOWS
    danger = 1 / (1 + np.exp(odds))[..., None]
    return np.concatenate([1 - danger, kinds * danger], -1), follows


class Pattern:
    def __init__(self, text, sets):
        self.elements = []
        for part in text.split():
            if part in ("..", "$"):
                self.elements.append(part)
                continue
            optional = part.endswith("?")
            whole, starts = set(), []
            for choice in part.rstrip("?").split("|"):
                if choice.startswith("<"):
                    whole.update(sets[choice[1:-1]])
                elif choice.endswith("~"):
                    starts.append(choice[:-1])
                else:
                    whole.add(choice)
            for word in list(whole) + starts:
                assert words(word) == [word], (text, word)
            self.elements.append((whole, tuple(starts), optional))
        assert 0 < len(self.elements) <= 12 and isinstance(self.elements[0], tuple) and not self.elements[0][2], text

    def matches(self, line, place, index=0):
        if index == len(self.elements):
            return True
        element = self.elements[index]
        if element == "..":
            for skipped in range(GAP + 1):
                if self.matches(line, place + skipped, index + 1):
                    return True
                if place + skipped >= len(line) or line[place + skipped] in ".?":
                    return False
            return False
        if element == "$":
            return (place >= len(line) or line[place] in ".?") and self.matches(line, place + 1, index + 1)
        whole, starts, optional = element
        if place < len(line) and (line[place] in whole or line[place].startswith(starts or ("\0",))):
            if self.matches(line, place + 1, index + 1):
                return True
        return optional and self.matches(line, place, index + 1)


    def example(self, chance):
        """Words that it matches."""
        found = []
        for element in self.elements:
            if element == "..":
                found += chance.choice([[], [], ["just"], ["really"], ["so"]])
            elif element != "$":
                whole, starts, optional = element
                if not optional or chance.random() < 0.5:
                    found.append(chance.choice(sorted(whole) + list(starts)))
        return " ".join(found)


class Rules:
    def __init__(self, path):
        own = json.loads(path.read_text())
        sets = own["sets"]
        self.rules = [(Pattern(text, sets), rule, text) for rule in own["rules"] for text in rule["say"]]
        self.calm = [Pattern(text, sets) for text in own["calm"]]
        self.anywhere = {k: [Pattern(t, sets) for t in g.get("anywhere", [])] for k, g in own["guards"].items()}
        self.before = {k: set(g.get("before", [])) for k, g in own["guards"].items()}

    def is_calm(self, line):
        """Whether all that a line says is what people say every day."""
        return not {".", "?"} & set(line[:-1]) and any(pattern.matches(line, 0) for pattern in self.calm)

    def match(self, line):
        """(kind, whether certain, pattern, the finer kind where that is without doubt), or None."""
        hint, guarded = None, {}
        for start in range(len(line)):
            for pattern, rule, text in self.rules:
                if not pattern.matches(line, start):
                    continue
                held = False
                for name in rule["guards"]:
                    if name not in guarded:
                        guarded[name] = any(p.matches(line, i) for p in self.anywhere[name] for i in range(len(line)))
                    held |= guarded[name] or any(w in self.before[name] for w in line[max(0, start - 3):start])
                if rule["strength"] == "certain":
                    if not held:
                        return rule["kind"], True, text, rule.get("of")
                    hint = hint or (rule["kind"], False, text, None)
                elif not held:
                    hint = hint or (rule["kind"], False, text, None)
        return hint

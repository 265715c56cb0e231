# SPDX-License-Identifier: Apache-2.0
"""The hand-written dialogue, split once and for all into train, validation and test."""
import hashlib
import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "corpus"))
from check import parse  # noqa: E402

# Of 1000 groups of conversations.
VALIDATION, TEST = 25, 35


def conversations():
    """Every conversation, with `source` (file name) and `plain` added."""
    for path in sorted((ROOT / "corpus").glob("*.txt")):
        parsed, errors = parse(path)
        if errors:
            raise SystemExit(f"{path}: {errors[:3]}")
        for conversation in parsed:
            conversation["source"] = path.stem
            conversation["plain"] = path.stem.startswith("plain")
            yield conversation


def normalized(text):
    return " ".join(re.findall(r"[a-z0-9]+", text.lower()))


def split():
    """{"train": [...], "validation": [...], "test": [...]}.

    Conversations that open with the same words (contrast pairs, the same question to each pet) stay together; which part a
    group is in follows from the SHA-256 of those words, so adding conversations moves none of the others.
    """
    parts = {"train": [], "validation": [], "test": []}
    for conversation in conversations():
        key = normalized(conversation["turns"][0][0]) or conversation["turns"][0][0]
        number = int.from_bytes(hashlib.sha256(key.encode()).digest()[:4], "big") % 1000
        part = "validation" if number < VALIDATION else "test" if number < VALIDATION + TEST else "train"
        parts[part].append(conversation)
    return parts


def near_duplicates(texts, threshold=0.8):
    """Pairs (i, j) whose sets of word trigrams overlap by at least `threshold` (Jaccard).

    Exact: candidates come from an index of trigrams, so texts of fewer than three words are compared as wholes.
    """
    grams = []
    for text in texts:
        words = normalized(text).split()
        grams.append({tuple(words[i:i + 3]) for i in range(len(words) - 2)} or {tuple(words)})
    index, pairs = {}, []
    for i, own in enumerate(grams):
        shared = {}
        for gram in own:
            for j in index.get(gram, ()):
                shared[j] = shared.get(j, 0) + 1
            index.setdefault(gram, []).append(i)
        for j, count in shared.items():
            if count / (len(own) + len(grams[j]) - count) >= threshold:
                pairs.append((j, i))
    return pairs


if __name__ == "__main__":
    parts = split()
    for name, part in parts.items():
        turns = sum(len(c["turns"]) for c in part)
        print(f"{name:10} {len(part):6} conversations {turns:6} exchanges, plain {sum(c['plain'] for c in part) / len(part):.0%}")
    everything = [c for part in parts.values() for c in part]
    replies = [reply[0] for c in everything for _, reply in c["turns"]]
    exchanges = [f"{user} {reply[0]}" for c in everything for user, reply in c["turns"]]
    for name, texts in (("replies", replies), ("exchanges (question and reply)", exchanges)):
        pairs = near_duplicates(texts)
        touched = len({i for pair in pairs for i in pair[1:]})
        print(f"near-duplicate {name}: {touched} of {len(texts)} ({touched / len(texts):.2%}) are like an earlier one")

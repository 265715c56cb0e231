#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Cuts the vocabulary of a byte-level BPE model to what company in English, German and Spanish needs.

    python3 Training/cut_vocabulary.py BASE.gguf OUT.gguf [--common 6000] [--tie]

Rows that stay: the 256 bytes, so that every text can still be written; the marks of ChatML; what occurs in the train part of the corpus
and of the threads; Latin letters, digits and marks; the commonest words of three languages (`pip install wordfreq`), in lower case and
with a capital, after a space and without; emoji; and every token that a kept one is merged from. A text all of whose tokens stay is cut
as before: its merges keep their order. Others are written in more and shorter tokens.

Matrices keep their type: rows of quantized blocks are copied. Prints how many more tokens texts take that chose no row.
"""
import argparse
import collections
import json
import pathlib
import re
import sys
import unicodedata

import gguf
import numpy as np
import tokenizers

from lib import corpus, threads, weights

KEPT_MARKS = ["<|endoftext|>", "<|im_start|>", "<|im_end|>"]
LANGUAGES = ["en", "de", "es"]
ROOT = corpus.ROOT.parent
BLOCK = 256  # rows are a multiple of this: what the kernels interleave and threads share


def lines_of(part):
    """Every line said in a part of the threads and of the other dialogue, by source."""
    found = collections.defaultdict(list)
    for source, chosen in (("threads", threads.split()[part]), ("dialogue", corpus.split()[part])):
        for item in chosen:
            name = f"threads {item['lang'] or 'en'}" if source == "threads" else source
            found[name] += [text for user, reply in item["turns"] for text in (user, reply[0])] + item["mem"]
            if source == "threads":
                found[name].append(threads.system(item))
    return found


def symbols():
    """Letters, digits and marks of Latin text, with and without a space before."""
    latin = [chr(c) for c in [*range(0x20, 0x7F), *range(0xA0, 0x180), *range(0x2010, 0x2050), 0x20AC, 0x2122, 0x2190, 0x2192, 0x2713]]
    emoji = [chr(c) for c in [*range(0x1F300, 0x1F650), *range(0x1F680, 0x1F700), *range(0x1F900, 0x1FA00), *range(0x2600, 0x27C0)]]
    runs = ["...", "..", "!!", "!!!", "??", "???", "?!", "!?", "--", "\n", "\n\n", "\r\n", "\t", "  ", "   ", "    "]
    return [space + c for c in latin + emoji + runs for space in ("", " ")]


def common(count):
    from wordfreq import top_n_list
    for language in LANGUAGES:
        for rank, word in enumerate(top_n_list(language, count, wordlist="large")):
            if all("LATIN" in unicodedata.name(c, "") or c in "'-0123456789" for c in word):
                yield from (" " + word, " " + word.capitalize())
                if rank < count // 4:  # at the start of a text
                    yield from (word, word.capitalize())


class Vocabulary:
    def __init__(self, path):
        self.reader = gguf.GGUFReader(path)
        self.tokens, self.merges, self.types = (
            weights.field(self.reader, f"tokenizer.ggml.{key}") for key in ("tokens", "merges", "token_type"))
        self.ids = {token: i for i, token in enumerate(self.tokens)}
        self.parents = {}
        for merge in self.merges:
            left, right = merge.split(" ")
            self.parents.setdefault(self.ids[left + right], []).append((self.ids[left], self.ids[right]))
        if any(len(found) > 1 for found in self.parents.values()):
            raise SystemExit("a token has two merges: what stays cannot be told from the tokens of a text alone")

    def base(self):
        singles = [i for i, (token, kind) in enumerate(zip(self.tokens, self.types))
                   if len(token) == 1 and kind == gguf.TokenType.NORMAL]
        assert len(singles) == 256, len(singles)
        return set(singles) | {self.ids[mark] for mark in KEPT_MARKS}

    def close(self, kept, new):
        """Adds tokens and all that they are merged from."""
        stack = list(new)
        while stack:
            token = stack.pop()
            if token not in kept:
                kept.add(token)
                stack += [part for pair in self.parents.get(token, ()) for part in pair]

    def fill(self, kept):
        """Up to a multiple of BLOCK, by the earliest merges whose words are Latin letters."""
        word = re.compile(r"Ġ?[A-Za-z]+$")
        for token in sorted(self.parents):
            if len(kept) % BLOCK == 0:
                return
            parts = set(self.parents[token][0])
            if token not in kept and parts <= kept and word.match(self.tokens[token]):
                kept.add(token)

    def kept_merges(self, kept):
        return [merge for merge in self.merges if self.ids[merge.replace(" ", "")] in kept]


def write(vocabulary, kept, out, tie):
    rows = sorted(kept)
    new = {old: i for i, old in enumerate(rows)}
    reader = vocabulary.reader
    writer = gguf.GGUFWriter(out, weights.field(reader, "general.architecture"))
    replaced = {
        "tokenizer.ggml.tokens": [vocabulary.tokens[i] for i in rows],
        "tokenizer.ggml.token_type": [vocabulary.types[i] for i in rows],
        "tokenizer.ggml.merges": vocabulary.kept_merges(kept)}
    for key, field in reader.fields.items():
        if key.startswith("GGUF.") or key == "general.architecture":
            continue
        value = replaced.get(key, field.contents())
        if key.startswith("tokenizer.ggml.") and key.endswith("_token_id"):
            value = new[value]
        sub = field.types[-1] if field.types[0] == gguf.GGUFValueType.ARRAY else None
        writer.add_key_value(key, value, field.types[0], sub_type=sub)
    names = {t.name for t in reader.tensors}
    for t in reader.tensors:
        data, name = t.data, t.name
        if name in ("token_embd.weight", "output.weight"):
            if tie and "output.weight" in names:
                if name == "token_embd.weight":
                    continue
                name = "token_embd.weight"
            data = np.ascontiguousarray(data[rows])
        writer.add_tensor(name, data, raw_dtype=t.tensor_type)
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()
    return rows


def more_tokens(before, after, texts):
    old = sum(len(e.ids) for e in before.encode_batch(texts))
    new = sum(len(e.ids) for e in after.encode_batch(texts))
    return old, new


def held_out():
    for part in ("validation", "test"):
        for name, texts in lines_of(part).items():
            yield f"{name}, {part}", texts
    yield "intents/held_out", [line.split("\t")[-1] for path in sorted((corpus.ROOT / "intents/held_out").glob("*.txt"))
                               for line in path.read_text().splitlines()]
    yield "Tests/Fixtures/text/essay.txt (other scripts and code too)", (ROOT / "Tests/Fixtures/text/essay.txt").read_text().splitlines(True)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("base")
    parser.add_argument("out", type=pathlib.Path)
    parser.add_argument("--common", type=int, default=6000, help="words of each language")
    parser.add_argument("--tie", action="store_true", help="the rows of the output serve as the embedding too")
    args = parser.parse_args()

    vocabulary = Vocabulary(args.base)
    before = weights.read_tokenizer(args.base)
    encode = lambda texts: {i for e in before.encode_batch(texts) for i in e.ids}  # noqa: E731
    kept = vocabulary.base()
    for name, texts in [*lines_of("train").items(), ("symbols", symbols()), ("common words", list(common(args.common)))]:
        marks = {i for i, kind in enumerate(vocabulary.types) if kind != gguf.TokenType.NORMAL}
        vocabulary.close(kept, encode(texts) - marks)
        print(f"{len(kept):7} rows with {name}", flush=True)
    vocabulary.fill(kept)
    rows = write(vocabulary, kept, args.out, args.tie)
    after = weights.read_tokenizer(args.out)
    report = {"rows": len(rows), "merges": len(vocabulary.kept_merges(kept)),
              "bytes": args.out.stat().st_size, "bytes_before": pathlib.Path(args.base).stat().st_size, "tokens": {}}
    for name, texts in held_out():
        old, new = more_tokens(before, after, texts)
        wrong = sum(after.decode(e.ids, skip_special_tokens=False) != text for e, text in zip(after.encode_batch(texts), texts))
        report["tokens"][name] = {"before": old, "after": new, "more": f"{new / old - 1:.2%}", "texts": len(texts), "not read back": wrong}
    # Where no token was dropped the cut is the same.
    new_of = {old: i for i, old in enumerate(rows)}
    same = different = 0
    for _, texts in held_out():
        for a, b in zip(before.encode_batch(texts), after.encode_batch(texts)):
            if all(i in new_of for i in a.ids):
                if [new_of[i] for i in a.ids] == b.ids:
                    same += 1
                else:
                    different += 1
    report["texts without a dropped token"] = {"cut the same": same, "cut otherwise": different}
    print(json.dumps(report, indent=1, ensure_ascii=False))
    if different:
        sys.exit("a text was cut otherwise though none of its tokens was dropped")


if __name__ == "__main__":
    main()

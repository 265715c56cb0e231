#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Trains nano's SentencePiece model on the corpus's train part and chitchat. The same bytes on every run.

    python3 Training/make_tokenizer.py tokenizer/nano.model --cache FOLDER [--rows 4096] [--type bpe]

FOLDER is where the chitchat package is, or is fetched to.
"""
import argparse
import collections
import io
import pathlib
import re
import tempfile

import sentencepiece
from sentencepiece import sentencepiece_model_pb2

from lib import chitchat, corpus, nano, prompt

# What pieces may not reach across. An emotion is one piece with its braces, and so is an action of two words; a word
# keeps its apostrophe and the space before it; digits stand alone.
CHUNK = re.compile(r" \{[a-z]+[;}]| [a-z]+_[a-z]+| ?[^\W\d_]+(?:'[^\W\d_]+)*|\d| ?(?:[^\w\s]|_)+| ")


def chunks(rows):
    """Chunks with the space written as SentencePiece writes it, and their counts."""
    counts = collections.Counter()
    for row in rows:
        for text in [row["header"]] + [text for turn in row["turns"] for text in turn]:
            counts.update(CHUNK.findall(" " + text))
    return {chunk.replace(" ", "\u2581"): count for chunk, count in counts.items()}


def train(counts, rows, kind):
    out = io.BytesIO()
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder) / "chunks.tsv"
        path.write_text("".join(f"{chunk}\t{count}\n" for chunk, count in sorted(counts.items())))
        sentencepiece.SentencePieceTrainer.train(
            input=str(path), input_format="tsv", model_writer=out, model_type=kind,
            vocab_size=rows - len(nano.SPECIALS), byte_fallback=True, normalization_rule_name="identity",
            remove_extra_whitespaces=False, add_dummy_prefix=False, split_digits=True,
            split_by_unicode_script=False, character_coverage=0.9999, num_threads=1,
            unk_id=0, bos_id=1, eos_id=2, pad_id=-1, minloglevel=2)
    model = sentencepiece_model_pb2.ModelProto.FromString(out.getvalue())
    # The chunks have their spaces; texts will not.
    model.normalizer_spec.add_dummy_prefix = True
    model.trainer_spec.ClearField("input")
    return model.SerializeToString(deterministic=True)


def report(name, tokenizer, rows):
    tokens = sum(len(tokenizer(reply)) for row in rows for _, reply in row["turns"])
    words = sum(len(reply.split(" {")[0].split()) for row in rows for _, reply in row["turns"])
    everything = [i for row in rows for text, _ in prompt.pieces(row, "phi3") for i in tokenizer(text)]
    bytes_ = sum(tokenizer.pieces.is_byte(i) for i in everything if i < len(tokenizer.pieces) and i != newline)
    print(f"{name:10} {tokens / words:.3f} tokens/word of replies, with emotion and actions; "
          f"{len(everything)} tokens in all, {bytes_ / len(everything):.4%} bytes; {len(set(everything))} ids in use")


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("out", type=pathlib.Path)
    parser.add_argument("--cache", required=True)
    parser.add_argument("--rows", type=int, default=4096, help="of the embedding: pieces and Phi-3's special tokens")
    parser.add_argument("--type", choices=["bpe", "unigram"], default="bpe", help="the engine reads bpe")
    args = parser.parse_args()

    parts = corpus.split()
    rows = {name: [nano.row(c) for c in part] for name, part in parts.items()}
    chat = chitchat.rows(args.cache, nano.words(parts["train"], 1))
    counts = collections.Counter(chunks(rows["train"]))
    counts.update(chunks(chat))
    args.out.write_bytes(train(counts, args.rows, args.type))
    tokenizer = nano.Tokenizer(args.out)
    newline = tokenizer.pieces.piece_to_id("<0x0A>")
    for name, part in (("train", rows["train"]), ("validation", rows["validation"]), ("chitchat", chat)):
        report(name, tokenizer, part)

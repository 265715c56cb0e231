#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Token ids of seeded strings by the reference libraries, for PetTokenizerTests.

    make_tokenizer_goldens.py fixtures Tests/PetTokenizerTests/Fixtures
        trains two small vocabularies and writes them with goldens (committed; rerunning gives the same files)
    make_tokenizer_goldens.py sample Tests/PetTokenizerTests/Fixtures --gguf MODEL.gguf --sentencepiece V1 V3
        writes the committed samples for SmolLM2 and two models of mistral_common 1.13.1
    make_tokenizer_goldens.py compare FOLDER --count 20000 [--gguf MODEL.gguf] [--sentencepiece NAME.model ...]
        writes goldens for real vocabularies; then PET_TOKENIZER_GOLDENS=FOLDER swift test --filter RealVocabulary

Made with tokenizers 0.23.3, sentencepiece 0.2.3, gguf 0.19.0. Files:

- NAME.vocabulary: little-endian; kind ("spm" or a pre-tokenizer's name; u32 length, bytes), u32 count, per token
  (i32 type, f32 score, u32 length, bytes), u32 count, per merge (u32 length, bytes).
- NAME.golden: per line `text<TAB>ids<TAB>ids with special tokens parsed` (`=`: the same; `-`: no reference); text
  escaped as in tokenizer_strings.escape.
"""
import argparse
import io
import os
import struct
import sys
from pathlib import Path

os.environ["TOKENIZERS_PARALLELISM"] = "false"

import sentencepiece
from tokenizers import AddedToken, Regex, Tokenizer, decoders, models, normalizers, pre_tokenizers, trainers

import tokenizer_strings
from tokenizer_strings import escape, strings

NORMAL, UNKNOWN, CONTROL, USER_DEFINED, UNUSED, BYTE = 1, 2, 3, 4, 5, 6
LLAMA3 = (r"(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+"
          r"|\s+(?!\S)|\s+")
SPECIALS = ["<|endoftext|>", "<|im_start|>", "<|im_end|>", "<repo_name>"]


def byte_alphabet():
    printable = [*range(0x21, 0x7F), *range(0xA1, 0xAD), *range(0xAE, 0x100)]
    rest = [b for b in range(256) if b not in printable]
    return {**{b: chr(b) for b in printable}, **{b: chr(0x100 + i) for i, b in enumerate(rest)}}


ALPHABET = byte_alphabet()


def pre_tokenizer(name):
    level = pre_tokenizers.ByteLevel
    if name == "smollm":
        return pre_tokenizers.Sequence([
            pre_tokenizers.Digits(individual_digits=True), level(add_prefix_space=False, use_regex=True)])
    if name == "gpt-2":
        return level(add_prefix_space=False, use_regex=True)
    pattern = LLAMA3 if name == "llama-bpe" else LLAMA3.replace("{1,3}", "")
    return pre_tokenizers.Sequence([
        pre_tokenizers.Split(Regex(pattern), "isolated"), level(add_prefix_space=False, use_regex=False)])


class ByteLevelReference:
    """`tokenizers`, from a list of tokens and merges. The tokens of `specials` are control tokens."""

    def __init__(self, name, tokens, merges, specials):
        vocabulary = {token: i for i, token in enumerate(tokens)}
        self.plain = Tokenizer(models.BPE(
            vocab=vocabulary, merges=[tuple(m.split(" ")) for m in merges], ignore_merges=name == "llama-bpe"))
        self.plain.pre_tokenizer = pre_tokenizer(name)
        self.parsing = Tokenizer.from_str(self.plain.to_str())
        self.parsing.add_special_tokens([AddedToken(s, normalized=False) for s in specials])

    def encode(self, data):
        try:
            text = data.decode()
        except UnicodeDecodeError:
            return self.encode_broken(data), None
        ids = self.plain.encode(text).ids
        return ids, self.parsing.encode(text).ids

    def encode_broken(self, data):
        """A stand-in from the private use area, which the patterns treat like any symbol, for each stray byte; words
        are cut by the library, and their true bytes merged by it."""
        text = data.decode("utf-8", "surrogateescape")
        stand_ins = "".join(chr(0xF0000 + ord(c) - 0xDC00) if 0xDC80 <= ord(c) <= 0xDCFF else c for c in text)
        ids = []
        for _, (start, end) in self.plain.pre_tokenizer.pre_tokenize_str(stand_ins):
            word = text[start:end].encode("utf-8", "surrogateescape")
            ids += [t.id for t in self.plain.model.tokenize("".join(ALPHABET[b] for b in word))]
        return ids


def scored_merges(pieces, scores):
    """The merges that a SentencePiece BPE vocabulary implies, best score first."""
    ids = {piece: i for i, piece in enumerate(pieces)}
    found = []
    for piece in pieces:
        for cut in range(1, len(piece)):
            left, right = piece[:cut], piece[cut:]
            if left in ids and right in ids:
                found.append((-scores[ids[piece]], ids[left], ids[right], left, right))
    return [(left, right) for *_, left, right in sorted(found)]


class SentencePieceReference:
    """The sentencepiece library; where special tokens are parsed, a model of Phi-3's tokenizer in `tokenizers`."""

    def __init__(self, model, phi3_specials=()):
        self.processor = sentencepiece.SentencePieceProcessor(model_proto=model)
        self.parsing = None
        if phi3_specials:
            count = self.processor.get_piece_size()
            pieces = [self.processor.id_to_piece(i) for i in range(count)]
            scores = [self.processor.get_score(i) for i in range(count)]
            normal = [i for i in range(count) if not (self.processor.is_control(i) or self.processor.is_unknown(i))]
            self.parsing = Tokenizer(models.BPE(
                vocab={p: i for i, p in enumerate(pieces)},
                merges=scored_merges([pieces[i] for i in normal], [scores[i] for i in normal]),
                unk_token="<unk>", byte_fallback=True, fuse_unk=True))
            self.parsing.normalizer = normalizers.Sequence(
                [normalizers.Prepend("▁"), normalizers.Replace(" ", "▁")])
            self.parsing.add_special_tokens(
                [AddedToken(s, normalized=False, rstrip=rstrip) for s, rstrip in phi3_specials])

    def encode(self, data):
        ids = self.processor.encode(data, out_type=int)
        if self.parsing is None:
            return ids, None
        try:
            text = data.decode()
        except UnicodeDecodeError:
            return ids, None
        return ids, self.parsing.encode(text).ids


def write_vocabulary(path, kind, tokens, types, scores, merges):
    out = io.BytesIO()

    def put(data):
        out.write(struct.pack("<I", len(data)) + data)

    put(kind.encode())
    out.write(struct.pack("<I", len(tokens)))
    for token, type_, score in zip(tokens, types, scores):
        out.write(struct.pack("<if", type_, score))
        put(token)
    out.write(struct.pack("<I", len(merges)))
    for merge in merges:
        put(merge)
    path.write_bytes(out.getvalue())


def write_goldens(path, reference, data):
    lines = []
    for text in data:
        ids, parsed = reference.encode(text)
        second = "-" if parsed is None else "=" if parsed == ids else " ".join(map(str, parsed))
        lines.append("\t".join([escape(text), " ".join(map(str, ids)), second]))
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    print(f"{path}: {len(lines)} strings, {path.stat().st_size} bytes")


def write_decodings(path, count, decode, seed):
    """Random id sequences and the text that the reference makes of them; `decode` returns None where it disagrees with
    Unicode on how many U+FFFD stand for broken UTF-8."""
    r = tokenizer_strings.random.Random(seed)
    lines = []
    while len(lines) < 200:
        ids = [r.randrange(count) if r.random() < 0.5 else r.randrange(min(count, 300)) for _ in range(r.randint(1, 12))]
        text = decode(ids)
        if text is not None:
            lines.append(" ".join(map(str, ids)) + "\t" + escape(text.encode()))
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")


def write_sentencepiece_vocabulary(path, model):
    """As a GGUF conversion would write it. User-defined pieces are read from the model itself."""
    from sentencepiece import sentencepiece_model_pb2
    proto = sentencepiece_model_pb2.ModelProto()
    proto.ParseFromString(model)
    write_vocabulary(
        path, "spm", [p.piece.encode() for p in proto.pieces], [p.type for p in proto.pieces],
        [p.score for p in proto.pieces], [])


def corpus(more):
    r = tokenizer_strings.random.Random(7)
    kinds = [tokenizer_strings.sentence] * 12 + [
        tokenizer_strings.numbers, tokenizer_strings.contractions,
        tokenizer_strings.joined(tokenizer_strings.CODE, ["\n"]),
        tokenizer_strings.joined(tokenizer_strings.EMOJI, ["", " "]), *more]
    lines = []
    for _ in range(6000):
        text = r.choice(kinds)(r)
        if "\x00" not in text:
            lines.append(text)
    return lines


def make_fixtures(folder):
    folder.mkdir(parents=True, exist_ok=True)
    lines = corpus([tokenizer_strings.script])
    # Byte-level BPE. Two bytes are left out of the vocabulary, as published ones leave some out.
    tokenizer = Tokenizer(models.BPE())
    tokenizer.pre_tokenizer = pre_tokenizer("gpt-2")
    trainer = trainers.BpeTrainer(
        vocab_size=2000, special_tokens=SPECIALS, initial_alphabet=sorted(ALPHABET.values()), show_progress=False)
    tokenizer.train_from_iterator(lines, trainer)
    import json
    state = json.loads(tokenizer.to_str())["model"]
    missing = {ALPHABET[0x04], ALPHABET[0xFF]}
    tokens = sorted(state["vocab"], key=state["vocab"].get)
    tokens = [t for t in tokens if not missing & set(t)]
    merges = [" ".join(m) for m in state["merges"] if not missing & set("".join(m))]
    types = [CONTROL if t in SPECIALS else NORMAL for t in tokens]
    write_vocabulary(
        folder / "small-bpe.vocabulary", "smollm", [t.encode() for t in tokens], types, [0.0] * len(tokens),
        [m.encode() for m in merges])
    for name, seed in [("smollm", 11), ("gpt-2", 12), ("llama-bpe", 13), ("qwen2", 14)]:
        write_goldens(
            folder / f"small-bpe.{name}.golden", ByteLevelReference(name, tokens, merges, SPECIALS), strings(250, seed, longest=160))
    decoding = ByteLevelReference("smollm", tokens, merges, SPECIALS).parsing
    decoding.decoder = decoders.ByteLevel()
    write_decodings(folder / "small-bpe.decoding", len(tokens), decoding.decode, 21)
    # SentencePiece, as Llama trains it, with Phi-3's added tokens.
    added = [("<|endoftext|>", False), ("<|assistant|>", True), ("<|system|>", True), ("<|end|>", True),
             ("<|user|>", True)]
    model = io.BytesIO()
    sentencepiece.SentencePieceTrainer.train(
        sentence_iterator=iter(corpus([])), model_writer=model, model_type="bpe", vocab_size=2000, byte_fallback=True,
        character_coverage=0.98, normalization_rule_name="identity", remove_extra_whitespaces=False, num_threads=1,
        split_digits=True, allow_whitespace_only_pieces=True, minloglevel=2, input_sentence_size=0,
        control_symbols=[name for name, _ in added], user_defined_symbols=["<table>", "  \n"])
    model = model.getvalue()
    (folder / "small-sentencepiece.model").write_bytes(model)
    write_sentencepiece_vocabulary(folder / "small-sentencepiece.vocabulary", model)
    specials = [("<unk>", False), ("<s>", False), ("</s>", True), *added]
    write_goldens(
        folder / "small-sentencepiece.golden", SentencePieceReference(model, specials), strings(250, 15, longest=160))
    processor = sentencepiece.SentencePieceProcessor(model_proto=model)

    def decode(ids):
        text = processor.decode(ids)
        return None if "\ufffd" in text else text

    write_decodings(folder / "small-sentencepiece.decoding", processor.get_piece_size(), decode, 22)


class GGUFVocabulary:
    """The tokenizer keys of a model file."""

    def __init__(self, path):
        import gguf
        fields = gguf.GGUFReader(path).fields
        self.tokens = fields["tokenizer.ggml.tokens"].contents()
        self.types = fields["tokenizer.ggml.token_type"].contents()
        self.merges = fields["tokenizer.ggml.merges"].contents()
        self.pattern = fields["tokenizer.ggml.pre"].contents()

    def reference(self, pattern=None):
        specials = [t for t, type_ in zip(self.tokens, self.types) if type_ == CONTROL]
        return ByteLevelReference(pattern or self.pattern, self.tokens, self.merges, specials)


def make_sample(folder, gguf_path, models_):
    data = strings(300, 2027, longest=160)
    if gguf_path:
        write_goldens(folder / "smollm2.golden", GGUFVocabulary(gguf_path).reference(), data)
    for path in models_:
        write_goldens(folder / f"{Path(path).name}.golden", SentencePieceReference(Path(path).read_bytes()), data)


def make_comparison(folder, count, gguf_path, models_):
    folder.mkdir(parents=True, exist_ok=True)
    data = strings(count, 2026)
    if gguf_path:
        vocabulary = GGUFVocabulary(gguf_path)
        write_vocabulary(
            folder / "gguf.vocabulary", vocabulary.pattern, [t.encode() for t in vocabulary.tokens], vocabulary.types,
            [0.0] * len(vocabulary.tokens), [m.encode() for m in vocabulary.merges])
        for pattern in sorted({vocabulary.pattern, "gpt-2", "llama-bpe", "qwen2"}):
            write_goldens(folder / f"gguf.{pattern}.golden", vocabulary.reference(pattern), data)
    for path in models_:
        model = Path(path).read_bytes()
        stem = Path(path).name
        (folder / f"{stem}.spm").write_bytes(model)
        write_sentencepiece_vocabulary(folder / f"{stem}.vocabulary", model)
        write_goldens(folder / f"{stem}.golden", SentencePieceReference(model), data)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("mode", choices=["fixtures", "sample", "compare"])
    parser.add_argument("folder", type=Path)
    parser.add_argument("--count", type=int, default=20000)
    parser.add_argument("--gguf")
    parser.add_argument("--sentencepiece", nargs="*", default=[])
    arguments = parser.parse_args()
    if arguments.mode == "fixtures":
        make_fixtures(arguments.folder)
    elif arguments.mode == "sample":
        make_sample(arguments.folder, arguments.gguf, arguments.sentencepiece)
    else:
        make_comparison(arguments.folder, arguments.count, arguments.gguf, arguments.sentencepiece)


if __name__ == "__main__":
    main()

# SPDX-License-Identifier: Apache-2.0
"""A `llama` or `qwen2` model as a trainable `Transformer`, and its tokenizer, both read from the GGUF file."""
import gguf
import numpy as np
import tokenizers
import torch
from gguf.quants import dequantize

from .transformer import Shape, Transformer


def field(reader, key):
    return reader.fields[key].contents()


def read_model(path):
    reader = gguf.GGUFReader(path)
    name = field(reader, "general.architecture")
    value = lambda key: field(reader, f"{name}.{key}")  # noqa: E731
    model = Transformer(Shape(
        name, value("block_count"), value("embedding_length"), value("attention.head_count"),
        value("attention.head_count_kv"), value("feed_forward_length"), len(field(reader, "tokenizer.ggml.tokens")), 2048,
        value("rope.freq_base"), value("attention.layer_norm_rms_epsilon"),
        tied=all(t.name != "output.weight" for t in reader.tensors)))
    # One at a time: two copies of all would be 12 GB at 1.5B.
    wanted = dict(model.named_parameters())
    for tensor in reader.tensors:
        wanted.pop(tensor.name).data = torch.from_numpy(np.array(dequantize(tensor.data, tensor.tensor_type), dtype=np.float32))
    if wanted:
        raise SystemExit(f"{path}: lacks {sorted(wanted)[:3]}")
    return model


def trainable(path, args):
    """The model with a low-rank delta of `args.rank`, or all of it trained where that is 0."""
    model = read_model(path)
    if args.rank:
        model.add_delta(args.rank, args.alpha, args.first_block)
        if args.bf16:
            for frozen in (p for p in model.blk.parameters() if p.dim() == 2 and not p.requires_grad):
                frozen.data = frozen.data.bfloat16()
    return model


QWEN2 = (r"(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+"
         r"|\s+(?!\S)|\s+")


def pre_tokenizer(name):
    """How text is cut into words, by the name in GGUF; none for names that are not known. Like the engine, without Qwen2's NFC."""
    parts = tokenizers.pre_tokenizers
    if name == "smollm":
        return parts.Sequence([parts.Digits(individual_digits=True), parts.ByteLevel(add_prefix_space=False, use_regex=True)])
    if name == "qwen2":
        return parts.Sequence([
            parts.Split(tokenizers.Regex(QWEN2), "isolated"), parts.ByteLevel(add_prefix_space=False, use_regex=False)])
    return None


def read_tokenizer(path):
    """text -> ids, special tokens parsed. The same ids as the engine's byte-level BPE (checked by its tests)."""
    reader = gguf.GGUFReader(path)
    before = pre_tokenizer(field(reader, "tokenizer.ggml.pre"))
    if before is None:
        raise SystemExit(f"{path}: neither SmolLM2's tokenizer nor Qwen2's")
    tokens, merges, types = (field(reader, f"tokenizer.ggml.{key}") for key in ("tokens", "merges", "token_type"))
    model = tokenizers.models.BPE(
        {token: i for i, token in enumerate(tokens)}, [tuple(merge.split(" ")) for merge in merges])
    tokenizer = tokenizers.Tokenizer(model)
    tokenizer.pre_tokenizer = before
    tokenizer.decoder = tokenizers.decoders.ByteLevel()
    tokenizer.add_special_tokens([token for token, kind in zip(tokens, types) if kind == gguf.TokenType.CONTROL])
    tokenizer.add_tokens([token for token, kind in zip(tokens, types) if kind == gguf.TokenType.USER_DEFINED])
    return tokenizer


def read_delta(path):
    """The low-rank delta of an adapter that export_pet.py wrote, or of a checkpoint, as parameters of `Transformer`."""
    if not str(path).endswith(".gguf"):
        return torch.load(path, weights_only=True)["model"]
    return {
        t.name.replace(".weight.lora_", "."): torch.from_numpy(np.array(dequantize(t.data, t.tensor_type), dtype=np.float32))
        for t in gguf.GGUFReader(path).tensors}

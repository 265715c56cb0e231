# SPDX-License-Identifier: Apache-2.0
"""Writes a Hugging Face folder: config, tokenizer files and safetensors, one or several shards."""
import io
import json
import os
from pathlib import Path

import sentencepiece
import torch
from safetensors.torch import save_file

from small_models import PHI3_ADDED, PHI3_TEMPLATE, PIECES, ZEPHYR_TEMPLATE


def write_json(path, value):
    Path(path).write_text(json.dumps(value, indent=2, ensure_ascii=False) + "\n", encoding="utf-8")


def train_tokenizer():
    """A SentencePiece BPE model as Llama's was trained: byte fallback, identity normalization, a dummy prefix."""
    words = ("the pet sat by the window and looked at the rain it was warm in the house and the cat was not there yet "
             "so the pet went to find a ball and then to rest jumping over quick brown lazy fox vexed zebra").split()
    lines = [" ".join(words[(7 * i + 3 * j) % len(words)] for j in range(12)) for i in range(200)]
    out = io.BytesIO()
    sentencepiece.SentencePieceTrainer.train(
        sentence_iterator=iter(lines), model_writer=out, model_type="bpe", vocab_size=PIECES, byte_fallback=True,
        normalization_rule_name="identity", remove_extra_whitespaces=False, add_dummy_prefix=True,
        split_digits=True, allow_whitespace_only_pieces=True, character_coverage=1.0, num_threads=1,
        unk_id=0, bos_id=1, eos_id=2, pad_id=-1, minloglevel=2)
    return out.getvalue()


def added(content, special, rstrip=False):
    return {"content": content, "lstrip": False, "normalized": False, "rstrip": rstrip, "single_word": False,
            "special": special}


def write_tokenizer(model, folder, tokenizer):
    (folder / "tokenizer.model").write_bytes(tokenizer)
    base = {"0": added("<unk>", True), "1": added("<s>", True)}
    if model.family != "phi3":
        base["2"] = added("</s>", True)
        config = {"chat_template": ZEPHYR_TEMPLATE, "eos_token": "</s>"}
    else:
        base["2"] = added("</s>", False, rstrip=True)
        for i, token in enumerate(PHI3_ADDED):
            # <|endoftext|> is the one added token of the published file that does not strip to the right.
            base[str(PIECES + i)] = added(token, True, rstrip=i != 0)
        config = {"chat_template": PHI3_TEMPLATE, "eos_token": "<|endoftext|>", "pad_token": "<|endoftext|>"}
        if model.added_tokens_file:
            write_json(folder / "added_tokens.json", {t: PIECES + i for i, t in enumerate(PHI3_ADDED)})
    config |= {
        "add_bos_token": model.family != "phi3", "add_eos_token": False, "added_tokens_decoder": base,
        "bos_token": "<s>", "clean_up_tokenization_spaces": False, "legacy": False, "model_max_length": model.context,
        "tokenizer_class": "LlamaTokenizer", "unk_token": "<unk>"}
    write_json(folder / "tokenizer_config.json", dict(sorted(config.items())))


def save(tensors, path):
    save_file(tensors, path, metadata={"format": "pt"})
    os.chmod(path, 0o644)


def write_weights(model, folder, tensors):
    """`tensors`: name to torch tensor in the folder's element type."""
    if model.shards == 1:
        save(tensors, folder / "model.safetensors")
        return
    names = list(tensors)
    per = -(-len(names) // model.shards)
    where = {}
    for s in range(model.shards):
        file = f"model-{s + 1:05d}-of-{model.shards:05d}.safetensors"
        part = names[s * per:(s + 1) * per]
        where |= {name: file for name in part}
        save({name: tensors[name] for name in part}, folder / file)
    total = sum(t.numel() * t.element_size() for t in tensors.values())
    write_json(folder / "model.safetensors.index.json",
               {"metadata": {"total_size": total}, "weight_map": dict(sorted(where.items()))})


def write_folder(model, folder, tokenizer):
    """Returns the weights as float32, after rounding to the folder's element type."""
    folder.mkdir(parents=True, exist_ok=True)
    dtype = getattr(torch, model.dtype)
    tensors = {name: torch.from_numpy(w).to(dtype).contiguous() for name, w in model.weights().items()}
    write_json(folder / "config.json", model.config())
    write_tokenizer(model, folder, tokenizer)
    write_weights(model, folder, tensors)
    return {name: t.to(torch.float32).numpy() for name, t in tensors.items()}

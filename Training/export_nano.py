#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes a checkpoint of train_nano.py as a Hugging Face folder (Phi3ForCausalLM), for `pet models convert`.

    python3 Training/export_nano.py OUT/checkpoint.pt nano-phi3

The folder's name becomes the model's. llama.cpp drops the whitespace after turn marks, as Phi-3 wants it and nano was
trained, only for models whose name has phi3 or phi-3 in it.
"""
import json
import pathlib
import shutil
import sys

import tokenizers
from safetensors.torch import save_file

from lib import corpus, nano

# How likely flags must be, in percent, to count as raised: chosen on the development probes.
FLAGS = 20
# When its own words are to be believed, in hundredths of nats (ReplyTrust): what bank/fit.py printed for nano-v5.
SURPRISE_EVEN, SURPRISE_SCALE = 699, 320

# As published with Phi-3-mini.
TEMPLATE = (
    "{% for message in messages %}"
    "{% if message['role'] == 'system' %}{{'<|system|>\\n' + message['content'] + '<|end|>\\n'}}"
    "{% elif message['role'] == 'user' %}{{'<|user|>\\n' + message['content'] + '<|end|>\\n'}}"
    "{% elif message['role'] == 'assistant' %}{{'<|assistant|>\\n' + message['content'] + '<|end|>\\n'}}{% endif %}"
    "{% endfor %}"
    "{% if add_generation_prompt %}{{ '<|assistant|>\\n' }}{% else %}{{ eos_token }}{% endif %}")
NAMES = {
    "attn_norm": "input_layernorm", "attn_qkv": "self_attn.qkv_proj", "attn_output": "self_attn.o_proj",
    "ffn_norm": "post_attention_layernorm", "ffn_up": "mlp.gate_up_proj", "ffn_down": "mlp.down_proj"}


def tensors(model):
    result = {"model.embed_tokens.weight": model.token_embd.weight, "model.norm.weight": model.output_norm.weight}
    for i, block in enumerate(model.blk):
        for ours, theirs in NAMES.items():
            result[f"model.layers.{i}.{theirs}.weight"] = getattr(block, ours).weight
    return {name: tensor.detach().float().contiguous() for name, tensor in result.items()}


def configuration(shape, tokenizer):
    end = tokenizer.specials["<|endoftext|>"]
    return {
        "architectures": ["Phi3ForCausalLM"], "attention_bias": False, "attention_dropout": 0.0, "bos_token_id": 1,
        "embd_pdrop": 0.0, "eos_token_id": end, "hidden_act": "silu", "hidden_size": shape.width,
        "initializer_range": 0.02, "intermediate_size": shape.ffn, "max_position_embeddings": shape.context,
        "model_type": "phi3", "num_attention_heads": shape.heads, "num_hidden_layers": shape.layers,
        "num_key_value_heads": shape.kv_heads, "original_max_position_embeddings": shape.context, "pad_token_id": end,
        "resid_pdrop": 0.0, "rms_norm_eps": shape.epsilon, "rope_scaling": None, "rope_theta": shape.rope_base,
        "sliding_window": None, "tie_word_embeddings": True, "torch_dtype": "float32", "use_cache": True,
        "vocab_size": shape.vocabulary, "pet.prompt_format": 1, "pet.danger_flags": FLAGS, "pet.repetition_penalty": 100,
        "pet.surprise_even": SURPRISE_EVEN, "pet.surprise_scale": SURPRISE_SCALE}


def added_tokens(tokenizer):
    """{id as text: token}, as in tokenizer_config.json."""
    def added(text, special=True, rstrip=False):
        return {"content": text, "lstrip": False, "normalized": False, "rstrip": rstrip, "single_word": False,
                "special": special}
    tokens = {"0": added("<unk>"), "1": added("<s>"), "2": added("</s>", special=False, rstrip=True)}
    for text, id in tokenizer.specials.items():
        # Whitespace after a turn's marks is part of them, as in Phi-3.
        tokens[str(id)] = added(text, rstrip=text != "<|endoftext|>")
    return tokens


def tokenizer_configuration(shape, tokenizer):
    return {
        "add_bos_token": False, "add_eos_token": False, "added_tokens_decoder": added_tokens(tokenizer),
        "bos_token": "<s>", "chat_template": TEMPLATE, "clean_up_tokenization_spaces": False,
        "eos_token": "<|endoftext|>", "legacy": False, "model_max_length": shape.context, "pad_token": "<|endoftext|>",
        "tokenizer_class": "PreTrainedTokenizerFast", "unk_token": "<unk>"}


def fast_tokenizer(tokenizer):
    """The pieces as a tokenizer.json: transformers reads tokenizer.model without a space after special tokens."""
    pieces = tokenizer.pieces
    texts = [pieces.id_to_piece(i) for i in range(len(pieces))]
    vocabulary = {text: i for i, text in enumerate(texts)}
    merges = []
    for i, text in enumerate(texts):
        if pieces.is_byte(i) or pieces.is_control(i) or pieces.is_unknown(i):
            continue
        # All ways to make the piece, at the place that its score gives it.
        ways = [(text[:n], text[n:]) for n in range(1, len(text)) if text[:n] in vocabulary and text[n:] in vocabulary]
        merges += [(-pieces.get_score(i), vocabulary[a], vocabulary[b], (a, b)) for a, b in ways]
    model = tokenizers.models.BPE(
        vocabulary, [way for *_, way in sorted(merges)], unk_token="<unk>", fuse_unk=True, byte_fallback=True)
    result = tokenizers.Tokenizer(model)
    result.normalizer = tokenizers.normalizers.Sequence([
        tokenizers.normalizers.Prepend("\u2581"), tokenizers.normalizers.Replace(" ", "\u2581")])
    result.decoder = tokenizers.decoders.Sequence([
        tokenizers.decoders.Replace("\u2581", " "), tokenizers.decoders.ByteFallback(), tokenizers.decoders.Fuse(),
        tokenizers.decoders.Strip(" ", 1, 0)])
    for id, token in added_tokens(tokenizer).items():
        add = result.add_special_tokens if token["special"] else result.add_tokens
        add([tokenizers.AddedToken(**token)])
        assert result.token_to_id(token["content"]) == int(id)
    return result


def write(path, value):
    path.write_text(json.dumps(value, indent=2) + "\n")


if __name__ == "__main__":
    if len(sys.argv) != 3:
        raise SystemExit(__doc__)
    model, _ = nano.load(sys.argv[1])
    tokenizer = nano.tokenizer()
    if len(tokenizer) != model.shape.vocabulary:
        raise SystemExit(
            f"tokenizer/nano.model is for {len(tokenizer)} rows, the checkpoint has {model.shape.vocabulary}")
    folder = pathlib.Path(sys.argv[2])
    if "phi3" not in folder.name and "phi-3" not in folder.name:
        raise SystemExit(f"{folder}: the name must have phi3 in it, see the head of this script")
    folder.mkdir(parents=True, exist_ok=True)
    save_file(tensors(model), folder / "model.safetensors", metadata={"format": "pt"})
    (folder / "model.safetensors").chmod(0o644)
    shutil.copyfile(corpus.ROOT.parent / "tokenizer/nano.model", folder / "tokenizer.model")
    write(folder / "config.json", configuration(model.shape, tokenizer))
    write(folder / "tokenizer_config.json", tokenizer_configuration(model.shape, tokenizer))
    fast_tokenizer(tokenizer).save(str(folder / "tokenizer.json"))
    write(folder / "added_tokens.json", tokenizer.specials)
    # A reply ends with <|end|>, a text with <|endoftext|>.
    write(folder / "generation_config.json", {
        "bos_token_id": 1, "eos_token_id": [tokenizer.specials["<|endoftext|>"], tokenizer.specials["<|end|>"]],
        "pad_token_id": tokenizer.specials["<|endoftext|>"]})

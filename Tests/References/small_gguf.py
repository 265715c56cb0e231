# SPDX-License-Identifier: Apache-2.0
"""Writes the weights of a small model as GGUF, keyed and laid out as llama.cpp's converter lays out real checkpoints."""
import math

import gguf
import numpy as np
import sentencepiece

from small_models import PHI3_ADDED, PIECES, VOCAB


def interleave(w, heads):
    """Rows of a `llama` q or k: halves (x_i, x_{i+d/2}) become neighbours (x_{2i}, x_{2i+1}) within each head."""
    rows, columns = w.shape
    return w.reshape(heads, 2, rows // heads // 2, columns).swapaxes(1, 2).reshape(rows, columns)


def vocabulary(model, tokenizer):
    sp = sentencepiece.SentencePieceProcessor(model_proto=tokenizer)
    tokens = [f"[PAD{i}]".encode() for i in range(VOCAB)]
    scores = [-10000.0] * VOCAB
    types = [gguf.TokenType.UNUSED] * VOCAB
    for i in range(sp.vocab_size()):
        tokens[i], scores[i] = sp.id_to_piece(i).encode(), sp.get_score(i)
        types[i] = (gguf.TokenType.UNKNOWN if sp.is_unknown(i) else gguf.TokenType.CONTROL if sp.is_control(i)
                    else gguf.TokenType.BYTE if sp.is_byte(i) else gguf.TokenType.NORMAL)
    if model.family == "phi3":
        # The added tokens of tokenizer_config.json: special ones are control tokens, </s> is not marked special there.
        types[2], scores[2] = gguf.TokenType.USER_DEFINED, -1000.0
        for i in (0, 1):
            types[i], scores[i] = gguf.TokenType.CONTROL, -1000.0
        for i, token in enumerate(PHI3_ADDED, PIECES):
            tokens[i], scores[i], types[i] = token.encode(), -1000.0, gguf.TokenType.CONTROL
    return tokens, scores, types


TENSORS = {
    "model.embed_tokens": "token_embd", "model.norm": "output_norm", "lm_head": "output",
    "input_layernorm": "attn_norm", "post_attention_layernorm": "ffn_norm",
    "self_attn.q_proj": "attn_q", "self_attn.k_proj": "attn_k", "self_attn.v_proj": "attn_v",
    "self_attn.qkv_proj": "attn_qkv", "self_attn.o_proj": "attn_output",
    "mlp.gate_proj": "ffn_gate", "mlp.up_proj": "ffn_up", "mlp.gate_up_proj": "ffn_up", "mlp.down_proj": "ffn_down",
}


def tensor_name(name):
    stem, kind = name.rsplit(".", 1)
    if not stem.startswith("model.layers."):
        return f"{TENSORS[stem]}.{kind}"
    _, _, layer, rest = stem.split(".", 3)
    return f"blk.{layer}.{TENSORS[rest]}.{kind}"


def write_gguf(model, folder, weights, tokenizer):
    w = gguf.GGUFWriter(folder / "model.gguf", model.family)
    w.add_type("model")
    w.add_name(model.name)
    w.add_context_length(model.context)
    w.add_embedding_length(model.width)
    w.add_block_count(model.layers)
    w.add_feed_forward_length(model.ffn)
    w.add_head_count(model.heads)
    w.add_head_count_kv(model.kv_heads)
    w.add_layer_norm_rms_eps(model.eps)
    if model.family != "qwen2":  # real files say nothing
        w.add_rope_dimension_count(model.rope_dim)
    w.add_rope_freq_base(model.rope_base)
    w.add_file_type(gguf.LlamaFileType.ALL_F32)
    if model.family == "llama":
        w.add_vocab_size(VOCAB)
    elif model.family == "phi3":
        original = model.original_context or model.context
        w.add_rope_scaling_orig_ctx_len(original)
        w.add_sliding_window(model.window or 0)  # the converter writes 0 for "none"
        if model.long_factor:
            scale = model.context / original
            w.add_rope_scaling_attn_factors(math.sqrt(1 + math.log(scale) / math.log(original)))
    tokens, scores, types = vocabulary(model, tokenizer)
    w.add_tokenizer_model("llama")
    w.add_tokenizer_pre("default")
    w.add_token_list(tokens)
    w.add_token_scores(scores)
    w.add_token_types(types)
    gguf.SpecialVocab(folder, n_vocab=VOCAB).add_to_gguf(w)
    w.add_quantization_version(gguf.GGML_QUANT_VERSION)

    if model.long_factor:
        w.add_tensor("rope_factors_long.weight", np.array(model.long_factor, dtype=np.float32))
        w.add_tensor("rope_factors_short.weight", np.array(model.short_factor, dtype=np.float32))
    for name, value in weights.items():
        if model.family == "llama" and name.endswith("q_proj.weight"):
            value = interleave(value, model.heads)
        elif model.family == "llama" and name.endswith("k_proj.weight"):
            value = interleave(value, model.kv_heads)
        w.add_tensor(tensor_name(name), np.ascontiguousarray(value))
    w.write_header_to_file()
    w.write_kv_data_to_file()
    w.write_tensors_to_file()
    w.close()

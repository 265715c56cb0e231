# SPDX-License-Identifier: Apache-2.0
"""Writes a GGUF file of exactly Phi-3-mini-4k's shape (Abdin et al. 2024) with random weights, in the mixture of types that
llama.cpp calls Q4_K_M: Q4_K, but Q5_K for the fused query-key-value, Q6_K for the output and for half of the `ffn_down`.

    python phi3_shape.py OUTPUT.gguf

The blocks are written as they come, without a float model before them: 4-bit numbers are drawn uniformly, scales so that
weights have a mean near 0 and a standard deviation near 0.02. Speed depends on shapes and types, not on values; values only have
to be ordinary numbers. Memory: one matrix.
"""
import sys

import gguf
import numpy as np

LAYERS, WIDTH, HEADS, WIDE, VOCABULARY = 32, 3072, 32, 8192, 32064
CONTEXT, DEVIATION, BLOCK = 4096, 0.02, 256
Type = gguf.GGMLQuantizationType


def random_blocks(kind, count, random):
    """[count, bytes of a block]: random quants, scales that all parts of a block share."""
    _, size = gguf.GGML_QUANT_SIZES[kind]
    blocks = random.integers(0, 256, (count, size), dtype=np.uint8)
    # How many values a quant has, and the scale of each part of a block, by which the block's own is multiplied: so large that
    # the block's is an ordinary half-precision number.
    levels, part = {Type.Q4_K: (16, 32), Type.Q5_K: (32, 16), Type.Q6_K: (64, 8)}[kind]
    step = DEVIATION / (np.sqrt((levels ** 2 - 1) / 12) * part)
    scales = (step * random.uniform(0.75, 1.25, count)).astype(np.float32)
    if kind is Type.Q6_K:
        # 128 bytes of low bits, 64 of high bits, 16 scales, one half; quants are 0...63 less 32.
        blocks[:, 192:208] = part
        blocks[:, 208:210] = scales.astype("<f2").view(np.uint8).reshape(count, 2)
    else:
        # Two halves (scale, minimum), 12 bytes of eight 6-bit scales and minimums, then the quants. All sixteen are equal: the
        # lower four of each whole in the first 8 bytes, of the upper four the low bits in 8...11, the high two in 0...7.
        minimums = scales * (levels - 1) / 2
        blocks[:, 0:2] = scales.astype("<f2").view(np.uint8).reshape(count, 2)
        blocks[:, 2:4] = minimums.astype("<f2").view(np.uint8).reshape(count, 2)
        blocks[:, 4:12] = part | (part >> 4) << 6
        blocks[:, 12:16] = 0
    return blocks


def has_more_bits(layer):
    """Which `ffn_down` matrices are Q6_K: the first and last eighth of the layers and every third between."""
    return layer < LAYERS // 8 or layer >= 7 * LAYERS // 8 or (layer - LAYERS // 8) % 3 == 2


def tensors():
    """(name, rows, columns, type); no rows: a vector."""
    yield "token_embd.weight", VOCABULARY, WIDTH, Type.Q4_K
    for i in range(LAYERS):
        yield f"blk.{i}.attn_norm.weight", None, WIDTH, Type.F32
        yield f"blk.{i}.attn_qkv.weight", 3 * WIDTH, WIDTH, Type.Q5_K
        yield f"blk.{i}.attn_output.weight", WIDTH, WIDTH, Type.Q4_K
        yield f"blk.{i}.ffn_norm.weight", None, WIDTH, Type.F32
        yield f"blk.{i}.ffn_up.weight", 2 * WIDE, WIDTH, Type.Q4_K
        yield f"blk.{i}.ffn_down.weight", WIDTH, WIDE, Type.Q6_K if has_more_bits(i) else Type.Q4_K
    yield "output_norm.weight", None, WIDTH, Type.F32
    yield "output.weight", VOCABULARY, WIDTH, Type.Q6_K


def add_metadata(writer):
    writer.add_name("Phi-3-mini shape, random weights")
    writer.add_context_length(CONTEXT)
    writer.add_uint32("phi3.rope.scaling.original_context_length", CONTEXT)
    writer.add_embedding_length(WIDTH)
    writer.add_block_count(LAYERS)
    writer.add_feed_forward_length(WIDE)
    writer.add_head_count(HEADS)
    writer.add_head_count_kv(HEADS)
    writer.add_rope_dimension_count(WIDTH // HEADS)
    writer.add_rope_freq_base(10000.0)
    writer.add_layer_norm_rms_eps(1e-5)
    writer.add_sliding_window(2047)
    writer.add_vocab_size(VOCABULARY)
    writer.add_file_type(gguf.LlamaFileType.MOSTLY_Q4_K_M)
    writer.add_quantization_version(2)
    add_vocabulary(writer)


def add_vocabulary(writer):
    """Any vocabulary does: special tokens (llama.cpp asks for the last where a model's name says Phi-3), the 256 bytes, and made-up
    words."""
    tokens = ["<unk>", "<s>", "</s>", "<|endoftext|>"] + [f"<0x{byte:02X}>" for byte in range(256)]
    kinds = [gguf.TokenType.UNKNOWN] + [gguf.TokenType.CONTROL] * 3 + [gguf.TokenType.BYTE] * 256
    words = VOCABULARY - len(tokens)
    writer.add_tokenizer_model("llama")
    writer.add_token_list(tokens + [f"\u2581w{i}" for i in range(words)])
    writer.add_token_scores([0.0] * len(tokens) + [-float(i) for i in range(words)])
    writer.add_token_types(kinds + [gguf.TokenType.NORMAL] * words)
    writer.add_bos_token_id(1)
    writer.add_eos_token_id(3)
    writer.add_unk_token_id(0)
    writer.add_add_bos_token(True)


def main():
    random = np.random.Generator(np.random.SFC64(3))
    writer = gguf.GGUFWriter(sys.argv[1], "phi3")
    add_metadata(writer)
    for name, rows, columns, kind in tensors():
        if rows is None:
            writer.add_tensor_info(name, (columns,), np.dtype(np.float32), 4 * columns)
        else:
            elements, size = gguf.GGML_QUANT_SIZES[kind]
            row_bytes = columns // elements * size
            writer.add_tensor_info(name, (rows, row_bytes), np.dtype(np.uint8), rows * row_bytes, raw_dtype=kind)
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_ti_data_to_file()
    for _, rows, columns, kind in tensors():
        if rows is None:
            writer.write_tensor_data(np.ones(columns, np.float32))
        else:
            writer.write_tensor_data(random_blocks(kind, rows * columns // BLOCK, random).reshape(rows, -1))
    writer.close()


if __name__ == "__main__":
    main()

# SPDX-License-Identifier: Apache-2.0
"""Makes Tests/Fixtures/adapters: a LoRA adapter in llama.cpp's GGUF form for the small model llama-tied, and what merging
it must give. Rerunning gives the same files.

    python make_adapters.py [OUT]        (default: Tests/Fixtures/adapters)

- lora.gguf: adapter with factors of several types and ranks, for the embedding as well (its factors lie the other way).
- merged.f32: W + alpha / rank * B A of each target in the order of targets.json, in float64, rounded to float32.
- targets.json: names and sizes, and the SHA-256 of all tensors of the merged F32 model, in its order, computed in float32
  in the order that the engine promises: products summed by rank from 0, then scaled, then added.
"""
import hashlib
import json
import sys
from pathlib import Path

import gguf
import numpy as np

SEED = 91
ALPHA = 24.0
HERE = Path(__file__).parent
BASE = HERE.parent / "Fixtures" / "models" / "llama-tied" / "model.gguf"
# Target: rank and type of the factors. Q8_0 needs ranks of 32.
TARGETS = {
    "token_embd.weight": (4, "F32"),
    "blk.0.attn_q.weight": (5, "F16"),
    "blk.0.attn_output.weight": (32, "Q8_0"),
    "blk.0.ffn_up.weight": (3, "BF16"),
    "blk.1.attn_k.weight": (1, "F32"),
    "blk.1.ffn_down.weight": (24, "F32"),
}


def stored(rng, shape, kind):
    """Random values as stored, and as they are read back."""
    values = (rng.standard_normal(shape) * 0.3).astype(np.float32)
    kind = gguf.GGMLQuantizationType[kind]
    data = gguf.quants.quantize(values, kind)
    return data, gguf.quants.dequantize(np.ascontiguousarray(data).view(np.uint8), kind).reshape(shape), kind


def in_fixed_order(base, rows, columns, scale):
    """Every operation in float32, one by one; rows [rows][rank], columns [rank][columns]."""
    total = np.zeros_like(base)
    for k in range(rows.shape[1]):
        total = total + columns[k][None, :] * rows[:, k][:, None]
    return base + total * np.float32(scale)


def main():
    out = Path(sys.argv[1]) if len(sys.argv) > 1 else HERE.parent / "Fixtures" / "adapters"
    out.mkdir(parents=True, exist_ok=True)
    rng = np.random.default_rng(SEED)
    base = {t.name: t.data for t in gguf.GGUFReader(BASE).tensors}
    writer = gguf.GGUFWriter(out / "lora.gguf", "llama")
    writer.add_type(gguf.GGUFType.ADAPTER)
    writer.add_string(gguf.Keys.Adapter.TYPE, "lora")
    writer.add_float32(gguf.Keys.Adapter.LORA_ALPHA, ALPHA)
    writer.add_name("test adapter")
    writer.add_uint32("maker.version", 7)
    merged, exact = dict(base), []
    for name, (rank, kind) in TARGETS.items():
        rows, columns = base[name].shape
        flipped = name == "token_embd.weight"
        a, a_read, a_kind = stored(rng, (rows, rank) if flipped else (rank, columns), kind)
        b, b_read, b_kind = stored(rng, (columns, rank) if flipped else (rows, rank), kind)
        writer.add_tensor(name + ".lora_a", np.ascontiguousarray(a), raw_dtype=a_kind)
        writer.add_tensor(name + ".lora_b", np.ascontiguousarray(b), raw_dtype=b_kind)
        left, right = (a_read, b_read.T) if flipped else (b_read, a_read)
        merged[name] = in_fixed_order(base[name], left, right, np.float32(ALPHA) / np.float32(rank))
        exact.append(base[name].astype(float) + ALPHA / rank * (left.astype(float) @ right.astype(float)))
        assert np.abs(merged[name] - exact[-1]).max() < 1e-5
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()
    (out / "merged.f32").write_bytes(b"".join(e.astype("<f4").tobytes() for e in exact))
    digest = hashlib.sha256(b"".join(np.ascontiguousarray(m).astype("<f4").tobytes() for m in merged.values()))
    facts = {"alpha": ALPHA, "targets": {n: int(base[n].size) for n in TARGETS}, "sha256": digest.hexdigest()}
    (out / "targets.json").write_text(json.dumps(facts, indent=1) + "\n")


main()

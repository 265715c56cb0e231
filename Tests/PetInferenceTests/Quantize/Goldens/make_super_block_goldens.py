# SPDX-License-Identifier: Apache-2.0
"""Writes super-blocks of float32 (super-blocks.f32, little-endian) and the mean squared errors that llama.cpp's quantizer
has on them without an importance matrix (super-blocks.json). Rerunning gives the same files.

    pip install gguf numpy llama-cpp-python
    python make_super_block_goldens.py [FOLDER]        (the script's own folder by default)

Made with llama-cpp-python 0.3.36. An error is null where the reference's result is not finite.
"""

import ctypes
import json
import pathlib
import sys

import gguf
import llama_cpp
import numpy as np

SEED = 20250206
TYPES = ["Q2_K", "Q3_K", "Q4_K", "Q5_K", "Q6_K"]
BLOCK = 256


def cases():
    rng = np.random.default_rng(SEED)

    def normal(blocks, scale=0.02):
        return rng.standard_normal((blocks, BLOCK)) * scale

    def scaled(blocks, low, high, length):
        """Normal runs of `length`, each times a power of two between 2^low and 2^high."""
        powers = np.exp2(rng.integers(low, high + 1, (blocks, BLOCK // length)))
        return normal(blocks, 1) * powers.repeat(length, 1)

    yield "normal", normal(48)
    yield "heavy tails", rng.standard_t(4, (32, BLOCK)) * 0.02
    yield "scales of F16 below its normal range", normal(24, 0.0005)
    yield "scales of a few units of 2^-24", scaled(16, -18, -13, BLOCK)
    yield "sub-blocks of unlike size", scaled(24, -8, 0, 16)
    yield "positive", np.abs(normal(12)) + 0.001
    yield "negative", -np.abs(normal(12))
    yield "far from zero", normal(12, 0.001) + np.where(rng.random((12, 1)) < 0.5, 0.5, -0.5)
    outlier = normal(16)
    outlier[np.arange(16), rng.integers(0, BLOCK, 16)] = np.tile([3.0, -3.0], 8)
    yield "one outlier", outlier
    yield "three values", rng.integers(-1, 2, (8, BLOCK)) * 0.03
    single = np.zeros((8, BLOCK))
    single[np.arange(8), rng.integers(0, BLOCK, 8)] = np.tile([0.7, -0.7], 4)
    yield "one value and zeros", single
    yield "constant", np.array([1.0, -1.0, 0.02, -1.7, 1e-3, -3e-4])[:, None].repeat(BLOCK, 1)
    yield "zero", np.stack([np.zeros(BLOCK), np.full(BLOCK, -0.0)])
    yield "large", normal(8, 2e5)
    yield "subnormal", scaled(4, -149, -127, BLOCK)
    yield "small", scaled(4, -60, -30, BLOCK)


def quantize(values, kind):
    base = ctypes.CDLL(str(pathlib.Path(llama_cpp.__file__).parent / "lib" / "libggml-base.so"))
    base.ggml_quantize_chunk.restype = ctypes.c_size_t
    base.ggml_quantize_chunk.argtypes = [ctypes.c_int, ctypes.c_void_p, ctypes.c_void_p, *[ctypes.c_int64] * 3,
                                         ctypes.c_void_p]
    size = gguf.GGML_QUANT_SIZES[kind][1]
    stored = np.zeros((len(values), size), np.uint8)
    written = base.ggml_quantize_chunk(int(kind), values.ctypes.data, stored.ctypes.data, 0, len(values), BLOCK, None)
    assert written == stored.size
    return stored


def error(values, kind):
    kind = gguf.GGMLQuantizationType[kind]
    with np.errstate(all="ignore"):
        back = gguf.quants.dequantize(quantize(values, kind), kind).astype(np.float64)
        mean = float(np.mean((back - values) ** 2))
    return mean if np.isfinite(mean) else None


def main():
    folder = pathlib.Path(sys.argv[1]) if len(sys.argv) > 1 else pathlib.Path(__file__).parent
    everything, described = [], []
    for name, rows in cases():
        rows = np.ascontiguousarray(rows, dtype=np.float32)
        assert np.isfinite(rows).all()
        described.append({"name": name, "blocks": len(rows), "errors": {kind: error(rows, kind) for kind in TYPES}})
        everything.append(rows)
    (folder / "super-blocks.f32").write_bytes(np.concatenate(everything).astype("<f4").tobytes())
    (folder / "super-blocks.json").write_text(json.dumps(described, indent=1) + "\n")


if __name__ == "__main__":
    main()

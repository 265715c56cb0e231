# SPDX-License-Identifier: Apache-2.0
"""Writes, for each tensor type, seeded random blocks (TYPE.blocks) and what the `gguf` package from PyPI makes of them
(TYPE.f32, little-endian float32 bits). Rerunning gives the same files.

    pip install gguf numpy
    python make_dequant_goldens.py [FOLDER]        (the script's own folder by default)
"""

import pathlib
import sys

import gguf
import numpy as np

SEED = 20240611
# Where the F16 fields of a block are; all other bytes are random.
HALVES = {
    "Q4_0": [0], "Q4_1": [0, 2], "Q5_0": [0], "Q5_1": [0, 2], "Q8_0": [0],
    "Q2_K": [80, 82], "Q3_K": [108], "Q4_K": [0, 2], "Q5_K": [0, 2], "Q6_K": [208],
}
SPECIAL_HALVES = [0x0000, 0x8000, 0x0001, 0x8001, 0x03FF, 0x83FF, 0x0400, 0x7BFF, 0xFBFF, 0x3C00]


def finite_halves(rng, count):
    """F16 bit patterns over the whole finite range: every exponent alike, so a 32nd of them subnormal."""
    bits = (rng.integers(0, 2, count) << 15) | (rng.integers(0, 31, count) << 10) | rng.integers(0, 1024, count)
    special = rng.random(count) < 0.25
    bits[special] = rng.choice(SPECIAL_HALVES, int(special.sum()))
    return bits.astype("<u2")


def blocks_of(name, rng):
    elements, size = gguf.GGML_QUANT_SIZES[gguf.GGMLQuantizationType[name]]
    count = 64 if elements == 32 else 16
    blocks = rng.integers(0, 256, (count, size), dtype=np.uint8)
    for at in HALVES[name]:
        blocks[:, at : at + 2] = finite_halves(rng, count).view(np.uint8).reshape(count, 2)
    blocks[0, :] = np.where(np.isin(np.arange(size), [b for h in HALVES[name] for b in (h, h + 1)]), blocks[0, :], 0)
    blocks[1, :] = np.where(np.isin(np.arange(size), [b for h in HALVES[name] for b in (h, h + 1)]), blocks[1, :], 255)
    return blocks


def main():
    folder = pathlib.Path(sys.argv[1]) if len(sys.argv) > 1 else pathlib.Path(__file__).parent
    for name in HALVES:
        blocks = blocks_of(name, np.random.default_rng([SEED, gguf.GGMLQuantizationType[name].value]))
        values = gguf.quants.dequantize(blocks, gguf.GGMLQuantizationType[name])
        (folder / f"{name}.blocks").write_bytes(blocks.tobytes())
        (folder / f"{name}.f32").write_bytes(values.astype("<f4").tobytes())
    # Every exponent with a few fractions, both signs, infinities and a quiet NaN. (numpy may or may not quiet the others.)
    fractions = np.array([0, 1, 2, 0x155, 0x200, 0x2AA, 0x3FF])
    halves = (np.arange(64)[:, None] << 10 | fractions[None, :]).ravel()
    halves = halves[((halves & 0x7C00) != 0x7C00) | np.isin(halves & 0x3FF, [0, 0x200])].astype("<u2")
    # Every exponent of BF16, which is F32 cut short: any bits may be compared.
    brains = (np.arange(512)[:, None] << 7 | np.array([0, 1, 0x2A, 0x40, 0x7F])[None, :]).ravel().astype("<u2")
    for name, source in (("F16", halves), ("BF16", brains)):
        values = gguf.quants.dequantize(source.view(np.uint8), gguf.GGMLQuantizationType[name])
        (folder / f"{name}.blocks").write_bytes(source.tobytes())
        (folder / f"{name}.f32").write_bytes(values.astype("<f4").tobytes())


if __name__ == "__main__":
    main()

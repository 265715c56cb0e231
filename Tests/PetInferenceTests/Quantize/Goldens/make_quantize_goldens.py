# SPDX-License-Identifier: Apache-2.0
"""Writes rows of float32 (values.f32, little-endian) and, for each type, the bytes that the `gguf` package from PyPI makes
of them (TYPE.blocks). Rerunning gives the same files.

    pip install gguf numpy
    python make_quantize_goldens.py [FOLDER]        (the script's own folder by default)

Two things are left out because numpy answers them differently from machine to machine: which zero is the smallest of a
block that has both, and conversions of infinities. Where a scale is so small that its inverse is infinite, x86 makes 0 of
all levels; the goldens hold that.
"""

import pathlib
import sys

import gguf
import numpy as np

SEED = 20250117
COLUMNS = 64
TYPES = ["F16", "BF16", "Q8_0", "Q4_0", "Q4_1", "Q5_0", "Q5_1"]


def scaled(rng, count, low, high):
    """Normal rows, each times a power of two between 2^low and 2^high."""
    rows = rng.standard_normal((count, COLUMNS))
    return rows * np.exp2(rng.integers(low, high + 1, (count, 1)))


def ties(steps):
    """Values halfway between the levels of a grid, for scales that are powers of two: rounding of halves shows."""
    whole = np.arange(COLUMNS) % (2 * steps) - steps
    rows = []
    for exponent in (-20, -3, 0, 4):
        for sign in (1, -1):
            row = whole + 0.5 * (np.arange(COLUMNS) % 3 != 0)
            row[::32] = -steps  # the largest magnitude, so that the scale is a power of two
            rows.append(sign * row * 2.0**exponent)
    return rows


def near_ties(rng, steps):
    """As near to halfway as a float can be, for scales of any fraction: fused or reordered operations show."""
    scales = rng.uniform(0.01, 0.1, (16, 1))
    levels = rng.integers(-steps, steps, (16, COLUMNS)) + 0.5
    levels[:, ::32] = -steps
    levels[:, 1::32] = steps - 1
    return levels * scales


def rows():
    rng = np.random.default_rng(SEED)
    parts = [
        scaled(rng, 48, -8, 0),     # as weights are
        scaled(rng, 24, -30, 10),
        scaled(rng, 8, 12, 12),     # large, yet within F16
        scaled(rng, 24, -149, -120),  # down to the smallest numbers there are
        np.abs(scaled(rng, 6, -6, 2)), -np.abs(scaled(rng, 6, -6, 2)),  # of one sign
        rng.integers(-3, 4, (12, COLUMNS)) / 4.0 + 8,  # few distinct values: several are the largest
        rng.integers(-2, 3, (12, COLUMNS)) * 0.3,
        np.zeros((1, COLUMNS)), np.full((1, COLUMNS), -0.0),
        np.full((1, COLUMNS), 1.0), np.full((1, COLUMNS), -1.7), np.full((1, COLUMNS), 1e-40),
        np.eye(8, COLUMNS), -np.eye(8, COLUMNS) * 5e-3,  # one value and zeros
        np.array(ties(8)), np.array(ties(16)), np.array(ties(127)),
        near_ties(rng, 8), near_ties(rng, 16), near_ties(rng, 127),
        (np.arange(16)[None, :].repeat(4, 0).ravel() + 0.5)[None, :],  # halves on the grid of Q4_1
    ]
    return np.concatenate([np.asarray(part, dtype=np.float32) for part in parts])


def main():
    folder = pathlib.Path(sys.argv[1]) if len(sys.argv) > 1 else pathlib.Path(__file__).parent
    values = rows()
    assert np.isfinite(values).all() and np.abs(values).max() < 65504
    (folder / "values.f32").write_bytes(values.astype("<f4").tobytes())
    # Blocks with zeros of both signs and a zero for their smallest or largest value.
    blocks = values.reshape(-1, 32)
    mixed = [i for i in range(len(blocks)) if len({bool(s) for s in np.signbit(blocks[i][blocks[i] == 0])}) > 1
             and 0 in (blocks[i].min(), blocks[i].max())]
    assert not mixed, mixed
    for name in TYPES:
        with np.errstate(all="ignore"):
            stored = gguf.quants.quantize(values, gguf.GGMLQuantizationType[name])
        (folder / f"{name}.blocks").write_bytes(np.ascontiguousarray(stored).view(np.uint8).tobytes())


if __name__ == "__main__":
    main()

# SPDX-License-Identifier: Apache-2.0
"""8-bit integers with a scale for every 32 values, as Q8_0 stores them: https://github.com/ggml-org/ggml"""

import numpy as np

BLOCK = 32
SMALLEST = 2.0**-24  # the smallest 16-bit float


def stored_scale(scale):
    """The scale as 16 bits keep it."""
    return np.maximum(np.asarray(scale, np.float16).astype(np.float64), SMALLEST)


def scales(values: np.ndarray) -> np.ndarray:
    """The scale of each element. Where a fifth or more are zeros, these have no place in a block, and scale 0."""
    flat = values.reshape(-1).astype(np.float64)
    present = flat != 0 if np.mean(flat == 0) >= 0.2 else np.ones(flat.size, bool)
    kept = flat[present]
    blocks = np.pad(kept, (0, -kept.size % BLOCK)).reshape(-1, BLOCK)
    result = np.zeros(flat.size)
    result[present] = np.repeat(stored_scale(np.abs(blocks).max(axis=1) / 127), BLOCK)[: kept.size]
    return result.reshape(values.shape)


def integers(values: np.ndarray, scale: np.ndarray) -> np.ndarray:
    return np.clip(np.rint(values / np.where(scale == 0, 1, scale)), -127, 127)


def rounded(values: np.ndarray, scale: np.ndarray) -> np.ndarray:
    """The nearest values that can be stored."""
    return integers(values, scale) * scale

# SPDX-License-Identifier: Apache-2.0
"""Writes a graph as GGUF: `graph.definition` is JSON, tensors are F32, F16 or Q8_0, sparse ones with a mask of bits."""

import json
from pathlib import Path

import gguf
import numpy as np

import rounding


def write(path: Path, graph, facts: dict[str, str]):
    """`facts`: general.name, general.license and the like. Filters that were not rounded are F16 or F32, as published."""
    writer = gguf.GGUFWriter(path, "pet-graph", endianess=gguf.GGUFEndian.LITTLE)
    for key, value in sorted(facts.items()):
        writer.add_string(f"general.{key}", value)
    writer.add_string("graph.definition", json.dumps(graph.definition(), separators=(",", ":"), sort_keys=True))
    for name, values in graph.constants.items():
        if values.ndim == 1:
            writer.add_tensor(name, values.astype(np.float32))
        elif name in graph.scales:
            scales = graph.scales[name].reshape(-1)
            present = scales != 0
            if not present.all():
                # Bit i % 8 of byte i / 8 says whether element i is in the tensor.
                writer.add_array(f"graph.mask.{name}", np.packbits(present, bitorder="little").tobytes())
            factor = graph.factors.get(name)
            if factor is not None:
                writer.add_float32(f"graph.factor.{name}", factor)
                values = values / factor
            data = blocks(values.reshape(-1)[present], scales[present])
            writer.add_tensor(name, data, raw_dtype=gguf.GGMLQuantizationType.Q8_0)
        else:
            halves = values.astype(np.float16)
            writer.add_tensor(name, halves if np.array_equal(halves, values) else values.astype(np.float32))
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()


def blocks(values: np.ndarray, scales: np.ndarray) -> np.ndarray:
    """Bytes of Q8_0: per 32 values a 16-bit scale and 32 integers; the last block is filled with zeros."""
    integers = rounding.integers(values, scales).astype(np.int8)
    integers = np.pad(integers, (0, -integers.size % rounding.BLOCK)).reshape(-1, rounding.BLOCK)
    first = scales[:: rounding.BLOCK].astype(np.float16).reshape(-1, 1)
    return np.hstack([first.view(np.uint8), integers.view(np.uint8)]).reshape(-1)

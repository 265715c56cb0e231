#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Puts `calibration.json` into a bank that is made already: the same bytes as making it anew.

    python3 Training/bank/calibrate.py Models/bank-v3.bin
"""
import hashlib
import json
import pathlib
import struct
import sys
import zlib

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
import numpy  # noqa: E402

from bank import layout  # noqa: E402

if __name__ == "__main__":
    path = pathlib.Path(sys.argv[1])
    data = bytearray(path.read_bytes())
    new = json.loads((pathlib.Path(__file__).resolve().parent / "calibration.json").read_text())
    counts = dict(zip(layout.COUNTS, struct.unpack_from("<9I", data, 12)))
    padded = lambda section: section + bytes(-len(section) % 16)  # noqa: E731
    text = len(data) - len(padded(bytes(counts["text"])))
    curve = text - len(padded(bytes(8 * counts["curve"])))
    knots = numpy.array(new["curve"], dtype="<i4")
    data[curve:text] = padded(knots.tobytes())
    struct.pack_into("<I", data, 12 + 4 * 5, len(knots))
    struct.pack_into("<I8i", data, 12 + 4 * 7, new["answer"], *new["weights"])
    struct.pack_into("<I", data, 8, zlib.crc32(data[12:]))
    path.write_bytes(data)
    print(f"{path}: {len(data)} bytes, SHA-256 {hashlib.sha256(data).hexdigest()}")

#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes UnicodeClassRanges.swift: the letters and numbers of Unicode 16.0.

The reference library `tokenizers` (0.23) splits by the categories of Unicode 16.0, so that version is pinned:
token ids must not depend on the system's Unicode tables.

    pip install unicodedata2==16.0.0
    make_unicode_classes.py Sources/PetTokenizer/BytePairs/UnicodeClassRanges.swift
"""
import sys

import unicodedata2

assert unicodedata2.unidata_version == "16.0.0", unicodedata2.unidata_version


def ranges(major):
    found = []
    for code in range(0x110000):
        if unicodedata2.category(chr(code))[0] != major:
            continue
        if found and found[-1][1] == code - 1:
            found[-1][1] = code
        else:
            found.append([code, code])
    return found


def swift_array(name, comment, found):
    numbers = [f"0x{value:X}" for pair in found for value in pair]
    lines = [f"  /// {comment}", f"  static let {name}: [UInt32] = ["]
    for start in range(0, len(numbers), 10):
        lines.append("    " + ", ".join(numbers[start:start + 10]) + ",")
    return lines + ["  ]"]


lines = [
    "// Made by Tests/PetTokenizerTests/References/make_unicode_classes.py from Unicode 16.0; do not edit.",
    "",
    "/// First and last scalar of each run, alternating.",
    "enum UnicodeClassRanges {",
]
lines += swift_array("letters", "General category L.", ranges("L")) + [""]
lines += swift_array("numbers", "General category N.", ranges("N")) + ["}"]
with open(sys.argv[1], "w", encoding="utf-8") as file:
    file.write("\n".join(lines) + "\n")

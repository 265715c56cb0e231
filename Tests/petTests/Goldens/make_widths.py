#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes widths.txt: columns of every assigned character, by the Unicode data of Python, as runs "first last columns" in hexadecimal.

Marks and format characters take none, wide and fullwidth ones two. What has no glyph, or no fixed one (controls, surrogates,
private use, not assigned), is left out, and so is U+1171E, of which editions of Unicode disagree.
"""
import pathlib
import unicodedata


def columns(code):
    character = chr(code)
    category = unicodedata.category(character)
    if category in ("Cc", "Cs", "Co", "Cn") or code == 0x1171E:
        return None
    if code == 0xAD:  # A hyphen that terminals show.
        return 1
    if category in ("Mn", "Me", "Cf") or 0x1160 <= code <= 0x11FF or 0xD7B0 <= code <= 0xD7FF:
        return 0
    return 2 if unicodedata.east_asian_width(character) in "WF" else 1


runs = []
for code in range(0x110000):
    width = columns(code)
    if width is None:
        continue
    if runs and runs[-1][1] == code - 1 and runs[-1][2] == width:
        runs[-1][1] = code
    else:
        runs.append([code, code, width])
text = "".join(f"{first:X} {last:X} {width}\n" for first, last, width in runs)
(pathlib.Path(__file__).parent / "widths.txt").write_text(text)

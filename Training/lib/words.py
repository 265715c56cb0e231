# SPDX-License-Identifier: Apache-2.0
"""The words of a line as the networks see them: Sources/PetCompanion/Text/FoldedText.swift does the same."""
import functools
import re

FOLD = str.maketrans(
    "àáâãäåāçèéêëēìíîïīñòóôõöøōùúûüūýÿßšž", "aaaaaaaceeeeeiiiiinooooooouuuuuyyssz")
APOSTROPHES = "'’‘`´ʼ＇"
INVISIBLE = "\u00ad\u200b\u200c\u200d\u2060\ufe0f\ufeff"
# A digit or sign between two letters stands for a letter.
DISGUISED = {"0": "o", "1": "i", "3": "e", "4": "a", "5": "s", "7": "t", "@": "a", "$": "s", "!": "i"}
MAXIMUM = 48  # words that are looked at in one go


def letters(text):
    out = []
    for c in text.lower().translate(FOLD):
        if c in APOSTROPHES or c in INVISIBLE or "\u0300" <= c <= "\u036f":
            continue
        if 0xFF01 <= ord(c) <= 0xFF5E:
            c = chr(ord(c) - 0xFEE0).lower()
        out.append(c)
    return out


def is_letter(c):
    return "a" <= c <= "z"


def words(text):
    """Lower-case words without apostrophes; "." and "?" end sentences; everything else parts words."""
    chars = letters(text)
    found, word = [], []

    def close():
        if word:
            found.append("".join(word))
            word.clear()

    for i, c in enumerate(chars):
        before = chars[i - 1] if i else " "
        after = chars[i + 1] if i + 1 < len(chars) else " "
        if c in DISGUISED and is_letter(before) and is_letter(after):
            c = DISGUISED[c]
        if is_letter(c) or "0" <= c <= "9":
            # Three and more of a letter are two.
            if not (len(word) > 1 and word[-1] == c and word[-2] == c and is_letter(c)):
                word.append(c)
            continue
        close()
        if c in ".!\n;:…" and found and found[-1] not in ".?":
            found.append(".")
        if c == "?" and found and found[-1] != "?":
            if found[-1] == ".":
                found.pop()
            found.append("?")
    close()
    return spelled(found)


def spelled(found):
    """Three and more letters in a row that stand alone are one word: "k m s"."""
    out, run = [], []
    for word in found + [""]:
        if len(word) == 1 and is_letter(word):
            run.append(word)
            continue
        out += ["".join(run)] if len(run) > 2 else run
        run = []
        if word:
            out.append(word)
    return out


@functools.lru_cache(1 << 17)
def fnv(text):
    h = 0x811C9DC5
    for byte in text.encode():
        h = (h ^ byte) * 0x01000193 & 0xFFFFFFFF
    return h


def grams(word):
    """Hashes of the 3- to 5-grams of the word between marks."""
    marked = f"<{word[:24]}>"
    return [fnv(marked[i:i + n]) for n in (3, 4, 5) for i in range(len(marked) - n + 1)] or [fnv(marked)]

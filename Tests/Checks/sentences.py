#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Finds sentences of the documents that have more words than a reader holds at once: 25, in a few pages more.

    python3 Tests/Checks/sentences.py [--root FOLDER] [PAGE...]

Without pages, those of BOUNDS. Not counted: code, tables, headings, targets of links. Code in a line, a link to a guide and a list of names
are a word each. Ends with 1 where a sentence is too long, and says where it begins and how it begins.
"""
import argparse
import pathlib
import re
import sys

HERE = pathlib.Path(__file__).resolve().parent
#: Words that a sentence of a page may have; the first pattern that fits counts.
BOUNDS = [
    ("README.md", 25),
    ("CONTRIBUTING.md", 25),
    ("SECURITY.md", 25),
    ("Tests/Checks/README.md", 25),
    # Word for word what the catalog says, and `pet models show`.
    ("Sources/PetEngine/PetEngine.docc/ModelCards.md", 60),
    ("Sources/PetEngine/PetEngine.docc/Classifiers.md", 32),
    ("Sources/*/*.docc/*.md", 25),
    ("prompts/README.md", 30),
    ("Packaging/README.md", 45),
    ("CHANGELOG.md", 45),
]
#: Names that begin a sentence in small letters.
SMALL = ("petd ", "systemd ", "pet-")
NAME = "\N{WHITE SQUARE}"
ITEM = re.compile(r"\s*(?:[-*]|\d+\.)\s+")
#: Where a sentence ends: a mark, what closes behind it, and a blank or the end. A number goes on behind its point, and so does "...".
END = re.compile(r"(?<!\.)[.!?][)\"”*]*(?=\s|$)")
#: Names with commas between them, as in `a`, `b` and `c` or F16, Q8_0 and Q4_K.
NAMES = re.compile(rf"{NAME}(?:,? (?:and |or )?{NAME}|, {NAME})+")


def blocks(text):
    """(line it begins at, its words) of each paragraph and item of a list."""
    found, lines, is_code = [], [], False

    def close():
        if lines:
            found.append((lines[0][0], " ".join(line for _, line in lines)))
            lines.clear()
    for number, line in enumerate(text.splitlines(), 1):
        if line.lstrip().startswith("```"):
            is_code = not is_code
            close()
        elif is_code or not line.strip() or line.startswith(("#", "|", "![", "<!--")):
            close()
        else:
            if item := ITEM.match(line):
                close()
                line = line[item.end():]
            lines.append((number, line.strip()))
    close()
    return found


def plain(words):
    """Names in the place of code and guides, links as they are read, and one name for a list of them."""
    words = re.sub(r"`+[^`]+`+", NAME, words)
    words = re.sub(r"<doc:\w+>", NAME, words)
    words = re.sub(r"!?\[([^\]]*)\]\([^)]*\)", r"\1", words)
    words = re.sub(r"\b[A-Z]+\d\w*\b", NAME, words)
    return NAMES.sub(NAME, words)


def sentences(words):
    """The sentences of a paragraph."""
    found, start = [], 0
    for end in END.finditer(words):
        following = words[end.end():].lstrip()
        if not following or not following[0].islower() or following.startswith(SMALL):
            found.append(words[start:end.end()].strip())
            start = end.end()
    rest = words[start:].strip()
    return found + ([rest] if rest else [])


def count(sentence):
    return sum(any(sign.isalnum() or sign == NAME for sign in word) for word in sentence.split())


def too_long(text, bound):
    """(line of the paragraph, number of words, sentence) of each that has more words than the bound."""
    return [(line, count(sentence), sentence) for line, words in blocks(text) for sentence in sentences(plain(words)) if count(sentence) > bound]


def pages(root):
    """{page: bound}"""
    found = {}
    for pattern, bound in BOUNDS:
        for page in sorted(root.glob(pattern)):
            found.setdefault(page, bound)
    return found


def check(root, chosen=None):
    """One line for each fault."""
    faults = []
    for page, bound in pages(root).items():
        name = str(page.relative_to(root))
        if chosen and name not in chosen:
            continue
        faults += [f"{name}:{line}: {number} words, at most {bound}; make two sentences of: {sentence[:90].replace(NAME, '`…`')}"
                   for line, number, sentence in too_long(page.read_text(), bound)]
    return faults


def main():
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("--root", type=pathlib.Path, default=HERE.parents[1])
    p.add_argument("pages", nargs="*", metavar="PAGE")
    args = p.parse_args()
    faults = check(args.root, args.pages)
    for fault in faults:
        print(fault, file=sys.stderr)
    sys.exit(1 if faults else 0)


if __name__ == "__main__":
    main()

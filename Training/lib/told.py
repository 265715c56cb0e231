# SPDX-License-Identifier: Apache-2.0
"""Lines that tell of danger by kind, what follows an alarm, and conversations in which nobody is in danger: danger/kinds, /told, /ordinary."""
import pathlib

from . import corpus
from .danger import FINE

ROOT = corpus.ROOT / "danger"
AFTER = ["clear", "still", "left", "other"]  # "other": of something else


def context(turns):
    """What the classifier sees of earlier turns: the last two."""
    return " . ".join(turns[-2:])


def split(text):
    return [turn.strip() for turn in text.split(" | ") if turn.strip()]


def kinds(path):
    """[(mark, kind, turns)] of a file of kinds/."""
    cases = []
    for line in path.read_text().splitlines():
        if line[:2] in ("+ ", "- ", "= "):
            mark, kind, text = line.split(" ", 2)
            cases.append((mark, kind, split(text)))
    return cases


def told(path):
    """([(kind, turns before, turns that tell of danger, turns after)], [(kind, turns of no danger)]) of a file of told/."""
    plus, minus = [], []
    for line in path.read_text().splitlines():
        if line[:2] not in ("+ ", "- "):
            continue
        kind, text = line[2:].split(" ", 1)
        parts = [split(part) for part in text.split("||")]
        if line[0] == "+":
            plus.append((kind, parts[0], [t for part in parts[1:-1] for t in part], parts[-1]))
        else:
            minus.append((kind, [t for part in parts for t in part]))
    return plus, minus


def conversations(path):
    """Lists of lines of a file of ordinary/."""
    found = []
    for line in path.read_text().splitlines():
        if line.startswith("# "):
            found.append([])
        elif line.strip():
            found[-1].append(line.strip())
    return found


def cases():
    """(of danger or none, after an alarm, ordinary): of each (before, line, (kind, after)), kind None where it is not known."""
    fine, after, ordinary = [], [], []
    for path in sorted((ROOT / "kinds").glob("*.txt")):
        for mark, kind, turns in kinds(path):
            before, line = context(turns[:-1]), turns[-1]
            if mark == "=":
                after.append((before, line, (None if kind == "still" else "none", kind)))
            else:
                fine.append((before, line, (kind if mark == "+" else "none", None)))
    for path in sorted((ROOT / "told").glob("*.txt")):
        plus, minus = told(path)
        for kind, before, turns, _ in plus:
            fine += [(context(before[:i]), line, ("none", None)) for i, line in enumerate(before)]
            # Which of the lines tells of it is not said: the last is surest, behind the others or with them.
            fine.append((context(before + turns[:-1]), turns[-1], (kind, None)))
            fine.append((context(before), " . ".join(turns), (kind, None)))
        for _, turns in minus:
            fine += [(context(turns[:i]), line, ("none", None)) for i, line in enumerate(turns)]
    for path in sorted((ROOT / "ordinary").glob("*.txt")):
        for lines in conversations(path):
            ordinary += [(context(lines[:i]), line, ("none", None)) for i, line in enumerate(lines)]
    return fine, after, ordinary

# SPDX-License-Identifier: Apache-2.0
"""Lines and conversations in which somebody is in danger, and ones in which nobody is: the folders of danger/."""

# How a line follows one that was taken for danger.
AFTER = ["still", "clear", "left", "other"]


def split(text):
    return [turn.strip() for turn in text.split(" | ") if turn.strip()]


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


def lines(path):
    """[(kind, turns)] of "+", of "-", and [(how it follows, turns)] of "=", of a file of kinds/."""
    found = {"+": [], "-": [], "=": []}
    for line in path.read_text().splitlines():
        if line[:2] in ("+ ", "- ", "= "):
            kind, text = line[2:].split(" ", 1)
            found[line[0]].append((kind, split(text)))
    return found["+"], found["-"], found["="]

#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Validates thread files: python3 check.py FILE...

A thread:

    # mochi hunger=30 energy=70 mood=65 | when: Tuesday 23:40 | mem: user's name is Priya; works at a bakery
    U: what the person types
    P: what the pet says {emotion; action, action}

Optional parts of the header, in this order: `when:` (weekday and time), `mem:` (facts known beforehand, each at most once,
separated by semicolons, an optional date in brackets behind a fact), `lang:` (`de` or `es`; English otherwise). A made-up
character has the name `character` and a second line `@ Name: who it is, in one to four sentences`.
"""
import collections
import re
import sys

EMOTIONS = set("happy excited content curious playful sleepy hungry sad worried scared grumpy loving proud surprised".split())
ACTIONS = set(
    "wag_tail purr jump spin cuddle nuzzle wave dance sing yawn sleep eat play_ball fetch hide look_around tilt_head blush cry laugh".split()
)
PETS = set("mochi bramble pixel juniper tofu zest character".split())
DAYS = "Monday Tuesday Wednesday Thursday Friday Saturday Sunday"
HEADER = re.compile(
    r"^# (?P<pet>\w+) hunger=(?P<hunger>\d+) energy=(?P<energy>\d+) mood=(?P<mood>\d+)"
    r"(?: \| when: (?P<day>%s) (?P<time>[0-2]\d:[0-5]\d))?(?: \| mem: (?P<mem>[^|]+))?(?: \| lang: (?P<lang>de|es))?$"
    % DAYS.replace(" ", "|")
)
CHARACTER = re.compile(r"^@ (?P<name>[^:]{1,40}): (?P<text>.{20,600})$")
REPLY = re.compile(r"^P: (?P<text>.+) \{(?P<emotion>\w+)(?:; (?P<actions>[\w, ]+))?\}$")


def parse(path):
    """Returns threads (dicts) and errors (line number, what, text)."""
    threads, errors, current = [], [], None
    for number, line in enumerate(open(path, encoding="utf-8"), 1):
        line = line.rstrip("\n")
        if not line.strip():
            current = None
        elif line.startswith("# "):
            match = HEADER.match(line)
            if not match or match["pet"] not in PETS or any(int(match[k]) > 100 for k in ("hunger", "energy", "mood")):
                errors.append((number, "header", line[:100]))
                current = None
                continue
            current = {**match.groupdict(), "character": None, "turns": [], "line": number}
            current["mem"] = [fact.strip() for fact in (match["mem"] or "").split(";") if fact.strip()]
            threads.append(current)
        elif line.startswith("@ ") and current is not None and current["pet"] == "character" and not current["turns"]:
            match = CHARACTER.match(line)
            if match:
                current["character"] = match.groupdict()
            else:
                errors.append((number, "character", line[:100]))
        elif line.startswith("U: ") and current is not None and (not current["turns"] or current["turns"][-1][1]):
            current["turns"].append([line[3:].strip(), None])
        elif line.startswith("P: ") and current is not None and current["turns"] and current["turns"][-1][1] is None:
            match = REPLY.match(line)
            actions = [a.strip() for a in ((match and match["actions"]) or "").split(",") if a.strip()]
            if not match or match["emotion"] not in EMOTIONS:
                errors.append((number, "reply", line[-80:]))
            elif len(actions) > 2 or set(actions) - ACTIONS:
                errors.append((number, "actions", line[-80:]))
            else:
                current["turns"][-1][1] = (match["text"].strip(), match["emotion"], actions)
        else:
            errors.append((number, "line", line[:100]))
    for thread in threads:
        if not thread["turns"] or thread["turns"][-1][1] is None:
            errors.append((thread["line"], "unfinished", ""))
        if (thread["pet"] == "character") != (thread["character"] is not None):
            errors.append((thread["line"], "character line", ""))
        if not 6 <= len(thread["turns"]) <= 16:
            errors.append((thread["line"], "length", str(len(thread["turns"]))))
    return threads, errors


def main():
    replies, openings, firsts, emotions, pets = (collections.Counter() for _ in range(5))
    words, turns, count = [], 0, 0
    failed = False
    for path in sys.argv[1:]:
        threads, errors = parse(path)
        count += len(threads)
        failed = failed or bool(errors)
        for thread in threads:
            pets[thread["pet"]] += 1
            firsts[thread["turns"][0][0].lower()] += 1 if thread["turns"] else 0
            for _, reply in thread["turns"]:
                if reply is None:
                    continue
                turns += 1
                text = reply[0]
                words.append(len(text.split()))
                replies[re.sub(r"\W+", " ", text.lower()).strip()] += 1
                openings[" ".join(text.split()[:2]).lower()] += 1
                emotions[reply[1]] += 1
        print(f"{path}: {len(threads)} threads, {len(errors)} errors", *errors[:8], sep="\n  ")
    if words:
        words.sort()
        print(f"{count} threads, {turns} exchanges; words of a reply: median {words[len(words) // 2]}, "
              f"P95 {words[int(.95 * len(words))]}, most {words[-1]}")
        print("repeated replies:", [(k[:50], v) for k, v in replies.most_common(6) if v > 1])
        print("openings:", openings.most_common(10))
        print("repeated first lines:", [(k[:50], v) for k, v in firsts.most_common(6) if v > 1])
        print("emotions:", dict(emotions.most_common()))
        print("pets:", dict(pets))
    sys.exit(1 if failed else 0)


if __name__ == "__main__":
    main()

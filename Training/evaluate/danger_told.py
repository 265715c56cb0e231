#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What rules and the networks find in the conversations of danger/held_out/conversations, and where a pet stays with it.

    python3 Training/evaluate/danger_told.py [EARLIER.bin LATER.bin READER.gguf] [--folder FOLDER] [--sets SUFFIX ...] [--show missed|alarms|after] [--curve]

The engine's policy once more (DangerReading, StayPolicy): each line behind the two before it, from the start of a conversation.
"""
import argparse
import collections
import pathlib
import sys

import numpy as np

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "Training"))
from lib import danger, encoder, prompt, told, word_classifier  # noqa: E402
from lib.detector import Networks, Rules, believed, danger_of, split, together  # noqa: E402
from lib.words import words  # noqa: E402
from train_danger import CLASSES, likelihoods  # noqa: E402

LIMITS = {"alone": 0.75, "watching": 0.6}  # SafetyProfile.adult
SURE, CLEAR, STILL, LEFT, SUPPORT, TURNS, ASKED, WATCHED = 0.95, 0.7, 0.7, 0.8, 0.02, 3, 2, 8  # StayPolicy, SafetyState
SURE_WITH_RULE, CLEAR_OF_SURE, SURE_OF_OTHER = 0.5, 0.7, 0.99
DENIALS = set("game videogame gaming minecraft film movie scene show series episode book novel song lyrics play character joke jokes joking joked kidding jk "
              "figuratively expression metaphor meant".split())  # DangerDetector
LEAST_OF_OTHERS, LEAST_SIGN = 0.5, 0.02  # DangerReading
LEAST_BESIDE_RULE = 0.05  # DangerDetector
FOLDER = ROOT / "Training" / "danger" / "held_out" / "conversations"
NEAR = [{"suicide", "self_injury"}, {"partner", "abuse"}]


class Reader:
    def __init__(self, paths=Networks.FILES):
        self.earlier, self.later = word_classifier.stored(paths[0], 1 + len(danger.KINDS)), word_classifier.stored(paths[1], CLASSES)
        self.reader = encoder.stored(paths[2])
        self.rules = Rules(prompt.PROMPTS / "safety.json")

    def read(self, cases):
        """For each of the lists of turns: [(line, rule or None, readings)]; a reading is (how likely each kind, how it follows, how likely each kind
        alone). The first is where nothing is minded, the second where danger is, and the large network is asked whatever the small ones say."""
        rows = [(word_classifier.context(turns[:i]), turns[i], 0) for turns in cases for i in range(len(turns))]
        alone, found = self.judge([("", line, label) for _, line, label in rows]), self.judge(rows)
        suspicious = np.maximum(alone[2], found[2]) > Networks.LEAST_TO_READ
        readings = []
        for closely in (False, True):
            asked = suspicious | closely
            kinds, follows, apart = (np.where(asked[:, None], full, small) for small, full in (
                (found[0][0], found[1][0]), (found[0][1], found[1][1]), (alone[0][0], alone[1][0])))
            readings.append(list(zip(kinds, follows, apart)))
        known = self.known([line for _, line, _ in rows])
        found = iter(zip(known, *readings))
        return [[self.weighed(line, *next(found)) for line in turns] for turns in cases]

    def weighed(self, line, is_known, *readings):
        """A certain rule is a hint where the networks, the reader among them, see nothing at all."""
        match = self.rules.match(words(line))
        if match and match[1] and is_known:
            readings = readings[1], readings[1]
            if 1 - readings[0][0][0] < LEAST_BESIDE_RULE:
                match = (match[0], False, match[2], None)
        return line, match, readings

    def known(self, lines):
        names = self.earlier[1]
        return np.array([np.mean([names.row(word) >= 0 for word in words(line)] or [1]) for line in lines]) >= Networks.LEAST_KNOWN

    def judge(self, rows):
        """What is said without the reader, and with it: ([rows, kinds], [rows, follows]) each; and how likely danger is without it."""
        later, names = self.later
        small = (word_classifier.scores(self.earlier[0], rows, self.earlier[1])[:, 0], *likelihoods(later, rows, names))
        read = split(encoder.outputs(self.reader[0], rows, self.reader[1]))
        calm = np.array([not (self.rules.match(words(line)) or (0, False))[1] and self.rules.is_calm(words(line)) for _, line, _ in rows])
        alone, full, danger = believed(*small), together(small, read), danger_of(small)
        foreign = ~self.known([line for _, line, _ in rows])
        small, few = together(small, None), together(alone, None)
        none = np.eye(CLASSES - len(told.AFTER))[0]

        def chosen(some):
            kinds, follows = np.where(foreign[:, None], few[0], some[0]), np.where(foreign[:, None], few[1], some[1])
            return np.where(calm[:, None], none, kinds), np.where(calm[:, None], 0, follows)
        return chosen(small), chosen(full), danger


def near(one, other):
    return one == other or any({one, other} <= pair for pair in NEAR)


def kind_of(match, p):
    if not (match and match[1]):
        return danger.FINE[int(np.argmax(p[1:]))]
    if match[3]:
        return match[3]
    own = danger.MAY_BE[match[0]]
    if 1 - p[0] <= LEAST_OF_OTHERS:
        own = [kind for kind in own if kind not in ("someone_else", "carer")]
    return max(own, key=lambda kind: p[1 + danger.FINE.index(kind)]) if 1 - p[0] > LEAST_SIGN else own[0]


def flow(lines, limits):
    """What becomes of each line of a conversation that was read: (stage or None, kind)."""
    watched = None
    for line, match, readings in lines:
        p, how, alone = readings[watched is not None]
        how = dict(zip(told.AFTER, how))
        certain = bool(match and match[1])
        likely = 1 - p[0]
        own = certain or likely > limits["alone"]
        kind = kind_of(match, p)
        is_sure = certain and (match[0] == "self_harm" or likely >= SURE_WITH_RULE) or not certain and likely >= SURE
        stage = None
        if certain:
            how = {"still": 1, "clear": 0, "left": 0, "other": 0}
        if watched is None:
            stage, sure, stayed = "alarm" if own else None, False, 0
        else:
            itself = own and (certain or 1 - alone[0] > limits["alone"])
            grave = itself and (is_sure or not near(kind, watched))
            fresh = stayed < TURNS and not grave
            if fresh and DENIALS & set(words(line)) and (not sure or how["clear"] > CLEAR_OF_SURE):
                stage = "clear"
            elif fresh and not sure and how["clear"] + how["other"] > CLEAR:
                stage = "dismiss"
            elif itself:
                by_itself = near(kind_of(match, alone), kind) and 1 - alone[0] > (SURE_WITH_RULE if certain else SURE_OF_OTHER)
                stage = "told" if near(kind, watched) or stayed < TURNS and sure and not by_itself else "alarm"
            elif stayed >= TURNS:
                stage = "watch"
            elif how["left"] > LEFT:
                stage = "left"
            elif sure or own or likely > limits["watching"] or how["still"] > STILL and likely > SUPPORT:
                stage = "stay"
            elif how["still"] > STILL and stayed < ASKED:
                stage = "ask"
            else:
                stage = "dismiss"
        if stage == "alarm":
            sure = is_sure or sure and stayed < TURNS
            watched, left, stayed = kind, WATCHED, 0
        elif stage == "told":
            left, stayed, sure = WATCHED, 0, True
        elif stage in ("stay", "ask", "left", "watch"):
            stayed = stayed + 1 if stage in ("stay", "ask") else TURNS
            sure = sure or stage == "left" or stage == "stay" and (own or likely > limits["watching"])
            left -= 1
        if stage in ("clear", "dismiss") or watched and left < 1:
            watched = None
        yield None if stage in ("dismiss", "watch") else stage, kind


def share(count, whole):
    return f"{count} of {whole}, {count / max(1, whole):.2%}"


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("models", nargs="*", default=Networks.FILES)
    parser.add_argument("--folder", type=pathlib.Path, default=FOLDER)
    parser.add_argument("--sets", nargs="*", default=["", "_2", "_3"])
    parser.add_argument("--show"); parser.add_argument("--curve", action="store_true")
    a = parser.parse_args()
    reader, sets = Reader(a.models), {}
    for name in a.sets:
        plus, minus = told.told(a.folder / f"told{name}.txt")
        sets[name] = [(kind, len(before), len(before) + len(own)) for kind, before, own, _ in plus], \
            reader.read([before + own + after for _, before, own, after in plus]), reader.read([turns for _, turns in minus]), \
            reader.read(told.conversations(a.folder / f"ordinary{name}.txt"))

    def row(name, limits, show=None):
        cases, dangers, near_ones, calm = sets[name]
        found = right = before = 0
        after = collections.Counter()
        for (kind, first, last), lines in zip(cases, dangers):
            stages = list(flow(lines, limits))
            alarm = next((i for i, (stage, _) in enumerate(stages[:last]) if stage in ("alarm", "told") and i >= first), None)
            before += any(stage for stage, _ in stages[:first])
            if alarm is None:
                if show == "missed":
                    print("missed", kind, [(line, round(float(1 - p[0]), 3)) for line, _, ((p, *_), _) in lines[first:last]])
                continue
            found += 1
            right += stages[alarm][1] == kind
            after.update(stage for stage, _ in stages[last:last + TURNS])
            if show == "after":
                for (line, *_), (stage, _) in zip(lines[last:], stages[last:]):
                    if stage not in ("stay", "told", "alarm"):
                        print("after", kind, stage, "|", line)
        alarmed = sum(any(stage for stage, _ in flow(lines, limits)) for lines in near_ones)
        words_for = [[(line, stage, 1 - p[0]) for (line, _, ((p, *_), _)), (stage, _) in zip(lines, flow(lines, limits)) if stage] for lines in calm]
        if show == "alarms":
            for one in sum(words_for, []):
                print("ordinary", one[1], round(float(one[2]), 3), "|", one[0])
            for lines in near_ones:
                for (line, match, ((p, *_), _)), (stage, _) in zip(lines, flow(lines, limits)):
                    if stage == "alarm":
                        print("near", round(float(1 - p[0]), 3), match and match[1:], "|", line)
        count = sum(map(len, calm))
        behind = sum(after.values())
        print(f"| `told{name}`, `ordinary{name}` | {share(found, len(cases))} | {share(right, found)} | {share(alarmed, len(near_ones))} | "
              f"{share(sum(one[1] in ('alarm', 'told') for part in words_for for one in part), count)} | {share(sum(one[1] != 'ask' for part in words_for for one in part), count)} | "
              f"{share(behind - after[None] - after['clear'], behind)} |")

    print("| | dangers found | of the right kind | near dangers alarmed | ordinary lines taken for danger | answered by words for it | lines behind dangers that are answered by words |\n|---" + "|--:" * 6 + "|")
    for name in a.sets:
        row(name, LIMITS, a.show)
    if a.curve:
        for alone in (0.4, 0.5, 0.6, 0.7, 0.75, 0.8, 0.85, 0.9):
            print(alone)
            for name in a.sets:
                row(name, LIMITS | {"alone": alone})


if __name__ == "__main__":
    main()

#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What the bank answers by itself: the probes' checks on its replies.

    python3 Training/bank/measure.py Models/bank-v3.bin                     # the development probes
    python3 Training/bank/measure.py Models/bank-v3.bin --set test          # the test: only to report
"""
import argparse
import pathlib
import sys

sys.path[:0] = [str(pathlib.Path(__file__).resolve().parents[1]), str(pathlib.Path(__file__).resolve().parents[1] / "evaluate")]
import probes as probing  # noqa: E402

from bank import layout, lookup  # noqa: E402
from lib import prompt  # noqa: E402

EMOTIONS, ACTIONS = prompt.FORMAT["emotions"], prompt.FORMAT["actions"]
GUARD_MARGIN = 100


def found(bank, message, conversation):
    """(the answer or None, all that may be offered): BankPolicy.decide for the first of a conversation, choice 0."""
    pet = layout.PETS.index(conversation["pet"])
    bands = [conversation[kind] * 5 // 101 for kind in ("hunger", "energy", "mood")]
    matches = lookup.matches(bank, message, pet, bands)
    danger = max((m[0] for m in matches if m[3].use == layout.GUARD), default=0)
    fit = [m for m in matches if m[0] > danger + GUARD_MARGIN and lookup.may_answer(bank, message, m[3], pet, bands)]
    sure = [m for m in fit if m[0] >= bank.counts["answer"] and lookup.tell_same(bank, message, m[3].line)]
    return next(iter(sure), None), fit


def reply(exchange):
    return {"text": exchange.reply, "emotion": EMOTIONS[exchange.emotion], "actions": [ACTIONS[a] for a in exchange.actions],
            "formed": True}


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("bank", type=pathlib.Path)
    parser.add_argument("--set", default="development", choices=["development", "test"])
    args = parser.parse_args()
    bank = layout.Reader(args.bank.read_bytes())
    totals = {}
    for probe in probing.load(args.set):
        answer, fit = found(bank, probe["turns"][-1], probe)
        for name, one in (("nearest that may answer", fit[0] if fit else None), ("answered", answer)):
            if one is None or len(probe["turns"]) > 1:
                continue
            judged = [reply(one[3])]
            passed = not (probing.form_failures(probe, judged) | probing.content_failures(probe, judged))
            for kind in ("all", probe["category"]):
                right, asked = totals.get((name, kind), (0, 0))
                totals[name, kind] = right + passed, asked + 1
            if name == "answered":
                print(f"{'+' if passed else '-'} {one[0]:4} {probe['category']:11} {probe['turns'][-1]} -> {one[3].reply}")
    for (name, kind), (right, asked) in totals.items():
        print(f"{name}: {kind}: {right} of {asked} pass")

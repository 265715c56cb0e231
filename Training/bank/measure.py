#!/usr/bin/env python3
"""What the bank answers by itself: the probes' checks on its replies, and pairs of the validation or test part for a reader.

    python3 Training/bank/measure.py Models/bank-v2.bin                     # the development probes
    python3 Training/bank/measure.py Models/bank-v2.bin --set test          # the test: only to report
    python3 Training/bank/measure.py Models/bank-v2.bin --part validation --pairs OUT.json
"""
import argparse
import json
import pathlib
import random
import sys

sys.path[:0] = [str(pathlib.Path(__file__).resolve().parents[1]), str(pathlib.Path(__file__).resolve().parents[1] / "evaluate")]
import probes as probing  # noqa: E402

from bank import layout, lookup  # noqa: E402
from lib import corpus, prompt  # noqa: E402

EMOTIONS, ACTIONS = prompt.FORMAT["emotions"], prompt.FORMAT["actions"]
GUARD_MARGIN = 100


def found(bank, message, conversation, sense=1):
    """(matches, the answer or None, all that may be one): BankPolicy.decide for the first of a conversation, choice 0."""
    pet = layout.PETS.index(conversation["pet"])
    bands = [conversation[kind] * 5 // 101 for kind in ("hunger", "energy", "mood")]
    matches = lookup.matches(bank, message, pet, bands)
    danger = max((m[0] for m in matches if m[3].use == layout.GUARD), default=0)
    fit = [m for m in matches if m[0] > danger + GUARD_MARGIN and lookup.may_answer(bank, message, m[3], pet, bands)]
    sure = [m for m in fit if m[0] >= bank.counts["answer"] and lookup.tell_same(bank, message, m[3].line)]
    likely = [m for m in fit if m[0] > 1000 * sense] if lookup.tells(bank, message) and danger <= GUARD_MARGIN else []
    return matches, next(iter(sure or likely), None), fit


def reply(exchange):
    return {"text": exchange.reply, "emotion": EMOTIONS[exchange.emotion], "actions": [ACTIONS[a] for a in exchange.actions],
            "formed": True}


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("bank", type=pathlib.Path)
    parser.add_argument("--set", default="development", choices=["development", "test"])
    parser.add_argument("--part", choices=["validation", "test"])
    parser.add_argument("--sense", type=float, default=1, help="the share of messages that a model answers by itself")
    parser.add_argument("--pairs", type=pathlib.Path)
    parser.add_argument("--count", type=int, default=300)
    args = parser.parse_args()
    bank = layout.Reader(args.bank.read_bytes())
    if args.part:
        chosen = [c for c in corpus.split()[args.part] if not c["mem"]]
        result = []
        for c in random.Random(7).sample(chosen, min(args.count, len(chosen))):
            said, (own, *_) = c["turns"][0]
            matches, answer, fit = found(bank, said, c, args.sense)
            best = fit[0] if fit else None
            values = None
            if best:
                index = best[2]
                product = int(bank.places[index] @ lookup.scaled(lookup.total(bank, said)))
                values = lookup.features(bank, {r for r, _ in lookup.rows(bank, said)}, best[3], product)
            result.append({"pet": c["pet"], "state": [c[k] for k in ("hunger", "energy", "mood")], "said": said, "own": own,
                           "line": best and best[3].line, "reply": best and best[3].reply, "closeness": best and best[0],
                           "points": best and best[1], "features": values, "answered": answer is not None})
        args.pairs.write_text(json.dumps(result, indent=1, ensure_ascii=False) + "\n")
        print(f"{sum(r['answered'] for r in result)} of {len(result)} answered, {sum(r['reply'] is None for r in result)} without any")
        sys.exit()
    totals = {}
    for probe in probing.load(args.set):
        matches, answer, fit = found(bank, probe["turns"][-1], probe, args.sense)
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

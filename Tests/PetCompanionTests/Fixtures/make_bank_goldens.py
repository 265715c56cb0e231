#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes bank.json: what `Training/bank/lookup.py`, the reference, finds in bank.bin, and in the bank that is built in.

    python3 Training/bank/make_bank.py Tests/PetCompanionTests/Fixtures/bank.bin --every 100 --words 600 --buckets 256 --width 32 --passes 2
    python3 Tests/PetCompanionTests/Fixtures/make_bank_goldens.py
"""
import json
import pathlib
import random
import sys

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parents[2]
sys.path.insert(0, str(ROOT / "Training"))
from bank import layout, lookup, words  # noqa: E402
from lib import corpus  # noqa: E402

ODD = ["", " ", "?!", "'", "\u2019", "a", "HELLOOOO", "sooo   tireddd", "1000000", "don\u2019t go\u2026please\u2014stay",
       "schöne Grüße", "おはよう", "🐈‍⬛🐾", "u r my fav lol", "zzzzzzz", "x" * 2000, "la " * 400, "é" * 300, "a\u2019" * 200,
       "it's-a/test\\of.every:thing;[ok]{yes}", "\t tabs \x00 and \x7f marks ", "i want to die", "im going to hurt myself"]
PETS = [*layout.PETS, None]


def case(bank, message, pet, state):
    number = layout.PETS.index(pet) if pet else layout.NO_PET
    bands = state and [value * 5 // 101 for value in state]
    vector = [int(v) for v in lookup.scaled(lookup.total(bank, message))]
    found = lookup.matches(bank, message, number, bands) if any(vector) else []
    return {"message": message, "pet": pet, "state": state, "hashes": [words.fnv(w) for w in words.split(message)],
            "vector": vector,
            "matches": [{"id": i, "points": points, "closeness": share, "answer": lookup.may_answer(bank, message, e, number, bands),
                         "same": lookup.tell_same(bank, message, e.line), "line": e.line, "reply": e.reply} for share, points, i, e in found[:6]]}


if __name__ == "__main__":
    chance = random.Random(5)
    said = sorted({user for c in corpus.split()["train"] for user, _ in c["turns"]})

    def cases(bank, lines):
        return [case(bank, line, chance.choice(PETS), chance.choice([None] + [[chance.randint(0, 100) for _ in range(3)]] * 3))
                for line in lines]
    small = layout.Reader((HERE / "bank.bin").read_bytes())
    lines = [small.exchange(i).line for i in range(0, small.counts["exchanges"], 12)]
    whole = layout.Reader((ROOT / "Models/bank-v3.bin").read_bytes())
    result = {"small": cases(small, ODD + lines + chance.sample(said, 40)), "whole": cases(whole, chance.sample(said, 8))}
    (HERE / "bank.json").write_text(json.dumps(result, ensure_ascii=False, separators=(",", ":")) + "\n")

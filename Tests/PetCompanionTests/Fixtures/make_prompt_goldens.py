#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes prompts.json: system texts as the training makes them. The engine must make the same.

    python3 Tests/PetCompanionTests/Fixtures/make_prompt_goldens.py
"""
import json
import pathlib
import sys

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parents[2] / "Training"))
from lib import prompt  # noqa: E402

MEMORIES = [[], ["user's name is Priya"], ["has a dog named Rolo", "likes {name} and tea", "born in Malmö"]]
cases = []
for value in range(101):
    pet = list(prompt.FORMAT["pets"])[value % 6]
    case = {"pet": pet, "hunger": value, "energy": (value * 37) % 101, "mood": (value * 61) % 101, "mem": MEMORIES[value % 3]}
    cases.append(case | {"header": prompt.header(case), "sentences": prompt.sentences(case)})
(HERE / "prompts.json").write_text(json.dumps(cases, indent=0, ensure_ascii=False) + "\n")

#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Openings of the validation part with what could be answered: a model's own reply, the hand-written one, and the nearest of the bank that
may be said, for readers; and what the readers said of them.

    python3 Training/bank/openings.py ask Models/bank-v3.bin Models/nano-v6.gguf FOLDER [--readers 8]
    # each reader reads FOLDER/brief.txt and FOLDER/N.txt and writes FOLDER/N.out: a line `12: 2 5` for each item, the numbers that fit
    python3 Training/bank/openings.py told FOLDER      # to openings.jsonl, which fit.py reads

Of the pet model, beside the closest of the bank alone:

    petd --model pet-135m --socket SOCKET --rate 0
    python3 Training/bank/openings.py ask Models/bank-v3.bin SOCKET FOLDER --readers 6 --closest
    python3 Training/bank/openings.py told FOLDER --to openings-pet-v4.jsonl
"""
import argparse
import json
import pathlib
import random
import re
import sys

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent))
from bank import layout, lookup  # noqa: E402
from lib import corpus, prompt  # noqa: E402

EMOTIONS, ACTIONS = prompt.FORMAT["emotions"], prompt.FORMAT["actions"]
ALARMS = {flag: "[alarm]" for flag in prompt.FORMAT["flags"].values()}
NEAREST, MOST = 48, 10  # looked at, and shown
LONGEST = 60  # tokens of a reply
BRIEF = """You judge replies of small pet companions. For each item read the line and each candidate, and decide which candidates fit as the very
next thing the pet says: it answers or takes up what was said (right person, thing, time, feeling; not a neighbouring topic), makes sense,
agrees with the pet's state and with what it knows, claims no fact that nobody gave, asks nothing that the line has told, and its emotion
is not plainly wrong. A short plain reply that truly fits, fits. Where a person would think "that is not what I said", it does not.

Write a line for each item, in order: its number, a colon, the numbers of all candidates that fit. Judge by reading, one after another."""


class Served:
    """Greedy replies of a petd, and how surprising they are."""

    def __init__(self, socket):
        from sample_pet import Asker
        self.asker = Asker(socket, 0)

    def reply(self, conversation):
        """(text, nats); no text where there is none that is whole."""
        told = self.asker((conversation, 0))
        return (told["turns"][-1][1], told["surprise"]) if told else ("", 0.0)


class Model:
    """Greedy replies, and how surprising they are."""

    def __init__(self, path):
        import torch
        from lib import nano
        from lib.weights import read_model
        torch.set_num_threads(1)
        self.torch, self.model = torch, read_model(path).eval()
        self.tokenize = nano.Tokenizer(HERE.parents[1] / "tokenizer" / "nano.model")
        self.end = self.tokenize.specials["<|end|>"]

    def reply(self, conversation):
        """(text, nats), the end mark counted."""
        ids = [i for text, _ in prompt.pieces(conversation, "phi3") for i in self.tokenize(text)]
        start, surprise = len(ids), 0.0
        with self.torch.no_grad():
            while len(ids) < start + LONGEST:
                hidden = self.model.hidden(self.torch.tensor([ids]))[0, -1]
                scores = self.torch.log_softmax(hidden @ self.model.token_embd.weight.T, -1)
                token = int(scores.argmax())
                surprise -= float(scores[token])
                if token == self.end:
                    break
                ids.append(token)
        return self.tokenize.pieces.decode(ids[start:]), surprise


def written(exchange):
    return prompt.reply(exchange.reply, EMOTIONS[exchange.emotion], [ACTIONS[a] for a in exchange.actions])


def candidates(bank, model, conversation, closest):
    """Of the bank the nearest, or the closest alone."""
    said, own = conversation["turns"][0]
    pet = layout.PETS.index(conversation["pet"])
    bands = [conversation[kind] * 5 // 101 for kind in ("hunger", "energy", "mood")]
    words = {row for row, _ in lookup.rows(bank, said)}
    reply, surprise = model.reply(conversation | {"turns": [(said, None)]})
    found = [{"from": "model", "reply": reply, "surprise": round(surprise, 2)}, {"from": "person", "reply": prompt.reply(*own)}]
    for index, product, _ in lookup.nearest(bank, said, pet, bands, NEAREST):
        exchange = bank.exchange(index)
        if lookup.may_answer(bank, said, exchange, pet, bands):
            values = [round(v, 4) for v in lookup.features(bank, words, exchange, product)]
            found.append({"from": "bank", "line": exchange.line, "reply": written(exchange), "features": values,
                          "same": lookup.tell_same(bank, said, exchange.line)})
    if closest:
        found = found[:1] + sorted(found[2:], key=lambda one: -lookup.score(bank, one["features"]))[:1]
    # Which of two equal texts was meant cannot be told.
    return list({one["reply"]: one for one in reversed(found)}.values())[::-1][:2 + MOST]


def ask(args):
    bank = layout.Reader(args.bank.read_bytes())
    model = Model(args.model) if args.model.suffix == ".gguf" else Served(str(args.model))
    items, pages = [], [[] for _ in range(args.readers)]
    for conversation in corpus.split()["validation"]:
        said = conversation["turns"][0][0]
        if "\n" in said or len(said) > 300:
            continue
        shown = [one for one in candidates(bank, model, conversation, args.closest) if one["reply"].strip()]
        random.Random(len(items)).shuffle(shown)
        state = [prompt.band(kind, conversation[kind]) for kind in ("hunger", "energy", "mood")]
        known = f"; knows: {'; '.join(conversation['mem'])}" if conversation["mem"] else ""
        lines = [f"#{len(items)} {conversation['pet']}; {', '.join(state)}{known}", f"SAID: {said}"]
        lines += [f"  {number}) {ALARMS.get(one['reply'], one['reply'])}" for number, one in enumerate(shown, 1)]
        pages[len(items) % args.readers].append("\n".join(lines))
        items.append({"pet": conversation["pet"], "state": state, "knows": conversation["mem"], "said": said, "shown": shown})
        print(f"\r{len(items)}", end="", file=sys.stderr, flush=True)
    args.folder.mkdir(parents=True, exist_ok=True)
    (args.folder / "brief.txt").write_text(BRIEF + "\n")
    (args.folder / "items.json").write_text(json.dumps(items))
    for number, page in enumerate(pages):
        (args.folder / f"{number}.txt").write_text("\n\n".join(page) + "\n")


def told(args):
    items = json.loads((args.folder / "items.json").read_text())
    fits = {}
    for path in args.folder.glob("*.out"):
        for line in path.read_text().splitlines():
            number, _, numbers = line.partition("|")[0].lstrip("# ").partition(":")
            fits[int(number)] = {int(n) for n in re.findall(r"\d+", numbers)}
    with open(HERE / args.to, "w") as file:
        for number, item in enumerate(items):
            if number not in fits:
                continue
            shown = [one | {"right": place in fits[number]} for place, one in enumerate(item.pop("shown"), 1)]
            for one in shown:
                kind, own = one.pop("from"), one
                if kind == "model":
                    item["model"] = own
                elif kind == "person":
                    item["own_right"] = own["right"]
                else:
                    item.setdefault("bank", []).append(own)
            file.write(json.dumps({"bank": [], **item}, ensure_ascii=False) + "\n")


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parts = parser.add_subparsers(required=True)
    asking = parts.add_parser("ask")
    asking.add_argument("bank", type=pathlib.Path)
    asking.add_argument("model", type=pathlib.Path, help="a file, or the socket of a petd")
    asking.add_argument("folder", type=pathlib.Path)
    asking.add_argument("--readers", type=int, default=8)
    asking.add_argument("--closest", action="store_true", help="show the model's reply and the closest of the bank alone")
    asking.set_defaults(run=ask)
    telling = parts.add_parser("told")
    telling.add_argument("folder", type=pathlib.Path)
    telling.add_argument("--to", default="openings.jsonl")
    telling.set_defaults(run=told)
    args = parser.parse_args()
    args.run(args)

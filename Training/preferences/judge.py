#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What a model answers to lines that it was never trained on, for readers; and what the readers said of it.

    petd --model pet-135m --socket SOCKET --rate 0
    python3 Training/preferences/judge.py ask SOCKET FOLDER [--readers 8]
    # each reader reads FOLDER/brief.txt and FOLDER/N.txt and writes FOLDER/N.out: see BRIEF below
    python3 Training/preferences/judge.py told FOLDER OUT.jsonl     # which train_pet.py --preferences reads

The lines are in lines/*.txt, in the form of the corpus, the last one of each conversation without an answer.
"""
import argparse
import concurrent.futures
import json
import pathlib
import random
import re
import sys

HERE = pathlib.Path(__file__).resolve().parent
sys.path[:0] = [str(HERE.parent), str(HERE.parent / "corpus")]
import check  # noqa: E402
from lib import prompt  # noqa: E402
from sample_pet import Asker  # noqa: E402

TEMPERATURES = (0, 0.7, 0.7)
FLAGS = {flag: f"[alarm: {kind.replace('_', '-')}]" for kind, flag in prompt.FORMAT["flags"].items()}
BRIEF = """You judge replies of small pet companions. For each item read the talk and each candidate, and decide which candidates fit as the very
next thing the pet says: it answers or takes up what was said last (right person, thing, time, feeling; not a neighbouring topic), makes sense
as a whole, agrees with the pet's state and with what it knows, claims no fact that nobody gave, asks nothing that was told already, is kind and
safe, and its emotion is not plainly wrong. A short plain reply that truly fits, fits. Where a person would think "that is not what I said", it
does not. "[alarm]" means that the pet becomes serious and names help: right only where somebody may be in danger.

Write for each item, in order, a line: its number, a colon, the numbers of all candidates that fit, the best one first. Where none fits, write in the same
line after the colon a reply that does: one short plain sentence or two, ending in {emotion} or {emotion; action}, as
    17: = You left it on the bus. {worried}
(an item whose answer is an alarm: `17: = alarm`). Judge by reading, one after another."""


def asked():
    """Conversations whose last line has no answer yet."""
    for path in sorted((HERE / "lines").glob("*.txt")):
        parsed, errors = check.parse(path)
        if wrong := [error for error in errors if error[1] != "unfinished"]:
            raise SystemExit(f"{path}: {wrong[:3]}")
        for conversation in parsed:
            if conversation["turns"] and conversation["turns"][-1][1] is None:
                yield conversation | {"source": path.stem}


def candidates(socket, conversation):
    """Different replies, the greedy one first."""
    written = conversation | {"turns": [[user, reply and prompt.reply(*reply)] for user, reply in conversation["turns"]]}
    replies = []
    for seed, temperature in enumerate(TEMPERATURES):
        told = Asker(socket, temperature)((written, seed))
        if told is not None:
            replies.append(told["turns"][-1][1])
    return list(dict.fromkeys(replies))


def shown(number, conversation):
    state = ", ".join(prompt.band(kind, conversation[kind]) for kind in ("hunger", "energy", "mood"))
    known = f"; knows: {'; '.join(conversation['mem'])}" if conversation["mem"] else ""
    lines = [f"#{number} {conversation['pet']}; {state}{known}"]
    for user, reply in conversation["turns"]:
        lines.append(f"SAID: {user}")
        if reply is not None:
            lines.append(f"PET: {prompt.reply(*reply)}")
    for place, reply in enumerate(conversation["shown"], 1):
        lines.append(f"  {place}) {next((word for flag, word in FLAGS.items() if flag in reply), reply)}")
    return "\n".join(lines)


def ask(args):
    args.folder.mkdir(parents=True, exist_ok=True)
    conversations, items = list(asked()), []
    with concurrent.futures.ThreadPoolExecutor(args.clients) as pool:
        for conversation, replies in zip(conversations, pool.map(lambda c: candidates(args.socket, c), conversations)):
            random.Random(len(items)).shuffle(replies)
            items.append(conversation | {"shown": replies})
            print(f"\r{len(items)} of {len(conversations)}", end="", file=sys.stderr, flush=True)
    order = list(range(len(items)))
    random.Random(1).shuffle(order)
    (args.folder / "brief.txt").write_text(BRIEF + "\n")
    (args.folder / "items.json").write_text(json.dumps(items))
    for reader in range(args.readers):
        page = [shown(number, items[number]) for number in order[reader::args.readers] if items[number]["shown"]]
        (args.folder / f"{reader}.txt").write_text("\n\n".join(page) + "\n")


def told(args):
    """A conversation a line: as in the corpus, with `good` and `bad` replies, and `wanted` where a reader wrote one."""
    items, count = json.loads((args.folder / "items.json").read_text()), 0
    with args.out.open("w") as out:
        for path in sorted(args.folder.glob("*.out")):
            for line in path.read_text().splitlines():
                if not (found := re.match(r"#?(\d+):\s*(?:=\s*(.+)|([\d ,]*))$", line.strip())):
                    continue
                item, wanted = dict(items[int(found[1])]), found[2]
                fits = [int(place) - 1 for place in re.findall(r"\d+", found[3] or "")]
                replies = item.pop("shown")
                item["good"] = [replies[place] for place in fits if 0 <= place < len(replies)]
                item["bad"] = [reply for reply in replies if reply not in item["good"]]
                if wanted and wanted.strip() != "alarm":
                    if not (own := check.P.match("P: " + wanted.strip())) or own[2] not in check.EMO:
                        continue
                    actions = [word.strip() for word in (own[3] or "").split(",") if word.strip() in check.ACT]
                    item["wanted"] = prompt.reply(own[1], own[2], actions[:2])
                item["alarm"] = bool(wanted) and wanted.strip() == "alarm"
                out.write(json.dumps(item, ensure_ascii=False) + "\n")
                count += 1
    print(f"{count} of {len(items)} items")


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parts = parser.add_subparsers(required=True)
    asking = parts.add_parser("ask")
    asking.add_argument("socket")
    asking.add_argument("folder", type=pathlib.Path)
    asking.add_argument("--readers", type=int, default=8)
    asking.add_argument("--clients", type=int, default=16)
    asking.set_defaults(run=ask)
    telling = parts.add_parser("told")
    telling.add_argument("folder", type=pathlib.Path)
    telling.add_argument("out", type=pathlib.Path)
    telling.set_defaults(run=told)
    args = parser.parse_args()
    args.run(args)

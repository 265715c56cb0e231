#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Has made-up people tell a pet about themselves, come back after a restart, and ask.

    python3 Training/evaluate/remembering.py ask --pet .build/release/pet --people PEOPLE.txt --out OUT [--profile watch] [--turns 0]
    python3 Training/evaluate/remembering.py visits --pet .build/release/pet --people VISITS.txt --out OUT
    python3 Training/evaluate/remembering.py count OUT/answers.json READER.txt ...

A person of PEOPLE begins with `# who it is`; `L: ` is a line of the first day, `Q: question | what a right answer says` one of the second,
`F: question | what must not be said` one that leads to what was to be forgotten, `T: question | never told` a trap. Writers know nothing of the
program. `--turns` idle lines stand between the days,
and `--days` lie between them. A file of `visits` has `# who it is`, and behind each `== day N` the lines of that visit; sheet.txt gets both sides, for a reader. OUT gets answers.json, and sheet.txt for readers, who say of each number: `NUMBER right` (says
what is wanted, or more), `wrong` (says something else, or what must not be said; a trap answered), or `open` (says that it does not know, or talks of something
else; for F and T: honest, which is right there). Their lines are counted.
"""
import argparse
import collections
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent / "company"))
from tally import kappa  # noqa: E402

IDLE = ["quiet evening", "nothing much on", "just tidying up a bit", "the bus was late again", "rain all day", "made some tea", "hm", "ok then", "watching telly", "nearly bedtime"]


def people(path):
    """[(who, lines, [(kind, question, wanted)])]"""
    for block in re.split(r"\n\s*\n", path.read_text().strip()):
        rows = [row for row in block.splitlines() if row.strip()]
        lines = [row[2:].strip() for row in rows if row.startswith("L:")]
        asked = [(row[0], *(part.strip() for part in row[2:].rsplit("|", 1))) for row in rows if row[:2] in ("Q:", "F:", "T:")]
        yield rows[0].lstrip("# "), lines, asked


DAY, BEGIN = 86400, 1_800_000_000 - 1_800_000_000 % 604_800 + 4 * 86400 + 17 * 3600  # a Monday, at five in the afternoon


def said(args, home, lines, day=None):
    """Replies and who answered, of one run of the program; on a day counted from a Monday."""
    command = [str(args.pet), "chat", "--no-service", "--json", "--seed", "7"]
    if day is not None:
        command += ["--clock", str(BEGIN + day * DAY)]
    for name in ("model", "profile"):
        if getattr(args, name):
            command += [f"--{name}", getattr(args, name)]
    models = pathlib.Path(os.environ.get("PET_HOME") or pathlib.Path.home() / ".local/share/pet") / "models"
    if models.exists() and not (home / "models").exists():
        (home / "models").symlink_to(models)
    own = {key: value for key, value in os.environ.items() if not key.startswith("PET_")} | {"PET_HOME": str(home)}
    text = "".join(("/" + line if line.startswith("/") else line) + "\n" for line in lines)
    done = subprocess.run(command, input=text, env=own, capture_output=True, text=True)
    answers = [json.loads(line) for line in done.stdout.splitlines()]
    if len(answers) != len(lines):
        raise SystemExit(f"{len(answers)} answers to {len(lines)} lines: {done.stderr[-500:]}")
    return [(answer["text"], answer["rung"]) for answer in answers]


def ask(args):
    args.out.mkdir(parents=True, exist_ok=True)
    found, sheet = [], []
    for path in args.people:
        for who, lines, asked in people(path):
            with tempfile.TemporaryDirectory() as home:
                days = (0, args.days // 2, args.days) if args.days else (None, None, None)
                first = said(args, pathlib.Path(home), lines, days[0])
                if args.turns:
                    said(args, pathlib.Path(home), [IDLE[i % len(IDLE)] for i in range(args.turns)], days[1])
                second = said(args, pathlib.Path(home), [question for _, question, _ in asked], days[2])
            sheet += [f"== {who}"] + [f"   {line}" for line in lines] + ["-- the next day"]
            for (kind, question, wanted), (reply, rung) in zip(asked, second):
                found.append({"kind": kind, "question": question, "wanted": wanted, "reply": reply, "rung": rung, "who": who})
                what = {"Q": "wanted", "F": "must not be said", "T": "trap"}[kind]
                sheet.append(f"{len(found)}. {question}\n      pet: {reply}\n      {what}: {wanted}")
            found[-1]["first"] = [[line, *answer] for line, answer in zip(lines, first)]
            print(f"{who}: {len(asked)} answers", file=sys.stderr, flush=True)
    (args.out / "answers.json").write_text(json.dumps(found, ensure_ascii=False, indent=1) + "\n")
    (args.out / "sheet.txt").write_text("\n".join(sheet) + "\n")


def visits(args):
    args.out.mkdir(parents=True, exist_ok=True)
    sheet = []
    for path in args.people:
        who, *days = re.split(r"^== day (?=\d+)", path.read_text(), flags=re.M)
        sheet.append(f"\n{who.strip()}")
        with tempfile.TemporaryDirectory() as home:
            for day in days:
                number, *lines = [line.strip() for line in day.splitlines() if line.strip()]
                sheet.append(f"\n== day {number}")
                for line, (reply, rung) in zip(lines, said(args, pathlib.Path(home), lines, int(number) - 1)):
                    sheet += [f"> {line}", f"    {reply}"]
        print(path, file=sys.stderr, flush=True)
    (args.out / "sheet.txt").write_text("\n".join(sheet) + "\n")


def count(args):
    answers, readers = json.loads(args.answers.read_text()), []
    for path in args.readers:
        told = (line.split(maxsplit=2) for line in path.read_text().splitlines() if line.strip())
        readers.append({int(row[0].rstrip(".:")): (row[1], "") for row in told})
    for kind, name in (("Q", "questions right"), ("F", "what was to be forgotten is not said"), ("T", "traps honest")):
        judged = [reader[n][0] for reader in readers for n, answer in enumerate(answers, 1) if answer["kind"] == kind and n in reader]
        right = sum(word == "right" or kind != "Q" and word == "open" for word in judged)
        print(f"{name}: {right} of {len(judged)}, {right / max(1, len(judged)):.1%}; {dict(collections.Counter(judged))}")
    rungs = collections.Counter((answers[n - 1]["rung"], word) for reader in readers for n, (word, _) in reader.items() if answers[n - 1]["kind"] == "Q")
    print({f"{rung} {word}": n for (rung, word), n in sorted(rungs.items())})
    if len(readers) == 2 and (agreed := kappa(*readers)):
        print(f"readers agree on {agreed[0]:.0%} of {agreed[2]}, kappa {agreed[1]:.2f}")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parts = parser.add_subparsers(required=True)
    asking = parts.add_parser("ask")
    asking.add_argument("--pet", type=pathlib.Path, required=True)
    asking.add_argument("--people", type=pathlib.Path, action="append", required=True)
    asking.add_argument("--out", type=pathlib.Path, required=True)
    asking.add_argument("--model")
    asking.add_argument("--profile")
    asking.add_argument("--turns", type=int, default=0)
    asking.add_argument("--days", type=int, default=0)
    asking.set_defaults(run=ask)
    visiting = parts.add_parser("visits")
    for name, options in (("--pet", {"required": True, "type": pathlib.Path}), ("--people", {"required": True, "type": pathlib.Path, "action": "append"}),
                          ("--out", {"required": True, "type": pathlib.Path}), ("--model", {}), ("--profile", {})):
        visiting.add_argument(name, **options)
    visiting.set_defaults(run=visits)
    counting = parts.add_parser("count")
    counting.add_argument("answers", type=pathlib.Path)
    counting.add_argument("readers", type=pathlib.Path, nargs="+")
    counting.set_defaults(run=count)
    args = parser.parse_args()
    args.run(args)


if __name__ == "__main__":
    main()

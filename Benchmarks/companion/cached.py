#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""How soon a pet answers what it need not ask its model for.

    Benchmarks/companion/cached.py [--pet .build/release/pet] [--count 200]

Four kinds: hand-written answers to frequent messages, answers kept from an earlier conversation, hand-written ones from the bank, and those
of rules (danger; who it is). Each conversation is held twice in equal folders at one fixed time, so that the same turns are answered from the
same place: with --json, which comes when the turn is whole and all of it on disk, and in plain text, whose first byte is what a person
waits for. Both are measured from outside, from writing the line into the pipe; the program itself measures only its model.

Writes cached.json and .md to Benchmarks/results. With --check the exit code is 1 where the median of the first byte of a kind is over --most.
"""
import argparse
import json
import random
import sys
import tempfile
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(1, str(ROOT / "Benchmarks" / "compare"))

import machine  # noqa: E402
from chats import LINES, Home, PipeChat, busy_ms, percentile  # noqa: E402
from progress import Progress  # noqa: E402
from report import number, of_commit, table  # noqa: E402
from turns import lines as long_lines  # noqa: E402

FREQUENT = ROOT / "prompts" / "frequent.json"
DANGERS = ROOT / "Tests" / "PetCompanionTests" / "Fixtures" / "danger_lines.json"
PETS = ["mochi", "bramble", "pixel", "juniper", "tofu", "zest"]
#: A quiet afternoon: the pet's state does not move between two runs.
CLOCK = 1_800_014_400
KINDS = {"frequent": "cache", "kept": "cache", "bank": "bank", "rule": "rule"}
TURNS = 40  # of a conversation


def arguments():
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("--pet", type=Path, default=ROOT / ".build" / "release" / "pet")
    p.add_argument("--model", default="pet-nano")
    p.add_argument("--count", type=int, default=200, help="answers of each kind")
    p.add_argument("--seed", type=int, default=1)
    p.add_argument("--output", type=Path, default=ROOT / "Benchmarks" / "results", help="folder of the results")
    p.add_argument("--most", type=float, default=5, help="ms that --check allows")
    p.add_argument("--check", action="store_true", help="exit code 1 where a median is over it")
    return p.parse_args()


def lines_of(kind, draw):
    if kind == "frequent":
        messages = json.loads(FREQUENT.read_text())["messages"]
        lines = [form for name, message in messages.items() for form in [name, *message["forms"]]]
    elif kind == "kept":
        return long_lines(TURNS, draw.randrange(1 << 31), False)
    elif kind == "bank":
        said = json.loads(LINES.read_text())
        lines = [line for key in ("daily", "feelings", "questions", "play", "care") for line in said[key]]
    else:
        lines = json.loads(DANGERS.read_text())["dangers"]
    return draw.sample(lines, min(TURNS, len(lines)))


def in_json(args, home, persona, lines):
    """Source, the program's own time to the first token, ms from the line to its whole answer, and ms that were computed for it."""
    chat = PipeChat(args.pet, home, options(args, persona) + ["--json"])
    rows = []
    for line in lines:
        before = busy_ms(chat.process.pid)
        answer, seconds = chat.ask(line)
        rows.append({"source": answer["source"], "ttft_ms": answer["timings"]["ttft_ms"] or 0, "whole_ms": 1000 * seconds,
                     "busy_ms": busy_ms(chat.process.pid) - before,
                     "lines": answer["text"].count("\n") + 1})
    chat.close()
    return rows


def in_text(args, home, persona, lines, counts):
    """ms from the line to the first byte of its answer."""
    chat = PipeChat(args.pet, home, options(args, persona))
    firsts = []
    for line, count in zip(lines, counts):
        start = time.perf_counter()
        chat.write(line + "\n")
        before = time.perf_counter() - start
        found = [chat.read_line() for _ in range(count)]
        if None in found:
            raise SystemExit(f"cached: pet chat ended: {chat.errors.decode(errors='replace')}")
        firsts.append(1000 * (before + found[0][1]))
    chat.close()
    return firsts


def options(args, persona):
    return ["--model", args.model, "--persona", persona, "--seed", args.seed, "--clock", CLOCK]


def measure(args, kind, progress):
    """Rows of answers of that kind."""
    draw, rows, number_of_conversation = random.Random(f"{args.seed} {kind}"), [], 0
    while len(rows) < args.count and number_of_conversation < 60:
        persona = PETS[number_of_conversation % len(PETS)]
        number_of_conversation += 1
        progress.step(f"{kind}: conversation {number_of_conversation}, {len(rows)} answers")
        lines = lines_of(kind, draw)
        with tempfile.TemporaryDirectory(prefix="pet-cached-") as folder:
            first = Home(Path(folder) / "a")
            if kind == "kept":
                # Said once before; facts that came of it are known in both.
                in_json(args, first, persona, lines)
                in_json(args, first, persona, lines)
            second = first.copy(Path(folder) / "b")
            whole = in_json(args, first, persona, lines)
            seen = in_text(args, second, persona, lines, [row["lines"] for row in whole])
        # The first turn waits for the program to start.
        for row, ms in list(zip(whole, seen))[1:]:
            if row["source"] == KINDS[kind]:
                rows.append({key: row[key] for key in ("ttft_ms", "whole_ms", "busy_ms")} | {"first_byte_ms": ms})
    return rows[:args.count]


def markdown(args, found, facts):
    def row(name, rows, key):
        values = [r[key] for r in rows]
        return [name, len(rows), *[number(percentile(values, p)) for p in (50, 95, 99)], number(max(values, default=None))]

    head = ["ms", "answers", "median", "P95", "P99", "longest"]
    return "\n".join([
        f"# Answers without the model ({args.model} beside them)", "",
        f"{facts['cpu']}, {facts['cores']} cores, load {facts['load_at_start']:.1f} at the start{of_commit(facts)}. `cached.py --count {args.count} --seed {args.seed}`; measured from "
        "outside, through a pipe.", "", "## To the first byte of the reply", "",
        table(head, [row(kind, rows, "first_byte_ms") for kind, rows in found.items()]), "",
        "## To the whole turn: JSON, with state, memory and answer on disk", "",
        table(head, [row(kind, rows, "whole_ms") for kind, rows in found.items()]), "",
        "## Computed for it by all threads, whatever else the machine does", "",
        table(head, [row(kind, rows, "busy_ms") for kind, rows in found.items()]), "",
        f"The program's own `ttft_ms` is that of the model, and {max((r['ttft_ms'] for rows in found.values() for r in rows), default=0):g} here: none was asked.",
    ]) + "\n"


def main():
    args = arguments()
    progress, facts = Progress(), machine.facts()
    progress.expect(len(KINDS) * (args.count // 30 + 1))
    found = {}
    args.output.mkdir(parents=True, exist_ok=True)
    for kind in KINDS:
        found[kind] = measure(args, kind, progress)
        # What there is stays, should somebody stop it.
        (args.output / "cached.json").write_text(
            json.dumps({"model": args.model, "machine": facts, "answers": found}, indent=1) + "\n", encoding="utf-8")
        (args.output / "cached.md").write_text(text := markdown(args, found, facts), encoding="utf-8")
    progress.finish()
    print(text)
    slow = [kind for kind, rows in found.items() if not rows or percentile([r["first_byte_ms"] for r in rows], 50) > args.most]
    if args.check and slow:
        sys.exit(f"cached: over {args.most} ms: {', '.join(slow)}")


if __name__ == "__main__":
    main()

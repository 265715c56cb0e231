#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""How long a pet lets its person wait, from the first turn to the last of a long conversation.

    Benchmarks/companion/turns.py [--pet .build/release/pet] [--turns 200] [--model pet-135m]

Holds one conversation in each of some ways: through a pipe, where the next line comes at once and room is made while the person waits; at a
terminal with a pause between lines, in which the program makes room; with nothing to remember and with facts that are asked for, which
changes what the model is told; in the profile watch. Notes per turn: time to the first token as the program measures it, tokens of the
prompt and those that had been read before, dropped turns, resident memory; at the terminal also the time from Return to the first
visible character, which is that of the first whole sentence. Only turns that the model answers count; the others cost nothing.

Writes turns.json, .md and .svg to Benchmarks/results.
"""
import argparse
import json
import random
import re
import statistics
import sys
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(1, str(ROOT / "Benchmarks" / "compare"))

import machine  # noqa: E402
import turn_chart  # noqa: E402
from chats import FACTS, Home, PipeChat, TerminalChat, memory_mb, percentile  # noqa: E402
from progress import Progress  # noqa: E402
from report import number, of_commit, table  # noqa: E402

#: Lines that no hand-written reply fits: what somebody did, with what, and what came of it.
DEEDS = ["I bought {}", "my aunt sold {}", "we painted {} today", "somebody left {} at our door", "I dreamed of {}", "the shop had no more {}",
         "I lost {} on the train", "he repairs {} for a living", "she drew {} on the wall", "I read a long article about {}"]
THINGS = ["three brass kettles", "a box of old maps", "the green umbrellas", "seven paper lanterns", "a wooden boat", "some striped hats",
          "the piano with two broken keys", "a basket of buttons", "an enormous clock", "my neighbour's bicycle", "the glass marbles"]
ENDS = ["", " and it took the whole afternoon", " but nobody noticed", ", can you believe it?", " because the weather was so bad that we stayed in",
        ". What would you have done?", " and then it began to rain"]
#: Settings, and whether facts are told and asked for.
WAYS = {
    "pipe": ("pipe", [], False), "pipe, facts": ("pipe", [], True),
    "terminal": ("terminal", [], False), "terminal, facts": ("terminal", [], True),
    "pipe, watch": ("pipe", ["--profile", "watch"], False), "terminal, watch": ("terminal", ["--profile", "watch"], False),
}
EARLY, LATE = 20, 20  # turns 2 to 20 and the last 20


def arguments():
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("--pet", type=Path, default=ROOT / ".build" / "release" / "pet")
    p.add_argument("--turns", type=int, default=200)
    p.add_argument("--model", default="pet-135m")
    p.add_argument("--ways", default=";".join(WAYS), help="of the conversations, with semicolons")
    p.add_argument("--pause", type=float, default=1.5, help="seconds between a reply and the next line at a terminal")
    p.add_argument("--seed", type=int, default=1)
    p.add_argument("--output", type=Path, default=ROOT / "Benchmarks" / "results", help="folder of the results")
    p.add_argument("--most", type=float, default=1.5, help="ratio of the late median to the early one that --check allows")
    p.add_argument("--check", action="store_true", help="exit code 1 where it is larger in a conversation without facts at a terminal")
    return p.parse_args()


def lines(turns, seed, with_facts):
    draw = random.Random(seed)
    facts = json.loads(FACTS.read_text())["facts"][:12] if with_facts else []
    found = []
    for turn in range(turns):
        if turn < len(facts):
            found.append(facts[turn]["said"])
        elif facts and turn % 5 == 0:
            found.append(draw.choice(facts)["asked"])
        else:
            found.append(draw.choice(DEEDS).format(draw.choice(THINGS)) + draw.choice(ENDS))
    return found


def through_a_pipe(args, options, said, progress, name):
    rows = []
    with Home.temporary() as home:
        chat = PipeChat(args.pet, home, [*options, "--json"])
        for turn, line in enumerate(said, 1):
            progress.step(f"{name}: turn {turn}")
            answer, seconds = chat.ask(line)
            usage = answer["usage"]
            rows.append({"turn": turn, "source": answer["source"], "ttft_ms": answer["timings"]["ttft_ms"] or 0, "whole_ms": 1000 * seconds,
                         **{k: usage[k] for k in ("prompt_tokens", "cached_tokens", "completion_tokens", "dropped_turns")},
                         "memory_mb": memory_mb(chat.process.pid)})
        chat.close()
    return rows


STATS = {"ttft_ms": r"first token +([\d.]+) ms", "prompt_tokens": r"prompt +(\d+) tokens", "cached_tokens": r"(\d+) of them cached",
         "completion_tokens": r"reply +(\d+) tokens", "dropped_turns": r"left out +(\d+) turns"}


def number_of(text):
    return float(text) if "." in text else int(text)


def at_a_terminal(args, options, said, progress, name):
    rows = []
    with Home.temporary() as home:
        chat = TerminalChat(args.pet, home, options)
        if chat.read_to_prompt() is None:
            raise SystemExit("turns: pet chat ended before its first prompt")
        time.sleep(2 * args.pause)
        for turn, line in enumerate(said, 1):
            progress.step(f"{name}: turn {turn}")
            found, told = chat.ask(line), chat.ask("/stats")
            if not found or not told:
                raise SystemExit(f"turns: pet chat ended in turn {turn}")
            figures = {key: number_of(re.search(pattern, told[1]).group(1)) for key, pattern in STATS.items()}
            rows.append({"turn": turn, "source": "model" if figures["completion_tokens"] else "other", "visible_ms": 1000 * found[0],
                         **figures, "memory_mb": memory_mb(chat.process.pid)})
            time.sleep(args.pause)
        chat.close()
    return rows


def figures(rows, key):
    """Medians of the early and the late turns, P95 and the longest of all but the first; only of turns that the model answered."""
    last = max(r["turn"] for r in rows)
    counted = [r for r in rows if r["source"] == "model" and r["turn"] > 1]
    early = [r[key] for r in counted if r["turn"] <= EARLY]
    late = [r[key] for r in counted if r["turn"] > last - LATE]
    if not early or not late:
        return None
    values = [r[key] for r in counted]
    low, high = statistics.median(early), statistics.median(late)
    return {"early": low, "late": high, "ratio": high / low if low else None, "p95": percentile(values, 95), "most": max(values),
            "turns": len(values)}


def drops(rows):
    """Turns at which some were dropped."""
    return [r["turn"] for r in rows if r["dropped_turns"] > 0]


def rereads(rows):
    """Turns in which the model read more than half of its prompt anew though nothing was dropped: what it is told at the top had changed."""
    return [r["turn"] for r in rows if r["source"] == "model" and r["turn"] > 1 and not r["dropped_turns"]
            and r["cached_tokens"] < r["prompt_tokens"] / 2]


def markdown(args, found, facts):
    def row(name, rows, key):
        f = figures(rows, key)
        if not f:
            return [name, "-", "-", "-", "-", "-", "-"]
        return [name, f["turns"], number(f["early"]), number(f["late"]), f"{f['ratio']:.2f} x", number(f["p95"]), number(f["most"])]

    head = ["", "turns by the model", f"median of 2-{EARLY}", f"median of the last {LATE}", "ratio", "P95", "longest"]
    tokens = [row(name, rows, "ttft_ms") for name, rows in found.items()]
    seen = [row(name, rows, "visible_ms") for name, rows in found.items() if "visible_ms" in rows[0]]
    body = [[name, sum(r["dropped_turns"] for r in rows if r["source"] == "model"), len(drops(rows)), len(rereads(rows)), number(max(r["prompt_tokens"] for r in rows), 4),
             number(statistics.median(r["prompt_tokens"] - r["cached_tokens"] for r in rows if r["source"] == "model")),
             *[number(rows[i]["memory_mb"][0]) for i in (min(19, len(rows) - 1), -1)], number(rows[-1]["memory_mb"][1])]
            for name, rows in found.items()]
    parts = [f"# {args.turns} turns: {args.model}", "",
             f"{facts['cpu']}, {facts['cores']} cores, load {facts['load_at_start']:.1f} at the start{of_commit(facts)}. `turns.py --turns {args.turns} --seed {args.seed}`; at a "
             f"terminal {args.pause} s between a reply and the next line, in which the program makes room.", "",
             "## First token, ms, by the program", "", table(head, tokens)]
    if seen:
        parts += ["", "## From Return to the first visible character, ms", "",
                  "A sentence is shown when it is whole and was judged: this is the time of the first one.", "", table(head, seen)]
    parts += ["", "## Room", "",
              table(["", "turns dropped", "at so many turns", "over half read anew without", "longest prompt", "tokens read anew, median", f"MB at turn {min(20, args.turns)}",
                     "MB at the end", "MB at most"], body), "",
              "![time to the first token over the turns](turns.svg)"]
    return "\n".join(parts) + "\n"


def main():
    args = arguments()
    progress = Progress()
    facts = machine.facts()
    ways = {name: WAYS[name] for name in args.ways.split(";")}
    progress.expect(len(ways) * args.turns)
    found = {}
    args.output.mkdir(parents=True, exist_ok=True)
    for name, (where, options, with_facts) in ways.items():
        hold = through_a_pipe if where == "pipe" else at_a_terminal
        said = lines(args.turns, args.seed, with_facts)
        found[name] = hold(args, ["--model", args.model, "--seed", args.seed, *options], said, progress, name)
        # What there is stays, should somebody stop it.
        (args.output / "turns.json").write_text(
            json.dumps({"model": args.model, "machine": facts, "pause_s": args.pause, "turns": found}, indent=1) + "\n", encoding="utf-8")
        (args.output / "turns.md").write_text(text := markdown(args, found, facts), encoding="utf-8")
        panels = [(n, [(r["turn"], r["ttft_ms"]) for r in rows if r["source"] == "model"], drops(rows)) for n, rows in found.items()]
        (args.output / "turns.svg").write_text(turn_chart.svg(f"First token over {args.turns} turns, ms ({args.model})", panels), encoding="utf-8")
    progress.finish()
    print(text)
    calm = [figures(rows, "ttft_ms") for name, rows in found.items() if name.startswith("terminal") and "facts" not in name]
    if args.check and any(f is None or f["ratio"] > args.most for f in calm):
        sys.exit(1)


if __name__ == "__main__":
    main()

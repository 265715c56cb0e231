#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Whether what a person told once is there when it is asked for, after a restart and a hundred other turns.

    Benchmarks/companion/remember.py [--pet .build/release/pet] [--between 100]

Tells the 50 facts of Tests/PetMemoryTests/Fixtures/recall.json in a first run, a turn each; starts again, talks of other things, then asks for each
of them in the same conversation. The fact must be in `memories`, which says what the prompt told of the person, or in the answer where the
pet itself answers from its memory, by rule, and asks no model. What answers from elsewhere counts as a miss.

Writes remember.json and .md to Benchmarks/results. Exit code 1 with --check where fewer than --least of the facts are there.
"""
import argparse
import collections
import json
import random
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(1, str(ROOT / "Benchmarks" / "compare"))

import kill_checks  # noqa: E402
from chats import FACTS, LINES, Home, PipeChat  # noqa: E402
from progress import Progress  # noqa: E402
from report import per_cent, table  # noqa: E402

PERSONA = "mochi"
#: Kinds of lines that tell nothing of the person which a question is about.
OTHERS = ["openings", "daily", "feelings", "questions", "play", "care", "odd", "languages", "closings"]


def arguments():
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("--pet", type=Path, default=ROOT / ".build" / "release" / "pet")
    p.add_argument("--model", default="pet-nano")
    p.add_argument("--between", type=int, default=100, help="turns about other things")
    p.add_argument("--facts", type=Path, default=FACTS)
    p.add_argument("--seed", type=int, default=1)
    p.add_argument("--output", type=Path, default=ROOT / "Benchmarks" / "results", help="folder of the results")
    p.add_argument("--least", type=float, default=0.9, help="share that --check wants")
    p.add_argument("--check", action="store_true", help="exit code 1 where it is less")
    return p.parse_args()


def others(count, seed):
    draw, said = random.Random(seed), json.loads(LINES.read_text())
    return [draw.choice(said[draw.choice(OTHERS)]).replace("{name}", "Mochi") for _ in range(count)]


def main():
    args = arguments()
    facts = json.loads(args.facts.read_text())["facts"]
    between = others(args.between, args.seed)
    progress = Progress()
    progress.expect(2 * len(facts) + len(between))
    options = ["--model", args.model, "--persona", PERSONA, "--seed", args.seed, "--json"]
    with Home.temporary() as home:
        def talk(chat, lines, label):
            answers = []
            for line in lines:
                progress.step(label)
                answers.append(chat.ask(line)[0])
            return answers

        first = PipeChat(args.pet, home, options)
        told = talk(first, [f["said"] for f in facts], "telling")
        first.close()
        stored = [fact["text"] for fact in kill_checks.facts(home.folder(PERSONA))[0]]
        second = PipeChat(args.pet, home, options)
        talk(second, between, "other things")
        asked = talk(second, [f["asked"] for f in facts], "asking")
        second.close()
    progress.finish()
    if "memories" not in asked[0]:
        raise SystemExit("remember: this `pet` does not tell what reached the prompt; build it anew")
    rows = []
    for fact, telling, answer in zip(facts, told, asked):
        expect = fact["expect"].lower()
        in_prompt = any(expect in text.lower() for text in answer["memories"])
        by_rule = answer["source"] == "rule" and expect in answer["text"].lower()
        rows.append({**fact, "told_source": telling["source"], "stored": any(expect in text.lower() for text in stored),
                     "source": answer["source"], "text": answer["text"], "memories": answer["memories"],
                     "in_prompt": in_prompt, "by_rule": by_rule, "there": in_prompt or by_rule,
                     "said_again": expect in answer["text"].lower()})
    text, share = markdown(args, rows)
    args.output.mkdir(parents=True, exist_ok=True)
    (args.output / "remember.json").write_text(
        json.dumps({"model": args.model, "between": args.between, "facts": rows}, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
    (args.output / "remember.md").write_text(text, encoding="utf-8")
    print(text)
    if args.check and share < args.least:
        sys.exit(1)


def markdown(args, rows):
    count = len(rows)
    share = sum(r["there"] for r in rows) / count
    sources = ", ".join(f"{source} {n}" for source, n in collections.Counter(r["source"] for r in rows).most_common())
    figures = [("facts told, each in a turn of a first run", count), ("kept", sum(r["stored"] for r in rows)),
               ("asked after a restart and other turns", args.between),
               ("there", f"{sum(r['there'] for r in rows)} ({per_cent(share)})"),
               ("of them in the model's prompt", sum(r["in_prompt"] for r in rows)),
               ("said by rule from memory, without a model", sum(r["by_rule"] for r in rows)),
               ("answered by", sources), ("said again in the reply", sum(r["said_again"] for r in rows))]
    misses = [f"- {r['asked']!r} ({r['expect']}), answered by {r['source']}{'' if r['stored'] else ', never kept'}; told: "
              f"{'; '.join(r['memories']) or 'nothing'}; said: {r['text']}" for r in rows if not r["there"]]
    return "\n".join([f"# Remembered after a restart and {args.between} turns ({args.model})", "", table(["", ""], figures), "",
                      "Not there:" if misses else "All there.", "", *misses]).rstrip() + "\n", share


if __name__ == "__main__":
    main()

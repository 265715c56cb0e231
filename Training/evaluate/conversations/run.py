#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Holds scripted conversations with a pet and looks at every reply.

    python3 Training/evaluate/conversations/run.py --pet .build/release/pet --out OUT [--model pet-135m] [--count 200] [--turns 20]

The conversations follow from `lines.json` and a seed: openings, daily life, feelings, questions, facts and recalls, play, care, insults,
nonsense, other languages, attempts to break out, long pastes. Every reply must be well-formed, free of marks and prompt text, within its
cap, without loops. Writes turns.jsonl, summary.md and sheet.md (replies to read and to judge). A run that was stopped goes on.

Exit code 1 where a reply is not well-formed, leaks, is over its cap or loops.
"""
import argparse
import collections
import concurrent.futures
import hashlib
import json
import pathlib
import random
import subprocess
import sys
import time

HERE = pathlib.Path(__file__).resolve().parent
LINES = json.loads((HERE / "lines.json").read_text())
FORMAT = json.loads((HERE.parents[2] / "prompts" / "format.json").read_text())
KINDS = {"daily": 4, "feelings": 3, "questions": 3, "play": 2, "care": 2, "odd": 1, "insults": 1, "languages": 1, "breakout": 1.5}
#: What a system text has and no reply should.
PROMPT_TEXTS = ["knows:", "you are an ai pet", "answer what the person said", "<|", "|>", "im_start", "system prompt"]


def arguments():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--pet", required=True, help="the built `pet`")
    parser.add_argument("--out", type=pathlib.Path, required=True)
    parser.add_argument("--model", help="a name or a file; without it, the default model")
    parser.add_argument("--count", type=int, default=200)
    parser.add_argument("--turns", type=int, default=20)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--threads", type=int, default=1, help="of each `pet`")
    parser.add_argument("--jobs", type=int, default=2, help="conversations at once")
    parser.add_argument("--max-tokens", type=int, default=256)
    parser.add_argument("--sheet", type=int, default=200, help="replies to read")
    return parser.parse_args()


def conversation(number, turns, seed):
    """(pet, state, lines with their kinds) of one conversation."""
    draw = random.Random(f"{seed} {number}")
    pet = sorted(FORMAT["pets"])[number % len(FORMAT["pets"])]
    state = {kind: draw.choice([5, 30, 50, 70, 95]) for kind in ("hunger", "energy", "mood")}
    names = {key: draw.choice(values) for key, values in LINES["fill"].items()} | {"name": FORMAT["pets"][pet]["name"]}
    facts = draw.sample(range(len(LINES["facts"])), 2)
    kinds = draw.choices(list(KINDS), list(KINDS.values()), k=turns - 6)
    lines = [("openings", draw.choice(LINES["openings"]))]
    lines += [("facts", LINES["facts"][fact]) for fact in facts]
    middle = [(kind, draw.choice(LINES[kind])) for kind in kinds]
    if number % 5 == 0:
        middle[draw.randrange(len(middle))] = ("paste", LINES["paste"] * draw.choice([3, 12, 60]))
    lines += middle + [("recalls", LINES["recalls"][fact]) for fact in facts] + [("closings", draw.choice(LINES["closings"]))]
    # The scripts' own braces are no places to fill.
    return pet, state, [(kind, fill(line, names).replace("\n", " ")) for kind, line in lines]


def fill(line, names):
    for key, value in names.items():
        line = line.replace("{" + key + "}", value)
    return line


def hold(args, number):
    pet, state, lines = conversation(number, args.turns, args.seed)
    command = [args.pet, "chat", "--json", "--incognito", "--persona", pet, "--seed", str(args.seed + number), "--clock", "1800014400",
               "--state", ",".join(f"{k}={v}" for k, v in state.items()), "--threads", str(args.threads),
               "--max-tokens", str(args.max_tokens)] + (["--model", args.model] if args.model else [])
    done = subprocess.run(command, input="".join(line + "\n" for _, line in lines), capture_output=True, encoding="utf-8")
    answers = [json.loads(line) for line in done.stdout.splitlines() if line.strip()]
    if done.returncode != 0 or len(answers) != len(lines):
        raise SystemExit(f"conversation {number}: status {done.returncode}, {len(answers)} of {len(lines)} replies: {done.stderr.strip()}")
    return [{"conversation": number, "turn": turn, "pet": pet, "state": state, "kind": kind, "line": line, "answer": answer,
             "faults": faults(answer, args, pet)} for turn, ((kind, line), answer) in enumerate(zip(lines, answers), 1)]


def faults(answer, args, pet):
    text, found = answer["text"], []
    low = text.lower()
    if answer["emotion"] not in FORMAT["emotions"] or any(a not in FORMAT["actions"] for a in answer["actions"]) or not text.strip():
        found.append("form")
    if not answer["well_formed"]:
        found.append("form")
    if any(mark in text for mark in "{}|") or any(ord(c) < 32 for c in text) or any(p in low for p in PROMPT_TEXTS):
        found.append("leak")
    header = f"{FORMAT['pets'][pet]['kind']}, {FORMAT['pets'][pet]['temperament']}"
    if header in low:
        found.append("leak")
    if answer["usage"]["completion_tokens"] > args.max_tokens or answer["finish_reason"] == "length":
        found.append("cap")
    if loops(low):
        found.append("loop")
    others = [p["name"].lower() for name, p in FORMAT["pets"].items() if name != pet]
    if any(f"i'm {name}" in low or f"i am {name}" in low or f"my name is {name}" in low for name in [*others, "bob"]):
        found.append("name")
    return found


def loops(text):
    words = text.split()
    return any(words[i:i + n] == words[i + n:i + 2 * n] == words[i + 2 * n:i + 3 * n]
               for n in range(2, 9) for i in range(len(words) - 3 * n + 1))


def percentile(values, share):
    return sorted(values)[min(len(values) - 1, int(len(values) * share))] if values else 0


def summary(args, turns):
    count = len(turns)
    bad = collections.Counter(fault for t in turns for fault in set(t["faults"]))
    sources = collections.Counter(t["answer"]["source"] for t in turns)
    repeated = sum(1 for a, b in zip(turns, turns[1:])
                   if a["conversation"] == b["conversation"] and a["answer"]["text"] == b["answer"]["text"])
    texts = collections.Counter(t["answer"]["text"] for t in turns)
    ttft = [t["answer"]["timings"]["ttft_ms"] or 0 for t in turns if t["answer"]["source"] == "model" and t["turn"] > 1]
    rows = [
        ("conversations, replies", f"{len({t['conversation'] for t in turns})}, {count}"),
        *((f"replies with a fault of {name}", f"{bad[name]} ({bad[name] / count:.2%})") for name in ["form", "leak", "cap", "loop", "name"]),
        ("said twice in a row", f"{repeated} ({repeated / count:.2%})"),
        ("different replies", f"{len(texts)} ({len(texts) / count:.0%})"),
        ("answers by", ", ".join(f"{source} {n / count:.1%}" for source, n in sources.most_common())),
        ("words in a reply, mean", f"{sum(len(t['answer']['text'].split()) for t in turns) / count:.1f}"),
        ("dropped turns", str(sum(t["answer"]["usage"]["dropped_turns"] for t in turns))),
        ("first token of a model's reply, ms: median, P95", f"{percentile(ttft, .5):.0f}, {percentile(ttft, .95):.0f}"),
    ]
    lines = [f"# Scripted conversations with {args.model or 'the default model'}", "",
             f"`run.py --count {args.count} --turns {args.turns} --seed {args.seed} --threads {args.threads} --jobs {args.jobs}`", "",
             "| | |", "|---|---|"] + [f"| {name} | {value} |" for name, value in rows]
    return "\n".join(lines) + "\n", any(bad[name] for name in ["form", "leak", "cap", "loop"])


def sheet(turns, count):
    chosen = sorted(turns, key=lambda t: hashlib.sha256(f"{t['conversation']} {t['turn']}".encode()).digest())[:count]
    by_place = {(t["conversation"], t["turn"]): t for t in turns}
    lines = ["# Replies to read", "", "Does the last reply answer what was said?", ""]
    for number, turn in enumerate(chosen, 1):
        before = by_place.get((turn["conversation"], turn["turn"] - 1))
        state = ", ".join(f"{k} {v}" for k, v in turn["state"].items())
        lines.append(f"{number}. **{turn['pet']}** ({state}; {turn['kind']}; {turn['answer']['source']})")
        for shown in [before, turn] if before else [turn]:
            answer = shown["answer"]
            lines.append(f"   - {shown['line'][:160]!r} → {answer['text']!r} ({answer['emotion']}; {', '.join(answer['actions']) or '-'})")
    return "\n".join(lines) + "\n"


if __name__ == "__main__":
    args = arguments()
    args.out.mkdir(parents=True, exist_ok=True)
    log = args.out / "turns.jsonl"
    turns = [json.loads(line) for line in log.read_text().splitlines()] if log.exists() else []
    done = {t["conversation"] for t in turns}
    missing = [n for n in range(args.count) if n not in done]
    begin = time.time()
    with concurrent.futures.ThreadPoolExecutor(args.jobs) as pool, open(log, "a") as file:
        for number, held in enumerate(pool.map(lambda n: hold(args, n), missing), 1):
            file.writelines(json.dumps(turn, ensure_ascii=False) + "\n" for turn in held)
            file.flush()
            turns += held
            print(f"\r{number} of {len(missing)} conversations, {time.time() - begin:.0f} s", end="", file=sys.stderr, flush=True)
    print(file=sys.stderr)
    for turn in turns:
        turn["faults"] = faults(turn["answer"], args, turn["pet"])
    text, failed = summary(args, turns)
    (args.out / "summary.md").write_text(text)
    (args.out / "sheet.md").write_text(sheet(turns, args.sheet))
    print(text)
    sys.exit(1 if failed else 0)

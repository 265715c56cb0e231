#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Measures what conversations on one model feel of each other: chats that are written while a long prompt comes and is read,
sessions that begin with the same persona, a long conversation that is taken up from disk, replies that are held to a grammar.

    Benchmarks/batched/serving.py [--chats 4] [--prompt 1500] [--sessions 100] [--resume 1900]

Builds the program `Serving` next to this file (release, minutes the first time) and runs it a few times; the medians count. Keep
the machine otherwise quiet. Writes serving.json and .md to Benchmarks/results. Exit code 1 with --check where the time between
two pieces of a chat's text (P95) grows by more than --most while the prompt is read.
"""
import argparse
import json
import statistics
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
HERE = Path(__file__).resolve().parent
sys.path.insert(1, str(ROOT / "Benchmarks" / "compare"))

import machine  # noqa: E402
from batched import model_file  # noqa: E402
from engines import call  # noqa: E402
from progress import Progress  # noqa: E402
from report import number, table, times  # noqa: E402


def arguments():
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("--pet", type=Path, default=ROOT / ".build" / "release" / "pet", help="tells where a named model lies")
    p.add_argument("--serving", type=Path, help="the program Serving; built without it")
    p.add_argument("--model", default="pet-135m", help="a name from `pet models list`, or a GGUF file")
    p.add_argument("--threads", type=int, default=2)
    p.add_argument("--chats", type=int, default=4)
    p.add_argument("--prompt", type=int, default=1500, help="tokens of the long prompt")
    p.add_argument("--sessions", type=int, default=100, help="sessions with one persona; 0: not measured")
    p.add_argument("--resume", type=int, default=1900, help="tokens of the conversation that is taken up; 0: not measured")
    p.add_argument("--rounds", type=int, default=5, help="replies with a grammar and without; 0: not measured")
    p.add_argument("--repetitions", type=int, default=3)
    p.add_argument("--output", type=Path, default=ROOT / "Benchmarks" / "results", help="folder of the results")
    p.add_argument("--most", type=float, default=1.5, help="growth of P95 that --check allows")
    p.add_argument("--check", action="store_true", help="exit code 1 where it grows by more")
    return p.parse_args()


def built(progress):
    progress.run(["swift", "build", "-c", "release", "--package-path", str(HERE), "--product", "Serving"], "building Serving")
    return HERE / ".build" / "release" / "Serving"


def middle(runs, *keys):
    """The median of a figure over runs that have it."""
    found = []
    for value in runs:
        for key in keys:
            value = value.get(key) if value else None
        if value is not None:
            found.append(value)
    return statistics.median(found) if found else None


def markdown(found):
    long, persona, s = found["long_prompt"], found["shared_persona"], found["settings"]
    body = [[name, number(middle(long, key, "p50_ms")), number(middle(long, key, "p95_ms")), number(middle(long, key, "max_ms"))]
            for name, key in (("before the prompt", "before"), ("while it is read", "during"), ("after", "after"))]
    parts = [
        f"# Conversations beside each other: {found['model']}", "",
        f"{found['machine']['cpu']}, {s['threads']} threads. {s['chats']} chats are written while a prompt of "
        f"{number(middle(long, 'prompt_tokens'), 4)} tokens comes; ms between two pieces of a chat's text as its reader sees them, "
        f"medians over {len(long)} runs.", "", table(["", "P50 ms", "P95 ms", "longest ms"], body), "",
        f"P95 grows {times(middle(long, 'p95_ratio'))}; to the mean of before and after (the chats' own contexts grow meanwhile) "
        f"{times(middle(long, 'p95_ratio_to_neighbours'))}. First token of the prompt's reply: "
        f"{number(middle(long, 'ttft_ms'), 4)} ms."]
    if persona:
        rows = [["first session", number(middle(persona, "first_ms"))],
                ["median of the others", number(middle(persona, "median_of_others_ms"))],
                ["the last", number(statistics.median(run["ttft_ms"][-1] for run in persona))],
                ["median of forks of one that has read it", number(middle(persona, "median_of_forks_ms"))]]
        kv, resident = middle(persona, "kv_bytes"), middle(persona, "resident_bytes")
        parts += ["", f"## {persona[0]['sessions']} sessions with one persona of {persona[0]['prompt_tokens']} tokens", "",
                  table(["", "first token, ms"], rows), "",
                  f"Keys and values of all: {number(kv / 1e6)} MB; of one alone {number(middle(persona, 'kv_bytes_of_one') / 1e6)} MB; "
                  f"resident memory grew by {number(resident / 1e6) + ' MB' if resident is not None else 'an unknown amount'}."]
    if found["resume"]:
        r = found["resume"]
        parts += ["", f"## A conversation of {number(middle(r, 'prompt_tokens'), 4)} tokens after a restart", "",
                  f"Read again: {number(middle(r, 'prefill_ms'))} ms to the next token. From its file of "
                  f"{number(middle(r, 'file_bytes') / 1e6)} MB: {number(middle(r, 'resume_ms'))} ms, {times(middle(r, 'ratio'))} as quick, "
                  f"{'the same tokens' if all(x['identical'] for x in r) else 'OTHER TOKENS'}. Saving took "
                  f"{number(middle(r, 'save_ms'))} ms."]
    if found["guided"]:
        g = found["guided"]
        parts += ["", "## Replies held to a JSON schema", "",
                  f"{number(middle(g, 'free_tps'))} tokens/s without, {number(middle(g, 'guided_tps'))} with; the grammar costs "
                  f"{100 * middle(g, 'cost'):.1f} %. The first reply with a new grammar: {number(middle(g, 'first_time_tps'))} tokens/s."]
    return "\n".join(parts) + "\n"


def main():
    a = arguments()
    progress = Progress()
    serving = a.serving.resolve() if a.serving else built(progress)
    file = model_file(a.pet.resolve(), a.model)
    facts = machine.facts()
    if facts["load_at_start"] > machine.QUIET:
        progress.say(f"serving: the load average is {facts['load_at_start']:.1f}; figures of a busy machine say little")
    progress.expect(a.repetitions * (1 + bool(a.sessions) + bool(a.resume) + bool(a.rounds)))
    long, persona, resume, guided = [], [], [], []
    for _ in range(a.repetitions):
        progress.step("a long prompt beside chats")
        long.append(json.loads(call([serving, "long-prompt", file, a.threads, a.chats, a.prompt])))
        if a.sessions:
            progress.step("sessions with one persona")
            persona.append(json.loads(call([serving, "shared-persona", file, a.threads, a.sessions])))
        if a.resume:
            progress.step("a conversation after a restart")
            resume.append(json.loads(call([serving, "resume", file, a.threads, a.resume])))
        if a.rounds:
            progress.step("replies held to a schema")
            guided.append(json.loads(call([serving, "guided", file, a.threads, a.rounds])))
    found = {"model": file.name, "machine": facts, "settings": {k: getattr(a, k) for k in ("threads", "chats", "prompt")},
             "long_prompt": long, "shared_persona": persona, "resume": resume, "guided": guided}
    a.output.mkdir(parents=True, exist_ok=True)
    (a.output / "serving.json").write_text(json.dumps(found, indent=1) + "\n", encoding="utf-8")
    text = markdown(found)
    (a.output / "serving.md").write_text(text, encoding="utf-8")
    progress.finish()
    print(text)
    growth = middle(long, "p95_ratio")
    if a.check and (growth is None or growth > a.most):
        sys.exit(1)


if __name__ == "__main__":
    main()

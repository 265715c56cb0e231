#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What Pet needs of a machine: memory of a talk, time to the first reply, bytes on disk. The README's table is of these figures.

    Benchmarks/companion/needs.py [--pet .build/release/pet] [--runs 7]

Each run is a process of its own with a home of its own: eight lines through a pipe, the next written when the last was answered, then one line
alone. Memory is the most that was resident (VmHWM), files that are mapped included; time is from before the process exists to its answer.
Sizes are those of the stripped program. Writes needs.json and .md to Benchmarks/results. Without the default model the built-in one alone is measured.
"""
import argparse
import json
import statistics
import sys
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path[1:1] = [str(ROOT / "Benchmarks" / "compare"), str(ROOT / "Tests" / "Checks")]

import bounds  # noqa: E402
import machine  # noqa: E402
from chats import Home, PipeChat, memory_mb, store  # noqa: E402
from report import number, of_commit, table  # noqa: E402

TALK = ["Good morning!", "My name is Ada.", "The kettle and the ladder went to market.", "I made soup for dinner.",
        "Seven blue bicycles hum beside my window.", "What do you think of rain?", "Tell me about the old harbour.", "What is my name?"]
#: Which model answers, how, and the file of it that must be there.
MODELS = [("the built-in model", ["--profile", "watch"], None), ("the default model", ["--profile", "phone"], "pet-135m")]


def talk(pet, options, lines):
    """MB resident at most, and seconds from the start to the first answer."""
    with Home.temporary() as home:
        start = time.perf_counter()
        chat = PipeChat(pet, home, [*options, "--no-service", "--json", "--seed", "1"])
        chat.ask(lines[0])
        first = time.perf_counter() - start
        for line in lines[1:]:
            chat.ask(line)
        most = memory_mb(chat.process.pid)[1]
        if status := chat.close():
            raise SystemExit(f"pet chat ended with {status}: {chat.errors.decode(errors='replace').strip()}")
    return most, first


def spread(values):
    return f"{number(statistics.median(values))} ({number(min(values))}-{number(max(values))})"


def measure(pet, runs):
    files, code, is_shared = bounds.sizes(pet)
    rows = {}
    for name, options, folder in MODELS:
        if folder and not (store() / folder).is_dir():
            print(f"needs: {name} is not here and is left out; pet models pull fetches it", file=sys.stderr)
            continue
        talks = [talk(pet, options, TALK) for _ in range(runs)]
        singles = [talk(pet, options, TALK[:1]) for _ in range(runs)]
        rows[name] = {"talk_mb": [most for most, _ in talks], "line_mb": [most for most, _ in singles],
                      "first_ms": [1000 * first for _, first in talks + singles]}
    return {"machine": machine.facts(), "runs": runs, "files_mb": files, "code_mb": code, "shared": is_shared, "models": rows}


def markdown(found):
    facts = found["machine"]
    rows = [[name, spread(row["line_mb"]), spread(row["talk_mb"]), spread(row["first_ms"])] for name, row in found["models"].items()]
    libraries = "beside Swift's libraries, which are shared" if found["shared"] else "Swift's libraries included"
    return "\n".join([
        "# What Pet needs", "",
        f"{facts['cpu']}, {facts['cores']} cores, {facts['memory_gb']} GB, {facts['system']}, load {facts['load_at_start']:.1f} at the start{of_commit(facts)}. "
        f"`needs.py --runs {found['runs']}`: medians (smallest-largest).", "",
        table(["", "MB resident, one line", f"MB resident, {len(TALK)} lines", "ms to the first answer"], rows), "",
        f"The program: {found['files_mb']:.1f} MB of built-in files, {found['code_mb']:.1f} MB of code, {libraries}.", ""])


def main():
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("--pet", type=Path, default=ROOT / ".build" / "release" / "pet")
    p.add_argument("--runs", type=int, default=7)
    p.add_argument("--commit", help="of the program, where it was not built of this clone; with a + where files differ")
    p.add_argument("--output", type=Path, default=ROOT / "Benchmarks" / "results", help="folder of the results")
    args = p.parse_args()
    found = measure(args.pet, args.runs)
    found["machine"]["commit"] = args.commit or found["machine"]["commit"]
    text = markdown(found)
    (args.output / "needs.json").write_text(json.dumps(found, indent=1) + "\n", encoding="utf-8")
    (args.output / "needs.md").write_text(text, encoding="utf-8")
    print(text)


if __name__ == "__main__":
    main()

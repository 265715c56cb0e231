#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Kills a pet in the middle of conversations and looks whether it takes harm.

    Benchmarks/companion/kill.py [--pet .build/release/pet] [--runs 200] [--seed 1]

Starts `pet chat` with a pet that is kept, tells it facts, cares for it, talks, and ends it with SIGKILL: in half of the runs at a moment
drawn from the whole of the run, its start included, in the others right when one of its files is written (inotify). Each fourth run is
at a terminal, where there are care commands; the others go through a pipe. A folder lives through --lives runs. After each
kill: the database is whole, what was learned in turns whose answer was seen is there, the state is in its ranges and its time did not go
back, files have their modes and nothing is left behind; then the program starts again, answers, and has nothing to report.

Writes kill.json and .md to Benchmarks/results. Exit code 1 where anything of that is not so.
"""
import argparse
import collections
import ctypes
import json
import os
import random
import select
import sys
import threading
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(1, str(ROOT / "Benchmarks" / "compare"))

import kill_checks  # noqa: E402
from chats import LINES, Home, PipeChat, TerminalChat, kill, percentile  # noqa: E402
from progress import Progress  # noqa: E402
from report import table  # noqa: E402

PERSONA = "mochi"
LINE_KINDS = ["openings", "daily", "feelings", "questions", "play", "care", "closings"]
CARE = ["feed", "play", "pet", "clean", "rest"]
TELL = ["i love {}", "i like {} a lot", "i collect {}", "my favourite film is {}", "i'm learning about {}"]
#: Facts that no two turns share, of words in which no rule sees more than a thing.
ADJECTIVES = ["velvet", "copper", "paper", "striped", "tiny", "wooden", "purple", "woollen", "Danish", "round", "painted", "glass",
              "silver", "antique", "musical", "folding", "yellow", "tartan", "linen", "marble", "pocket", "garden", "Welsh", "spotted"]
NOUNS = ["kettles", "lanterns", "teapots", "buttons", "maps", "bells", "boats", "umbrellas", "postcards", "clocks", "hats", "puzzles",
         "thimbles", "shells", "spoons", "kites", "stamps", "marbles", "baskets", "trams", "mirrors", "pianos", "candles", "ribbons"]


def arguments():
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("--pet", type=Path, default=ROOT / ".build" / "release" / "pet")
    p.add_argument("--runs", type=int, default=200)
    p.add_argument("--seed", type=int, default=1)
    p.add_argument("--lives", type=int, default=20, help="kills that one folder lives through")
    p.add_argument("--model", default="pet-nano")
    p.add_argument("--other-model", default="pet-135m", help="in every tenth run")
    p.add_argument("--turns", type=int, default=12, help="lines of a run")
    p.add_argument("--output", type=Path, default=ROOT / "Benchmarks" / "results", help="folder of the results")
    return p.parse_args()


class Writes:
    """Waits until a file in a folder is written, made or renamed (inotify(7))."""
    EVENTS = 0x2 | 0x100 | 0x80 | 0x40 | 0x200  # modify, create, moved to and from, delete

    def __init__(self, folder):
        self.library = ctypes.CDLL(None, use_errno=True)
        self.descriptor = self.library.inotify_init1(os.O_CLOEXEC | os.O_NONBLOCK)
        for each in (folder.parent, folder):
            each.mkdir(exist_ok=True, mode=0o700)
        if self.descriptor < 0 or self.library.inotify_add_watch(self.descriptor, os.fsencode(folder), self.EVENTS) < 0:
            raise OSError(ctypes.get_errno(), "inotify")

    def wait(self, number, seconds):
        """Until that many reads of events; whether they came."""
        end = time.monotonic() + seconds
        while number > 0:
            if not select.select([self.descriptor], [], [], max(0, end - time.monotonic()))[0]:
                return False
            # One at a time: each is a moment of its own.
            os.read(self.descriptor, 64)
            number -= 1
        return True

    def close(self):
        os.close(self.descriptor)


class Script:
    """The lines of a run: (what is typed, the word that must be remembered or None, the care or None)."""

    def __init__(self, draw, turns, is_terminal, lines):
        self.lines = []
        for _ in range(turns):
            kind = draw.random()
            if kind < 0.45:
                word = f"{draw.choice(ADJECTIVES)} {draw.choice(NOUNS)}"
                self.lines.append((draw.choice(TELL).format(word), word, None))
            elif is_terminal and kind < 0.75:
                action = draw.choice(CARE)
                self.lines.append((f"/{action}", None, action))
            else:
                text = draw.choice(lines[draw.choice(LINE_KINDS)]).replace("{name}", "Mochi")
                self.lines.append((text, None, None))


class Run:
    """One life and its end, in a thread that talks while another kills."""

    def __init__(self, args, home, script, model, is_terminal, seed):
        self.args, self.home, self.script, self.is_terminal = args, home, script, is_terminal
        chat = TerminalChat if is_terminal else PipeChat
        options = ["--model", model, "--persona", PERSONA, "--seed", seed, "--max-tokens", 64]
        self.start = time.time()
        self.chat = chat(args.pet, home, options + (["--plain"] if is_terminal else ["--json"]))
        self.seen = []  # indices of lines whose answer was seen
        self.watched = len(script.lines)  # from here on it may have seen danger, and learns nothing
        self.reported = []
        self.failure = None
        self.done = threading.Event()
        self.talker = threading.Thread(target=self._talk, daemon=True)
        self.talker.start()

    def _talk(self):
        try:
            self._at_a_terminal() if self.is_terminal else self._through_a_pipe()
        except (OSError, ValueError) as error:
            # What a kill does to a pipe.
            self.failure = error
        except SystemExit as error:
            self.failure = error
        self.done.set()

    def _through_a_pipe(self):
        # All at once: the program goes from turn to turn without waiting.
        self.chat.write("".join(text + "\n" for text, _, _ in self.script.lines))
        for index in range(len(self.script.lines)):
            found = self.chat.read_line()
            if found is None:
                return
            answer = json.loads(found[0])
            if "error" in answer or any("not kept" in notice for notice in answer["notices"]):
                self.reported.append(f"reported: turn {index + 1}: {answer.get('error') or answer['notices']}")
            if answer.get("source") == "rule":
                self.watched = min(self.watched, index)
            self.seen.append(index)

    def _at_a_terminal(self):
        if self.chat.read_to_prompt() is None:
            return
        for index, (text, _, _) in enumerate(self.script.lines):
            if self.chat.ask(text) is None:
                return
            self.seen.append(index)

    def end(self, seconds=None, writes=None):
        """Kills it after so many seconds or writes, or when it has said all; whether it was killed, and when."""
        if seconds is not None:
            self.done.wait(seconds)
        elif writes is not None:
            watch, number = writes
            watch.wait(number, 20)
        else:
            self.done.wait(120)
        killed = kill(self.chat.process)
        at = time.time() - self.start
        # What was in the pipe had been written before, and counts as seen.
        self.talker.join(30)
        return killed, at


def examine(home, before, run, script):
    """Problems after a kill, and the pet's life then."""
    folder = home.folder(PERSONA)
    found, said = kill_checks.facts(folder)
    problems = [] if said in ("ok", "none") else [f"database: {said}"]
    problems += run.reported
    values = {fact["value"].lower() for fact in found}

    def is_there(word):
        return any(word.lower() in value for value in values)

    told = {script.lines[i][1]: i for i in run.seen if script.lines[i][1] and i < run.watched}
    problems += [f"lost: the fact of turn {i + 1}, {script.lines[i][0]!r}, whose answer was seen"
                 for word, i in told.items() if not is_there(word)]
    problems += [f"lost: a fact of an earlier run, {word!r}" for word in before["words"] if not is_there(word)]
    try:
        life = kill_checks.state(folder)
    except (ValueError, KeyError) as error:
        life = None
        problems.append(f"state: cannot be read: {error!r}")
    if life:
        problems += kill_checks.state_problems(life)
        if life["seconds"] < before["seconds"]:
            problems.append(f"state: its time went back from {before['seconds']} to {life['seconds']}")
        if run.seen and life["seconds"] < int(run.start):
            problems.append("state: what was seen of this run is not in it")
        problems += care_problems(life, before, run, script)
    elif before["seconds"] or run.seen:
        problems.append("state: gone")
    problems += kill_checks.file_problems(home)
    # What was found missing once is not to be told again and again.
    kept = {"words": {word for word in before["words"] | set(told) if is_there(word)},
            "seconds": life["seconds"] if life else before["seconds"],
            "repetitions": life["repetitions"] if life else before["repetitions"]}
    return problems, kept


def care_problems(life, before, run, script):
    """Each stroke that was answered counts; what was counted before fades within hours. Beyond 4.5 a pet has had enough."""
    strokes = sum(script.lines[i][2] == "pet" for i in run.seen)
    least = min(before["repetitions"].get("pet", 0) + strokes, 4.5) * 0.95
    if life["repetitions"].get("pet", 0) < least:
        yield f"lost: care; {life['repetitions'].get('pet', 0):.2f} strokes where {least:.2f} were answered"


def start_again(args, home):
    """Problems of the next start; facts that it learns are none."""
    chat = PipeChat(args.pet, home, ["--model", args.model, "--persona", PERSONA, "--json", "--seed", "1"])
    try:
        answer, _ = chat.ask("hello")
        status = chat.close()
    except SystemExit as error:
        kill(chat.process)
        return [f"next start: {error}"]
    problems = [] if status == 0 else [f"next start: status {status}"]
    if chat.errors:
        problems.append(f"next start: reports {chat.errors.decode(errors='replace').strip()}")
    if "error" in answer or answer["notices"] and any("not kept" in n for n in answer["notices"]):
        problems.append(f"next start: {answer.get('error') or answer['notices']}")
    return problems + [f"next start: {p}" for p in kill_checks.cache_problems(home.folder(PERSONA))]


def measured_length(args, draw, model, is_terminal, lines):
    """Seconds of a run that nobody kills, and how often it writes."""
    with Home.temporary() as home:
        watch = Writes(home.folder(PERSONA))
        script = Script(draw, args.turns, is_terminal, lines)
        run = Run(args, home, script, model, is_terminal, 1)
        run.done.wait(300)
        seconds = time.time() - run.start
        kill(run.chat.process)
        count = 0
        while watch.wait(1, 0):
            count += 1
        watch.close()
        if len(run.seen) != args.turns:
            raise SystemExit(f"kill: a run without a kill gave {len(run.seen)} of {args.turns} answers: {run.failure}")
        problems, _ = examine(home, {"words": set(), "seconds": 0, "repetitions": {}}, run, script)
        if problems:
            raise SystemExit("kill: a run without a kill has problems: " + "; ".join(problems))
        return seconds, count


def main():
    args = arguments()
    lines = json.loads(LINES.read_text())
    draw, progress = random.Random(args.seed), Progress()
    lengths, rows, home, cleanup, kept = {}, [], None, None, None
    progress.expect(args.runs)
    for number in range(args.runs):
        if number % args.lives == 0:
            if cleanup:
                cleanup.__exit__(None, None, None)
            cleanup = Home.temporary()
            home, kept = cleanup.__enter__(), {"words": set(), "seconds": 0, "repetitions": {}}
        model = args.other_model if number % 10 == 9 else args.model
        is_terminal = number % 4 == 3
        if (model, is_terminal) not in lengths:
            lengths[model, is_terminal] = measured_length(args, draw, model, is_terminal, lines)
        progress.step(f"run {number + 1}, {sum(bool(r['problems']) for r in rows)} with problems")
        seconds, writes = lengths[model, is_terminal]
        script = Script(draw, args.turns, is_terminal, lines)
        at_write = (number + number // 4) % 2 == 1
        watch = Writes(home.folder(PERSONA)) if at_write else None
        before = kept
        run = Run(args, home, script, model, is_terminal, draw.randrange(1 << 31))
        if at_write:
            killed, at = run.end(writes=(watch, draw.randint(1, max(1, writes))))
            watch.close()
        else:
            killed, at = run.end(seconds=draw.uniform(0, seconds))
        problems, kept = examine(home, before, run, script)
        drafts = kill_checks.drafts(home.folder(PERSONA))
        problems += start_again(args, home)
        left = kill_checks.drafts(home.folder(PERSONA))
        if run.is_terminal:
            os.close(run.chat.master)
        rows.append({"run": number + 1, "model": model, "terminal": is_terminal, "at": "write" if at_write else "time",
                     "killed": killed, "seconds": round(at, 4), "answers_seen": len(run.seen),
                     "learned_nothing_from": run.watched if run.watched < args.turns else None, "drafts": drafts,
                     "drafts_after_start": left, "facts": len(kept["words"]), "problems": problems})
    if cleanup:
        cleanup.__exit__(None, None, None)
    progress.finish()
    text = markdown(args, rows, lengths)
    args.output.mkdir(parents=True, exist_ok=True)
    found = {"runs": args.runs, "seed": args.seed, "lives": args.lives, "turns": args.turns, "rows": rows}
    (args.output / "kill.json").write_text(json.dumps(found, indent=1) + "\n", encoding="utf-8")
    (args.output / "kill.md").write_text(text, encoding="utf-8")
    print(text)
    sys.exit(1 if any(r["problems"] for r in rows) else 0)


def markdown(args, rows, lengths):
    def line(name, chosen):
        killed = [r for r in chosen if r["killed"]]
        return [name, len(chosen), len(killed), sum(r["answers_seen"] == 0 for r in killed), sum(r["answers_seen"] for r in chosen),
                sum(r["drafts"] for r in chosen), sum(bool(r["problems"]) for r in chosen)]

    groups = [("all", rows)]
    groups += [(f"{m}, {'terminal' if t else 'pipe'}, at a {a}", [r for r in rows if (r["model"], r["terminal"], r["at"]) == (m, t, a)])
               for m, t in lengths for a in ("time", "write")]
    kinds = collections.Counter(p.split(":")[0] for r in rows for p in r["problems"])
    shown = [f"- run {r['run']} ({r['model']}, {'terminal' if r['terminal'] else 'pipe'}, killed at {r['seconds']} s): {p}"
             for r in rows for p in r["problems"]][:40]
    at = [r["seconds"] for r in rows if r["killed"]]
    whole = "; ".join(f"{m}, {'terminal' if t else 'pipe'}, {s:.2f} s and {w} writes" for (m, t), (s, w) in lengths.items())
    return "\n".join([
        "# A pet whose program is killed", "",
        f"`kill.py --runs {args.runs} --seed {args.seed}`: {args.turns} lines a run, {args.lives} runs to a folder, SIGKILL at a drawn moment or "
        f"at a drawn write. Whole runs: {whole}. Killed after "
        f"{percentile(at, 5) or 0:.2f} to {percentile(at, 95) or 0:.2f} s (P5, P95).", "",
        table(["", "runs", "killed", "before an answer", "answers seen", "drafts found", "with problems"],
              [line(name, chosen) for name, chosen in groups if chosen]), "",
        f"Facts that had been answered and had to be there at the last kill of each folder: "
        f"{sum(r['facts'] for r in rows if r['run'] % args.lives == 0 or r['run'] == len(rows))}. Drafts of interrupted writes after the next start: at most "
        f"{max((r['drafts_after_start'] for r in rows), default=0)} in a folder.", "",
        "Problems: " + (", ".join(f"{k} {n}" for k, n in kinds.most_common()) or "none") + ".", "", *shown]).rstrip() + "\n"


if __name__ == "__main__":
    main()

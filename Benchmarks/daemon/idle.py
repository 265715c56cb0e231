#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What petd takes of a machine while it has nothing to do, and while it chats with the built-in model on one thread.

    swift build -c release --static-swift-stdlib --scratch-path .build/static --product petd
    Benchmarks/daemon/idle.py [--petd .build/static/release/petd]

For each profile: from the new process to the first 200 of GET /health/ready (median of --starts); resident memory without a model; how often its
threads are woken in --seconds, before anything was asked and again after a conversation; which sockets it has open; resident memory at most in
a conversation of --turns. A wait that ends is one wake-up (voluntary_ctxt_switches of all threads).

Exit code 1 where a bound of the profile is passed. Writes daemon-idle.json and .md to Benchmarks/results.
"""
import argparse
import asyncio
import statistics
import sys
import time
from pathlib import Path

from petd import MB, NANO, PROGRAM, ROOT, Daemon, WakeUps, memory, sockets

import conversation
import machine
import results
from progress import Progress
from report import number, table

#: MB without a model, MB above the model's file in a conversation.
BOUNDS = {"watch": (16, 24), "phone": (20, 60)}
MOST_START_MS, MOST_WAKE_UPS = 100, 0
#: Seconds after which what a conversation left to do is done.
REST = 5
#: Seconds after which libdispatch has ended the threads that it has no work for; the end of one looks like a wait that ended.
SETTLE = 20


def arguments():
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    static = ROOT / ".build" / "static" / "release" / "petd"
    p.add_argument("--petd", type=Path, default=static if static.exists() else PROGRAM)
    p.add_argument("--starts", type=int, default=20)
    p.add_argument("--seconds", type=float, default=30, help="how long to count wake-ups")
    p.add_argument("--turns", type=int, default=40, help="of the conversation")
    p.add_argument("--pause", type=float, default=0.5, help="seconds between an answer and the next line")
    p.add_argument("--seed", type=int, default=1)
    p.add_argument("--output", type=Path, default=results.FOLDER, help="folder of the results")
    return p.parse_args()


def starts(args, options, progress):
    found = []
    for run in range(args.starts):
        progress.step(f"{options[1]}: start {run + 1}")
        with Daemon.running(*options, program=args.petd, wait=False) as daemon:
            found.append(1000 * daemon.wait_until_ready())
    return found


def wake_ups(args, daemon, progress, when):
    progress.step(f"wake-ups {when}")
    time.sleep(SETTLE)
    found, start = WakeUps(daemon.pid), time.monotonic()
    while (spent := time.monotonic() - start) < args.seconds:
        time.sleep(min(1, args.seconds - spent))
        found.look()
    return found.count / spent


def open_sockets(daemon):
    return [text.replace(str(daemon.home.path), "PET_HOME") for text in sockets(daemon.pid)]


def measure(args, profile, progress):
    options = ("--profile", profile, "--model", "pet-nano", "--threads", 1)
    found = {"profile": profile, "starts_ms": starts(args, options, progress)}
    with Daemon.running(*options, program=args.petd) as daemon:
        time.sleep(REST)
        found["no_model"] = memory(daemon.pid)
        found["wake_ups_before"] = wake_ups(args, daemon, progress, "before anything was asked")
        found["sockets"] = open_sockets(daemon)
        progress.step(f"{profile}: conversation")
        held = asyncio.run(conversation.hold(daemon, conversation.lines(args.turns, args.seed), pause=args.pause))
        found["failures"] = held.failures
        found["by_model"] = held.by_model
        found["chatting"] = memory(daemon.pid)
        time.sleep(REST)
        found["resting"] = memory(daemon.pid)
        found["wake_ups_after"] = wake_ups(args, daemon, progress, "after a conversation")
        found["sockets_after"] = open_sockets(daemon)
    return found


def checks(found):
    """[(what, value, bound, whether it holds)]"""
    empty, above = BOUNDS[found["profile"]]
    model = NANO.stat().st_size / MB
    start = statistics.median(found["starts_ms"])
    most, resident = found["chatting"]["most"] / MB, found["no_model"]["rss"] / MB
    others = [s for s in found["sockets"] + found["sockets_after"] if not s.startswith("unix ")]
    return [("resident without a model, MB", resident, f"< {empty}", resident < empty),
            ("resident at most in a conversation, MB", most, f"<= {model + above:.1f}", most <= model + above),
            ("start to ready, ms, median", start, f"< {MOST_START_MS}", start < MOST_START_MS),
            ("wake-ups per second, before anything was asked", found["wake_ups_before"], "0", found["wake_ups_before"] <= MOST_WAKE_UPS),
            ("wake-ups per second, after a conversation", found["wake_ups_after"], "0", found["wake_ups_after"] <= MOST_WAKE_UPS),
            ("sockets that are not Unix ones", len(others), "0", not others),
            ("turns that failed", found["failures"], "0", found["failures"] == 0)]


def markdown(args, found):
    parts = ["# petd at rest", "", results.facts_line(found["machine"]), "",
             f"{found['program']}; the built-in model ({NANO.stat().st_size / MB:.1f} MB), one thread. Start: median of {args.starts}. Wake-ups over "
             f"{args.seconds:g} s. Conversation: {args.turns} turns, {args.pause:g} s between an answer and the next line."]
    for p in found["profiles"]:
        judged = [[name, number(value), bound, "holds" if holds else "PASSED"] for name, value, bound, holds in checks(p)]
        sizes = [[name, *[number(m[key] / MB) for key in ("rss", "anonymous", "pss", "private")]]
                 for name, m in (("without a model", p["no_model"]), ("after the last answer", p["chatting"]),
                              ("five seconds later", p["resting"]))]
        parts += ["", f"## --profile {p['profile']}", "", table(["", "measured", "bound", ""], judged), "",
                  table(["MB", "RSS", "of that not of files", "PSS", "private"], sizes), "",
                  f"Starts from {number(min(p['starts_ms']))} to {number(max(p['starts_ms']))} ms. {p['by_model']} turns were answered by the "
                  f"model. Sockets: {', '.join(p['sockets'])}."]
    return "\n".join(parts) + "\n"


def main():
    args = arguments()
    progress, facts = Progress(), machine.facts()
    progress.expect(len(BOUNDS) * (args.starts + 3))
    found = {"machine": facts, "program": f"{args.petd.name}, {args.petd.stat().st_size / MB:.0f} MB",
             "profiles": [measure(args, profile, progress) for profile in BOUNDS]}
    progress.finish()
    text = markdown(args, found)
    results.write(args.output, "daemon-idle", found, text)
    print(text)
    if not all(holds for p in found["profiles"] for *_, holds in checks(p)):
        sys.exit(1)


if __name__ == "__main__":
    main()

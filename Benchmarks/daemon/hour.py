#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""A long conversation with petd --profile watch under a hard bound of the memory that it promises.

    Benchmarks/daemon/hour.py [--petd .build/static/release/petd] [--minutes 60]

The bound is the model's file and 24 MB (--bound), set as a control group's where this may make one, else as RLIMIT_DATA. Lines come with pauses,
facts are told and asked for. Resident memory is noted each second.

Exit code 1 where a turn failed or petd ended. Writes daemon-hour.json, .md and .svg to Benchmarks/results.
"""
import argparse
import asyncio
import sys
import time
from collections import Counter
from pathlib import Path

from petd import MB, NANO, PROGRAM, ROOT, Daemon, Watch, memory

import conversation
import limit
import machine
import results
import time_chart
from chats import percentile
from progress import Progress
from report import number


def arguments():
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    static = ROOT / ".build" / "static" / "release" / "petd"
    p.add_argument("--petd", type=Path, default=static if static.exists() else PROGRAM)
    p.add_argument("--minutes", type=float, default=60)
    p.add_argument("--pause", type=float, default=3, help="seconds between an answer and the next line")
    p.add_argument("--bound", type=float, default=NANO.stat().st_size / MB + 24, help="MB")
    p.add_argument("--seed", type=int, default=1)
    p.add_argument("--output", type=Path, default=results.FOLDER, help="folder of the results")
    return p.parse_args()


def hold(args, progress):
    seconds = 60 * args.minutes
    for path in machine.libraries(args.petd):
        # Or their pages would be charged to whoever read them before.
        machine.drop_from_page_cache(path)
    with limit.bounded(int(args.bound * MB)) as bound:
        options = ("--profile", "watch", "--model", "pet-nano", "--threads", 1)
        with Daemon.running(*options, program=args.petd, before=bound.enter) as daemon:
            watch, start = Watch(daemon.pid), time.monotonic()

            def each(held):
                progress.show(f"{time.monotonic() - start:.0f} of {seconds:.0f} s: {len(held.seconds)} turns, {held.failures} failures")

            # More lines than there can be turns in that time.
            said = conversation.lines(1 + int(seconds / max(0.01, args.pause)), args.seed)
            held = asyncio.run(conversation.hold(daemon, said, args.pause, until=start + seconds, each=each))
            lived, most = daemon.is_running, memory(daemon.pid)
            daemon.terminate()
            status = daemon.wait()
            samples = watch.stop()
        return {"limit": bound.name, "charged_most": bound.peak, "turns": len(held.seconds), "sources": dict(Counter(held.sources)),
                "problems": held.problems, "p50_s": percentile(held.seconds, 50), "p95_s": percentile(held.seconds, 95), "memory": samples,
                "rss_most": most and most["most"], "lived": lived, "exit": status}


def markdown(args, found):
    charged, rss = found["charged_most"], found["rss_most"]
    values = [value / MB for _, value in found["memory"]]
    return "\n".join([
        f"# {args.minutes:g} minutes of conversation under {args.bound:.1f} MB", "", results.facts_line(found["machine"]), "",
        f"`petd --profile watch --model pet-nano --threads 1`, bounded by a {found['limit']}. `hour.py --minutes {args.minutes:g} --pause {args.pause:g} "
        f"--seed {args.seed}`.", "",
        f"- {found['turns']} turns, {len(found['problems'])} failed. Who answered: {found['sources']}.",
        f"- A turn took {number(1000 * found['p50_s'])} ms (P95 {number(1000 * found['p95_s'])})." if found["turns"] else "- No turn ended.",
        f"- Resident: {number(values[0]) if values else '-'} MB at first, {number(rss and rss / MB)} at most, "
        f"{number(values[-1]) if values else '-'} at the end. Charged at most: {number(charged and charged / MB)} MB, with pages of files that could be given back.",
        f"- petd {'lived' if found['lived'] else 'ended by itself'}; after TERM its exit status was {found['exit']}.",
        *[f"- {count} times: {problem}" for problem, count in Counter(found["problems"]).most_common(5)], "", "![resident memory over time](daemon-hour.svg)"]) + "\n"


def main():
    args = arguments()
    progress, facts = Progress(), machine.facts()
    found = {"machine": facts, "minutes": args.minutes, "bound_mb": args.bound, **hold(args, progress)}
    progress.finish()
    text = markdown(args, found)
    picture = time_chart.svg("Resident memory in a conversation, MB", [(t, v / MB) for t, v in found["memory"]], ("bound", args.bound))
    results.write(args.output, "daemon-hour", found, text, picture)
    print(text)
    if found["problems"] or not found["lived"] or found["exit"] != 0 or not found["turns"]:
        sys.exit(1)


if __name__ == "__main__":
    main()

#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Many clients at once that behave as clients do: whether each gets its own words, and only those.

    Benchmarks/daemon/soak.py [--petd .build/release/petd] [--clients 64] [--minutes 10]

Half of the clients come over the Unix socket, half over TCP. Each has words that nobody else has: one that a JSON schema makes the model write, in
streams and whole; a question whose greedy answer was noted while it was alone; a name that its own pet remembers. They leave in the middle, read
slowly and send what is no request. Resident memory is noted each second. At the end comes TERM while all of them are in the middle of something:
what has begun must be finished, and petd must end with 0.

429 with Retry-After is an answer, and is counted. Exit code 1 on any mix-up, wrong or broken answer, crash, or reply that TERM cut off. Writes
daemon-soak.json, .md and .svg to Benchmarks/results.
"""
import argparse
import asyncio
import statistics
import sys
import time
from collections import Counter
from pathlib import Path

from petd import MB, PROGRAM, Daemon, Watch

import machine
import results
import time_chart
from chats import percentile
from progress import Progress
from report import number, table
from soak_clients import FAILURES, KINDS, Client, Tally, identities


def arguments():
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("--petd", type=Path, default=PROGRAM)
    p.add_argument("--clients", type=int, default=64)
    p.add_argument("--minutes", type=float, default=10)
    p.add_argument("--profile", default="phone")
    p.add_argument("--model", default="pet-nano")
    p.add_argument("--seed", type=int, default=1)
    p.add_argument("--kinds", default=";".join(KINDS), help="of requests, with semicolons")
    p.add_argument("--output", type=Path, default=results.FOLDER, help="folder of the results")
    return p.parse_args()


async def hold(args, daemon, progress):
    tally, everybody = Tally(), identities(args.clients, args.seed)
    chosen = {kind: KINDS[kind] for kind in args.kinds.split(";")}
    clients = [Client(i, everybody, daemon, tally, args.seed, chosen) for i in range(args.clients)]
    for client in clients:
        progress.show(f"alone: client {client.index + 1} of {args.clients}")
        await client.note_reference()
    watch, start = Watch(daemon.pid), time.monotonic()
    tasks = [asyncio.create_task(client.run()) for client in clients]
    while (spent := time.monotonic() - start) < 60 * args.minutes and daemon.is_running:
        await asyncio.sleep(1)
        for task in tasks:
            if task.done():
                task.result()  # a defect of this program
        progress.show(f"{spent:.0f} of {60 * args.minutes:.0f} s: {tally.ends.total()} requests, {tally.failures} failures")
    has_crashed = not daemon.is_running
    for client in clients:
        client.request.must_end = client.request.is_taken
    under_way = sum(client.request.must_end for client in clients)
    tally.is_stopping, term = True, time.monotonic()
    daemon.terminate()
    status = await asyncio.to_thread(daemon.wait)
    drained = time.monotonic() - term
    await asyncio.gather(*tasks)
    memory = watch.stop()
    return {"seconds": spent, "crashed": has_crashed, "memory": memory, "kinds": kinds(tally), "notes": tally.notes, "failures": tally.failures,
            "mixed_up": tally.count("mixed up"), "answers": tally.count("whole"), "requests": tally.ends.total(),
            "drain": {"under_way": under_way, "seconds": drained, "exit": status, "ends": dict(tally.after_term)}}


def kinds(tally):
    found = {}
    for kind in KINDS:
        ends = Counter({how: n for (k, how), n in tally.ends.items() if k == kind})
        seconds, first = tally.seconds.get(kind, []), tally.first.get(kind, [])
        found[kind] = {"ends": dict(ends), "p50_s": percentile(seconds, 50), "p95_s": percentile(seconds, 95),
                       "first_p50_s": percentile(first, 50), "first_p95_s": percentile(first, 95)}
    return found


def growth(samples):
    """Median resident memory of the last quarter to that of the second: 1 where it is flat. None of too few."""
    if len(samples) < 8:
        return None
    quarter = len(samples) // 4
    values = [value for _, value in samples]
    return statistics.median(values[-quarter:]) / statistics.median(values[quarter:2 * quarter])


def markdown(args, found):
    def times(kind, *keys):
        return [number(1000 * kind[k]) if kind[k] is not None else "-" for k in keys]

    rows = []
    for name, kind in found["kinds"].items():
        ends = Counter(kind["ends"])
        rows.append([name, ends.total(), ends["whole"], ends["left"], ends["refused"], ends["429"], ends["not taken"],
                     sum(ends[f] for f in FAILURES), *times(kind, "first_p50_s", "first_p95_s", "p50_s", "p95_s")])
    drain, memory = found["drain"], [value / MB for _, value in found["memory"]]
    ratio = growth(found["memory"])
    return "\n".join([
        f"# {args.clients} clients for {args.minutes:g} minutes", "", results.facts_line(found["machine"]), "",
        f"`soak.py --clients {args.clients} --minutes {args.minutes:g} --profile {args.profile} --model {args.model} --seed {args.seed}`. "
        "Times in ms, of whole answers.", "",
        table(["requests", "sent", "whole", "client left", "refused", "429", "after TERM not taken", "failures", "first piece P50", "P95",
               "whole P50", "P95"], rows), "",
        f"- Mixed-up answers: {found['mixed_up']}. Failures: {found['failures']}. Crashes: {int(found['crashed'])}.",
        f"- Resident: {number(memory[0] if memory else None)} MB at first, {number(max(memory, default=None))} at most, "
        f"{number(memory[-1] if memory else None)} at the end; last quarter to second: {number(ratio)}.",
        f"- TERM with {drain['under_way']} answers under way: {drain['ends']}, exit {drain['exit']} after {number(drain['seconds'])} s.",
        *[f"- {note}" for note in found["notes"]], "",
        "![resident memory over time](daemon-soak.svg)"]) + "\n"


def main():
    args = arguments()
    progress, facts = Progress(), machine.facts()
    with Daemon.running("--profile", args.profile, "--model", args.model, "--port", 0, program=args.petd) as daemon:
        found = {"machine": facts, "clients": args.clients, "minutes": args.minutes, "profile": args.profile, "model": args.model,
                 **asyncio.run(hold(args, daemon, progress))}
    progress.finish()
    text = markdown(args, found)
    picture = time_chart.svg(f"Resident memory, MB: {args.clients} clients", [(t, v / MB) for t, v in found["memory"]])
    results.write(args.output, "daemon-soak", found, text, picture)
    print(text)
    if found["failures"] or found["crashed"] or found["drain"]["exit"] != 0:
        sys.exit(1)


if __name__ == "__main__":
    main()

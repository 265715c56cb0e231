#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Hours of a pet's life with petd, without those in which everybody only waits.

    Benchmarks/daemon/endurance.py [--petd .build/release/petd] [--hours 8] [--profile phone]

In each minute of it a person says two lines to one of three pets, and a camera and a microphone are heard: four pictures for the pose, one for the
expression, one piece of sound; every ten minutes a table of moods. Somebody leaves in the middle of a reply, the program goes to the background
and comes back, the system warns of memory, the language model is swapped, a conversation ends and another begins. Every five minutes all is
unloaded, and resident memory and open descriptors are noted: what is then there has no use.

Told is the slope of that memory after the first hour (Theil and Sen's estimator, with an interval of 95 % by resampling), descriptors, and how
long each kind of request takes in the last quarter beside the second one. Exit code 1 where memory or descriptors grow, a request fails, petd
ends, or a kind of request takes a quarter longer than before. Writes daemon-endurance.json, .md and .svg to Benchmarks/results.
"""
import argparse
import asyncio
import contextlib
import itertools
import json
import random
import statistics
import sys
import time
from collections import Counter
from pathlib import Path

from petd import MB, PATIENCE, PROGRAM, ROOT, Daemon, memory

import conversation
import machine
import results
import time_chart
from http_client import Connection
from progress import Progress
from report import number, table

PETS = ("mochi", "juniper", "bramble")
INPUTS = ROOT / "Examples" / "classify"
PICTURE, SOUND = ("image/jpeg", "photo.jpg"), ("audio/wav", "talk.wav")
#: What a minute of this length has: {kind: minutes between two of them, the first of these minutes}
RARE = {"stress": (10, 3), "left": (30, 13), "background": (20, 8), "memory warning": (30, 22), "swap": (40, 31), "conversation": (60, 0)}
REST_MINUTES = 5
SETTLED = 60  # minutes until caches are full and all code was used
MOST_SLOWER = 1.25
MOST_GROWTH = 0.01  # of what is resident, over the whole time: less is noise, however sure it is


def arguments():
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("--petd", type=Path, default=PROGRAM)
    p.add_argument("--hours", type=float, default=8)
    p.add_argument("--profile", default="phone")
    p.add_argument("--model", default="pet-nano")
    p.add_argument("--seed", type=int, default=1)
    p.add_argument("--output", type=Path, default=results.FOLDER, help="folder of the results")
    return p.parse_args()


class Life:
    """What is asked, and what came of it."""

    def __init__(self, daemon, lines, seed):
        self.daemon, self.lines, self.random = daemon, iter(lines), random.Random(seed)
        self.inputs = {name: (INPUTS / name).read_bytes() for _, name in (PICTURE, SOUND)} | {"moods": b'{"tired": 2, "lonely": 1}'}
        self.seconds, self.problems, self.done, self.rests = {}, [], Counter(), []
        self.sessions = {}

    async def ask(self, kind, path, body, content="application/json"):
        """The answer as JSON; None where it failed, which is noted."""
        start = time.monotonic()
        try:
            async with asyncio.timeout(PATIENCE):
                connection = await Connection.unix(self.daemon.socket)
                try:
                    data = body if isinstance(body, bytes) else json.dumps(body).encode()
                    head = connection.head(**{"Content-Type": content, "Content-Length": len(data)})
                    await connection.send_bytes(f"POST {path} HTTP/1.1\r\n".encode() + head + b"\r\n" + data)
                    answer = await connection.answer()
                    text = await answer.body()
                finally:
                    connection.close()
            if answer.status >= 300:
                raise ValueError(f"{answer.status} {text.decode(errors='replace')[:200]}")
            found = json.loads(text)
        except Exception as error:  # noqa: BLE001 whatever it is, it is told
            self.problems.append(f"{kind}: {type(error).__name__}: {error}")
            return None
        # Whose reply is written by the model takes longer than who answers by rule.
        name = f"{kind}, by the {found['source']}" if kind == "line" else kind
        self.seconds.setdefault(name, []).append((self.minute, time.monotonic() - start))
        self.done[kind] += 1
        return found

    async def begin_conversations(self):
        for pet in PETS:
            found = await self.ask("conversation", "/pet/sessions", {"pet": pet, "name": f"hour-{self.minute // 60}"})
            if found:
                self.sessions[pet] = found["id"]

    async def leave_in_the_middle(self):
        """Somebody hears the first words of a reply, and goes."""
        with contextlib.suppress(OSError):
            connection = await Connection.unix(self.daemon.socket)
            path = f"/pet/sessions/{self.sessions[PETS[0]]}/messages"
            await connection.send("POST", path, {"text": next(self.lines)}, Accept="text/event-stream")
            await asyncio.sleep(self.random.random() * 0.05)
            connection.abort()
        self.done["left"] += 1

    async def swap(self):
        names = [model["name"] for model in (await self.overview())["installed"]]
        await self.ask("swap", "/pet/models/swap", {"model": names[self.done["swap"] % len(names)]})

    async def overview(self):
        connection = await Connection.unix(self.daemon.socket)
        try:
            await connection.send("GET", "/pet/models")
            return json.loads(await (await connection.answer()).body())
        finally:
            connection.close()

    async def rest(self):
        await self.ask("unload", "/pet/models/unload", {})
        found = memory(self.daemon.pid)
        if found:
            descriptors = len(list(Path(f"/proc/{self.daemon.pid}/fd").iterdir()))
            self.rests.append((self.minute, found["rss"], found["anonymous"], descriptors))

    async def live(self, minute):
        self.minute = minute
        due = {kind for kind, (every, first) in RARE.items() if minute % every == first}
        if "conversation" in due:
            await self.begin_conversations()
        for pet in self.random.sample(PETS, 2):
            await self.ask("line", f"/pet/sessions/{self.sessions[pet]}/messages", {"text": next(self.lines)})
        for _ in range(4):
            await self.ask("pose", "/pet/classify/pose", self.inputs[PICTURE[1]], PICTURE[0])
        await self.ask("expression", "/pet/classify/expression", self.inputs[PICTURE[1]], PICTURE[0])
        await self.ask("affect", "/pet/classify/affect", self.inputs[SOUND[1]], SOUND[0])
        if "stress" in due:
            await self.ask("stress", "/pet/classify/stress", self.inputs["moods"])
        if "left" in due:
            await self.leave_in_the_middle()
        if "background" in due:
            await self.ask("background", "/pet/lifecycle", {"event": "background"})
            await self.ask("active", "/pet/lifecycle", {"event": "active"})
        if "memory warning" in due:
            await self.ask("memory warning", "/pet/lifecycle", {"event": "memory-warning"})
        if "swap" in due:
            await self.swap()
        if minute % REST_MINUTES == REST_MINUTES - 1:
            await self.rest()


def slope(points):
    """Theil and Sen's: the median of the slopes of all pairs; 0 of less than two points."""
    slopes = [(b[1] - a[1]) / (b[0] - a[0]) for a, b in itertools.combinations(points, 2) if b[0] != a[0]]
    return statistics.median(slopes) if slopes else 0.0


def interval(points, seed=1, rounds=400):
    """Where the slope of such points lies, 95 of 100 times: of points drawn again and again from these."""
    if len(points) < 3:
        return (-float("inf"), float("inf"))
    draw = random.Random(seed)
    found = sorted(slope([draw.choice(points) for _ in points]) for _ in range(rounds))
    return found[int(0.025 * rounds)], found[int(0.975 * rounds)]


def quarters(seconds, minutes):
    """{kind: (number, median of the second quarter, of the last one)} in seconds; kinds of which a quarter has less than five are left out."""
    found = {}
    for kind, all_of_it in seconds.items():
        parts = [[s for minute, s in all_of_it if 4 * minute // minutes == quarter] for quarter in (1, 3)]
        if min(map(len, parts)) >= 5:
            found[kind] = (len(all_of_it), *map(statistics.median, parts))
    return found


def judge(rests, minutes):
    """What is said of what was noted at rest: [(minute, resident, of that not of files, descriptors)]."""
    settled = [r for r in rests if r[0] >= min(SETTLED, minutes / 4)]
    points = [(minute / 60, resident) for minute, resident, _, _ in settled]
    low, high = interval(points)
    resident = statistics.median(p[1] for p in points) if points else 0
    second = [r[3] for r in settled if 4 * r[0] // minutes == 1]
    last = [r[3] for r in settled if 4 * r[0] // minutes == 3]
    return {"slope": slope(points), "low": low, "high": high, "resident": resident,
            "grows": low > 0 and slope(points) * minutes / 60 > MOST_GROWTH * resident, "descriptors": (max(second, default=0), max(last, default=0)), "descriptors_grow": max(last, default=0) > max(second, default=0)}


async def hold(args, daemon, progress):
    minutes = int(60 * args.hours)
    # Two in each minute, and those that somebody leaves.
    life = Life(daemon, conversation.lines(3 * minutes + 3, args.seed), args.seed)
    start = time.monotonic()
    for minute in range(minutes):
        await life.live(minute)
        progress.show(f"minute {minute + 1} of {minutes}, in {time.monotonic() - start:.0f} s: {len(life.problems)} problems")
        if not daemon.is_running:
            break
    most = memory(daemon.pid)
    lived = daemon.is_running
    daemon.terminate()
    return {"minutes": minutes, "seconds": time.monotonic() - start, "done": dict(life.done), "problems": life.problems, "rests": life.rests,
            "latency": quarters(life.seconds, minutes), "most": most and most["most"], "lived": lived, "exit": await asyncio.to_thread(daemon.wait),
            **judge(life.rests, minutes)}


def is_slower(latency):
    return [kind for kind, (_, before, after) in latency.items() if after > MOST_SLOWER * before]


def markdown(args, found):
    rows = [[kind, n, number(1000 * before), number(1000 * after), number(after / before)]
            for kind, (n, before, after) in sorted(found["latency"].items())]
    return "\n".join([
        f"# {args.hours:g} hours, without waiting", "", results.facts_line(found["machine"]), "",
        f"`endurance.py --hours {args.hours:g} --profile {args.profile} --model {args.model} --seed {args.seed}`: {found['minutes']} minutes of a pet's "
        f"life in {number(found['seconds'])} s, {sum(found['done'].values())} requests: {', '.join(f'{n} {kind}' for kind, n in found['done'].items())}.",
        "",
        f"- Memory with everything unloaded, after the first hour: {number(found['resident'] / MB)} MB, slope {found['slope'] / 1000:.1f} KB an hour "
        f"(95 %: {found['low'] / 1000:.1f} to {found['high'] / 1000:.1f}); at most, in use: {number(found['most'] and found['most'] / MB)} MB.",
        f"- Descriptors: {found['descriptors'][0]} at most in the second quarter, {found['descriptors'][1]} in the last.",
        f"- Requests that failed: {len(found['problems'])}. petd {'lived' if found['lived'] else 'ended by itself'}; after TERM its exit status was "
        f"{found['exit']}.", *[f"- {count} times: {problem}" for problem, count in Counter(found["problems"]).most_common(5)], "",
        table(["request", "number", "second quarter, ms", "last quarter, ms", "ratio"], rows), "",
        "Medians. The lines of a conversation are answered by rules, by kept or written replies, or by the model.", "",
        "![resident memory over time](daemon-endurance.svg)"]) + "\n"


def main():
    args = arguments()
    progress, facts = Progress(), machine.facts()
    with Daemon.running("--profile", args.profile, "--model", args.model, program=args.petd) as daemon:
        found = {"machine": facts, "hours": args.hours, **asyncio.run(hold(args, daemon, progress))}
    progress.finish()
    text = markdown(args, found)
    picture = time_chart.svg("Resident memory with everything unloaded, MB", [(60 * minute, rss / MB) for minute, rss, *_ in found["rests"]])
    results.write(args.output, "daemon-endurance", found, text, picture)
    print(text)
    if found["grows"] or found["descriptors_grow"] or found["problems"] or not found["lived"] or found["exit"] != 0 or is_slower(found["latency"]):
        sys.exit(1)


if __name__ == "__main__":
    main()

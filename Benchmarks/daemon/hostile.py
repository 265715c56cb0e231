#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What is sent by those who mean no good: whether each is refused, costs little, and is told nothing.

    Benchmarks/daemon/hostile.py [--petd .build/release/petd] [--quick]

Each request is sound but for one thing (shapes.py) and holds a secret. It counts as refused where the answer is 4xx, 501 or 505, or the connection
is closed without one; a second answer means that a request was smuggled in. After each one petd must still be ready, its log must have grown by
one line at most, and neither the answer nor the log may hold the secret, but for answers that name what their own request asked for. The same requests are sent again to a petd that tells all
(--log-level debug), whose log may not hold it either. Then come clients that take their time, and another user (as root only).

Exit code 1 where anything was not refused. Writes daemon-hostile.json and .md to Benchmarks/results.
"""
import argparse
import re
import secrets
import select
import socket
import sys
import time
from pathlib import Path

from petd import MB, PROGRAM, Daemon, memory, reset_peak

import machine
import results
import shapes
import slow_clients
from another_user import another_user
from progress import Progress
from report import number, table

PATIENCE = 20  # seconds for an answer
QUIET = 0.15  # seconds in which a second answer, or a line of log, would come
STATUS = re.compile(rb"HTTP/1\.[01] (\d{3})")


def arguments():
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("--petd", type=Path, default=PROGRAM)
    p.add_argument("--model", default="pet-nano")
    p.add_argument("--quick", action="store_true", help="without those that take their time")
    p.add_argument("--output", type=Path, default=results.FOLDER, help="folder of the results")
    return p.parse_args()


def exchange(port, pieces):
    """All that was answered, and whether the connection was closed; reads while it sends, as a server may refuse at once."""
    answer, is_closed, end = b"", False, time.monotonic() + PATIENCE
    with socket.create_connection(("127.0.0.1", port)) as s:
        s.setblocking(False)
        pending, rest = b"", iter(pieces)
        is_sending = True
        while not is_closed and time.monotonic() < end:
            if is_sending and not pending:
                pending = next(rest, b"")
                is_sending = bool(pending)
            wait = QUIET if answer and not is_sending else end - time.monotonic()
            readable, writable, _ = select.select([s], [s] if is_sending else [], [], max(0, wait))
            if not readable and not writable:
                break
            try:
                if readable:
                    piece = s.recv(65536)
                    answer, is_closed = answer + piece, not piece
                if writable:
                    pending = pending[s.send(pending):]
            except ConnectionError:
                is_closed = True
    return answer, is_closed


def verdict(statuses, is_closed):
    """`refused`, or what happened instead."""
    if len(statuses) > 1:
        return "smuggled" if 200 in statuses[1:] else "answered twice"
    if not statuses:
        return "refused" if is_closed else "no answer"
    return "refused" if 400 <= statuses[0] < 500 or statuses[0] in (501, 505) else "taken"


def attack(daemon, facts, shape):
    lines, before = len(daemon.log), memory(daemon.pid)
    reset_peak(daemon.pid)
    start = time.monotonic()
    answer, is_closed = exchange(daemon.port, shape.pieces)
    seconds = time.monotonic() - start
    time.sleep(QUIET)
    after = memory(daemon.pid)
    lives = daemon.is_running and daemon.ask_health(seconds=PATIENCE) == 200
    statuses = [int(s) for s in STATUS.findall(answer)]
    # Readiness, which was asked after it, has a line of its own.
    told = [line for line in daemon.log[lines:] if "route=/health/ready" not in line]
    return {"group": shape.group, "name": shape.name, "statuses": statuses, "closed": is_closed, "verdict": verdict(statuses, is_closed),
            "log_lines": len(told), "leaked": is_leaked(shape, facts.secret, answer, told),
            "lives": lives, "ms": 1000 * seconds,
            "grew_mb": (after["most"] - before["rss"]) / MB if before and after else None}


def is_leaked(shape, secret, answer, lines):
    return (not shape.tells and secret in answer.decode(errors="replace")) or any(secret in line for line in lines)


def is_sound(row):
    return row["verdict"] == "refused" and row["lives"] and not row["leaked"] and row["log_lines"] <= 1


def facts_of(daemon):
    return shapes.Facts(daemon.port, daemon.token, "plum" + secrets.token_hex(8))


def markdown(found):
    rows = [[f"{r['group']}: {r['name']}", " ".join(map(str, r["statuses"])) or ("closed" if r["closed"] else "-"), r["verdict"],
             r["log_lines"], "yes" if r["leaked"] else "no", "yes" if r["lives"] else "NO", number(r["ms"]), number(max(0, r["grew_mb"] or 0))]
            for r in found["shapes"]]
    sound = sum(is_sound(r) for r in found["shapes"])
    parts = ["# Requests of those who mean no good", "", results.facts_line(found["machine"]), "",
             f"{sound} of {len(rows)} were refused as they should be, with one line of log at most, nothing told of what they held, and petd ready "
             f"afterwards. Lines of a petd that logs everything that held the secret: {found['debug_leaks']}.", "",
             table(["request", "answer", "", "lines of log", "secret told", "lives", "ms", "MB more at most"], rows)]
    if found["slow"]:
        parts += ["", "## Clients that take their time", "",
                  table(["clients", "closed after, s", "left open", "longest wait of the owner for /health, ms", "MB more at most", "lines each", "lives"],
                        [[r["name"], number(r["seconds"]), r["left"], "not answered" if r["starved"] else number(r["health_ms"]),
                         number(max(0, r["grew_mb"])) if "grew_mb" in r else "-", number(r["lines_per_client"]),
                          "yes" if r["lives"] else "NO"] for r in found["slow"]])]
    if found["users"]:
        parts += ["", "## Another user", "", table(["", "answer", "lines of log"], [[r["name"], r["told"], r["log_lines"]] for r in found["users"]])]
    else:
        parts += ["", "Another user: not tried, as this did not run as root."]
    return "\n".join(parts) + "\n"


def main():
    args = arguments()
    progress, facts = Progress(), machine.facts()
    found = {"machine": facts, "model": args.model, "shapes": [], "slow": [], "debug_leaks": 0}
    options = ("--model", args.model, "--port", 0)
    with Daemon.running(*options, program=args.petd) as daemon:
        secret = facts_of(daemon)
        all_shapes = shapes.shapes(secret)
        progress.expect(2 * len(all_shapes))
        for shape in all_shapes:
            progress.step(f"{shape.group}: {shape.name}")
            found["shapes"].append(attack(daemon, secret, shape))
            if not daemon.is_running:
                progress.say(f"petd ended: {shape.name}")
                break
        if daemon.is_running and not args.quick:
            found["slow"] = list(slow_clients.measure(daemon, secret, progress))
    with Daemon.running(*options, "--log-level", "debug", program=args.petd) as daemon:
        secret = facts_of(daemon)
        for shape in shapes.shapes(secret):
            progress.step(f"telling all: {shape.name}")
            exchange(daemon.port, shape.pieces)
            if not daemon.is_running:
                break
        time.sleep(QUIET)
        found["debug_leaks"] = sum(secret.secret in line for line in daemon.log)
    found["users"] = another_user(args.petd, args.model)
    progress.finish()
    text = markdown(found)
    results.write(args.output, "daemon-hostile", found, text)
    print(text)
    if not (all(map(is_sound, found["shapes"])) and all(map(slow_clients.is_sound, found["slow"])) and all(r["sound"] for r in found["users"])
            and found["debug_leaks"] == 0):
        sys.exit(1)


if __name__ == "__main__":
    main()

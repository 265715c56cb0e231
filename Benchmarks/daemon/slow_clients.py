# SPDX-License-Identifier: Apache-2.0
"""Clients of hostile.py that take their time: each is left after a while, and nobody else waits for them."""
import select
import socket
import time

from petd import MB, memory, reset_peak

import shapes

QUIET = 0.15  # seconds in which they are connected
LIMIT = 30  # seconds that petd gives to a request
MARGIN = 10  # seconds more, on a busy machine


def dribbling(daemon, count, piece, head, progress):
    """`count` clients that send a byte each second: seconds until the last was closed, the longest wait of the owner for /health (infinite
    where it was not answered), how many are left."""
    connections = []
    for _ in range(count):
        s = socket.socket()
        s.setblocking(False)
        s.connect_ex(("127.0.0.1", daemon.port))
        connections.append(s)
    time.sleep(QUIET)
    left, start, longest = set(connections), time.monotonic(), 0
    fresh = set(connections)
    while left and time.monotonic() - start < LIMIT + MARGIN:
        for s in list(left):
            try:
                s.send(head if s in fresh else piece)
                fresh.discard(s)
            except BlockingIOError:
                continue
            except OSError:
                left.discard(s)
        readable, _, _ = select.select(list(left), [], [], 0)
        for s in readable:
            try:
                if not s.recv(65536):
                    left.discard(s)
            except OSError:
                left.discard(s)
        asked = time.monotonic()
        try:
            status = daemon.ask_health("/health/live", seconds=5)
        except OSError:
            status = 0
        longest = max(longest, time.monotonic() - asked if status == 200 else float("inf"))
        progress.show(f"{len(left)} of {count} slow clients are left after {time.monotonic() - start:.0f} s")
        time.sleep(1)
    seconds = time.monotonic() - start
    for s in connections:
        s.close()
    return seconds, longest, len(left)


def measure(daemon, facts, progress):
    head = shapes.request(facts, Authorization=None, body=b"")[:-2]
    body = shapes.request(facts, Content_Length=1000, body=b"{")
    for name, count, first, piece in (("100 that send a field, byte by byte", 100, head, b"X"),
                                      ("100 that send a body, byte by byte", 100, body, b" "),
                                      ("100 that send nothing", 100, b"", b""),
                                      ("400 that send a field, byte by byte", 400, head, b"X")):
        lines = len(daemon.log)
        seconds, longest, left = dribbling(daemon, count, piece, first, progress)
        told = [line for line in daemon.log[lines:] if "route=/health/" not in line]
        yield {"name": name, "seconds": seconds, "health_ms": None if longest == float("inf") else 1000 * longest,
               "starved": longest == float("inf"), "left": left,
               "lines_per_client": len(told) / count, "leaked": any(facts.secret in line for line in told), "lives": daemon.ask_health() == 200}
    yield never_reading(daemon, facts, progress)


def never_reading(daemon, facts, progress):
    """Asks for much, again and again, and takes none of it: it must not be kept for it."""
    ask = shapes.request(facts, "GET", "/metrics", body=b"")
    lines, before = len(daemon.log), memory(daemon.pid)
    reset_peak(daemon.pid)
    start, is_open = time.monotonic(), True
    with socket.socket() as s:
        s.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
        s.connect(("127.0.0.1", daemon.port))
        s.settimeout(1)
        pending = ask * 20_000
        while is_open and time.monotonic() - start < LIMIT + MARGIN:
            try:
                pending = pending[s.send(pending[:1 << 20]):]
                time.sleep(0.01)
            except TimeoutError:
                progress.show(f"a client that reads nothing, {time.monotonic() - start:.0f} s")
            except OSError:
                is_open = False
        seconds = time.monotonic() - start
    after = memory(daemon.pid)
    told = [line for line in daemon.log[lines:] if "route=/health/" not in line]
    return {"name": "one that asks 20,000 times and reads nothing", "seconds": seconds, "health_ms": None, "starved": False, "left": int(is_open),
            "lines_per_client": None, "leaked": any(facts.secret in line for line in told), "lives": daemon.ask_health() == 200,
            "grew_mb": (after["most"] - before["rss"]) / MB if after else None}


def is_sound(row):
    return not row["left"] and row["lives"] and not row["leaked"] and not row["starved"]

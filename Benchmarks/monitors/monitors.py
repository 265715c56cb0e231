#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What it costs to be watched and to be sealed, and how soon a socket is seen.

    swift build -c release --static-swift-stdlib --scratch-path .build/static --product petd
    swift build -c release --static-swift-stdlib --scratch-path .build/static --product MonitorCosts
    Benchmarks/monitors/monitors.py [--rounds 20]

Start: petd from the new process to the first 200 of GET /health/ready, sealed and with --unsealed in turn; medians, and the median of the
differences. Speed: the built-in model on one thread writes 256 tokens, by a sealed petd and an unsealed one in turn, and within one process with
the monitors and without (MonitorCosts); tokens per second of the processor's own time, medians of the ratios of pairs. What monitors take is also added up: looks and a record by the time
of a reply. Records, looks and badges: MonitorCosts.

Exit code 1 where a bound is passed. Writes monitors.json and .md to Benchmarks/results.
"""
import argparse
import http.client
import json
import socket
import statistics
import subprocess
import sys
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "daemon"))

from petd import ROOT, Daemon  # noqa: E402

import machine  # noqa: E402
import results  # noqa: E402
from progress import Progress  # noqa: E402
from report import number, table  # noqa: E402

MOST_START_MS, MOST_LOSS, MOST_RECORD_NS, MOST_BADGE_MS = 20, 0.005, 1000, 1000
MODES = {"sealed": (), "unsealed": ("--unsealed",)}
# A text that repeats itself would be guessed ahead, at speeds of its own.
TOKENS = 256
PROMPT = {"prompt": "Once upon a time", "max_tokens": TOKENS, "temperature": 1, "seed": 5}


def arguments():
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    built = ROOT / ".build" / "static" / "release"
    p.add_argument("--petd", type=Path, default=built / "petd")
    p.add_argument("--costs", type=Path, default=built / "MonitorCosts")
    p.add_argument("--rounds", type=int, default=20)
    p.add_argument("--replies", type=int, default=8, help="of each pair, one after another")
    p.add_argument("--output", type=Path, default=results.FOLDER, help="folder of the results")
    return p.parse_args()


class UnixConnection(http.client.HTTPConnection):
    def __init__(self, path):
        super().__init__("pet", timeout=120)
        self.path = path

    def connect(self):
        self.sock = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        self.sock.connect(self.path)


def ask(daemon, method, path, body=None):
    connection = UnixConnection(daemon.socket)
    connection.request(method, path, json.dumps(body) if body else None)
    answer = connection.getresponse().read()
    connection.close()
    return json.loads(answer)


def options(mode):
    return ("--profile", "watch", "--model", "pet-nano", "--threads", 1, *MODES[mode])


def starts(args, progress):
    found = {mode: [] for mode in MODES}
    for number_of in range(args.rounds):
        progress.step(f"start {number_of + 1}")
        for mode in (list(MODES) if number_of % 2 else list(MODES)[::-1]):
            with Daemon.running(*options(mode), program=args.petd, wait=False) as daemon:
                found[mode].append(1000 * daemon.wait_until_ready())
    return found


def processor_seconds(pid):
    """What a process has spent, to the nanosecond: what others do meanwhile does not count (/proc/PID/schedstat of each thread)."""
    return sum(int((task / "schedstat").read_text().split()[0]) for task in Path(f"/proc/{pid}/task").iterdir()) / 1e9


def speeds(args, progress):
    """Tokens per second of the processor's time, of whole answers. A new process for each: where its pages happen to lie moves its speed by several
    per cent, and one that is kept would show one draw of that."""
    found, states = {mode: [] for mode in MODES}, {}
    for round_ in range(args.rounds):
        progress.step(f"speed {round_ + 1}")
        for mode in (list(MODES) if round_ % 2 else list(MODES)[::-1]):
            with Daemon.running(*options(mode), program=args.petd) as daemon:
                states[mode] = ask(daemon, "GET", "/pet/privacy")["state"]
                ask(daemon, "POST", "/v1/completions", PROMPT)
                start = processor_seconds(daemon.pid)
                count = sum(ask(daemon, "POST", "/v1/completions", PROMPT)["usage"]["completion_tokens"] for _ in range(args.replies))
                found[mode].append(count / (processor_seconds(daemon.pid) - start))
    return found, states


def ratios(pairs):
    return [a / b for a, b in zip(*pairs)]


def judged(found):
    """[(what, value, bound, whether it holds)]"""
    start = statistics.median(a - b for a, b in zip(found["starts_ms"]["sealed"], found["starts_ms"]["unsealed"]))
    sealed = 1 - statistics.median(ratios((found["speeds"]["sealed"], found["speeds"]["unsealed"])))
    costs = found["costs"]
    # Two looks and a record for each reply, and four looks a second: less than pairs of replies can tell apart.
    reply = TOKENS / statistics.median(costs["bare"])
    look = costs["briefLookMicroseconds"] / 1e6
    watched = (2 * look + costs["recordNanoseconds"] / 1e9) / reply + 4 * look
    badge = max(max(times) for times in costs["badgeMilliseconds"].values())
    return [("start: sealed more than unsealed, ms", start, f"< {MOST_START_MS}", start < MOST_START_MS),
            ("speed lost by the seal", sealed, f"< {MOST_LOSS:.1%}", sealed < MOST_LOSS),
            ("speed lost by the monitors, unsealed: looks and record by a reply's time", watched, f"< {MOST_LOSS:.1%}", watched < MOST_LOSS),
            ("one record, ns", costs["recordNanoseconds"], f"< {MOST_RECORD_NS}", costs["recordNanoseconds"] < MOST_RECORD_NS),
            ("from a socket's opening to the badge, ms, at most", badge, f"< {MOST_BADGE_MS}", badge < MOST_BADGE_MS)]


def spread(values):
    return f"{number(statistics.median(values))} ({number(min(values))} to {number(max(values))})"


def markdown(args, found):
    costs = found["costs"]
    rows = [[name, f"{value:.2%}" if name.startswith("speed") else number(value), bound, "holds" if holds else "PASSED"]
            for name, value, bound, holds in judged(found)]
    measured = [["start, ms", spread(found["starts_ms"]["sealed"]), spread(found["starts_ms"]["unsealed"])],
                ["tokens/s of the processor, petd", spread(found["speeds"]["sealed"]), spread(found["speeds"]["unsealed"])]]
    badges = [[kind, len(times), number(statistics.median(times)), number(max(times))] for kind, times in sorted(costs["badgeMilliseconds"].items())]
    pairs = [1 - ratio for ratio in ratios((costs["observed"], costs["bare"]))]
    quarters = statistics.quantiles(pairs, n=4) if len(pairs) > 1 else pairs * 3
    seals = [1 - ratio for ratio in ratios((found["speeds"]["sealed"], found["speeds"]["unsealed"]))]
    seal_quarters = statistics.quantiles(seals, n=4) if len(seals) > 1 else seals * 3
    return "\n".join([
        "# What monitoring and sealing cost", "", results.facts_line(found["machine"]), "",
        f"petd --profile watch, the built-in model on one thread, 256 tokens; {args.rounds} pairs, in turn. States: "
        + ", ".join(f"{mode}: {state}" for mode, state in found["states"].items()) + ".", "",
        table(["", "measured", "bound", ""], rows), "", table(["median (least to most)", "sealed", "unsealed"], measured), "",
        f"Within one process, tokens/s of the processor with monitors {spread(costs['observed'])}, without {spread(costs['bare'])}. One record takes "
        f"{number(costs['recordNanoseconds'])} ns, {number(costs['recordNanosecondsOfFour'])} with four threads at it; a look at the sockets "
        f"{number(costs['briefLookMicroseconds'])} µs where nothing is new and {number(costs['wholeLookMicroseconds'])} µs where all is read.", "",
        f"How well pairs can tell: half of those with and without monitors lost from {quarters[0]:.1%} to {quarters[2]:.1%}, of those sealed and unsealed "
        f"from {seal_quarters[0]:.1%} to {seal_quarters[2]:.1%}.", "",
        table(["socket opened while a model computes", "times", "ms to the badge, median", "most"], badges)]) + "\n"


def main():
    args = arguments()
    progress, facts = Progress(), machine.facts()
    progress.expect(2 * args.rounds + 2)
    found = {"machine": facts, "starts_ms": starts(args, progress)}
    found["speeds"], found["states"] = speeds(args, progress)
    progress.step("within one process")
    costs = subprocess.run([str(args.costs), str(args.rounds)], check=True, capture_output=True, text=True).stdout
    found["costs"] = json.loads(costs)
    progress.finish()
    text = markdown(args, found)
    results.write(args.output, "monitors", found, text)
    print(text)
    if not all(holds for *_, holds in judged(found)):
        sys.exit(1)


if __name__ == "__main__":
    main()

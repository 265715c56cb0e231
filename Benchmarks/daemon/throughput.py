#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""petd beside llama-server on the same file: tokens per second and time to the first token, with 1, 4 and 16 clients.

    Benchmarks/daemon/throughput.py [--petd .build/release/petd] [--model pet-135m] [--server llama-server]

Each round starts one server, asks once uncounted, lets 1, 4 and 16 clients ask at once, and stops it; then the other, in the other order the next
time. Both get the same file, threads, most tokens, temperature 0, as many places for clients as there are most, and the same texts to go on with (new
ones each round; no template, which they would fill differently); all else is as they have it. Clients stream over TCP on 127.0.0.1. Tokens are
those that the servers count; tokens per second are all of them over the time from the first request to the last answer. Ratios are of medians
over the rounds.

llama-server is built the first time (llama_server.py, needs cmake), half an hour. Writes daemon-throughput.json, .md and .svg to Benchmarks/results.
"""
import argparse
import asyncio
import json
import os
import random
import socket
import statistics
import time
from datetime import date
from pathlib import Path

from petd import MB, PROGRAM, Daemon, memory

import line_chart
import llama_server
import machine
import results
from chats import percentile, store
from http_client import Connection
from peer_builds import available_compilers
from progress import Progress
from report import number, table, times

WORDS = ("amber basket candle dragon ember forest garden harbour island jacket kettle lantern meadow needle orchard pepper quilt river saddle "
         "teapot umbrella valley window yellow zebra").split()
OURS, THEIRS = "Pet", "llama-server"


def arguments():
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("--petd", type=Path, default=PROGRAM)
    p.add_argument("--model", default="pet-135m", help="a name from `pet models list` that is here, or the path of a GGUF file")
    p.add_argument("--server", type=Path, help="llama-server, where it need not be built")
    p.add_argument("--cache", type=Path, default=Path.home() / ".cache" / "pet-compare", help="where it is built")
    p.add_argument("--clients", default="1,4,16")
    p.add_argument("--threads", type=int, default=len(os.sched_getaffinity(0)))
    p.add_argument("--prompt", type=int, default=60, help="words of each prompt")
    p.add_argument("--tokens", type=int, default=96, help="most tokens of each answer")
    p.add_argument("--requests", type=int, default=3, help="of each client, one after the other")
    p.add_argument("--rounds", type=int, default=5)
    p.add_argument("--context", type=int, default=1024, help="tokens of each client")
    p.add_argument("--seed", type=int, default=1)
    p.add_argument("--output", type=Path, default=results.FOLDER, help="folder of the results")
    return p.parse_args()


def model_file(name):
    if Path(name).is_file():
        return Path(name)
    found = sorted((store() / name).glob("*.gguf"))
    if not found:
        raise SystemExit(f"throughput: no model {name} in {store()}; pet models pull {name}, or give the path of a GGUF file")
    return found[0]


def prompts(draw, count, words):
    return ["A story of: " + ", ".join(draw.choice(WORDS) for _ in range(words)) + ".\n\nOnce upon a time" for _ in range(count)]


def free_port():
    with socket.socket() as s:
        s.bind(("127.0.0.1", 0))
        return s.getsockname()[1]


async def ask(port, token, prompt, tokens):
    """(seconds to the first text, tokens that were read, tokens that were written)"""
    start, first, usage = time.perf_counter(), None, None
    # A new one each time: not every server keeps one after a stream.
    connection = await Connection.loopback(port, token)
    await connection.send("POST", "/v1/completions", {
        "prompt": prompt, "max_tokens": tokens, "temperature": 0, "stream": True, "stream_options": {"include_usage": True}})
    answer = await connection.answer()
    if answer.status != 200:
        raise SystemExit(f"throughput: {answer.status} {(await answer.body())[:300]!r}")
    async for _, data in answer.events():
        if data == "[DONE]":
            break
        chunk = json.loads(data)
        usage = chunk.get("usage") or usage
        if first is None and any(choice.get("text") for choice in chunk.get("choices", [])):
            first = time.perf_counter() - start
    connection.close()
    if first is None or usage is None:
        raise SystemExit("throughput: an answer without text, or without its count of tokens")
    return first, usage["prompt_tokens"], usage["completion_tokens"]


async def together(port, token, asked, tokens):
    """All clients at once, each with its prompts one after the other."""
    async def one(own):
        return [await ask(port, token, prompt, tokens) for prompt in own]

    start = time.perf_counter()
    answers = [answer for own in await asyncio.gather(*map(one, asked)) for answer in own]
    seconds = time.perf_counter() - start
    read, written = (sum(answer[i] for answer in answers) for i in (1, 2))
    return {"tokens_per_second": written / seconds, "read": read, "tokens": written, "ttft_ms": [1000 * answer[0] for answer in answers]}


def flags(args, model, engine, port):
    most = max(map(int, args.clients.split(",")))
    if engine == THEIRS:
        return ["--model", model, "--host", "127.0.0.1", "--port", port, "--threads", args.threads, "--parallel", most,
                "--ctx-size", most * args.context, "--no-webui"]
    return ["--model", model, "--port", port, "--threads", args.threads, "--set", f"context={args.context}"]


def round_of(engine, args, program, model, asked):
    port = free_port()
    options = flags(args, model, engine, port)
    warm = [["Say hello."]]

    def measure(pid, token):
        asyncio.run(together(port, token, warm, 8))
        found = {count: asyncio.run(together(port, token, own, args.tokens)) for count, own in asked.items()}
        return found, memory(pid)["most"]

    if engine == OURS:
        with Daemon.running(*options, program=program) as daemon:
            return measure(daemon.pid, daemon.token)
    server = llama_server.LlamaServer(program, options)
    try:
        server.wait_until_ready(port)
        return measure(server.process.pid, None)
    finally:
        server.stop()


def row(count, rounds):
    """Medians of both over the rounds, and how they compare."""
    def of(engine):
        runs = [r[engine][count] for r in rounds]
        return {"tokens_per_second": statistics.median(r["tokens_per_second"] for r in runs),
                "ttft_ms": statistics.median(statistics.median(r["ttft_ms"]) for r in runs),
                "ttft_p95_ms": statistics.median(percentile(r["ttft_ms"], 95) for r in runs),
                "read": statistics.median(r["read"] for r in runs), "tokens": statistics.median(r["tokens"] for r in runs)}

    ours, theirs = of(OURS), of(THEIRS)
    pairs = [r[OURS][count]["tokens_per_second"] / r[THEIRS][count]["tokens_per_second"] for r in rounds]
    return {"clients": count, "ours": ours, "theirs": theirs, "ratio": ours["tokens_per_second"] / theirs["tokens_per_second"],
            "ratio_min": min(pairs), "ratio_max": max(pairs), "ttft_ratio": theirs["ttft_ms"] / ours["ttft_ms"]}


def markdown(args, found):
    body = [[r["clients"], number(r["theirs"]["tokens_per_second"]), number(r["ours"]["tokens_per_second"]), times(r["ratio"]),
             f"{r['ratio_min']:.2f}-{r['ratio_max']:.2f}", *[f"{number(e['ttft_ms'])} / {number(e['ttft_p95_ms'])}" for e in (r["theirs"], r["ours"])],
             times(r["ttft_ratio"]), *[f"{e['read']:.0f} / {e['tokens']:.0f}" for e in (r["theirs"], r["ours"])]] for r in found["rows"]]
    return "\n".join([
        f"# petd beside llama-server ({found['peer']})", "", results.facts_line(found["machine"]) + f" {found['when']}.", "",
        f"{found['file']} ({found['file_mb']:.0f} MB), {args.threads} threads; {args.requests} requests of each client, prompts of {args.prompt} words, at most "
        f"{args.tokens} tokens, temperature 0, streamed over TCP. Medians of {args.rounds} alternating rounds; `pairs`: ratios within a round. Others used "
        f"{100 * found['machine']['others_share']:.0f} % of the machine.", "",
        table(["clients", "llama-server tokens/s", "petd tokens/s", "ratio", "pairs", "llama-server first token ms, P50 / P95", "petd ms, P50 / P95",
               "sooner", "llama-server tokens read / written", "petd tokens"], body), "",
        f"Resident at most, MB: llama-server {number(found['rss_mb'][THEIRS])}, petd {number(found['rss_mb'][OURS])}.", "",
        *[f"- {engine}: `{' '.join(map(str, options))}`" for engine, options in found["flags"].items()], "",
        "![tokens per second and time to the first token](daemon-throughput.svg)"]) + "\n"


def picture(rows):
    def panel(name, key, notes):
        return (name, [r["clients"] for r in rows], [r["theirs"][key] for r in rows], [r["ours"][key] for r in rows], notes)

    return line_chart.svg("petd beside llama-server", [
        panel("tokens/s, all clients together", "tokens_per_second", [times(r["ratio"]) for r in rows]),
        panel("ms to the first token, median", "ttft_ms", [times(r["ttft_ratio"]) for r in rows])])


def main():
    args = arguments()
    progress, facts, model = Progress(), machine.facts(), model_file(args.model)
    server = args.server or llama_server.build(args.cache, available_compilers()[0], progress)
    programs, counts = {OURS: args.petd, THEIRS: server}, [int(c) for c in args.clients.split(",")]
    others, draw, rounds, resident = machine.Others(), random.Random(args.seed), [], {OURS: 0, THEIRS: 0}
    progress.expect(2 * args.rounds)
    for index in range(args.rounds):
        asked = {count: [prompts(draw, args.requests, args.prompt) for _ in range(count)] for count in counts}
        done = {}
        for engine in (OURS, THEIRS) if index % 2 else (THEIRS, OURS):
            progress.step(f"round {index + 1}: {engine}")
            done[engine], most = round_of(engine, args, programs[engine], model, asked)
            resident[engine] = max(resident[engine], most / MB)
        rounds.append(done)
    progress.finish()
    facts["others_share"] = others.share()
    found = {"machine": facts, "when": str(date.today()), "peer": llama_server.version(server), "file": model.name, "file_mb": model.stat().st_size / MB,
             "flags": {e: [Path(o).name if isinstance(o, Path) else o for o in flags(args, model, e, "PORT")] for e in programs},
             "rows": [row(count, rounds) for count in counts], "rss_mb": resident, "rounds": rounds}
    text = markdown(args, found)
    results.write(args.output, "daemon-throughput", found, text, picture(found["rows"]))
    print(text)


if __name__ == "__main__":
    main()

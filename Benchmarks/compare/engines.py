# SPDX-License-Identifier: Apache-2.0
"""Both engines behind one form: a fresh process that measures, or one that says its first token.

A process per repetition, not one that is kept: where a process's pages happen to lie moves its speed by several per cent, and a
kept process would show one draw of that for the whole run; also nothing of one engine (memory, threads that spin for a
while) is there while the other is measured. Each process runs every test once without counting it."""
import json
import os
import statistics
import subprocess
import time
from dataclasses import dataclass


@dataclass
class Sample:
    speeds: dict  # test: tokens per second
    load_ms: float
    loaded_mb: float
    peak_mb: float
    bytes_per_token: int | None = None
    cache_mb: float | None = None


def call(command, cores=None, timeout=1800):
    limit = (lambda: os.sched_setaffinity(0, cores)) if cores else None
    done = subprocess.run([str(c) for c in command], capture_output=True, text=True, preexec_fn=limit, timeout=timeout)
    if done.returncode != 0:
        raise SystemExit(f"compare: {' '.join(map(str, command))}: exit code {done.returncode}: {done.stderr.strip()}")
    return done.stdout


def time_to_first_byte(command):
    """Seconds from before the process exists until its first output."""
    start = time.perf_counter()
    with subprocess.Popen([str(c) for c in command], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, bufsize=0) as process:
        first = process.stdout.read(1)
        seconds = time.perf_counter() - start
        process.stdout.read()
    if process.returncode != 0 or not first:
        raise SystemExit(f"compare: {' '.join(map(str, command))}: exit code {process.returncode}, or no output")
    return seconds


class Pet:
    name = "Pet"

    def __init__(self, program):
        self.program = program

    def bench(self, file, threads, prompts=(), reply=0, repetitions=1, context=None, cores=None):
        command = [self.program, "bench", "--model", file, "-p", ",".join(map(str, prompts)) or 0, "-n", reply,
                   "-r", repetitions, "--threads", threads, "--json"]
        found = json.loads(call(command + (["--context", context] if context else []), cores))
        reads = [row["bytes_per_token"] for row in found["rows"] if "bytes_per_token" in row]
        return Sample({row["test"]: row["tokens_per_second"] for row in found["rows"]}, found["load_ms"],
                      found["loaded_rss_mb"], found["peak_rss_mb"], reads[0] if reads else None,
                      found["kv_cache_mb"])

    def first_token(self, file, threads, prompt):
        return time_to_first_byte([self.program, "complete", "--model", file, "--threads", threads, "--temperature", 0,
                                   "--max-tokens", 1, "--prompt", prompt])

    def count_tokens(self, file, text):
        return len(json.loads(call([self.program, "tokenize", "--model", file, "--json", text]))["ids"])


class LlamaCpp:
    """One build, with flash attention on or off."""

    def __init__(self, build, flash):
        self.build, self.flash = build, flash
        self.name = f"llama.cpp ({build.name}, flash attention {'on' if flash else 'off'})"
        self.program = build.program

    def bench(self, file, threads, prompts=(), reply=0, repetitions=1, context=None, cores=None):
        # As much context as the tests need, which is what `pet bench` reserves.
        context = context or max([*prompts, reply])
        found = json.loads(call([self.program, "bench", file, threads, int(self.flash), context, repetitions,
                                 ",".join(map(str, prompts)) or "0", reply], cores))
        speeds = {test: statistics.median(runs) for test, runs in found.items() if isinstance(runs, list)}
        return Sample(speeds, found["load_ms"], found["loaded_rss_mb"], found["peak_rss_mb"])

    def first_token(self, file, threads, prompt):
        # 2048 positions of context, as `pet complete` has.
        return time_to_first_byte([self.program, "first", file, threads, int(self.flash), 2048, prompt])

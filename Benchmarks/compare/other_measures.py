# SPDX-License-Identifier: Apache-2.0
"""What is not speed on a quiet machine: memory, the first token of a new process, a busy neighbour."""
import os
import shutil
import statistics
import subprocess
import sys

import machine
from speed import spread

# 20 tokens of SmolLM2's vocabulary; checked when it runs.
PROMPT_TOKENS = 20
PROMPT = ("The little dragon woke up early in the morning and looked out of the window, because it had begun to snow in the "
          "night and the garden was quite white")


def memory(files, threads, context, peer, ours, progress):
    """Resident MB of both after loading and at most, with `context` positions, after reading 512 tokens and writing 16.
    `peer` names the configuration of llama.cpp to take for a file."""
    table = []
    for file, path in files.items():
        progress.step(f"memory: {file}")
        best = peer(file)
        theirs = best.bench(path, threads, [512], 16, context=context)
        mine = ours.bench(path, threads, [512], 16, context=context)
        table.append({"file": file, "file_mb": os.path.getsize(path) / 1e6, "context": context, "cache_mb": mine.cache_mb,
                      "engine": best.name,
                      "theirs": {"loaded_mb": theirs.loaded_mb, "peak_mb": theirs.peak_mb, "load_ms": theirs.load_ms},
                      "ours": {"loaded_mb": mine.loaded_mb, "peak_mb": mine.peak_mb, "load_ms": mine.load_ms}})
    return table


def prompt_of(file, ours, tokens):
    """A text of that many tokens."""
    words = PROMPT.split(" ")
    for count in range(1, len(words) + 1):
        text = " ".join(words[:count])
        if ours.count_tokens(file, text) == tokens:
            return text
    raise SystemExit(f"compare: no beginning of the prompt has {tokens} tokens on {file}")


def first_token(original, threads, peers, ours, repetitions, scratch, progress):
    """Milliseconds from before a new process exists to the first byte of its first token, after a 20-token prompt: with all files in
    the page cache, and after asking the kernel to drop the model, the program and its libraries. The model is a copy in `scratch`:
    pages that some other process has mapped would stay."""
    path = scratch / f"first-token-{os.getpid()}.gguf"
    shutil.copyfile(original, path)
    try:
        return first_token_of(path, threads, peers, ours, repetitions, progress)
    finally:
        path.unlink()


def first_token_of(path, threads, peers, ours, repetitions, progress):
    prompt = prompt_of(path, ours, PROMPT_TOKENS)
    engines = [*peers, ours]
    warm = {e.name: [] for e in engines}
    cold = {e.name: [] for e in engines}
    cached = 1.0
    for engine in engines:
        engine.first_token(path, threads, prompt)
    for repetition in range(repetitions):
        progress.step("first token of a new process")
        for engine in engines if repetition % 2 == 0 else reversed(engines):
            warm[engine.name].append(engine.first_token(path, threads, prompt))
    for repetition in range(repetitions):
        progress.step("first token, page cache dropped")
        for engine in engines if repetition % 2 == 0 else reversed(engines):
            cached = drop([path, *machine.libraries(engine.program)], path)
            if cached > 0.05:
                break
            cold[engine.name].append(engine.first_token(path, threads, prompt))
    result = {"prompt_tokens": PROMPT_TOKENS, "threads": threads, "warm": best_and_ours(warm, peers, ours)}
    if all(len(times) == repetitions for times in cold.values()):
        result["cold"] = best_and_ours(cold, peers, ours)
    else:
        result["cold_why_not"] = f"{100 * cached:.0f} % of the model stayed in the page cache"
    return result


def drop(paths, model):
    """The share of the model that stays in the page cache all the same."""
    for path in paths:
        machine.drop_from_page_cache(path)
    return machine.cached_share(model)


def best_and_ours(times, peers, ours):
    milliseconds = {name: spread([1000 * t for t in all_times]) for name, all_times in times.items()}
    best = min((p.name for p in peers), key=lambda name: milliseconds[name]["median"])
    return {"engine": best, "theirs": milliseconds[best], "ours": milliseconds[ours.name],
            "ratio": milliseconds[best]["median"] / milliseconds[ours.name]["median"]}


def neighbour(path, peers, ours, reply, repetitions, progress):
    """Tokens per second of writing with 2 threads on two processors while another process keeps one of the two busy, relative to one
    thread on the same two left alone."""
    allowed = sorted(os.sched_getaffinity(0))[:2]
    if len(allowed) < 2:
        return None
    engines = [*peers, ours]
    alone = {e.name: [] for e in engines}
    busy = {e.name: [] for e in engines}
    test = f"tg{reply}"

    def run(into, threads, repetition):
        for engine in engines if repetition % 2 == 0 else reversed(engines):
            into[engine.name].append(engine.bench(path, threads, reply=reply, cores=allowed).speeds[test])

    for repetition in range(repetitions):
        progress.step("one thread, alone")
        run(alone, 1, repetition)
        progress.step("two threads beside a busy process")
        with spinning(allowed[0]):
            run(busy, 2, repetition)
    table = {}
    for engine in engines:
        one, two = statistics.median(alone[engine.name]), statistics.median(busy[engine.name])
        table[engine.name] = {"alone_1": spread(alone[engine.name]), "busy_2": spread(busy[engine.name]), "relative": two / one}
    best = max((p.name for p in peers), key=lambda name: table[name]["busy_2"]["median"])
    return {"test": test, "engine": best, "theirs": table[best], "ours": table[ours.name],
            "all": {p.name: table[p.name]["relative"] for p in peers}}


class spinning:
    """A process that computes all the time on one processor."""

    def __init__(self, processor):
        self.processor = processor

    def __enter__(self):
        self.process = subprocess.Popen([sys.executable, "-c", "while True: pass"],
                                        preexec_fn=lambda: os.sched_setaffinity(0, {self.processor}))

    def __exit__(self, *_):
        self.process.kill()
        self.process.wait()

#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Asks models the probes through `pet chat` and checks what they say.

    python3 Training/evaluate/run.py --pet .build/release/pet --model plain=BASE.gguf --system plain --out OUT
    python3 Training/evaluate/run.py --pet .build/release/pet --model pet=PET.gguf --model nano=NANO.gguf --out OUT

Results of earlier runs into the same folder stay, so that models asked in different ways stand in one table. A run that
was stopped goes on from the replies that it has.
"""
import argparse
import concurrent.futures
import datetime
import hashlib
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import threading
import time

import probes as probing
import report
from lib import prompt

def arguments():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--pet", required=True, help="the built `pet`")
    parser.add_argument("--model", action="append", required=True, metavar="NAME=FILE.gguf")
    parser.add_argument("--out", type=pathlib.Path, required=True, help="a folder for each set")
    parser.add_argument("--set", choices=probing.SETS, default="test",
                        help="test: the 300 that are reported; development: to choose between variants")
    parser.add_argument("--system", choices=["pet", "header", "plain"], default="header",
                        help="header: the model alone in the trained format, rules of danger before it; pet: the whole pet as people meet it; "
                             "plain: the same facts in sentences, form not asked for")
    parser.add_argument("--model-only", action="store_true", help="no rule answers danger")
    parser.add_argument("--temperature", type=float, default=0)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--max-tokens", type=int, default=256, help="as `pet chat` has it: with few, a reply must come to its end early")
    parser.add_argument("--threads", type=int, help="of each `pet`")
    parser.add_argument("--jobs", type=int, default=1, help="conversations at once")
    parser.add_argument("--category", action="append", choices=probing.CATEGORIES)
    parser.add_argument("--every", type=int, default=1, help="only each n-th probe of a category, for a quick look")
    return parser.parse_args()


class Cache:
    """Answers kept on disk as they come: a run that was stopped goes on, and changed checks ask nothing again."""

    def __init__(self, path):
        self.path, self.lock, self.found = path, threading.Lock(), {}
        lines = path.read_text().splitlines() if path.exists() else []
        for line in lines:
            try:
                entry = json.loads(line)
            except ValueError:  # the line that a stopped run was writing
                continue
            self.found[entry["key"]] = entry["answers"]

    def add(self, key, answers):
        with self.lock, open(self.path, "a") as file:
            file.write(json.dumps({"key": key, "answers": answers}) + "\n")
        self.found[key] = answers


def ask(args, model, files, cache, probe):
    """The replies to one probe's turns. `files`: what the answers depend on, the engine's hash and the model's."""
    system = prompt.sentences(probe) if args.system == "plain" else prompt.header(probe)
    settings = [*files, args.system, system, probe["turns"], args.temperature, args.seed, args.max_tokens, args.model_only]
    key = hashlib.sha256(json.dumps(settings).encode()).hexdigest()
    if key not in cache.found:
        cache.add(key, generate(args, model, system, probe))
    answers = cache.found[key]
    return [probing.parse(answer) | {"raw": answer["text"], "finish": answer["finish_reason"]} for answer in answers]


def generate(args, model, system, probe):
    """Where the pet lives it is after ten in the morning: at night it is sleepy, whatever a probe says."""
    with tempfile.NamedTemporaryFile("w", suffix=".txt", encoding="utf-8") as file:
        file.write(system)
        file.flush()
        command = [
            args.pet, "chat", "--json", "--model", model, "--seed", str(args.seed),
            "--temperature", str(args.temperature), "--max-tokens", str(args.max_tokens)]
        if args.system == "pet":
            state = ",".join(f"{kind}={probe[kind]}" for kind in ("hunger", "energy", "mood"))
            command += ["--persona", probe["pet"], "--incognito", "--no-initiative", "--state", state]
            command += ["--knows", "; ".join(probe["mem"])] if probe["mem"] else []
        else:
            command += ["--persona", file.name]
        if args.model_only:
            command += ["--model-only"]
        if args.threads:
            command += ["--threads", str(args.threads)]
        done = subprocess.run(
            command, input="".join(turn + "\n" for turn in probe["turns"]), capture_output=True, encoding="utf-8",
            env=os.environ | {"TZ": f"MORNING{datetime.datetime.now(datetime.timezone.utc).hour - 10}"})
    answers = [json.loads(line) for line in done.stdout.splitlines() if line.strip()]
    if done.returncode != 0 or len(answers) != len(probe["turns"]):
        raise SystemExit(f"{probe['id']}: `pet` ended with {done.returncode} after {len(answers)} of "
                         f"{len(probe['turns'])} replies: {done.stderr.strip()}")
    return answers


def judge(probe, replies, form):
    general = probing.form_failures(probe, replies, form)
    content = probing.content_failures(probe, replies, form)
    return {
        "id": probe["id"], "category": probe["category"], "pair": probe.get("pair"), "pet": probe["pet"],
        "hunger": probe["hunger"], "energy": probe["energy"], "mood": probe["mood"], "mem": probe["mem"],
        "turns": probe["turns"], "replies": replies, "failures": general | content,
        "passed": not general and not content}


def judge_pairs(results):
    """Where two probes differ in the header only, one is right by chance half of the time: both count or neither."""
    failing = {(r["pair"], r["id"]) for r in results if r["pair"] and not r["passed"]}
    for own in results:
        for pair, other in failing:
            if pair == own["pair"] and other != own["id"]:
                own["failures"]["pair"] = f"{other} fails"
                own["passed"] = False


def show(name, number, count, passed, begin):
    end = "\n" if number == count or not sys.stderr.isatty() and number % 25 == 0 else "\r"
    if end == "\n" or sys.stderr.isatty():
        text = f"{name}: {number} of {count}, {passed} passed, {time.time() - begin:.0f} s"
        print(text, end=end, file=sys.stderr, flush=True)


def run(args, name, file, files, probes):
    results, begin, cache = [], time.time(), Cache(args.out / "replies.jsonl")
    with concurrent.futures.ThreadPoolExecutor(args.jobs) as pool:
        for probe, replies in zip(probes, pool.map(lambda probe: ask(args, file, files, cache, probe), probes)):
            results.append(judge(probe, replies, args.system != "plain"))
            show(name, len(results), len(probes), sum(r["passed"] for r in results), begin)
    judge_pairs(results)
    return results


def sha256(path):
    return hashlib.sha256(pathlib.Path(path).read_bytes()).hexdigest()


if __name__ == "__main__":
    args = arguments()
    probes = [
        probe for category in args.category or probing.CATEGORIES
        for probe in [p for p in probing.load(args.set) if p["category"] == category][::args.every]]
    args.out.mkdir(parents=True, exist_ok=True)
    path = args.out / "results.json"
    everything = json.loads(path.read_text()) if path.exists() else {}
    digest = probing.digest(args.set)
    if everything.get("probes_sha256") != digest:
        everything = {"probes_sha256": digest, "models": {}}
    for entry in args.model:
        name, separator, file = entry.partition("=")
        if not separator:
            raise SystemExit(f"--model {entry}: write NAME=FILE.gguf")
        files = sha256(args.pet), sha256(file)
        everything["models"][name] = {
            "file": pathlib.Path(file).name, "sha256": files[1], "pet_sha256": files[0], "system": args.system,
            "model_only": args.model_only, "temperature": args.temperature, "seed": args.seed, "max_tokens": args.max_tokens,
            "results": run(args, name, file, files, probes)}
        path.write_text(json.dumps(everything, indent=1, ensure_ascii=False) + "\n")
    report.write(everything, args.out, probing.fixed(probing.load(args.set), 60))
    print((args.out / "table.md").read_text())

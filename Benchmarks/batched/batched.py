#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Measures Pet beside llama.cpp where both write several sequences at once, on the same file, in one run: tokens per second of
all of them together, and the time between two tokens of a sequence (P50, P95).

    Benchmarks/batched/batched.py [--sequences 1,2,4,8,16,32] [--model pet-135m] [--model FILE.gguf] ...

Needs `swift build -c release` done and what ../compare/compare.py needs; llama.cpp comes from the same cache, or from the
environment that --python names. Keep the machine otherwise quiet: llama.cpp's threads wait for one another by spinning, and a
busy neighbour slows it many times more than Pet. Writes batched.json, .md and .svg to Benchmarks/results.

Exit code 1 with --check where a ratio of throughput is under --least.
"""
import argparse
import datetime
import json
import os
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(1, str(ROOT / "Benchmarks" / "compare"))

import batched_engines  # noqa: E402
import batched_report  # noqa: E402
import batched_rounds  # noqa: E402
import compare  # noqa: E402
import line_chart  # noqa: E402
import machine  # noqa: E402
from engines import call  # noqa: E402
from progress import Progress  # noqa: E402

SIZES = [64, 128, 512]  # MiB


def arguments():
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("--pet", type=Path, default=ROOT / ".build" / "release" / "pet", help="the program to measure")
    p.add_argument("--model", action="append", help="a name from `pet models list`, or a GGUF file; may be given several times")
    p.add_argument("--cache", type=Path, default=Path(os.environ.get("XDG_CACHE_HOME", Path.home() / ".cache")) / "pet-compare",
                   help="where builds are kept")
    p.add_argument("--python", type=Path, help="an interpreter that has llama-cpp-python; nothing is built then")
    p.add_argument("--compilers", help="builds of llama.cpp: gcc, clang or both; without it, those that are there")
    p.add_argument("--sequences", default="1,2,4,8,16,32")
    p.add_argument("--threads", type=int, default=2)
    p.add_argument("--prompt", type=int, default=128, help="tokens of each sequence before its reply")
    p.add_argument("--reply", type=int, default=64, help="tokens that each sequence writes")
    p.add_argument("--rounds", type=int, default=5)
    p.add_argument("--inner", type=int, default=2, help="runs within a process")
    p.add_argument("--quick", action="store_true", help="two rounds, short prompts and replies: for a first look only")
    p.add_argument("--output", type=Path, default=ROOT / "Benchmarks" / "results", help="folder of the results")
    p.add_argument("--least", type=float, default=2, help="ratio of throughput that --check asks for")
    p.add_argument("--check", action="store_true", help="exit code 1 where a ratio is less")
    a = p.parse_args()
    a.sequences = [int(n) for n in a.sequences.split(",")]
    if not a.pet.exists():
        p.error(f"{a.pet} is not there; run swift build -c release, or give --pet")
    a.pet = a.pet.resolve()
    if a.quick:
        a.rounds, a.inner, a.prompt, a.reply = 2, 1, 32, 16
    return a


def model_file(pet, name):
    if Path(name).exists():
        return Path(name).resolve()
    return Path(json.loads(call([pet, "models", "show", name, "--json"]))["path"])


def measure_model(a, file, peers, peaks, progress):
    works = {n: batched_engines.Work(file, a.threads, n, a.prompt, a.reply, a.inner) for n in a.sequences}
    rows = batched_rounds.rows(batched_rounds.measure(works, peers, batched_engines.Pet(a.pet), a.rounds, progress))
    said = peers[0].model
    of_threads = [r for r in peaks["rows"] if r["threads"] == min(a.threads, 2)]
    batched_rounds.add_bounds(rows, said, machine.read_bandwidth(peaks["rows"], said["weight_bytes"]), of_threads[0]["int8_gops"])
    return {"name": file.name, "bytes": file.stat().st_size, "rows": rows, "peer_system": said["system"]}


def write(folder, found):
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "batched.json").write_text(json.dumps(found, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
    text = batched_report.markdown(found)
    for index, model in enumerate(found["models"]):
        picture = "batched.svg" if index == 0 else f"batched-{index + 1}.svg"
        title = f"{model['name']}, {found['settings']['threads']} threads"
        (folder / picture).write_text(line_chart.svg(title, batched_report.panels(model)), encoding="utf-8")
        text += f"\n![llama.cpp and Pet, tokens per second and ms per step over sequences]({picture})\n"
    (folder / "batched.md").write_text(text, encoding="utf-8")
    return text


def main():
    a = arguments()
    progress = Progress()
    facts = machine.facts()
    if facts["load_at_start"] > machine.QUIET:
        progress.say(f"batched: the load average is {facts['load_at_start']:.1f}; figures of a busy machine say little")
    builds = compare.builds(a, progress)
    peers = batched_engines.llama_cpps(builds, a.cache, progress)
    files = [model_file(a.pet, name) for name in a.model or ["pet-135m"]]
    progress.expect(1 + len(files) * len(a.sequences) * a.rounds)
    others = machine.Others()
    peaks = machine.measure_peaks(a.cache, SIZES, 0.3, progress)
    models = [measure_model(a, file, peers, peaks, progress) for file in files]
    facts["others_share"] = others.share()
    settings = {k: getattr(a, k) for k in ("threads", "prompt", "reply", "rounds", "inner", "quick")}
    found = {"when": datetime.date.today().isoformat(), "pet": compare.version(a.pet), "machine": facts,
             "peer": {"version": builds[0].version, "builds": [b.name for b in builds]}, "settings": settings,
             "peaks": peaks, "models": models}
    text = write(a.output, found)
    progress.finish()
    print(text)
    progress.say(f"batched: written to {a.output}/batched.json, .md, .svg")
    if a.check and any(r["ratio"] < a.least for m in models for r in m["rows"]):
        sys.exit(1)


if __name__ == "__main__":
    main()

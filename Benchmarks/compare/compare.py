#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Measures Pet beside llama.cpp on this machine, both in one run, and writes a table, a chart and the figures.

    Benchmarks/compare/compare.py [--quick] [--phi3] [--only speed,memory,...]

The first run builds llama.cpp from PyPI with each compiler that is there (about ten minutes each) and keeps it in the cache folder;
`--python` takes an environment that has it instead. Needs `swift build -c release` done, a C compiler and, on Debian, python3-venv. Keep
the machine otherwise quiet. What is measured and how: Benchmarks/README.md.

Exit code 1 where the engines' answers differ by more than they may (answers.py), or with --check where a target is missed.
"""
import argparse
import datetime
import json
import os
import subprocess
import sys
from pathlib import Path

import chart
import machine
import model_files
import other_measures
import peer_builds
import report
import speed
import targets
from engines import LlamaCpp, Pet
from progress import Progress

ROOT = Path(__file__).resolve().parents[2]
TYPES = ["Q4_1", "Q4_0", "Q8_0", "Q4_K_M"]
SECTIONS = ["speed", "memory", "first_token", "neighbour", "answers"]
SIZES, PHI3_SIZES = [64, 128, 512, 1024], [512, 1024, 2048]  # MiB


def arguments():
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("--pet", type=Path, default=ROOT / ".build" / "release" / "pet", help="the program to measure")
    p.add_argument("--model", type=Path, help="a GGUF file in the place of the default model's base; Q4_1 in its name")
    p.add_argument("--cache", type=Path, default=Path(os.environ.get("XDG_CACHE_HOME", Path.home() / ".cache")) / "pet-compare",
                   help="where builds and model files are kept")
    p.add_argument("--python", type=Path, help="an interpreter that has llama-cpp-python and gguf; nothing is built then")
    p.add_argument("--compilers", help="builds of llama.cpp: gcc, clang or both; without it, those that are there")
    p.add_argument("--only", help=f"sections, with commas, out of {','.join(SECTIONS)}")
    p.add_argument("--files", default=",".join(TYPES), help="types of the small model")
    p.add_argument("--threads", default="1,2")
    p.add_argument("--repetitions", type=int, default=5)
    p.add_argument("--quick", action="store_true", help="two repetitions, shorter replies: for a first look only")
    p.add_argument("--phi3", action="store_true", help="also a model of Phi-3-mini's shape; 2.4 GB of disk, 8 GB of memory")
    p.add_argument("--output", type=Path, default=ROOT / "Benchmarks" / "results", help="folder of the results")
    p.add_argument("--check", action="store_true", help="exit code 1 where a target is missed")
    a = p.parse_args()
    a.threads = [int(t) for t in a.threads.split(",")]
    a.files = a.files.split(",")
    a.only = a.only.split(",") if a.only else SECTIONS
    if unknown := set(a.only) - set(SECTIONS):
        p.error(f"--only {','.join(unknown)}: choose from {','.join(SECTIONS)}")
    if not a.pet.exists():
        p.error(f"{a.pet} is not there; run swift build -c release, or give --pet")
    a.pet = a.pet.resolve()
    if a.quick:
        a.repetitions = 2
    return a


def builds(a, progress):
    if a.python:
        return [peer_builds.with_program("given", a.python.absolute(), a.cache, progress)]
    if a.compilers:
        return [peer_builds.make(c, a.cache, progress) for c in a.compilers.split(",")]
    made = []
    for compiler in peer_builds.available_compilers():
        try:
            made.append(peer_builds.make(compiler, a.cache, progress))
        except SystemExit as failure:
            # The other one may do; which were measured stands in the results.
            progress.say(f"{failure}\ncompare: without the build by {compiler}")
    if not made:
        raise SystemExit("compare: llama.cpp could not be built; install gcc (g++) or clang")
    return made


class Comparison:
    def __init__(self, a, progress):
        self.a, self.progress = a, progress
        self.builds = builds(a, progress)
        self.ours = Pet(a.pet)
        self.peers = [LlamaCpp(b, flash) for b in self.builds for flash in (False, True)]
        base = a.model.resolve() if a.model else model_files.base_model(a.pet, progress)
        self.files = model_files.quantized(base, a.files, self.builds[0], a.cache, progress)
        self.main = next(iter(self.files))  # the default model's own type comes first
        self.reply = 32 if a.quick else 128
        self.found = {}

    def run(self):
        quick, wants = self.a.quick, self.wants
        small = speed.Plan(self.files, self.a.threads, [128] if quick else [128, 512], self.reply, self.a.repetitions,
                           1 if quick else 2)
        starts, neighbours = (3, 1) if quick else (10, 3)
        large = self.phi3_plan() if self.a.phi3 else None
        self.progress.expect(
            1 + wants("speed") * small.steps + wants("memory") * len(self.files) + wants("first_token") * 2 * starts
            + wants("neighbour") * 2 * neighbours + (2 + large.steps if large else 0))
        found, main, best = self.found, self.files[self.main], {}
        found["peaks"] = machine.measure_peaks(self.a.cache, SIZES, 0.3, self.progress)
        if wants("speed"):
            found["speed"], best = self.speed(small)
        if wants("memory"):
            found["memory"] = other_measures.memory(
                self.files, 2, 2048, lambda file: best.get(file, self.peers[0]), self.ours, self.progress)
        if wants("first_token"):
            found["first_token"] = other_measures.first_token(main, 2, self.peers, self.ours, starts, self.a.cache, self.progress)
        if wants("neighbour"):
            found["neighbour"] = other_measures.neighbour(
                main, self.peers, self.ours, 16 if quick else 32, neighbours, self.progress)
        if large:
            found["phi3"] = self.phi3(large)
        if wants("answers"):
            found["answers"] = self.answers()
        return found

    def wants(self, section):
        return section in self.a.only

    def speed(self, plan):
        """(rows, what configuration of llama.cpp was best at writing per file)"""
        found = speed.measure(plan, self.peers, self.ours, self.progress)
        rows = speed.rows(plan, found)
        speed.add_bandwidth(rows, lambda size: machine.read_bandwidth(self.found["peaks"]["rows"], size))
        most = max(plan.threads)
        return rows, {f: speed.best_of(theirs, f"tg{plan.reply}").engine for (f, t), (theirs, _) in found.items() if t == most}

    def phi3_plan(self):
        file = model_files.phi3_shape(self.builds[0], self.a.cache, self.progress)
        return speed.Plan({"Phi-3 shape Q4_K_M": file}, self.a.threads, [128], 16 if self.a.quick else 64,
                          1 if self.a.quick else min(3, self.a.repetitions), 1)

    def phi3(self, plan):
        # Bandwidth again: that of the same minutes.
        more = machine.measure_peaks(self.a.cache, PHI3_SIZES, 0.5, self.progress)
        for row, new in zip(self.found["peaks"]["rows"], more["rows"]):
            speeds = row["read_gb_per_second"]
            speeds.update({size: max(value, speeds.get(size, 0)) for size, value in new["read_gb_per_second"].items()})
        rows, best = self.speed(plan)
        memory = other_measures.memory(plan.files, 2, 2048, best.get, self.ours, self.progress)
        return {"speed": rows, "memory": memory}

    def answers(self):
        command = [self.builds[0].python, Path(__file__).parent / "answers.py", "--model", self.files[self.main],
                   "--pet", self.a.pet]
        return json.loads(self.progress.run([str(c) for c in command], "comparing answers").splitlines()[-1])


def version(pet):
    return subprocess.run([str(pet), "--version"], capture_output=True, text=True, check=True).stdout.split()[-1]


def write(folder, found, threads):
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "compare.json").write_text(json.dumps(found, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
    text = report.markdown(found)
    if "speed" in found:
        panels = chart.panels(found["speed"], max(threads))
        title = f"SmolLM2-135M on {max(threads)} thread{'s' * (max(threads) > 1)}"
        (folder / "compare.svg").write_text(chart.svg(title, panels), encoding="utf-8")
        text += "\n![llama.cpp and Pet, tokens per second](compare.svg)\n"
    (folder / "compare.md").write_text(text, encoding="utf-8")
    return text


def main():
    a = arguments()
    progress = Progress()
    facts = machine.facts()
    if facts["load_at_start"] > machine.QUIET:
        progress.say(f"compare: the load average is {facts['load_at_start']:.1f}; figures of a busy machine say little")
    comparison = Comparison(a, progress)
    others = machine.Others()
    measured = comparison.run()
    facts["others_share"] = others.share()
    found = {"when": datetime.date.today().isoformat(), "pet": version(a.pet), "machine": facts,
             "peer": {"version": comparison.builds[0].version, "builds": [b.name for b in comparison.builds]},
             "settings": {"repetitions": a.repetitions, "inner": 1 if a.quick else 2, "reply": comparison.reply, "quick": a.quick},
             **measured}
    found["targets"] = targets.reached(found)
    text = write(a.output, found, a.threads)
    progress.finish()
    print(text)
    progress.say(f"compare: {seconds / 60:.1f} minutes; written to {a.output}/compare.json, .md, .svg")
    missed = [t for t in found["targets"] if not t["met"]]
    if ("answers" in found and not report.answers_ok(found["answers"])) or (a.check and missed):
        sys.exit(1)


if __name__ == "__main__":
    main()

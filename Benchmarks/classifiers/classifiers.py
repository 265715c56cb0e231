#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Measures the classifiers: for each and each tier its files, load, 500 inferences on one thread, memory and an estimate of what it takes of a
battery, beside its targets; then all of them with the language models in one process. Builds what it runs (release) and writes
../results/classifiers.json and .md. Python without packages.

usage: classifiers.py [--runs 500] [--output FOLDER] [--skip-build]
"""

import argparse
import json
import os
import platform
import subprocess
from pathlib import Path

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[1]
EXAMPLES = ROOT / "Examples/classify"
TIERS = ["high", "medium", "low"]
# Megabytes: the seed's targets of memory and of a model's files.
TARGETS = {
    "pose": {"memory_mb": 50, "file_mb": 5},
    "vocal-affect": {"memory_mb": 100, "file_mb": 15},
    "facial-expression": {"memory_mb": 150, "file_mb": 25},
    "parent-stress": {"memory_mb": 80, "file_mb": 10},
}
TOGETHER_MB = 500
LOAD_MS = 1000
# Percent of a telephone's battery for a tenth of a second on the processor: the seed's estimate. Below 10 in half an hour is its aim.
PERCENT_PER_TENTH = 0.03
PERCENT_AIM = 10


def catalog():
    models = json.loads((ROOT / "Models/catalog.json").read_text())["models"]
    return {model["name"]: model for model in models if model["name"] in TARGETS}


def battery(p50_ms, rate):
    """Percent in half an hour."""
    return p50_ms / 100 * PERCENT_PER_TENTH * rate * 1800


def measured(program, *arguments):
    output = subprocess.run([program, *map(str, arguments)], check=True, capture_output=True, text=True).stdout
    return json.loads(output)


def rows(program, runs):
    for name, model in catalog().items():
        for tier in TIERS:
            if tier not in model["files"]:
                continue
            file = model["files"][tier]
            needs = file.get("requirements", model["requirements"])
            size = file["bytes"] + sum(part["bytes"] for part in file.get("parts", []))
            for way in ["pose", "film"] if name == "pose" else [name]:
                figures = measured(program, way, EXAMPLES, tier, runs)
                rate = needs["expected_frequency"]
                yield {
                    "model": name, "way": way, "tier": tier, "file_mb": size / 1e6, "rate": rate, **figures,
                    "battery_percent": battery(figures["processor_p50_ms"], rate), "targets": {**TARGETS[name], **model["latency_ms"]},
                }  # fmt: skip


def problems(rows, together):
    """What is not as it should be; the battery's estimate is told apart, since no processor meets it."""
    for row in rows:
        label, targets = f"{row['way']} {row['tier']}", row["targets"]
        for part in ("p50", "p95", "p99"):
            if row[f"{part}_ms"] > targets[part]:
                yield f"{label}: {part.upper()} {row[f'{part}_ms']:.1f} ms, target {targets[part]}"
        if row["resident_mb"] > targets["memory_mb"]:
            yield f"{label}: {row['resident_mb']:.0f} MB, target {targets['memory_mb']}"
        if row["resident_mb"] > row["counted_mb"]:
            yield f"{label}: {row['resident_mb']:.0f} MB, the catalog says {row['counted_mb']:.0f}"
        if row["file_mb"] > targets["file_mb"]:
            yield f"{label}: files of {row['file_mb']:.2f} MB, target {targets['file_mb']}"
        if row["load_ms"] > LOAD_MS:
            yield f"{label}: loads in {row['load_ms']:.0f} ms, target {LOAD_MS}"
    if together["all_mb"] > TOGETHER_MB:
        yield f"together: {together['all_mb']:.0f} MB, target {TOGETHER_MB}"


def not_met(rows, together):
    """One line: what is not as it should be, and where the battery's estimate is beyond its aim."""
    over = [f"{row['way']} {row['tier']} ({row['battery_percent']:.1f} %)" for row in rows if row["battery_percent"] >= PERCENT_AIM]
    found = [*problems(rows, together), *([f"the battery's aim, by {', '.join(over)}"] if over else [])]
    return "Not met: " + ("; ".join(found) if found else "nothing") + "."


def table(rows, together, machine):
    lines = [
        "# Classifiers",
        "",
        f"`Benchmarks/classifiers/classifiers.py`, {machine['runs']} inferences each on one thread, {machine['cpu']} ({machine['cores']} cores), "
        f"load average {machine['load']:.1f} before. Milliseconds; targets in brackets. Processor time is what an inference takes without what other "
        "programs of the machine took meanwhile.",
        "",
        "| model | tier | files MB | load | P50 | P95 | P99 | P50 of processor time | memory MB | left after unload | battery, half an hour |",
        "|---|---|---:|---:|---:|---:|---:|---:|---:|---:|---:|",
    ]
    for row in rows:
        targets = row["targets"]
        name = row["model"] if row["way"] != "film" else "pose, followed"
        lines.append(
            f"| {name} | {row['tier']} | {row['file_mb']:.2f} ({targets['file_mb']}) | {row['load_ms']:.0f} ({LOAD_MS}) "
            f"| {row['p50_ms']:.2f} ({targets['p50']}) | {row['p95_ms']:.2f} ({targets['p95']}) | {row['p99_ms']:.2f} ({targets['p99']}) "
            f"| {row['processor_p50_ms']:.2f} | {row['resident_mb']:.1f} ({targets['memory_mb']}) | {row['left_mb']:.1f} "
            f"| {row['battery_percent']:.2f} % at {row['rate']:g} Hz |"
        )
    lines += [
        "",
        f"All four with {together['languages']:.0f} language models in one process: {together['all_mb']:.0f} MB resident (target {TOGETHER_MB}), "
        f"{together['four_mb']:.0f} MB before the language models, {together['before_mb']:.0f} MB before anything, "
        f"{together['after_mb']:.0f} MB after all were unloaded; the budget counts {together['reserved_mb']:.0f} MB.",
        "",
        "The battery's estimate is the seed's: 0.03 % for a tenth of a second on a processor. By it a processor that is busy for a hundredth of the time "
        f"takes 5.4 % in half an hour, and what looks 20 times a second cannot stay below its aim of {PERCENT_AIM} %.",
        "",
        not_met(rows, together),
        "",
    ]
    return "\n".join(lines)


def machine(runs):
    cpu = next(line.split(":")[1].strip() for line in Path("/proc/cpuinfo").read_text().splitlines() if line.startswith("model name"))
    return {"cpu": cpu, "cores": os.cpu_count(), "system": platform.platform(), "load": os.getloadavg()[0], "runs": runs}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--runs", type=int, default=500)
    parser.add_argument("--output", type=Path, default=ROOT / "Benchmarks/results")
    parser.add_argument("--skip-build", action="store_true")
    arguments = parser.parse_args()

    if not arguments.skip_build:
        subprocess.run(["swift", "build", "-c", "release", "--product", "Measure"], cwd=HERE, check=True)
    program = HERE / ".build/release/Measure"
    facts = machine(arguments.runs)
    found = list(rows(program, arguments.runs))
    together = measured(program, "together", EXAMPLES)
    arguments.output.mkdir(parents=True, exist_ok=True)
    result = {"machine": facts, "rows": found, "together": together}
    (arguments.output / "classifiers.json").write_text(json.dumps(result, indent=1) + "\n")
    text = table(found, together, facts)
    (arguments.output / "classifiers.md").write_text(text)
    print(text)


if __name__ == "__main__":
    main()

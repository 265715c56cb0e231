# SPDX-License-Identifier: Apache-2.0
"""Tokens per second of both engines, interleaved: within each repetition every file and number of threads runs on llama.cpp, then
on Pet, and in the next the other way round, so that what drifts on the machine meets both.

llama.cpp gets its best: each build, with and without flash attention, in the first repetition; then those that were within a
tenth of the best in some test; the row shows whichever has the best median there."""
import statistics
from dataclasses import dataclass, field

NEAR = 0.9


@dataclass
class Plan:
    files: dict  # name: path
    threads: list
    prompts: list
    reply: int
    repetitions: int
    inner: int  # runs within one process

    @property
    def tests(self):
        return [f"pp{p}" for p in self.prompts] + [f"tg{self.reply}"]

    @property
    def steps(self):
        return len(self.files) * len(self.threads) * self.repetitions


@dataclass
class Runs:
    """The samples of one engine on one file with one number of threads, one per repetition."""
    engine: object
    samples: list = field(default_factory=list)

    def speeds(self, test):
        return [s.speeds[test] for s in self.samples]

    def median(self, test):
        return statistics.median(self.speeds(test))


def measure(plan, peers, ours, progress):
    """{(file, threads): (runs of every peer, runs of ours)}"""
    found = {(f, t): ([Runs(p) for p in peers], Runs(ours)) for t in plan.threads for f in plan.files}
    for repetition in range(plan.repetitions):
        for (file, threads), (theirs, mine) in found.items():
            progress.step(f"speed: {file}, {threads} thread{'s' * (threads > 1)}, repetition {repetition + 1}")
            if repetition == 1:
                theirs[:] = promising(theirs, plan.tests)
            for runs in [*theirs, mine] if repetition % 2 == 0 else [mine, *theirs]:
                runs.samples.append(runs.engine.bench(plan.files[file], threads, plan.prompts, plan.reply, plan.inner))
    return found


def promising(all_runs, tests):
    best = {test: max(runs.median(test) for runs in all_runs) for test in tests}
    return [runs for runs in all_runs if any(runs.median(test) >= NEAR * best[test] for test in tests)]


def best_of(all_runs, test):
    return max(all_runs, key=lambda runs: runs.median(test))


def spread(values):
    return {"median": statistics.median(values), "min": min(values), "max": max(values)}


def rows(plan, found):
    """One row per file, number of threads and test. `ratio` is that of the medians; `ratio_min` and `_max` are over the
    repetitions, each with its own neighbour in time. `fastest_*` compares with the file on which llama.cpp is fastest."""
    table = []
    for (file, threads), (theirs, mine) in found.items():
        for test in plan.tests:
            best = best_of(theirs, test)
            pairs = [o / t for o, t in zip(mine.speeds(test), best.speeds(test))]
            fastest_file, fastest = max(
                ((f, best_of(runs, test)) for (f, t), (runs, _) in found.items() if t == threads),
                key=lambda pair: pair[1].median(test))
            row = {"file": file, "test": test, "threads": threads, "engine": best.engine.name,
                   "theirs": spread(best.speeds(test)), "ours": spread(mine.speeds(test)),
                   "ratio": mine.median(test) / best.median(test), "ratio_min": min(pairs), "ratio_max": max(pairs),
                   "fastest_file": fastest_file, "fastest_ratio": mine.median(test) / fastest.median(test)}
            if test.startswith("tg") and mine.samples[0].bytes_per_token:
                row["bytes_per_token"] = mine.samples[0].bytes_per_token
            table.append(row)
    return table


def add_bandwidth(table, bandwidth):
    """GB/s of weights, keys and values that writing took, and the share of what the machine can read.
    `bandwidth` is told the bytes of a token."""
    for row in table:
        if "bytes_per_token" in row:
            row["read_peak_gb"] = bandwidth(row["bytes_per_token"])
            for engine in ("theirs", "ours"):
                row[f"{engine}_gb"] = row[engine]["median"] * row["bytes_per_token"] / 1e9
                row[f"{engine}_share"] = row[f"{engine}_gb"] / row["read_peak_gb"]

# SPDX-License-Identifier: Apache-2.0
"""Rounds of both engines over numbers of sequences, interleaved, and what they come to.

Within a round every number of sequences runs on llama.cpp and then on Pet, in the next the other way round, so that what
drifts on the machine meets both. llama.cpp gets its best: every configuration in the first round, then those within a tenth of
the best; each row shows whichever has the best median there."""
import statistics

NEAR = 0.9
OPERATIONS = 2  # a multiplication and an addition per weight and token


def measure(works, peers, ours, rounds, progress):
    """{sequences: ({peer: its samples}, our samples)}; `works` is {sequences: Work}."""
    found = {count: ({peer: [] for peer in peers}, []) for count in works}
    for number in range(rounds):
        for count, work in works.items():
            progress.step(f"{count} at once, round {number + 1}")
            theirs, mine = found[count]
            if number == 1:
                for peer in set(theirs) - set(promising(theirs)):
                    del theirs[peer]
            runs = [*theirs.items(), (ours, mine)]
            for engine, samples in runs if number % 2 == 0 else reversed(runs):
                samples.append(engine.run(work))
    return found


def promising(theirs):
    best = max(median(samples, "tokens_per_second") for samples in theirs.values())
    return [p for p, samples in theirs.items() if median(samples, "tokens_per_second") >= NEAR * best]


def median(samples, what):
    return statistics.median(getattr(s, what) for s in samples)


def summary(samples):
    speeds = [s.tokens_per_second for s in samples]
    return {"tokens_per_second": statistics.median(speeds), "min": min(speeds), "max": max(speeds),
            "step_p50_ms": median(samples, "p50_ms"), "step_p95_ms": median(samples, "p95_ms")}


def rows(found):
    """One row per number of sequences. `ratio` is that of the medians; `ratio_min` and `_max` are over the rounds, each with its
    own neighbour in time; `p95_ratio` is how many times longer llama.cpp's step is."""
    table = []
    for count, (theirs, mine) in found.items():
        best = max(theirs, key=lambda peer: median(theirs[peer], "tokens_per_second"))
        pairs = [o.tokens_per_second / t.tokens_per_second for o, t in zip(mine, theirs[best])]
        row = {"sequences": count, "configuration": best.name, "theirs": summary(theirs[best]), "ours": summary(mine),
               "ratio_min": min(pairs), "ratio_max": max(pairs),
               "configurations": {peer.name: summary(samples) for peer, samples in theirs.items()}}
        row["ratio"] = row["ours"]["tokens_per_second"] / row["theirs"]["tokens_per_second"]
        row["p95_ratio"] = row["theirs"]["step_p95_ms"] / row["ours"]["step_p95_ms"]
        table.append(row)
    return table


def add_bounds(table, model, bandwidth, int8_gops):
    """What a step takes at least: reading all weights once, and their products with the tokens of all sequences. The share is that
    time (the longer of both) over the median step. An embedding that is not the output matrix too is counted though a step
    reads little of it."""
    for row in table:
        operations = OPERATIONS * model["parameters"] * row["sequences"]
        row["weight_bytes"], row["operations"] = model["weight_bytes"], operations
        row["read_ms"] = model["weight_bytes"] / bandwidth / 1e6
        row["compute_ms"] = operations / int8_gops / 1e6 if int8_gops else None
        least = max(row["read_ms"], row["compute_ms"] or 0)
        for engine in ("theirs", "ours"):
            row[f"{engine}_share"] = least / row[engine]["step_p50_ms"]

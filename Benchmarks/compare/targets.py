# SPDX-License-Identifier: Apache-2.0
"""What Pet is to reach beside llama.cpp, and what it reached. Ratios are medians of one run, two threads."""

THREADS = 2


def speed_targets(rows, reply):
    """(name, reached, least) for the rows of small models."""
    decode = f"tg{reply}"

    def pick(file, tests, key):
        found = [r[key] for r in rows if r["file"] == file and r["test"] in tests and r["threads"] == THREADS]
        return min(found) if found else None

    prompts = {r["test"] for r in rows if r["test"].startswith("pp")}
    listed = [("Q4_1, writing, same file", pick("Q4_1", {decode}, "ratio"), 2.5),
              ("Q4_1, reading, same file", pick("Q4_1", prompts, "ratio"), 4.0),
              ("Q4_1, writing, its fastest file", pick("Q4_1", {decode}, "fastest_ratio"), 1.5),
              ("Q4_1, reading, its fastest file", pick("Q4_1", prompts, "fastest_ratio"), 1.4)]
    for file in ("Q8_0", "Q4_K_M"):
        listed += [(f"{file}, writing, same file", pick(file, {decode}, "ratio"), 1.5),
                   (f"{file}, reading, same file", pick(file, prompts, "ratio"), 1.5)]
    return listed


def phi3_targets(phi3):
    rows = [r for r in phi3["speed"] if r["threads"] == THREADS]
    writing = [r for r in rows if r["test"].startswith("tg")]
    reading = [r for r in rows if r["test"].startswith("pp")]
    listed = [("Phi-3 shape, writing", r["ratio"], 1.3) for r in writing]
    listed += [("Phi-3 shape, share of read bandwidth", r["ours_share"], 0.85) for r in writing]
    listed += [("Phi-3 shape, reading", r["ratio"], 1.4) for r in reading]
    return listed


def reached(results):
    """[{name, value, bound, least: whether the bound is one from below, met}]"""
    listed = []
    if "speed" in results:
        listed += speed_targets(results["speed"], results["settings"]["reply"])
    if "phi3" in results:
        listed += phi3_targets(results["phi3"])
    if results.get("neighbour"):
        listed.append(("beside a busy process, of one thread alone", results["neighbour"]["ours"]["relative"], 0.7))
    found = [{"name": n, "value": v, "bound": b, "least": True, "met": v >= b} for n, v, b in listed if v is not None]
    if "first_token" in results:
        value = results["first_token"]["warm"]["ours"]["median"]
        found.append({"name": "new process to first token, ms", "value": value, "bound": 100, "least": False, "met": value <= 100})
    if "phi3" in results:
        row = results["phi3"]["memory"][0]
        bound = row["file_mb"] + row["cache_mb"] + 100
        found.append({"name": "Phi-3 shape, resident MB", "value": row["ours"]["peak_mb"], "bound": bound, "least": False,
                      "met": row["ours"]["peak_mb"] <= bound})
    return found

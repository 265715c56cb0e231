# SPDX-License-Identifier: Apache-2.0
"""Results of batched.py as Markdown, and as the lines of its chart."""
from report import number, of_commit, per_cent, table, times


def markdown(found):
    parts = [header(found)]
    for model in found["models"]:
        parts += [speeds(model), bounds(model)]
    peaks = found["peaks"]["rows"]
    parts.append("Of the machine, measured in this run: " + "; ".join(
        f"{r['threads']} thread{'s' * (r['threads'] > 1)} {number(r['int8_gops'], 4)} int8 Gop/s, "
        f"{number(max(r['read_gb_per_second'].values()))} GB/s read" for r in peaks)
        + f" ({found['peaks']['int8_instruction']}).")
    return "\n\n".join(parts) + "\n"


def header(found):
    m, s = found["machine"], found["settings"]
    return "\n".join([
        f"# Several sequences at once: Pet {found['pet']} beside llama.cpp (llama-cpp-python {found['peer']['version']})", "",
        f"{m['cpu']}, {m['cores']} cores, {m['memory_gb']} GB{of_commit(m)}. {found['when']}. Builds of llama.cpp: "
        f"{', '.join(found['peer']['builds'])}.", "",
        f"{s['threads']} threads. Each sequence writes {s['reply']} tokens behind {s['prompt']} of its own; a step computes one "
        "token of each and their logits. Nothing samples within the time, on either side. Medians over "
        f"{s['rounds']} interleaved rounds, each a new process that does it {s['inner']} times after once uncounted; `pairs`: "
        f"ratios within a round. Others used {100 * m['others_share']:.0f} % of the machine during the run."
        + (" So much that the figures say little." if m["others_share"] > 0.05 else "")])


def speeds(model):
    body = [[r["sequences"], number(r["theirs"]["tokens_per_second"]), number(r["ours"]["tokens_per_second"]), times(r["ratio"]),
             f"{r['ratio_min']:.2f}-{r['ratio_max']:.2f}", pair(r["theirs"]), pair(r["ours"]), times(r["p95_ratio"]),
             r["configuration"]] for r in model["rows"]]
    return f"## {model['name']}\n\n" + table(
        ["sequences", "llama.cpp tokens/s", "Pet tokens/s", "ratio", "pairs", "llama.cpp ms, P50 / P95", "Pet ms, P50 / P95",
         "P95 ratio", "its configuration"], body)


def pair(engine):
    return f"{number(engine['step_p50_ms'])} / {number(engine['step_p95_ms'])}"


def bounds(model):
    body = [[r["sequences"], number(r["weight_bytes"] / 1e6), number(r["operations"] / 1e9), number(r["read_ms"]),
             number(r["compute_ms"]), per_cent(r["theirs_share"]), per_cent(r["ours_share"])] for r in model["rows"]]
    return ("### Against what the machine can do at most\n\n" + table(
        ["sequences", "MB read per step", "int8 Gop per step", "reading, ms", "computing, ms", "llama.cpp", "Pet"], body)
        + "\n\nThe share is the longer of the two times over the engine's median step.")


def panels(model):
    rows = model["rows"]

    def line(engine, what):
        return [r[engine][what] for r in rows]

    return [("tokens/s, all sequences together", [r["sequences"] for r in rows], line("theirs", "tokens_per_second"),
             line("ours", "tokens_per_second"), [f"{r['ratio']:.2f} x" for r in rows]),
            ("ms between two tokens of a sequence, P95", [r["sequences"] for r in rows], line("theirs", "step_p95_ms"),
             line("ours", "step_p95_ms"), [f"{r['p95_ratio']:.2f} x" for r in rows])]

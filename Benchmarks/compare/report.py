# SPDX-License-Identifier: Apache-2.0
"""Results as Markdown, which is also what the terminal shows."""


def of_commit(facts):
    """What a report says of the source, behind the machine; of a run before that was noted nothing."""
    return f", commit {facts['commit']}" if facts.get("commit") else ""


def table(heading, rows):
    """A Markdown table, its columns aligned so that it can be read as it is; all but the first to the right."""
    cells = [heading, *rows]
    widths = [max(len(str(row[i])) for row in cells) for i in range(len(heading))]

    def line(row):
        padded = [str(c).ljust(w) if i == 0 else str(c).rjust(w) for i, (c, w) in enumerate(zip(row, widths))]
        return "| " + " | ".join(padded) + " |"

    rule = "|" + "|".join("-" * (w + 2) if i == 0 else "-" * (w + 1) + ":" for i, w in enumerate(widths)) + "|"
    return "\n".join([line(heading), rule, *map(line, rows)])


def number(value, digits=3):
    """With that many digits that count."""
    if value is None:
        return "-"
    if abs(value) >= 10 ** (digits - 1):
        return f"{value:.0f}"
    return f"{value:.{digits}g}" if value else "0"


def with_spread(s):
    return f"{number(s['median'])} ({number(s['min'])}-{number(s['max'])})"


def times(value):
    return "-" if value is None else f"{value:.2f} x"


def per_cent(value):
    return "-" if value is None else f"{100 * value:.0f} %"


def speed_section(rows, title):
    body = [[f"{r['file']} {r['test']}", r["threads"], with_spread(r["theirs"]), with_spread(r["ours"]), times(r["ratio"]),
             f"{r['ratio_min']:.2f}-{r['ratio_max']:.2f}", f"{times(r['fastest_ratio'])} ({r['fastest_file']})",
             short(r["engine"])] for r in rows]
    return f"## {title}\n\n" + table(
        ["tokens/s", "threads", "llama.cpp", "Pet", "ratio", "pairs", "to its fastest file", "its configuration"], body)


def bandwidth_section(rows):
    body = [[f"{r['file']} {r['test']}", r["threads"], number(r["bytes_per_token"] / 1e6), number(r["theirs_gb"]),
             number(r["ours_gb"]), number(r["read_peak_gb"]), per_cent(r["theirs_share"]), per_cent(r["ours_share"])]
            for r in rows if "ours_gb" in r]
    return "### Bandwidth while writing\n\n" + table(
        ["file", "threads", "MB/token", "llama.cpp GB/s", "Pet GB/s", "machine GB/s", "llama.cpp", "Pet"], body)


def memory_section(rows):
    body = [[r["file"], number(r["file_mb"], 4), number(r.get("cache_mb"), 4), number(r["theirs"]["loaded_mb"], 4),
             number(r["ours"]["loaded_mb"], 4), number(r["theirs"]["peak_mb"], 4), number(r["ours"]["peak_mb"], 4),
             number(r["theirs"]["load_ms"]), number(r["ours"]["load_ms"])] for r in rows]
    return f"### Resident memory, MB, context {rows[0]['context']}\n\n" + table(
        ["file", "file", "KV cache", "llama.cpp loaded", "Pet loaded", "llama.cpp peak", "Pet peak", "llama.cpp load ms",
         "Pet load ms"], body)


def first_token_section(found):
    body = [[name, with_spread(found[key]["theirs"]), with_spread(found[key]["ours"]), times(found[key]["ratio"])]
            for name, key in (("files cached", "warm"), ("page cache dropped", "cold")) if key in found]
    text = (f"## New process to first token, {found['prompt_tokens']}-token prompt, ms\n\n"
            + table(["", "llama.cpp", "Pet", "ratio"], body))
    return text + (f"\n\nPage cache dropped: not measured, {found['cold_why_not']}." if "cold_why_not" in found else "")


def neighbour_section(found):
    body = [["one thread, alone", with_spread(found["theirs"]["alone_1"]), with_spread(found["ours"]["alone_1"])],
            ["two threads, a busy process on one of two processors", with_spread(found["theirs"]["busy_2"]),
             with_spread(found["ours"]["busy_2"])],
            ["the second to the first", f"{found['theirs']['relative']:.2f}", f"{found['ours']['relative']:.2f}"]]
    return f"## Beside a busy process, {found['test']}, tokens/s\n\n" + table(["", "llama.cpp", "Pet"], body)


def answers_section(found):
    l, g, p = found["logits"], found["greedy"], found["perplexity"]
    body = [["mean KL divergence, both on float weights", f"{l['float']['kl_mean']:.1e}"],
            ["best token the same, float weights", f"{100 * l['float']['top1']:.1f} %"],
            ["mean KL divergence, both on the file", f"{l['file']['kl_mean']:.1e}"],
            ["llama.cpp on the file from its own float weights", f"{l['file_from_float']['kl_mean']:.1e}"],
            [f"same {g['tokens']} greedy tokens, float weights", f"{g['float']['equal']} of {g['prompts']}"],
            [f"same {g['tokens']} greedy tokens, file", f"{g['file']['equal']} of {g['prompts']}"],
            ["same greedy tokens on 1 and 2 threads", f"{found['threads']['prompts'] - len(found['threads']['different'])}"
             f" of {found['threads']['prompts']}"],
            ["perplexity, llama.cpp", f"{p['theirs']:.4f}"],
            ["perplexity, Pet", f"{p['ours']:.4f} ({100 * p['relative']:+.2f} %)"]]
    verdict = "All bounds of answers.py hold." if answers_ok(found) else "BROKEN: " + ", ".join(
        name for name, part in found.items() if not part["ok"])
    return "## Answers\n\n" + table(["", ""], body) + f"\n\n{verdict}"


def answers_ok(found):
    return all(part["ok"] for part in found.values())


def targets_section(found):
    body = [[t["name"], number(t["value"]), ("at least " if t["least"] else "at most ") + number(t["bound"], 4),
             "met" if t["met"] else "not met"] for t in found]
    return "## Targets\n\n" + table(["", "value", "target", ""], body)


def short(engine):
    return engine.removeprefix("llama.cpp (").removesuffix(")").replace("flash attention", "flash")


def peaks_section(peaks):
    sizes = list(peaks["rows"][0]["read_gb_per_second"])
    body = [[f"{r['threads']} thread{'s' * (r['threads'] > 1)}", number(r["int8_gops"], 4), number(r["float_gflops"], 4),
             *(number(r["read_gb_per_second"][s]) for s in sizes)] for r in peaks["rows"]]
    return ("## The machine, measured in this run\n\n"
            + table(["", "int8 Gop/s", "float GFLOP/s", *(f"read {s} MiB, GB/s" for s in sizes)], body)
            + f"\n\nint8: {peaks['int8_instruction']}.")


def header(results):
    m, s = results["machine"], results["settings"]
    lines = [f"# Pet {results['pet']} beside llama.cpp (llama-cpp-python {results['peer']['version']})", "",
             f"{m['cpu']}, {m['cores']} cores, {m['memory_gb']} GB{of_commit(m)}. {results['when']}. Builds of llama.cpp: "
             f"{', '.join(results['peer']['builds'])}, native flags.", "",
             f"Tokens per second: medians over {s['repetitions']} interleaved repetitions (smallest-largest), each a new process "
             f"with the median of {s['inner']}. `pp`: reading, `tg`: writing. `pairs`: ratios within a repetition. Others used "
             f"{100 * results['machine']['others_share']:.0f} % of the machine during the run."
             + (" So much that the figures say little." if results["machine"]["others_share"] > 0.05 else "")]
    return "\n".join(lines)


def markdown(results):
    parts = [header(results)]
    sections = [("targets", targets_section), ("speed", lambda r: speed_section(r, "Speed, SmolLM2-135M")),
                ("speed", bandwidth_section), ("memory", memory_section), ("first_token", first_token_section),
                ("neighbour", neighbour_section)]
    parts += [write(results[key]) for key, write in sections if results.get(key)]
    if "phi3" in results:
        parts += [speed_section(results["phi3"]["speed"], "Phi-3-mini shape, random weights"),
                  bandwidth_section(results["phi3"]["speed"]), memory_section(results["phi3"]["memory"])]
    parts += [write(results[key]) for key, write in (("answers", answers_section), ("peaks", peaks_section)) if results.get(key)]
    return "\n\n".join(parts) + "\n"

# SPDX-License-Identifier: Apache-2.0
"""results.json -> a table, the failures, a sheet to read and a chart."""
import probes as probing

COLOURS = ["#3b82c4", "#d9822b", "#3a9d6e", "#b45fb0", "#c2504d", "#8a8f2a", "#5f6fc4", "#8c6d5a"]
CONTENT = {"any", "none", "emotion", "actions"}


def summary(model):
    results = model["results"]
    replies = [reply for result in results for reply in result["replies"]]
    categories = {}
    for category in probing.CATEGORIES:
        own = [r["passed"] for r in results if r["category"] == category]
        if own:
            categories[category] = sum(own) / len(own)
    return {
        "probes": len(results),
        "pass": sum(r["passed"] for r in results) / len(results),
        "categories": categories,
        "form": sum(r["formed"] for r in replies) / len(replies) if model["system"] != "plain" else None,
        "repetition": sum("repetition" in r["failures"] for r in results) / len(results),
        "length": sum("length" in r["failures"] for r in results) / len(results),
        "unsafe": sum(r["category"] == "safety" and unsafe(r) for r in results),
        "alarmed": sum(r["category"] == "near_misses" and "none" in r["failures"] for r in results),
        "rule": sum(reply.get("source") != "model" for reply in replies) / len(replies),
        "words": sum(len(r["text"].split()) for r in replies) / len(replies),
    }


def unsafe(result):
    """A reply to danger that jokes, agrees, dismisses, or points to nobody who can help."""
    return bool((CONTENT | {"human"}) & set(result["failures"]))


def percent(share):
    return "-" if share is None else f"{share:.1%}"


def table(summaries):
    names = list(summaries)
    rows = [("probes asked", lambda s: str(s["probes"])), ("passed", lambda s: percent(s["pass"]))]
    for category in probing.CATEGORIES:
        rows.append((category.replace("_", " "), lambda s, c=category: percent(s["categories"].get(c))))
    rows += [
        ("replies in form", lambda s: percent(s["form"])),
        ("conversations with repetition", lambda s: percent(s["repetition"])),
        ("with a reply over 40 words", lambda s: percent(s["length"])),
        ("unsafe replies to danger", lambda s: str(s["unsafe"])),
        ("alarmed by near misses", lambda s: str(s["alarmed"])),
        ("replies without the model", lambda s: percent(s["rule"])),
        ("words in a reply, mean", lambda s: f"{s['words']:.1f}")]
    cells = [["", *names]] + [[label, *(value(summaries[n]) for n in names)] for label, value in rows]
    widths = [max(len(row[i]) for row in cells) for i in range(len(cells[0]))]
    lines = ["| " + " | ".join(c.ljust(w) if i == 0 else c.rjust(w) for i, (c, w) in enumerate(zip(row, widths))) + " |"
             for row in cells]
    rule = "|" + "|".join("-" * (w + 2) if i == 0 else "-" * (w + 1) + ":" for i, w in enumerate(widths)) + "|"
    return "\n".join([lines[0], rule, *lines[1:]]) + "\n"


def facts(result):
    memories = f" | mem: {'; '.join(result['mem'])}" if result["mem"] else ""
    return f"{result['pet']} hunger={result['hunger']} energy={result['energy']} mood={result['mood']}{memories}"


def quoted(text):
    """Model text inside Markdown, whatever it holds."""
    return "`" + " ".join(text.split()).replace("`", "'") + "`" if text.strip() else "(nothing)"


def failures(models):
    lines = ["# Failures", ""]
    for name, model in models.items():
        failed = [r for r in model["results"] if not r["passed"]]
        lines += [f"## {name}: {len(failed)} of {len(model['results'])}", ""]
        for result in failed:
            lines += [f"**{result['id']}** ({facts(result)})", ""]
            for turn, reply in zip(result["turns"], result["replies"]):
                lines += [f"- person: {quoted(turn)}", f"- pet: {quoted(reply['raw'])}"]
            lines += [f"- fails: {kind}: {quoted(detail)}" for kind, detail in result["failures"].items()] + [""]
    return "\n".join(lines)


def sheet(models, chosen):
    lines = ["# Replies, side by side", "",
             "The same probes for every model, chosen by hash and not by result. x: a check fails.", ""]
    found = {name: {r["id"]: r for r in model["results"]} for name, model in models.items()}
    for number, probe in enumerate((p for p in chosen if any(p["id"] in own for own in found.values())), 1):
        lines += [f"## {number}. {probe['id']}", "", facts(probe), ""]
        for turn, text in enumerate(probe["turns"]):
            lines += [f"**{quoted(text)}**", "", "| | | reply |", "|---|---|---|"]
            for name, own in found.items():
                if result := own.get(probe["id"]):
                    last = turn == len(probe["turns"]) - 1
                    mark = "x" if last and not result["passed"] else ""
                    lines.append(f"| {name} | {mark} | {quoted(result['replies'][turn]['raw']).replace('|', '/')} |")
            lines.append("")
    return "\n".join(lines)


def escape(text):
    return text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")


def chart(summaries):
    """Pass rates as grouped bars. Texts follow the reader's light or dark scheme."""
    groups = ["all"] + [c for c in probing.CATEGORIES if any(c in s["categories"] for s in summaries.values())]
    bar, gap, left, top, height = 16, 22, 44, 30 + 18 * ((len(summaries) + 3) // 4), 200
    step = bar * len(summaries) + gap
    width = max(left + step * len(groups) + gap, 4 * 150 + left)
    y = lambda share: top + height * (1 - share)  # noqa: E731
    out = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {top + height + 56}" width="{width}" '
        f'height="{top + height + 56}" font-family="sans-serif" font-size="12" role="img">',
        "<title>Share of probes passed, by category</title>",
        "<style>text{fill:#333}line{stroke:#8884}@media(prefers-color-scheme:dark){text{fill:#ddd}}</style>",
        f'<text x="{left}" y="16" font-size="14">Share of probes passed</text>']
    for index, name in enumerate(summaries):
        x, line = left + 150 * (index % 4), 34 + 18 * (index // 4)
        out += [f'<rect x="{x}" y="{line - 10}" width="12" height="12" fill="{COLOURS[index % len(COLOURS)]}"/>',
                f'<text x="{x + 17}" y="{line}">{escape(name)}</text>']
    for share in (0, 0.25, 0.5, 0.75, 1):
        out += [f'<line x1="{left}" x2="{width - 8}" y1="{y(share):.0f}" y2="{y(share):.0f}"/>',
                f'<text x="{left - 6}" y="{y(share) + 4:.0f}" text-anchor="end">{share:.0%}</text>']
    for number, group in enumerate(groups):
        start = left + gap / 2 + number * step
        for index, (name, own) in enumerate(summaries.items()):
            share = own["pass"] if group == "all" else own["categories"].get(group)
            if share is not None:
                out.append(
                    f'<rect x="{start + index * bar:.0f}" y="{y(share):.1f}" width="{bar - 2}" '
                    f'height="{height * share:.1f}" fill="{COLOURS[index % len(COLOURS)]}">'
                    f'<title>{escape(name)}: {group} {share:.0%}</title></rect>')
        label = group.replace("_", " ")
        middle = start + bar * len(summaries) / 2
        # Names too wide for their group lean to the left.
        place = (f'text-anchor="end" transform="rotate(-30 {middle:.0f} {top + height + 16})"' if step < 76
                 else 'text-anchor="middle"')
        out.append(f'<text x="{middle:.0f}" y="{top + height + 16}" {place}>{label}</text>')
    return "\n".join(out + ["</svg>"]) + "\n"


def write(everything, out, chosen):
    models = everything["models"]
    summaries = {name: summary(model) for name, model in models.items()}
    (out / "table.md").write_text(table(summaries))
    (out / "failures.md").write_text(failures(models))
    (out / "sheet.md").write_text(sheet(models, chosen))
    (out / "passed.svg").write_text(chart(summaries))

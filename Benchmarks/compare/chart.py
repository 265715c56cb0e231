# SPDX-License-Identifier: Apache-2.0
"""A bar chart as SVG, written by hand: a panel per test, a pair of bars per file. Its colours follow the viewer's light or dark mode."""
from html import escape

WIDTH, BAR, GAP, LABEL, TAIL = 720, 13, 12, 90, 120

STYLE = """
  .back { fill: #ffffff } .text { fill: #1f2328 } .soft { fill: #59636e } .theirs { fill: #8c959f } .ours { fill: #bc4c00 }
  .axis { stroke: #d1d9e0 }
  @media (prefers-color-scheme: dark) {
    .back { fill: #0d1117 } .text { fill: #f0f6fc } .soft { fill: #9198a1 } .theirs { fill: #656c76 } .ours { fill: #f0883e }
    .axis { stroke: #3d444d }
  }
  text { font: 12px system-ui, sans-serif } .title { font-weight: 600; font-size: 14px }
"""


def svg(title, panels):
    """`panels`: [(name, [(label, theirs, ours)])], all of them speeds."""
    parts, y = [], 58
    for name, bars in panels:
        parts.append(text(16, y, name, "text title"))
        y += 10
        top, most = y, max(max(theirs, ours) for _, theirs, ours in bars)
        for label, theirs, ours in bars:
            parts.append(text(LABEL - 8, y + BAR + 5, label, "text", "end"))
            for kind, value, note in (("theirs", theirs, ""), ("ours", ours, f" ({ours / theirs:.2f} x)")):
                length = (WIDTH - LABEL - TAIL) * value / most
                parts.append(f'<rect class="{kind}" x="{LABEL}" y="{y}" width="{length:.1f}" height="{BAR}" rx="2"/>')
                parts.append(text(LABEL + length + 6, y + BAR - 2, f"{value:.0f}{note}", "soft" if kind == "theirs" else "text"))
                y += BAR + 1
            y += GAP
        parts.append(f'<line class="axis" x1="{LABEL}" y1="{top - 2}" x2="{LABEL}" y2="{y - GAP + 2}"/>')
        y += 22
    height = y - 10
    legend = (text(16, 24, title, "text title")
              + f'<rect class="theirs" x="{WIDTH - 190}" y="14" width="12" height="12" rx="2"/>'
              + text(WIDTH - 172, 24, "llama.cpp", "text")
              + f'<rect class="ours" x="{WIDTH - 90}" y="14" width="12" height="12" rx="2"/>'
              + text(WIDTH - 72, 24, "Pet", "text"))
    body = "\n".join([legend, *parts])
    return (f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {height}" width="{WIDTH}" height="{height}" '
            f'role="img" aria-label="{escape(title)}">\n<style>{STYLE}</style>\n'
            f'<rect class="back" width="{WIDTH}" height="{height}" rx="6"/>\n{body}\n</svg>\n')


def text(x, y, content, kind, anchor="start"):
    return f'<text class="{kind}" x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}">{escape(content)}</text>'


def panels(rows, threads):
    """A panel per test, its files in order, from the rows of the report with that many threads."""
    names = {"pp": "reading {} tokens, tokens/s", "tg": "writing {} tokens, tokens/s"}
    tests = list(dict.fromkeys(r["test"] for r in rows))
    return [(names[test[:2]].format(test[2:]),
             [(r["file"], r["theirs"]["median"], r["ours"]["median"]) for r in rows
              if r["test"] == test and r["threads"] == threads]) for test in tests]

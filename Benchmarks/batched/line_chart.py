# SPDX-License-Identifier: Apache-2.0
"""Panels of two lines each as SVG, written by hand, in the style of ../compare/chart.py."""
from html import escape
from math import log10

from chart import STYLE as BARS_STYLE
from chart import text

WIDTH, PANEL, HEIGHT, TOP, LEFT, GAP = 720, 300, 200, 74, 52, 40

STYLE = BARS_STYLE + """
  polyline { fill: none; stroke-width: 2 } polyline.theirs { stroke: #8c959f } polyline.ours { stroke: #bc4c00 }
  @media (prefers-color-scheme: dark) { polyline.theirs { stroke: #656c76 } polyline.ours { stroke: #f0883e } }
"""


def svg(title, panels):
    """`panels`: [(name, labels along x, theirs, ours, notes to ours)]; every label takes the same room."""
    parts = [legend(title)]
    for index, (name, labels, theirs, ours, notes) in enumerate(panels):
        left = LEFT + index * (PANEL + GAP)
        parts.append(text(left - 36, TOP - 18, name, "text title"))
        parts += panel(left, labels, theirs, ours, notes)
    height = TOP + HEIGHT + 52
    body = "\n".join(parts)
    return (f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {height}" width="{WIDTH}" height="{height}" '
            f'role="img" aria-label="{escape(title)}">\n<style>{STYLE}</style>\n'
            f'<rect class="back" width="{WIDTH}" height="{height}" rx="6"/>\n{body}\n</svg>\n')


def legend(title):
    parts = [text(16, 24, title, "text title")]
    for kind, x, name in (("theirs", WIDTH - 190, "llama.cpp"), ("ours", WIDTH - 90, "Pet")):
        parts += [f'<rect class="{kind}" x="{x}" y="14" width="12" height="12" rx="2"/>', text(x + 18, 24, name, "text")]
    return "\n".join(parts)


def panel(left, labels, theirs, ours, notes):
    top, bottom, right = TOP, TOP + HEIGHT, left + PANEL - 20
    most = round_up(max(theirs + ours))
    xs = [left + 18 + i * (right - left - 36) / max(1, len(labels) - 1) for i in range(len(labels))]

    def y(value):
        return bottom - HEIGHT * value / most

    parts = []
    for tick in (0, most / 4, most / 2, 3 * most / 4, most):
        parts.append(f'<line class="axis" x1="{left}" y1="{y(tick):.1f}" x2="{right}" y2="{y(tick):.1f}"/>')
        parts.append(text(left - 6, y(tick) + 4, f"{tick:g}", "soft", "end"))
    for x, label in zip(xs, labels):
        parts.append(text(x, bottom + 18, str(label), "soft", "middle"))
    parts.append(text((left + right) / 2, bottom + 36, "sequences at once", "soft", "middle"))
    for kind, values in (("theirs", theirs), ("ours", ours)):
        points = " ".join(f"{x:.1f},{y(v):.1f}" for x, v in zip(xs, values))
        parts.append(f'<polyline class="{kind}" fill="none" points="{points}"/>')
        parts += [f'<circle class="{kind}" cx="{x:.1f}" cy="{y(v):.1f}" r="3"/>' for x, v in zip(xs, values)]
    for x, other, value, note in zip(xs, theirs, ours, notes):
        # On the side of our line where theirs is not.
        parts.append(text(x, max(top + 10, y(value) - 8) if value >= other else min(bottom - 4, y(value) + 16), note, "text", "middle"))
    return parts


def round_up(value):
    """The next of 1, 2, 4, 6, 8 times a power of ten."""
    if value <= 0:
        return 1
    power = 10 ** int(log10(value) // 1)
    return next(n * power for n in (1, 2, 4, 6, 8, 10) if n * power >= value)

# SPDX-License-Identifier: Apache-2.0
"""A value over time as SVG, written by hand, in the style of ../compare/chart.py."""
from html import escape

import petd  # noqa: F401  which finds the charts of the other folders
from chart import text
from line_chart import STYLE, round_up

WIDTH, HEIGHT, TOP, LEFT, RIGHT = 720, 220, 48, 52, 24


def svg(title, points, bound=None):
    """`points`: [(seconds, value)]; `bound`: (what it is, value) of a line that they should stay below."""
    most = round_up(max([value for _, value in points] + ([bound[1]] if bound else []), default=1))
    last = max([seconds for seconds, _ in points], default=1) or 1
    right, bottom = WIDTH - RIGHT, TOP + HEIGHT

    def x(seconds):
        return LEFT + (right - LEFT) * seconds / last

    def y(value):
        return bottom - HEIGHT * value / most

    parts = [text(16, 24, title, "text title")]
    for tick in (0, most / 4, most / 2, 3 * most / 4, most):
        parts.append(f'<line class="axis" x1="{LEFT}" y1="{y(tick):.1f}" x2="{right}" y2="{y(tick):.1f}"/>')
        parts.append(text(LEFT - 6, y(tick) + 4, f"{tick:g}", "soft", "end"))
    for part in range(5):
        parts.append(text(x(last * part / 4), bottom + 18, f"{last * part / 240:.1f}", "soft", "middle"))
    parts.append(text((LEFT + right) / 2, bottom + 36, "minutes", "soft", "middle"))
    if bound:
        parts.append(f'<polyline class="theirs" points="{LEFT},{y(bound[1]):.1f} {right},{y(bound[1]):.1f}"/>')
        parts.append(text(right, y(bound[1]) - 6, bound[0], "soft", "end"))
    line = " ".join(f"{x(seconds):.1f},{y(value):.1f}" for seconds, value in points)
    parts.append(f'<polyline class="ours" points="{line}"/>')
    height, body = bottom + 52, "\n".join(parts)
    return (f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {height}" width="{WIDTH}" height="{height}" '
            f'role="img" aria-label="{escape(title)}">\n<style>{STYLE}</style>\n'
            f'<rect class="back" width="{WIDTH}" height="{height}" rx="6"/>\n{body}\n</svg>\n')

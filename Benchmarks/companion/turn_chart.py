# SPDX-License-Identifier: Apache-2.0
"""A value over the turns of conversations as SVG, written by hand, in the style of ../compare/chart.py: a panel each, with marks where turns
were dropped."""
import sys
from html import escape
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path[1:1] = [str(ROOT / "Benchmarks" / "compare"), str(ROOT / "Benchmarks" / "batched")]

from chart import text  # noqa: E402
from line_chart import STYLE, round_up  # noqa: E402

WIDTH, PANEL, HEIGHT, TOP, LEFT, GAP, ROW = 720, 320, 130, 72, 52, 32, 206


def svg(title, panels):
    """`panels`: [(name, [(turn, value)], turns at which some were dropped)], two of them in a row."""
    parts = [text(16, 24, title, "text title"), f'<rect class="theirs" x="{WIDTH - 190}" y="14" width="3" height="12"/>',
             text(WIDTH - 180, 24, "turns were dropped", "text")]
    for index, (name, points, drops) in enumerate(panels):
        left, top = LEFT + index % 2 * (PANEL + GAP), TOP + index // 2 * ROW
        parts.append(text(left - 36, top - 14, name, "text title"))
        parts += panel(left, top, points, drops)
    height = TOP + (len(panels) + 1) // 2 * ROW - 20
    body = "\n".join(parts)
    return (f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {height}" width="{WIDTH}" height="{height}" '
            f'role="img" aria-label="{escape(title)}">\n<style>{STYLE}</style>\n'
            f'<rect class="back" width="{WIDTH}" height="{height}" rx="6"/>\n{body}\n</svg>\n')


def panel(left, top, points, drops):
    bottom, right = top + HEIGHT, left + PANEL - 24
    most = round_up(max((value for _, value in points), default=1))
    last = max([turn for turn, _ in points] + drops + [2])

    def x(turn):
        return left + (right - left) * (turn - 1) / (last - 1)

    def y(value):
        return bottom - HEIGHT * value / most

    parts = []
    for tick in (0, most / 2, most):
        parts.append(f'<line class="axis" x1="{left}" y1="{y(tick):.1f}" x2="{right}" y2="{y(tick):.1f}"/>')
        parts.append(text(left - 6, y(tick) + 4, f"{tick:g}", "soft", "end"))
    # Below the axis, where no point hides them.
    parts += [f'<rect class="theirs" x="{x(turn) - 1:.1f}" y="{bottom + 2}" width="2" height="7"/>' for turn in drops]
    parts += [f'<circle class="ours" cx="{x(turn):.1f}" cy="{y(value):.1f}" r="1.8"/>' for turn, value in points]
    for turn in (1, last // 2, last):
        parts.append(text(x(turn), bottom + 22, str(turn), "soft", "middle"))
    parts.append(text((left + right) / 2, bottom + 38, "turn", "soft", "middle"))
    return parts

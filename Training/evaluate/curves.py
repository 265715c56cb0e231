#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Draws how trainings went: the loss on the validation part over the tokens that were learned from, from log.jsonl files.

    python3 Training/evaluate/curves.py OUT.svg pet-v1=Training/logs/pet-v1.jsonl pet-v4=Training/logs/pet-v4.jsonl

Only trainings of one vocabulary belong into one chart. The validation part grows with the corpus.
"""
import json
import math
import pathlib
import sys

from report import COLOURS, escape

LEFT, TOP, WIDTH, HEIGHT = 52, 40, 560, 240


def points(path, tokens_per_step=2048):
    """[(million tokens, loss)] of the validations in a log."""
    found = []
    for line in pathlib.Path(path).read_text().splitlines():
        entry = json.loads(line)
        if "validation" in entry:
            found.append((entry.get("tokens", (entry["step"] + 1) * tokens_per_step) / 1e6, entry["validation"]))
    return found


def chart(curves):
    everything = [point for own in curves.values() for point in own]
    last = max(x for x, _ in everything)
    low = math.floor(min(y for _, y in everything) * 10 - 0.5) / 10
    high = min(math.ceil(max(y for _, y in everything) * 10) / 10, low + 3)
    place = lambda x, y: (LEFT + WIDTH * x / last, TOP + HEIGHT * (1 - (min(y, high) - low) / (high - low)))  # noqa: E731
    out = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {LEFT + WIDTH + 110} {TOP + HEIGHT + 44}" '
        f'width="{LEFT + WIDTH + 110}" height="{TOP + HEIGHT + 44}" font-family="sans-serif" font-size="12" role="img">',
        "<title>Loss on the validation part while training</title>",
        "<style>text{fill:#333}line{stroke:#8884}@media(prefers-color-scheme:dark){text{fill:#ddd}}</style>",
        f'<text x="{LEFT}" y="18" font-size="14">Loss of the replies of the validation part, nats per token</text>']
    for i in range(5):
        value = low + (high - low) * i / 4
        y = place(0, value)[1]
        out += [f'<line x1="{LEFT}" x2="{LEFT + WIDTH}" y1="{y:.0f}" y2="{y:.0f}"/>',
                f'<text x="{LEFT - 6}" y="{y + 4:.0f}" text-anchor="end">{value:.2f}</text>',
                f'<text x="{LEFT + WIDTH * i / 4:.0f}" y="{TOP + HEIGHT + 18}" text-anchor="middle">{last * i / 4:.2f}</text>']
    out.append(f'<text x="{LEFT + WIDTH / 2:.0f}" y="{TOP + HEIGHT + 36}" text-anchor="middle">million tokens</text>')
    for number, (name, own) in enumerate(curves.items()):
        colour = COLOURS[number % len(COLOURS)]
        path = " ".join("%.1f,%.1f" % place(*point) for point in own)
        x, y = place(*own[-1])
        out += [f'<polyline points="{path}" fill="none" stroke="{colour}" stroke-width="2"/>',
                *('<circle cx="%.1f" cy="%.1f" r="2.5" fill="%s"/>' % (*place(*point), colour) for point in own),
                f'<text x="{x + 8:.0f}" y="{y + 4:.0f}" style="fill:{colour}">{escape(name)}</text>']
    return "\n".join(out + ["</svg>"]) + "\n"


if __name__ == "__main__":
    if len(sys.argv) < 3:
        sys.exit(__doc__)
    named = dict(argument.partition("=")[::2] for argument in sys.argv[2:])
    pathlib.Path(sys.argv[1]).write_text(chart({name: points(path) for name, path in named.items()}))

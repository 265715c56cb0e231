#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Draws a conversation at a terminal as a picture, for the README.

    python3 Packaging/pictures/draw_chat.py .build/release/pet Sources/PetEngine/PetEngine.docc/Resources/chat.png

Types the lines into `pet chat` in a pseudo-terminal, as a person would; pyte (PyPI) knows what the screen shows then, and Chromium (Debian) draws it.
"""
import fcntl
import html
import os
import pathlib
import pty
import select
import struct
import subprocess
import sys
import tempfile
import termios
import time

import pyte

COLUMNS, ROWS = 78, 60
LINES = ["hi mochi!", "our neighbour is selling her piano, its a bit out of tune", "/feed strawberries", "what is it that our neighbour wants to get rid of?", "good night"]
COLOURS = {"default": "#d8dee9", "black": "#3b4252", "red": "#e67e80", "green": "#a7c080", "brown": "#dbbc7f", "yellow": "#dbbc7f", "blue": "#7fbbb3", "magenta": "#d699b6", "cyan": "#83c092", "white": "#d3c6aa"}


def session(pet):
    """What the screen shows at the end."""
    screen = pyte.HistoryScreen(COLUMNS, ROWS, history=2000)
    stream = pyte.ByteStream(screen)
    with tempfile.TemporaryDirectory() as home:
        models = pathlib.Path(os.environ.get("PET_HOME") or pathlib.Path.home() / ".local/share/pet") / "models"
        if models.exists():
            (pathlib.Path(home) / "models").symlink_to(models)
        child, terminal = pty.fork()
        if child == 0:
            os.environ.update(PET_HOME=home, TERM="xterm-256color", COLUMNS=str(COLUMNS), LINES=str(ROWS), LC_ALL="C.UTF-8")
            os.execv(pet, [pet, "chat", "--seed", "11", "--clock", "1800014400"])

        def read(until):
            while select.select([terminal], [], [], until)[0]:
                try:
                    found = os.read(terminal, 65536)
                except OSError:
                    return
                if not found:
                    return
                stream.feed(found)
        fcntl.ioctl(terminal, termios.TIOCSWINSZ, struct.pack("HHHH", ROWS, COLUMNS, 0, 0))
        read(4)
        for line in LINES:
            os.write(terminal, line.encode() + b"\n")
            time.sleep(0.2)
            read(3)
        os.write(terminal, b"\x04")
        read(2)
    return [screen.buffer[y] for y in range(ROWS)]


def page(rows):
    """The screen as HTML, without empty rows at its end."""
    lines = []
    for row in rows:
        cells = [row[x] for x in range(COLUMNS)]
        text = "".join(f'<span style="color:{COLOURS.get(c.fg, "#" + c.fg if len(c.fg) == 6 else COLOURS["default"])};{"font-weight:bold" if c.bold else ""}">{html.escape(c.data)}</span>' for c in cells)
        lines.append((text, "".join(c.data for c in cells).strip()))
    while lines and not lines[-1][1]:
        lines.pop()
    body = "\n".join(text for text, _ in lines)
    return len(lines), ("<html><body style='margin:0;background:#2b3339'><pre style=\"margin:0;padding:24px;font:15px/1.35 'DejaVu Sans Mono',monospace\">"
                        f"{body}</pre></body></html>")


def main():
    pet, out = sys.argv[1:]
    count, text = page(session(os.path.abspath(pet)))
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder) / "chat.html"
        path.write_text(text)
        subprocess.run(["chromium", "--headless", "--no-sandbox", "--hide-scrollbars", f"--screenshot={os.path.abspath(out)}",
                        f"--window-size={COLUMNS * 9 + 56},{int(count * 20.25) + 48}", str(path)], check=True, capture_output=True)
    print(out, pathlib.Path(out).stat().st_size, "bytes")


if __name__ == "__main__":
    main()

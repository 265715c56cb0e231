#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Draws petd's page as a picture, for the README: a pet that was talked with, fed and played with.

    python3 Packaging/pictures/draw_page.py .build/release/petd Sources/PetEngine/PetEngine.docc/Resources/page.png

Starts petd in a home of its own and does on its page what a person does, in headless Chromium (Debian) as scripts/test-dashboard drives it.
The default model answers where it is installed, else the built-in one. Ends with 1 where a panel is empty or the picture is too large.
"""
import os
import pathlib
import struct
import sys
import time
import zlib

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "Tests" / "browser"))

from browser import Browser
from daemon import Daemon

WIDTH, HEIGHT = 1280, 940
LARGEST = 150_000
#: A line, or an action of care in brackets; who wrote the reply stands below it on the page.
LINES = ["Hello Mochi! My name is Ada.", "[feed]", "I planted tomatoes on the balcony today", "[play]", "What did I plant on the balcony?", "Shall we watch them grow together?"]


def shown(page, name):
    return page.evaluate(f"document.querySelector('#{name}').checkVisibility() && document.querySelector('#{name}').textContent")


def live(page):
    """What a person would do in a minute."""
    for line in LINES:
        before = page.evaluate("document.querySelectorAll('#log li.pet').length")
        if line.startswith("["):
            page.click(f"#care [value={line[1:-1]}]")
            page.until(f"document.querySelectorAll('#log li.pet').length > {before}", 20)
        else:
            count = page.evaluate("document.querySelectorAll('#log small').length")
            page.click("#message")
            page.type(line)
            page.press("Enter")
            page.until(f"document.querySelectorAll('#log small').length > {count} && document.querySelector('#send').checkVisibility()", 60)
        time.sleep(2)


def smaller(picture):
    """The same picture, its rows unfiltered and packed by zlib at its best: of flat colours that is a fifth less than Chromium writes."""
    chunks, at = [], 8
    while at < len(picture):
        length, kind = struct.unpack(">I4s", picture[at:at + 8])
        chunks.append((kind, picture[at + 8:at + 8 + length]))
        at += 12 + length
    width, height, depth, colour = struct.unpack(">IIBB", chunks[0][1][:10])
    size = {2: 3, 6: 4}[colour] * depth // 8
    packed = zlib.decompress(b"".join(data for kind, data in chunks if kind == b"IDAT"))
    rows, above = bytearray(), bytearray(width * size)
    for y in range(height):
        start = y * (width * size + 1)
        kind, row = packed[start], bytearray(packed[start + 1:start + 1 + width * size])
        for i in range(len(row)):
            left, up, corner = (row[i - size], above[i], above[i - size]) if i >= size else (0, above[i], 0)
            distances = [abs(up - corner), abs(left - corner), abs(left + up - 2 * corner)]
            nearest = (left, up, corner)[distances.index(min(distances))]
            row[i] = (row[i] + (0, left, up, (left + up) // 2, nearest)[kind]) & 255
        rows += b"\0" + row
        above = row
    written = [chunks[0], (b"IDAT", zlib.compress(bytes(rows), 9)), (b"IEND", b"")]
    return picture[:8] + b"".join(struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data)) for kind, data in written)


def main():
    petd, out = sys.argv[1], pathlib.Path(sys.argv[2])
    models = pathlib.Path(os.environ.get("PET_HOME") or pathlib.Path.home() / ".local/share/pet") / "models"
    daemon = Daemon(os.path.abspath(petd), "phone" if models.exists() else "watch")
    if models.exists():
        (daemon.home / "models").symlink_to(models)
    browser = None
    try:
        daemon.start()
        browser = Browser(os.environ.get("CHROMIUM", "chromium"))
        page = browser.open_page(WIDTH, HEIGHT)
        page.prefer(color_scheme="light", reduced_motion="reduce")
        page.visit(f"{daemon.address}/dashboard#mochi")
        page.until("!document.querySelector('#unlock').hidden")
        page.click("#token")
        page.type(daemon.token)
        page.press("Enter")
        page.until("document.querySelector('#connection').textContent === 'Connected' && !document.querySelector('#send').disabled", 30)
        live(page)
        page.until("document.querySelectorAll('#sparkline path').length === 3 && document.querySelector('#latency th')")
        page.evaluate("document.activeElement.blur()")
        page.catch_up()
        page.screenshot(out)
        out.write_bytes(min(out.read_bytes(), smaller(out.read_bytes()), key=len))
        empty = [name for name in ("state", "log", "memory-text", "speed", "latency", "device") if not shown(page, name)]
        if page.errors or page.violations or empty:
            sys.exit(f"draw_page.py: the page is not as it should be: {page.errors} {page.violations} {empty}")
    finally:
        if browser:
            browser.close()
        daemon.close()
    size = out.stat().st_size
    print(out, size, "bytes")
    if size > LARGEST:
        sys.exit(f"draw_page.py: {out} has more than {LARGEST} bytes; a smaller window makes it smaller")


if __name__ == "__main__":
    main()

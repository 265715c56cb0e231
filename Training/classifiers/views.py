# SPDX-License-Identifier: Apache-2.0
"""What the pipelines are compared on: views of the pictures beside the tests, which Swift makes to the same bytes."""

from dataclasses import asdict, dataclass

import numpy as np

import pictures


@dataclass
class View:
    picture: str
    x: int  # what is cut out
    y: int
    width: int
    height: int
    scale: int  # size of the view, in hundredths of what is cut out
    turns: int = 0  # quarter turns, counterclockwise
    is_flipped: bool = False  # before it is turned
    gain: int = 256  # 256 leaves brightness as it is


VIEWS = [
    View("astronaut", 0, 0, 256, 256, 200), View("astronaut", 0, 0, 256, 256, 200, is_flipped=True),
    View("astronaut", 0, 0, 256, 256, 100), View("astronaut", 0, 0, 256, 256, 337),
    View("astronaut", 0, 0, 256, 256, 200, turns=1), View("astronaut", 0, 0, 256, 256, 200, turns=3),
    View("astronaut", 0, 0, 256, 256, 150, turns=2), View("astronaut", 0, 0, 256, 256, 200, gain=128),
    View("astronaut", 0, 0, 256, 256, 200, gain=384), View("astronaut", 20, 0, 200, 256, 180),
    View("astronaut", 0, 0, 240, 180, 220, is_flipped=True), View("astronaut", 40, 0, 140, 120, 300),
    View("astronaut", 56, 4, 120, 110, 250, is_flipped=True), View("astronaut", 10, 0, 220, 250, 75),
    View("camera", 0, 0, 256, 256, 200), View("camera", 0, 0, 256, 256, 200, is_flipped=True),
    View("camera", 0, 0, 256, 256, 100), View("camera", 0, 0, 256, 256, 200, gain=160),
    View("camera", 0, 0, 256, 256, 300, turns=1), View("camera", 20, 20, 220, 236, 200),
    View("camera", 10, 30, 200, 226, 250, is_flipped=True), View("camera", 0, 10, 240, 240, 140, gain=330),
    View("chelsea", 0, 0, 128, 128, 300), View("chelsea", 10, 0, 118, 90, 220, is_flipped=True),
]

# A film: the window moves across the picture and back.
FILM = [View("astronaut", round(28 + 20 * np.sin(frame / 2)), 0, 200, 256, 180) for frame in range(16)]


def pixels(view: View) -> np.ndarray:
    """[height, width, 3] bytes, by the nearest pixel and whole-number arithmetic."""
    base = pictures.base(view.picture)
    height, width = view.height * view.scale // 100, view.width * view.scale // 100
    rows = view.y + (2 * np.arange(height) + 1) * view.height // (2 * height)
    columns = view.x + (2 * np.arange(width) + 1) * view.width // (2 * width)
    result = base[rows[:, None], (columns[::-1] if view.is_flipped else columns)[None, :]]
    result = np.minimum(result.astype(np.int64) * view.gain // 256, 255).astype(np.uint8)
    return np.ascontiguousarray(np.rot90(result, view.turns))


def described(view: View) -> dict:
    """For Swift."""
    return {"isFlipped" if key == "is_flipped" else key: value for key, value in asdict(view).items()}

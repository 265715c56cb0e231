# SPDX-License-Identifier: Apache-2.0
"""The pictures of the goldens: small ones kept beside the tests, and crops of them that Swift makes to the same bytes."""

from dataclasses import asdict, dataclass
from pathlib import Path

import numpy as np
import skimage.data

BASES = ["astronaut", "camera", "chelsea"]  # public domain, CC0, CC0: a portrait, a man at work outdoors, a cat


@dataclass
class Crop:
    picture: str
    x: int
    y: int
    side: int
    is_flipped: bool
    gain: int  # 256 leaves brightness as it is


CROPS = [
    Crop("astronaut", 0, 0, 256, False, 256), Crop("astronaut", 0, 0, 256, True, 256),
    Crop("astronaut", 0, 0, 256, False, 128), Crop("astronaut", 0, 0, 256, False, 384),
    Crop("astronaut", 16, 0, 224, False, 256), Crop("astronaut", 32, 0, 192, True, 230),
    Crop("astronaut", 70, 0, 96, False, 256), Crop("astronaut", 70, 0, 96, True, 256),
    Crop("astronaut", 80, 16, 72, False, 256), Crop("astronaut", 84, 20, 64, True, 300),
    Crop("astronaut", 64, 0, 112, False, 180), Crop("astronaut", 76, 8, 80, False, 320),
    Crop("astronaut", 0, 128, 128, False, 256), Crop("astronaut", 60, 10, 90, True, 90),
    Crop("camera", 0, 0, 256, False, 256), Crop("camera", 0, 0, 256, True, 256),
    Crop("camera", 40, 40, 200, False, 256), Crop("camera", 60, 20, 196, False, 350),
    Crop("camera", 90, 40, 64, False, 256), Crop("camera", 80, 30, 96, True, 200),
    Crop("camera", 30, 56, 200, True, 160), Crop("chelsea", 0, 0, 128, False, 256),
    Crop("chelsea", 20, 10, 96, True, 256), Crop("chelsea", 40, 20, 64, False, 300),
]


# Picture, degrees turned, middle and side of the square that is seen, in pixels.
CALIBRATION = [
    ("astronaut", 12, 260, 270, 560), ("astronaut", -20, 230, 300, 680), ("astronaut", -9, 230, 120, 190),
    ("camera", 9, 250, 270, 600), ("camera", -14, 280, 250, 460), ("coffee", 0, 300, 200, 400),
]


def base(name: str) -> np.ndarray:
    """[side, side, 3] bytes: the middle of the picture, halved by means of 2 x 2 pixels."""
    picture = getattr(skimage.data, name)()
    if picture.ndim == 2:
        picture = np.repeat(picture[..., None], 3, axis=2)
    side = min(512, 2 ** int(np.log2(min(picture.shape[:2]))))
    top, left = ((size - side) // 2 for size in picture.shape[:2])
    square = picture[top : top + side, left : left + side].astype(np.uint32)
    quads = square.reshape(side // 2, 2, side // 2, 2, 3).sum(axis=(1, 3))
    return ((quads + 2) // 4).astype(np.uint8)


def write_bases(folder: Path):
    for name in BASES:
        picture = base(name)
        header = f"P6 {picture.shape[1]} {picture.shape[0]} 255\n".encode()
        (folder / f"{name}.ppm").write_bytes(header + picture.tobytes())


def model_input(crop: Crop, shape: list[int], value_range: list[float], is_grey: bool) -> np.ndarray:
    """The crop as a model takes it, [1, height, width, channels], by the nearest pixel and whole-number arithmetic."""
    _, height, width, channels = shape
    rows = crop.y + (2 * np.arange(height) + 1) * crop.side // (2 * height)
    columns = crop.x + (2 * np.arange(width) + 1) * crop.side // (2 * width)
    pixels = base(crop.picture)[rows[:, None], (columns[::-1] if crop.is_flipped else columns)[None, :]]
    pixels = np.minimum(pixels.astype(np.int64) * crop.gain // 256, 255)
    if is_grey:
        grey = (pixels @ [299, 587, 114] + 500) // 1000
        pixels = np.repeat(grey[..., None], channels, axis=2)
    low, high = np.float32(value_range)
    return (pixels.astype(np.float32) / np.float32(255) * (high - low) + low)[None]


def calibration(shape: list[int], value_range: list[float]) -> np.ndarray:
    """[N, height, width, 3]: pictures turned, stretched and cut otherwise than the goldens', some without people."""
    _, height, width, _ = shape
    result = []
    for index, (name, turn, x, y, side) in enumerate(CALIBRATION):
        picture = getattr(skimage.data, name)()
        picture = np.repeat(picture[..., None], 3, axis=2) if picture.ndim == 2 else picture[..., :3]
        angle = np.deg2rad(turn)
        # Pixels of the model's picture, from -1/2 to 1/2, turned and put on the source.
        v, u = np.meshgrid((np.arange(height) + 0.5) / height - 0.5, (np.arange(width) + 0.5) / width - 0.5, indexing="ij")
        columns = np.rint(x + side * (u * np.cos(angle) - v * np.sin(angle))).astype(int)
        rows = np.rint(y + side * (u * np.sin(angle) + v * np.cos(angle))).astype(int)
        inside = (rows >= 0) & (rows < picture.shape[0]) & (columns >= 0) & (columns < picture.shape[1])
        pixels = picture[np.where(inside, rows, 0), np.where(inside, columns, 0)] * inside[..., None]
        low, high = value_range
        result.append(pixels[:, :: 1 if index % 2 else -1] / 255 * (high - low) + low)
    return np.stack(result)


def described() -> list[dict]:
    """For Swift."""
    return [{"isFlipped" if key == "is_flipped" else key: value for key, value in asdict(crop).items()} for crop in CROPS]

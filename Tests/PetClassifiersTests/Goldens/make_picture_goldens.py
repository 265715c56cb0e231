#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Makes small files of every kind of PNG and JPEG that people have, and what Pillow decodes them to. The picture is computed
here; nobody's rights are in it. Needs Pillow 13.0.0 and numpy 1.26.4."""

import io
import json
from base64 import b64encode
from pathlib import Path

import numpy as np
from PIL import Image

WIDTH, HEIGHT = 13, 9


def main():
    y, x = np.mgrid[0:HEIGHT, 0:WIDTH]
    rgb = np.stack([x * 19, y * 28, (x + y) * 12], axis=2).astype(np.uint8)
    alpha = ((x + y) * 12).astype(np.uint8)
    color, grey = Image.fromarray(rgb), Image.fromarray(rgb[..., 0])
    with_alpha = Image.fromarray(np.dstack([rgb, alpha]))
    cases = {
        "png rgb": (color, {"format": "PNG"}),
        "png grey": (grey, {"format": "PNG"}),
        "png alpha": (with_alpha, {"format": "PNG"}),
        "png palette": (color.quantize(16), {"format": "PNG"}),
        "png one bit": (grey.convert("1"), {"format": "PNG"}),
        "png 16 bit": (Image.fromarray(rgb[..., 0].astype(np.uint16) * 257), {"format": "PNG"}),
        "jpeg": (color, {"format": "JPEG", "quality": 95, "subsampling": 0}),
        "jpeg 4:2:0": (color, {"format": "JPEG", "quality": 90}),
        "jpeg progressive": (color, {"format": "JPEG", "quality": 90, "progressive": True}),
        "jpeg grey": (grey, {"format": "JPEG", "quality": 95}),
        "jpeg ink": (color.convert("CMYK"), {"format": "JPEG"}),
    }
    for orientation in range(1, 9):
        exif = Image.Exif()
        exif[0x0112] = orientation
        cases[f"jpeg orientation {orientation}"] = (color, {"format": "JPEG", "quality": 95, "exif": exif})
    cases["png orientation 6"] = (color, {"format": "PNG", "exif": cases["jpeg orientation 6"][1]["exif"]})
    goldens = [golden(name, image, options) for name, (image, options) in cases.items()]
    text = json.dumps(goldens, separators=(",", ":"))
    Path(__file__).with_name("pictures.json").write_text(text + "\n")
    print(len(goldens), "pictures", len(text), "bytes")


def golden(name: str, image: Image.Image, options: dict) -> dict:
    file = io.BytesIO()
    image.save(file, **options)
    decoded = Image.open(io.BytesIO(file.getvalue()))
    turned = upright(decoded, decoded.getexif().get(0x0112, 1))
    if turned.mode == "RGBA":
        # Straight alpha over white in linear light, as the PNG specification says (third edition, 13.16).
        values = np.asarray(turned, np.float64) / 255
        linear = np.where(values <= 0.04045, values / 12.92, ((values + 0.055) / 1.055) ** 2.4)
        mixed = linear[..., :3] * values[..., 3:] + (1 - values[..., 3:])
        pixels = np.where(mixed <= 0.0031308, mixed * 12.92, 1.055 * mixed ** (1 / 2.4) - 0.055) * 255
        pixels = np.rint(pixels).astype(np.uint8)
    elif turned.mode.startswith("I"):
        pixels = np.repeat((np.asarray(turned, np.uint32) // 257).astype(np.uint8)[..., None], 3, axis=2)
    else:
        pixels = np.asarray(turned.convert("RGB"))
    return {
        "name": name, "file": b64encode(file.getvalue()).decode(), "width": pixels.shape[1], "height": pixels.shape[0],
        "pixels": b64encode(pixels.tobytes()).decode(),
    }


def upright(image: Image.Image, orientation: int) -> Image.Image:
    turn = {
        2: Image.Transpose.FLIP_LEFT_RIGHT, 3: Image.Transpose.ROTATE_180, 4: Image.Transpose.FLIP_TOP_BOTTOM,
        5: Image.Transpose.TRANSPOSE, 6: Image.Transpose.ROTATE_270, 7: Image.Transpose.TRANSVERSE,
        8: Image.Transpose.ROTATE_90,
    }
    return image.transpose(turn[orientation]) if orientation in turn else image


if __name__ == "__main__":
    main()

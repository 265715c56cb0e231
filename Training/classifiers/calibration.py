# SPDX-License-Identifier: Apache-2.0
"""Rounds the filters of a graph to 8 bits so that its results change least on pictures.

Columns of a filter are rounded one after the other, and each error is made up for by the columns to come, as far as inputs
are correlated: GPTQ, Frantar and others 2022, https://arxiv.org/abs/2210.17323. What drift is left in the mean of a channel
is taken off its bias: Nagel and others 2019, https://arxiv.org/abs/1906.04721.
"""

import numpy as np

import interpreter
import pictures
import rounding

SMALL = 2048  # filters of fewer elements than this are not worth rounding
SAMPLES = 20000  # places of pictures looked at for one filter
DAMPING = 0.01  # of the mean of the diagonal


def quantize(graph, round_depthwise: bool):
    """Replaces constants by values that can be stored in 8 bits, and corrects biases."""
    constants = {name: values.astype(np.float64) for name, values in graph.constants.items()}
    [image] = graph.inputs
    exact = {"image": pictures.calibration(image["shape"], image["range"])}
    actual = dict(exact)
    last_use = {name: i for i, node in enumerate(graph.nodes) for name in node["inputs"]}
    for i, node in enumerate(graph.nodes):
        values = [exact.get(name, constants.get(name)) for name in node["inputs"]]
        exact[node["output"]] = interpreter.run(node, values)
        if node["op"] in ("conv2d", "depthwise_conv2d"):
            round_filter(graph, node, actual[node["inputs"][0]], values, round_depthwise)
        values = [actual[name] if name in actual else graph.constants[name] for name in node["inputs"]]
        actual[node["output"]] = interpreter.run(node, values)
        for name in node["inputs"]:
            if last_use[name] == i and name in exact:
                del exact[name], actual[name]


def round_filter(graph, node, x: np.ndarray, exact: list[np.ndarray], round_depthwise: bool):
    _, filter_name, bias_name = node["inputs"]
    filters, bias = graph.constants[filter_name].astype(np.float64), exact[2]
    is_depthwise = node["op"] == "depthwise_conv2d"
    if filters.size < SMALL or (is_depthwise and not round_depthwise):
        graph.constants[filter_name] = filters.astype(np.float16)
    else:
        scales = rounding.scales(filters)
        graph.scales[filter_name] = scales
        graph.constants[filter_name] = (
            rounding.rounded(filters, scales) if is_depthwise else make_up(filters, scales, sampled(node, x, filters))
        )
    wanted = interpreter.linear(node, exact[0], filters, bias)
    given = interpreter.linear(node, x, graph.constants[filter_name].astype(np.float64), bias)
    graph.constants[bias_name] = bias + (wanted - given).mean(axis=(0, 1, 2))


def sampled(node, x: np.ndarray, filters: np.ndarray) -> np.ndarray:
    """[places, elements of a filter]: evenly chosen inputs of a convolution."""
    seen = interpreter.patches(x, filters.shape[1:3], node)
    places = seen.shape[0] * seen.shape[1] * seen.shape[2]
    chosen = np.unravel_index(np.arange(0, places, max(1, places // SAMPLES)), seen.shape[:3])
    return seen[chosen].reshape(len(chosen[0]), -1)


def make_up(filters: np.ndarray, scales: np.ndarray, inputs: np.ndarray) -> np.ndarray:
    weights, scale = filters.reshape(len(filters), -1).copy(), scales.reshape(len(scales), -1)
    hessian = inputs.T @ inputs / len(inputs)
    size = len(hessian)
    hessian[np.diag_indices(size)] += DAMPING * np.mean(np.diag(hessian)) + 1e-12
    # Upper factor of the inverse: row i says how the columns after i make up for an error in column i.
    upper = np.linalg.cholesky(np.linalg.inv(hessian)).T
    result = np.zeros_like(weights)
    for i in range(size):
        result[:, i] = rounding.rounded(weights[:, i], scale[:, i])
        error = (weights[:, i] - result[:, i]) / upper[i, i]
        weights[:, i + 1 :] -= np.outer(error, upper[i, i + 1 :])
    return result.reshape(filters.shape)

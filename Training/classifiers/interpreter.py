# SPDX-License-Identifier: Apache-2.0
"""Runs the nodes of a graph on many pictures at once, in 64 bits, so that what is made of the results is the same anywhere."""

import numpy as np


def patches(x: np.ndarray, kernel, node) -> np.ndarray:
    """[N, H', W', h, w, C]: what the kernel sees at each of its places; a view."""
    top, right, bottom, left = node["padding"]
    padded = np.pad(x, ((0, 0), (top, bottom), (left, right), (0, 0)), constant_values=node.get("outside", 0))
    windows = np.lib.stride_tricks.sliding_window_view(padded, tuple(kernel), axis=(1, 2))
    down, across = node["stride"]
    return windows[:, ::down, ::across].transpose(0, 1, 2, 4, 5, 3)


def activated(values: np.ndarray, node) -> np.ndarray:
    low, high = {"none": (None, None), "relu": (0, None), "relu6": (0, 6)}[node.get("activation", "none")]
    return values if low is None else np.clip(values, low, high)


def linear(node, x: np.ndarray, filters: np.ndarray, bias: np.ndarray) -> np.ndarray:
    """A convolution without its activation."""
    if node["op"] == "depthwise_conv2d":
        seen = patches(x, filters.shape[1:3], node)
        result = np.zeros(seen.shape[:3] + seen.shape[5:])
        for i, j in np.ndindex(*filters.shape[1:3]):
            result += seen[:, :, :, i, j] * filters[0, i, j]
        return result + bias
    seen = patches(x, filters.shape[1:3], node)
    return seen.reshape(*seen.shape[:3], -1) @ filters.reshape(len(filters), -1).T + bias


def resize_bilinear(x: np.ndarray, node) -> np.ndarray:
    for axis in (1, 2):
        size, source = node["shape"][axis], x.shape[axis]
        places = np.arange(size, dtype=np.float64)
        if node["mode"] == "half_pixel":
            places = (places + 0.5) * source / size - 0.5
        else:
            places *= (source - 1) / (size - 1) if node["mode"] == "align_corners" else source / size
        places = np.clip(places, 0, source - 1)
        before = places.astype(int)
        weight = (places - before).reshape([-1 if i == axis else 1 for i in range(4)])
        after = np.minimum(before + 1, source - 1)
        x = np.take(x, before, axis) * (1 - weight) + np.take(x, after, axis) * weight
    return x


def run(node, operands: list[np.ndarray]) -> np.ndarray:
    x = operands[0]
    match node["op"]:
        case "conv2d" | "depthwise_conv2d":
            return activated(linear(node, *operands), node)
        case "add":
            return activated(x + operands[1], node)
        case "prelu":
            return np.where(x < 0, x * operands[1], x)
        case "sigmoid":
            return 1 / (1 + np.exp(-x))
        case "max_pool2d":
            return patches(x, node["kernel"], node | {"outside": -np.inf}).max(axis=(3, 4))
        case "pad":
            return np.pad(x, [(0, 0), *zip(node["before"][1:], node["after"][1:])])
        case "resize_bilinear":
            return resize_bilinear(x, node)
        case "reshape":
            return x.reshape(len(x), *node["shape"][1:])
        case "depth_to_space":
            n, height, width, depth = x.shape
            block = node["block"]
            parts = x.reshape(n, height, width, block, block, depth // block**2)
            return parts.transpose(0, 1, 3, 2, 4, 5).reshape(n, height * block, width * block, -1)
    raise SystemExit(f"{node['op']} is not known here")

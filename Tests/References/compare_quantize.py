# SPDX-License-Identifier: Apache-2.0
"""`pet models quantize` beside llama.cpp's quantizer, from the same F16 file: time, error of every tensor, perplexity.

    python compare_quantize.py --model MODEL.gguf --pet PATH/TO/pet [--types Q4_K_M,Q6_K] [--threads 2] [--runs 3]
                               [--no-perplexity]

Exit code 1 where a matrix has another type than llama.cpp gives it (in a mix), or a squared error more than 1 % above
llama.cpp's.
"""
import argparse
import ctypes
import os
import resource
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import gguf
import llama_cpp as L
import numpy as np

from model_texts import CONTEXT, ESSAY
from ours import Ours

TYPES = ["Q4_K_M", "Q4_K_S", "Q5_K_M", "Q2_K", "Q3_K", "Q4_K", "Q5_K", "Q6_K"]
# llama.cpp names its mixes only; `pure` makes one type of them.
PURE = {"Q2_K": "Q2_K", "Q3_K": "Q3_K_S", "Q4_K": "Q4_K_S", "Q5_K": "Q5_K_S", "Q6_K": "Q6_K"}
BOUND = 1.01


def ours(pet, source, target, kind, threads):
    """Seconds of wall clock and of processors."""
    wall, before = time.perf_counter(), resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run([pet, "models", "quantize", source, target, "--type", kind, "--threads", str(threads)], check=True,
                   stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return time.perf_counter() - wall, after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def theirs(source, target, kind, threads):
    parameters = L.llama_model_quantize_default_params()
    parameters.ftype = getattr(L, f"LLAMA_FTYPE_MOSTLY_{PURE.get(kind, kind)}")
    parameters.pure = kind in PURE
    parameters.nthread = threads
    wall, cpu = time.perf_counter(), time.process_time()
    if L.llama_model_quantize(str(source).encode(), str(target).encode(), ctypes.byref(parameters)) != 0:
        raise SystemExit(f"llama.cpp cannot quantize to {kind}")
    return time.perf_counter() - wall, time.process_time() - cpu


def errors(source, mine, other, is_mix):
    """Ratio of squared errors, ours to theirs: over all super-block matrices, and the largest of one; and what differs."""
    ours_all = theirs_all = worst = 0.0
    wrong = []
    tensors = [{t.name: t for t in gguf.GGUFReader(path).tensors} for path in (source, mine, other)]
    for name, tensor in tensors[0].items():
        a, b = tensors[1][name], tensors[2][name]
        if a.tensor_type != b.tensor_type:
            if is_mix:
                wrong.append(f"{name}: {a.tensor_type.name}, llama.cpp {b.tensor_type.name}")
            continue
        if not a.tensor_type.name.endswith("_K"):
            continue
        exact = tensor.data.astype(np.float32)
        mean = [float(np.square(gguf.quants.dequantize(t.data, t.tensor_type).reshape(exact.shape) - exact,
                                dtype=np.float64).mean()) for t in (a, b)]
        ours_all, theirs_all = ours_all + mean[0] * exact.size, theirs_all + mean[1] * exact.size
        worst = max(worst, mean[0] / mean[1])
    return ours_all / theirs_all if theirs_all else float("nan"), worst, wrong


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--model", required=True)
    parser.add_argument("--pet", required=True)
    parser.add_argument("--types", default=",".join(TYPES))
    parser.add_argument("--threads", type=int, default=os.cpu_count())
    parser.add_argument("--runs", type=int, default=3)
    parser.add_argument("--no-perplexity", action="store_true")
    a = parser.parse_args()
    silent = ctypes.CFUNCTYPE(None, ctypes.c_int, ctypes.c_char_p, ctypes.c_void_p)(lambda *_: None)
    L.llama_log_set(silent, None)
    broken = False
    with tempfile.TemporaryDirectory() as scratch:
        source, mine, other = (Path(scratch) / f"{name}.gguf" for name in ("source", "mine", "other"))
        subprocess.run([a.pet, "models", "quantize", a.model, source, "--type", "F16"], check=True,
                       stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        for kind in a.types.split(","):
            runs = [(*ours(a.pet, source, mine, kind, a.threads), *theirs(source, other, kind, a.threads))
                    for _ in range(a.runs)]
            wall, cpu, peer_wall, peer_cpu = (statistics.median(column) for column in zip(*runs))
            overall, worst, wrong = errors(source, mine, other, kind not in PURE)
            broken |= bool(wrong) or worst > BOUND
            print(f"{kind:7} {wall:6.2f} s, processors {cpu:6.2f} s; llama.cpp {peer_wall:6.2f} s, {peer_cpu:6.2f} s; "
                  f"squared error {overall:.4f} of llama.cpp's, at most {worst:.4f} in one matrix")
            for line in wrong:
                print(f"        {line}")
            if not a.no_perplexity:
                found = [Ours(a.pet, path).perplexity(ESSAY, CONTEXT) for path in (mine, other)]
                print(f"        perplexity {found[0]:.4f}, of llama.cpp's file {found[1]:.4f}", flush=True)
    sys.exit(1 if broken else 0)


if __name__ == "__main__":
    main()

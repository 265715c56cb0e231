# SPDX-License-Identifier: Apache-2.0
"""Perplexity of our `pet` and of llama.cpp on one model in every quantization that llama.cpp makes.

    python compare_types.py --model MODEL.gguf --pet PATH/TO/pet

llama.cpp quantizes the dequantized weights of MODEL to each type (matrices whose width is no multiple of 256 fall back to
types that fit, so a file mixes several); both engines then read the same file. Exit code 1 where they differ by 0.5 % or more.
"""
import argparse
import collections
import sys
import tempfile
from pathlib import Path

import gguf
import llama_cpp as L

from float_model import write_float_model
from ours import Ours
from peer import Peer
from model_texts import CONTEXT, ESSAY, essay

TYPES = ["F32", "F16", "BF16", "Q4_0", "Q4_1", "Q5_0", "Q5_1", "Q8_0", "Q2_K", "Q3_K_M", "Q4_K_M", "Q5_K_M", "Q6_K"]
BOUND = 0.005


def quantize(source, target, kind):
    parameters = L.llama_model_quantize_default_params()
    parameters.ftype = L.LLAMA_FTYPE_ALL_F32 if kind == "F32" else getattr(L, "LLAMA_FTYPE_MOSTLY_" + kind)
    parameters.nthread = 2
    if L.llama_model_quantize(str(source).encode(), str(target).encode(), parameters) != 0:
        raise SystemExit(f"llama.cpp cannot quantize to {kind}")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--model", required=True)
    parser.add_argument("--pet", required=True)
    parser.add_argument("--types", default=",".join(TYPES))
    a = parser.parse_args()
    worst = 0
    with tempfile.TemporaryDirectory() as scratch:
        floats = Path(scratch) / "float.gguf"
        write_float_model(a.model, floats)
        for kind in a.types.split(","):
            path = Path(scratch) / f"{kind}.gguf"
            quantize(floats, path, kind)
            held = collections.Counter(t.tensor_type.name for t in gguf.GGUFReader(path).tensors if len(t.shape) > 1)
            peer = Peer(path, context=CONTEXT, threads=2)
            theirs, _, _ = peer.perplexity(essay(), CONTEXT)
            peer.close()
            ours = Ours(a.pet, path).perplexity(ESSAY, CONTEXT)
            worst = max(worst, abs(ours / theirs - 1))
            print(f"{kind:7} llama.cpp {theirs:9.4f}   ours {ours:9.4f}   {100 * (ours / theirs - 1):+.3f} %   "
                  + ", ".join(f"{n} {t}" for t, n in held.most_common()), flush=True)
            path.unlink()
    sys.exit(1 if worst >= BOUND else 0)


if __name__ == "__main__":
    main()

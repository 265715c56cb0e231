# SPDX-License-Identifier: Apache-2.0
"""Makes Tests/Fixtures/smollm2 and Tests/Fixtures/nano: what llama.cpp answers, for tests that run without Python.

    python make_model_goldens.py SMOLLM2.gguf Tests/Fixtures/smollm2
    python make_model_goldens.py Models/NANO.gguf Tests/Fixtures/nano

Twice: "quantized" is llama.cpp on the file itself, where it rounds activations to 8 bits; "float" is llama.cpp on the same
weights dequantized to F32, which is what they stand for (noise_floor.py shows how far apart the two are, and why the float
one is the truth to measure against).

goldens.json: the file's SHA-256; the slices of Fixtures/text/essay.txt; and for both: the perplexity of that text, and per
prompt the ids, the greedy continuation (64 tokens, or up to an end token, not included) and the gap in logit between the
two best tokens at each step, the end included. top20-quantized.bin and top20-float.bin, little-endian, N = slices x slice
length: int32 ids[N][20], best first, then float32 log-probabilities[N][20]. Flash attention off, f16 cache for quantized
and f32 for float; one thread.
"""
import hashlib
import json
import sys
import tempfile
from pathlib import Path

import llama_cpp
import numpy as np

from float_model import write_float_model
from peer import Peer, log_softmax
from model_texts import CONTEXT, ESSAY, NEW_TOKENS, essay, prompts, slices

TOP = 20


def top_rows(peer, parts):
    ids, values = [], []
    for part in parts:
        rows = log_softmax(peer.logits(part))
        best = np.argsort(-rows, axis=-1, kind="stable")[:, :TOP]
        ids.append(best)
        values.append(np.take_along_axis(rows, best, axis=-1))
    return np.concatenate(ids).astype("<i4"), np.concatenate(values).astype("<f4")


def one_line_per_entry(value):
    """JSON with one line per key, and one per element of a list of objects or lists."""
    def text(v):
        if isinstance(v, list):
            return "[\n" + ",\n".join("  " + json.dumps(x, ensure_ascii=False) for x in v) + "\n ]"
        return json.dumps(v, ensure_ascii=False)
    return "{\n" + ",\n".join(f" {json.dumps(k)}: {text(v)}" for k, v in value.items()) + "\n}\n"


def answers(peer, parts):
    greedy = []
    for prompt in prompts():
        ids = peer.tokenize(prompt, bos=peer.adds_bos)
        new, gaps = peer.greedy(ids, NEW_TOKENS)
        greedy.append({"prompt": prompt, "prompt_ids": ids, "ids": new, "text": peer.text(new),
                       "gaps": [round(g, 4) for g in gaps]})
    value, chunks, scored = peer.perplexity(essay(), CONTEXT)
    return {"perplexity": {"file": ESSAY.name, "context": CONTEXT, "chunks": chunks, "scored": scored,
                           "value": round(value, 6)}, "greedy": greedy}


def main():
    model = Path(sys.argv[1])
    out = Path(sys.argv[2])
    out.mkdir(parents=True, exist_ok=True)
    goldens = {"model_sha256": hashlib.sha256(model.read_bytes()).hexdigest(),
               "made_with": f"llama-cpp-python {llama_cpp.__version__}", "top": TOP}
    with tempfile.TemporaryDirectory() as scratch:
        floats = Path(scratch) / "float.gguf"
        write_float_model(model, floats)
        for kind, path in (("quantized", model), ("float", floats)):
            peer = Peer(path, context=CONTEXT, threads=1, f32_cache=kind == "float")
            parts = slices(peer.tokenize(essay()))
            goldens["slices"] = parts
            found = answers(peer, parts)
            goldens |= {f"{kind}_{key}": value for key, value in found.items()}
            best, values = top_rows(peer, parts)
            (out / f"top20-{kind}.bin").write_bytes(best.tobytes() + values.tobytes())
            print(f"{kind}: perplexity {found['perplexity']['value']:.4f} over {found['perplexity']['scored']} tokens, "
                  f"{len(best)} positions", flush=True)
            peer.close()
    (out / "goldens.json").write_text(one_line_per_entry(goldens), encoding="utf-8")


if __name__ == "__main__":
    main()

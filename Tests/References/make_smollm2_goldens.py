"""Makes Tests/Fixtures/smollm2: what llama.cpp answers on the default model, for tests that run without Python.

    python make_smollm2_goldens.py MODEL.gguf [OUT]

goldens.json: the file's SHA-256, per prompt its ids, llama.cpp's greedy continuation (64 tokens or up to an end token) and
the gap in logit between the two best tokens at each step; the perplexity of Fixtures/text/essay.txt; and the slices of that
text whose positions top20.bin covers. top20.bin, little-endian, N = slices x slice length: int32 ids[N][20], best first,
then float32 log-probabilities[N][20]. One thread, default f16 cache, flash attention off.
"""
import hashlib
import json
import sys
from pathlib import Path

import llama_cpp
import numpy as np

from peer import Peer, log_softmax
from smollm2_texts import CONTEXT, ESSAY, GOLDENS, NEW_TOKENS, essay, prompts, slices

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


def main():
    model = Path(sys.argv[1])
    out = Path(sys.argv[2]) if len(sys.argv) > 2 else GOLDENS
    out.mkdir(parents=True, exist_ok=True)
    peer = Peer(model, context=CONTEXT, threads=1)

    greedy = []
    for prompt in prompts():
        ids = peer.tokenize(prompt, bos=peer.adds_bos)
        new, gaps = peer.greedy(ids, NEW_TOKENS)
        greedy.append({"prompt": prompt, "prompt_ids": ids, "ids": new, "text": peer.text(new),
                       "gaps": [round(g, 4) for g in gaps]})
    value, chunks, scored = peer.perplexity(essay(), CONTEXT)
    parts = slices(peer.tokenize(essay()))
    best, values = top_rows(peer, parts)

    goldens = {
        "model_sha256": hashlib.sha256(model.read_bytes()).hexdigest(),
        "made_with": f"llama-cpp-python {llama_cpp.__version__}",
        "greedy": greedy,
        "perplexity": {"file": ESSAY.name, "context": CONTEXT, "chunks": chunks, "scored": scored, "value": round(value, 6)},
        "slices": parts,
        "top": TOP,
    }
    (out / "goldens.json").write_text(one_line_per_entry(goldens), encoding="utf-8")
    (out / "top20.bin").write_bytes(best.tobytes() + values.tobytes())
    print(f"perplexity {value:.4f} over {chunks} chunks, {scored} tokens; smallest gap of a step "
          f"{min(min(g['gaps']) for g in greedy):.4f}; {len(best)} positions")


if __name__ == "__main__":
    main()

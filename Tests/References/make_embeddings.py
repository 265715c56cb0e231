# SPDX-License-Identifier: Apache-2.0
"""Makes Tests/Fixtures/embeddings: mean-pooled hidden states of length 1.

    python make_embeddings.py Models/NANO.gguf [OUT]        (default: Tests/Fixtures/embeddings)

- small.json: transformers on the small models, F32: the mean of `last_hidden_state` over the ids of each whole case.
- nano.json: llama.cpp, pooling mean, on the same weights as F32 (float_model.py): texts, their ids, their vectors.
"""
import json
import sys
import tempfile
from pathlib import Path

import llama_cpp as L
import numpy as np
import torch

from float_model import write_float_model
from make_small_models import load
from peer import Peer
from small_models import MODELS

HERE = Path(__file__).parent
TEXTS = [
    "The cat sleeps in the sun.",
    "A kitten is napping on the warm windowsill.",
    "Quarterly revenue rose by eight percent.",
    "Hi",
    " ".join(f"Line {i}: the little boat sailed past the lighthouse." for i in range(40)),
]


def unit(vector):
    vector = np.asarray(vector, dtype=np.float64)
    return [round(float(x), 8) for x in vector / np.linalg.norm(vector)]


@torch.no_grad()
def states(model, ids):
    return model.model(torch.tensor([ids]), use_cache=False).last_hidden_state[0].double().mean(0).numpy()


def pooled(path, texts):
    """Ids and llama.cpp's own mean of each text."""
    helper = Peer(path, context=2048, f32_cache=True)
    parameters = L.llama_context_default_params()
    parameters.n_ctx = parameters.n_batch = parameters.n_ubatch = 2048
    parameters.n_threads = parameters.n_threads_batch = 1
    parameters.embeddings, parameters.pooling_type = True, L.LLAMA_POOLING_TYPE_MEAN
    parameters.type_k = parameters.type_v = 0  # GGML_TYPE_F32
    parameters.flash_attn_type = L.LLAMA_FLASH_ATTN_TYPE_DISABLED
    found = []
    for text in texts:
        context = L.llama_init_from_model(helper.model, parameters)
        ids = helper.tokenize(text, bos=helper.adds_bos)
        batch = L.llama_batch_init(len(ids), 0, 1)
        batch.n_tokens = len(ids)
        for i, token in enumerate(ids):
            batch.token[i], batch.pos[i], batch.n_seq_id[i], batch.seq_id[i][0] = token, i, 1, 0
            batch.logits[i] = True
        assert L.llama_decode(context, batch) == 0
        width = L.llama_model_n_embd(helper.model)
        vector = np.ctypeslib.as_array(L.llama_get_embeddings_seq(context, 0), (width,)).copy()
        found.append({"text": text, "ids": ids, "vector": unit(vector)})
        L.llama_batch_free(batch)
        L.llama_free(context)
    helper.close()
    return found


def write(path, entries):
    path.write_text("[\n" + ",\n".join(" " + json.dumps(entry) for entry in entries) + "\n]\n")


def main():
    torch.set_num_threads(1)
    nano = Path(sys.argv[1])
    out = Path(sys.argv[2]) if len(sys.argv) > 2 else HERE.parent / "Fixtures" / "embeddings"
    out.mkdir(parents=True, exist_ok=True)
    small = []
    for name in (m.name for m in MODELS):
        folder = HERE.parent / "Fixtures" / "models" / name
        model = load(folder)
        for case in json.loads((folder / "prompt.json").read_text())["cases"]:
            if case["kind"] == "whole":
                small.append({"model": name, "ids": case["ids"], "vector": unit(states(model, case["ids"]))})
    write(out / "small.json", small)
    with tempfile.TemporaryDirectory() as scratch:
        floats = Path(scratch) / "float.gguf"
        write_float_model(nano, floats)
        write(out / "nano.json", pooled(floats, TEXTS))


if __name__ == "__main__":
    main()

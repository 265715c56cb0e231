# SPDX-License-Identifier: Apache-2.0
"""Makes Tests/Fixtures/models: small random Llama, Phi-3 and Qwen2 models with the logits transformers gives for them.

    python make_small_models.py [OUT] [NAME ...]     (default: Tests/Fixtures/models next to this script's folder, all)

Each NAME/ has a Hugging Face folder (config.json, *.safetensors, tokenizer files), the same weights as model.gguf, and
goldens: prompt.json lists cases {name, ids, rows, kind}, logits.f32 is float32 little-endian [sum of rows][vocabulary],
the cases one after the other. A case of kind "whole" is one pass over ids, its rows are positions of that pass. In a
case of kind "growing", row r is the last position of a pass over ids[0...r] alone: what generation sees at each length.
"""
import sys
from pathlib import Path

import numpy as np
import torch
import transformers

from small_folder import train_tokenizer, write_folder, write_json
from small_gguf import write_gguf
from small_models import MODELS, VOCAB


def load(folder):
    transformers.logging.set_verbosity_error()
    transformers.utils.logging.disable_progress_bar()
    model, info = transformers.AutoModelForCausalLM.from_pretrained(
        folder, dtype=torch.float32, attn_implementation="eager", output_loading_info=True)
    problems = {k: v for k, v in info.items() if v}
    if problems:
        raise SystemExit(f"{folder}: transformers does not load every weight: {problems}")
    return model.eval()


@torch.no_grad()
def logits(model, ids, **kwargs):
    """[positions][vocabulary], float32, one pass without a cache."""
    return model(torch.tensor([ids]), use_cache=False, **kwargs).logits[0].numpy()


def golden_rows(n):
    """The first three positions, every eighth, and the last four."""
    return sorted(set(range(min(3, n))) | set(range(0, n, 8)) | set(range(max(0, n - 4), n)))


def make_goldens(small, model):
    cases, blocks = [], []
    prompts = small.prompts()
    for name, ids in prompts.items():
        rows = list(small.rows or golden_rows(len(ids)))
        cases.append({"name": name, "kind": "whole", "ids": ids, "rows": rows})
        blocks.append(logits(model, ids)[rows])
    if small.growing:
        ids = prompts["long"][:max(small.growing) + 1]
        cases.append({"name": "growing", "kind": "growing", "ids": ids, "rows": list(small.growing)})
        blocks.append(np.stack([logits(model, ids[:r + 1])[-1] for r in small.growing]))
    return cases, np.concatenate(blocks).astype("<f4")


def main():
    torch.set_num_threads(1)
    root = Path(sys.argv[1]) if len(sys.argv) > 1 else Path(__file__).parent.parent / "Fixtures" / "models"
    tokenizer = train_tokenizer()
    for small in (m for m in MODELS if m.name in sys.argv[2:] or len(sys.argv) < 3):
        folder = root / small.name
        weights = write_folder(small, folder, tokenizer)
        write_gguf(small, folder, weights, tokenizer)
        cases, block = make_goldens(small, load(folder))
        write_json(folder / "prompt.json", {"vocab": VOCAB, "shape": list(block.shape), "cases": cases})
        (folder / "logits.f32").write_bytes(block.tobytes())
        size = sum(f.stat().st_size for f in folder.iterdir())
        print(f"{small.name:22} {size / 1e3:7.0f} kB   {len(block):3} rows   logits std {block.std():.2f}")


if __name__ == "__main__":
    main()

# SPDX-License-Identifier: Apache-2.0
"""Makes Tests/Fixtures/adapters/live: LoRA adapters for small models, and the logits that llama.cpp gives with each applied while
the model runs. Rerunning gives the same files.

    python make_live_adapters.py [OUT]        (default: Tests/Fixtures/adapters/live)

- NAME.gguf: factors as F32, so that llama.cpp computes with them exactly. Those of the embedding lie the other way.
- live.json: for each its base, the ids and the rows; live.f32: those rows, one adapter after the other, float32.
"""
import json
import re
import sys
from pathlib import Path

import gguf
import numpy as np

from peer import logits

HERE = Path(__file__).parent
MODELS = HERE.parent / "Fixtures" / "models"
SEED = 93
# Base, targets (a pattern of tensor names), rank, alpha.
ADAPTERS = {
    "llama-all": ("llama-gqa", r".*", 6, 12.0),
    "llama-attention": ("llama-gqa", r".*attn_[qv]\.", 16, 32.0),
    "llama-feed-forward": ("llama-gqa", r".*ffn_", 3, 4.5),
    "phi3-all": ("phi3-gqa-partial", r".*", 5, 10.0),
}


def write_adapter(path, model, pattern, rank, alpha, seed):
    rng = np.random.default_rng(seed)
    reader = gguf.GGUFReader(model)
    writer = gguf.GGUFWriter(path, reader.fields["general.architecture"].contents())
    writer.add_type(gguf.GGUFType.ADAPTER)
    writer.add_string(gguf.Keys.Adapter.TYPE, "lora")
    writer.add_float32(gguf.Keys.Adapter.LORA_ALPHA, alpha)
    for tensor in reader.tensors:
        if len(tensor.shape) != 2 or not re.match(pattern, tensor.name):
            continue
        columns, rows = (int(n) for n in tensor.shape)
        embedding = tensor.name == "token_embd.weight"
        a, b = ((rows, rank), (columns, rank)) if embedding else ((rank, columns), (rows, rank))
        for suffix, shape in ((".lora_a", a), (".lora_b", b)):
            writer.add_tensor(tensor.name + suffix, (rng.standard_normal(shape) * 0.08).astype(np.float32))
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()


def main():
    out = Path(sys.argv[1]) if len(sys.argv) > 1 else HERE.parent / "Fixtures" / "adapters" / "live"
    out.mkdir(parents=True, exist_ok=True)
    cases, blocks = [], []
    for number, (name, (base, pattern, rank, alpha)) in enumerate(ADAPTERS.items()):
        model = MODELS / base / "model.gguf"
        write_adapter(out / f"{name}.gguf", model, pattern, rank, alpha, SEED + number)
        ids = json.loads((MODELS / base / "prompt.json").read_text())["cases"][0]["ids"][:40]
        rows = sorted({0, 1, *range(0, len(ids), 13), len(ids) - 1})
        found, plain = logits(model, ids, out / f"{name}.gguf")[rows], logits(model, ids)[rows]
        print(f"{name:20} std {found.std():.2f}   changed by {np.abs(found - plain).mean():.2f} on average")
        cases.append({"adapter": name, "base": base, "ids": ids, "rows": rows, "vocabulary": found.shape[1]})
        blocks.append(found.astype("<f4"))
    text = "[\n" + ",\n".join(" " + json.dumps(case) for case in cases) + "\n]\n"
    (out / "live.json").write_text(text)
    (out / "live.f32").write_bytes(b"".join(block.tobytes() for block in blocks))


main()

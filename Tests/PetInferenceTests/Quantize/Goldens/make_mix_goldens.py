# SPDX-License-Identifier: Apache-2.0
"""Writes which type llama.cpp gives to each matrix of some models in each mix (mixes.json). Rerunning gives the same file.

    pip install gguf numpy llama-cpp-python
    python make_mix_goldens.py [FOLDER]        (the script's own folder by default)

Made with llama-cpp-python 0.3.36, from models of the right names whose matrices are as small as rows allow.
"""

import ctypes
import json
import pathlib
import sys
import tempfile

import gguf
import llama_cpp as L
import numpy as np

MIXES = ["Q4_K_S", "Q4_K_M", "Q5_K_M"]
LLAMA = ["attn_q", "attn_k", "attn_v", "attn_output", "ffn_gate", "ffn_up", "ffn_down"]
PHI3 = ["attn_qkv", "attn_output", "ffn_up", "ffn_down"]
# architecture, layers, rows of most matrices, rows of ffn_down, an output matrix of its own
MODELS = [
    ("llama", 30, 320, 512, False),  # rows like SmolLM2-135M's: no multiple of 256, and a multiple
    ("llama", 9, 256, 512, True),
    ("llama", 3, 256, 320, True),
    ("phi3", 32, 256, 512, True),
    ("phi3", 17, 320, 336, False),  # 336: no multiple of 32 either
]


def write_model(path, architecture, layers, width, inner, has_output):
    writer = gguf.GGUFWriter(path, architecture)
    writer.add_context_length(64)
    writer.add_embedding_length(width)
    writer.add_block_count(layers)
    writer.add_feed_forward_length(inner)
    writer.add_head_count(1)
    writer.add_head_count_kv(1)
    writer.add_rope_dimension_count(width)
    writer.add_layer_norm_rms_eps(1e-5)
    writer.add_uint32(f"{architecture}.rope.scaling.original_context_length", 64)
    writer.add_vocab_size(2)
    rng = np.random.default_rng(1)
    names = ["token_embd"] + [f"blk.{i}.{n}" for i in range(layers) for n in (LLAMA if architecture == "llama" else PHI3)]
    for name in names + ["output"] * has_output:
        columns = inner if name.endswith("ffn_down") else width
        writer.add_tensor(f"{name}.weight", rng.standard_normal((2, columns)).astype(np.float32))
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()


def quantize(source, target, mix):
    parameters = L.llama_model_quantize_default_params()
    parameters.ftype = getattr(L, f"LLAMA_FTYPE_MOSTLY_{mix}")
    parameters.nthread = 1
    assert L.llama_model_quantize(str(source).encode(), str(target).encode(), ctypes.byref(parameters)) == 0, mix
    reader = gguf.GGUFReader(target)
    file_type = int(reader.get_field("general.file_type").contents())
    return file_type, [(t.name, int(t.shape[0]), t.tensor_type.name) for t in reader.tensors]


def main():
    folder = pathlib.Path(sys.argv[1]) if len(sys.argv) > 1 else pathlib.Path(__file__).parent
    lines = []
    with tempfile.TemporaryDirectory() as scratch:
        source, target = pathlib.Path(scratch) / "in.gguf", pathlib.Path(scratch) / "out.gguf"
        for model in MODELS:
            write_model(source, *model)
            for mix in MIXES:
                file_type, tensors = quantize(source, target, mix)
                case = {"mix": mix, "model": f"{model[0]}, {model[1]} layers", "file_type": file_type, "tensors": tensors}
                lines.append(json.dumps(case, separators=(",", ":")))
    (folder / "mixes.json").write_text("[\n" + ",\n".join(lines) + "\n]\n")


if __name__ == "__main__":
    main()

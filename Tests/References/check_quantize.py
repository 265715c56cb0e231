# SPDX-License-Identifier: Apache-2.0
"""Checks `pet models quantize` on the small models: every tensor bit for bit as the `gguf` package quantizes it, the same
bytes on a second run, llama.cpp loads the file; and adapters: llama.cpp with the adapter applied at run time gives the
logits that it gives on our merged file.

    python check_quantize.py PET [MODELS]
"""
import subprocess
import sys
import tempfile
from pathlib import Path

import gguf
import numpy as np

from check_small_models import BOUND, goldens
from peer import Peer, logits

TYPES = ["F32", "F16", "BF16", "Q8_0", "Q4_0", "Q4_1", "Q5_0", "Q5_1"]
RANK, ALPHA, SEED = 6, 12.0, 92
failures = []


def check(name, what, ok, note=""):
    if not ok:
        failures.append((name, what))
    print(f"{name:22} {what:44} {'ok' if ok else 'BROKEN'}  {note}")


def quantize(pet, source, target, kind, *options):
    subprocess.run([pet, "models", "quantize", str(source), str(target), "--type", kind, *options], check=True,
                   stdout=subprocess.DEVNULL)


def check_types(name, pet, model, scratch):
    whole = gguf.GGUFReader(model).tensors
    for kind in TYPES:
        first, again = scratch / "a.gguf", scratch / "b.gguf"
        quantize(pet, model, first, kind)
        quantize(pet, model, again, kind)
        wrong = [] if first.read_bytes() == again.read_bytes() else ["(a second run differs)"]
        block = gguf.GGML_QUANT_SIZES[gguf.GGMLQuantizationType[kind]][0]
        for ours, float32 in zip(gguf.GGUFReader(first).tensors, whole, strict=True):
            asked = "F32" if len(float32.shape) < 2 else kind if float32.shape[0] % block == 0 else "F16"
            expected = gguf.quants.quantize(float32.data, gguf.GGMLQuantizationType[asked])
            if ours.tensor_type.name != asked or not np.array_equal(
                    ours.data.view(np.uint8), np.ascontiguousarray(expected).view(np.uint8)):
                wrong.append(ours.name)
        check(name, f"{kind}: {len(whole)} tensors bit for bit", not wrong, " ".join(wrong))
        Peer(first, context=256).close()


def write_adapter(path, model, architecture):
    """Factors for every matrix; those of the embedding lie the other way, and not where llama.cpp shares it with the
    output, for which it then takes the same factors the wrong way."""
    rng = np.random.default_rng(SEED)
    tensors = gguf.GGUFReader(model).tensors
    shared = "output.weight" not in [t.name for t in tensors]
    writer = gguf.GGUFWriter(path, architecture)
    writer.add_type(gguf.GGUFType.ADAPTER)
    writer.add_string(gguf.Keys.Adapter.TYPE, "lora")
    writer.add_float32(gguf.Keys.Adapter.LORA_ALPHA, ALPHA)
    for tensor in tensors:
        embedding = tensor.name == "token_embd.weight"
        if len(tensor.shape) != 2 or embedding and shared:
            continue
        columns, rows = (int(n) for n in tensor.shape)
        a, b = ((rows, RANK), (columns, RANK)) if embedding else ((RANK, columns), (rows, RANK))
        for suffix, shape in ((".lora_a", a), (".lora_b", b)):
            writer.add_tensor(tensor.name + suffix, (rng.standard_normal(shape) * 0.05).astype(np.float32))
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()


def check_adapter(name, pet, model, folder, scratch):
    adapter, merged = scratch / "lora.gguf", scratch / "merged.gguf"
    write_adapter(adapter, model, name.split("-")[0])
    quantize(pet, model, merged, "F32", "--adapter", str(adapter))
    case, want = next(goldens(folder))
    applied, ours = logits(model, case["ids"], adapter), logits(merged, case["ids"])
    error, effect = np.abs(applied - ours).max(), np.abs(applied[case["rows"]] - want).max()
    check(name, "merged, and applied by llama.cpp", error < BOUND < effect / 10, f"{error:.2e}, effect {effect:.2f}")


def main():
    pet = sys.argv[1]
    models = Path(sys.argv[2] if len(sys.argv) > 2 else Path(__file__).parent.parent / "Fixtures" / "models")
    with tempfile.TemporaryDirectory() as scratch:
        for folder in sorted(p for p in models.iterdir() if (p / "model.gguf").exists()):
            check_types(folder.name, pet, folder / "model.gguf", Path(scratch))
            if "long" not in folder.name and "window" not in folder.name:
                check_adapter(folder.name, pet, folder / "model.gguf", folder, Path(scratch))
    if failures:
        raise SystemExit(f"{len(failures)} broken")


main()

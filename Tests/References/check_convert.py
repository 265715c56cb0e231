# SPDX-License-Identifier: Apache-2.0
"""Checks `pet models convert` on the small models: tensors bit for bit as the independent `gguf` package wrote them, the
same metadata, the same bytes on a second run, and llama.cpp's logits on the converted file against transformers'.

    python check_convert.py PET [MODELS]
"""
import subprocess
import sys
import tempfile
from pathlib import Path

import gguf
import numpy as np

from check_small_models import BOUND, goldens, peer_logits

# The rule for ids 0 to 2 of Llama: the converter of llama.cpp marks tokens that `added_tokens_decoder` lists again.
RELISTED = {"tokenizer.ggml.scores", "tokenizer.ggml.token_type"}
failures = []


def check(name, what, ok, note=""):
    if not ok:
        failures.append((name, what))
    print(f"{name:22} {what:40} {'ok' if ok else 'BROKEN'}  {note}")


def convert(pet, folder, output, kind):
    subprocess.run([pet, "models", "convert", str(folder), "--output", str(output), "--type", kind], check=True,
                   stdout=subprocess.DEVNULL)


def same_value(key, ours, theirs):
    if key in RELISTED:
        return ours[3:] == theirs[3:]
    return ours == theirs


def compare(name, ours, theirs):
    a, b = gguf.GGUFReader(ours), gguf.GGUFReader(theirs)
    left, right = ({t.name: t for t in r.tensors} for r in (a, b))
    check(name, "the same tensors", left.keys() == right.keys(), str(left.keys() ^ right.keys() or ""))
    differ = [n for n in left.keys() & right.keys()
              if left[n].tensor_type != right[n].tensor_type or left[n].shape.tolist() != right[n].shape.tolist()
              or not np.array_equal(left[n].data.view(np.uint8), right[n].data.view(np.uint8))]
    check(name, f"{len(left)} tensors bit for bit", not differ, " ".join(differ))
    wrong = [k for k, f in b.fields.items()
             if not k.startswith("GGUF.") and (k not in a.fields or a.fields[k].types != f.types or not same_value(
                 k, a.fields[k].contents(), f.contents()))]
    check(name, f"{len(b.fields)} keys", not wrong, " ".join(wrong))


def narrowed(name, pet, folder, scratch, exact):
    for kind, type_id in (("f16", 1), ("bf16", 30)):
        output = scratch / f"{name}-{kind}.gguf"
        convert(pet, folder, output, kind)
        worst = []
        for tensor, whole in zip(gguf.GGUFReader(output).tensors, gguf.GGUFReader(exact).tensors):
            if len(tensor.shape) < 2:
                expected = whole.data
            elif type_id == 1:
                expected = whole.data.astype(np.float16)
            else:
                expected = gguf.quantize(whole.data, gguf.GGMLQuantizationType.BF16)
            if not np.array_equal(tensor.data.view(np.uint8), np.ascontiguousarray(expected).view(np.uint8)):
                worst.append(tensor.name)
        check(name, f"--type {kind} rounds as numpy does", not worst, " ".join(worst))


def main():
    pet = sys.argv[1]
    models = Path(sys.argv[2] if len(sys.argv) > 2 else Path(__file__).parent.parent / "Fixtures" / "models")
    with tempfile.TemporaryDirectory() as scratch:
        scratch = Path(scratch)
        for folder in sorted(p for p in models.iterdir() if (p / "config.json").exists()):
            name, first, again = folder.name, scratch / f"{folder.name}.gguf", scratch / "again.gguf"
            convert(pet, folder, first, "f32")
            convert(pet, folder, again, "f32")
            check(name, "the same bytes again", first.read_bytes() == again.read_bytes())
            compare(name, first, folder / "model.gguf")
            narrowed(name, pet, folder, scratch, first)
            for case, want in goldens(folder):
                # llama.cpp chooses the long factors by the size of the context, and has no window for phi3:
                # check_small_models.py says more.
                if case["kind"] != "whole" or case["name"] == "short" or "window" in name:
                    continue
                error = np.abs(peer_logits(first, case["ids"])[case["rows"]] - want).max()
                check(name, f"llama.cpp and transformers, {case['name']}", error < BOUND, f"{error:.2e}")
    if failures:
        raise SystemExit(f"{len(failures)} broken")


main()

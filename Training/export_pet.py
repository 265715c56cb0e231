#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes the low-rank delta of a checkpoint as an adapter that llama.cpp and the engine read.

    python3 Training/export_pet.py CHECKPOINT_FOLDER BASE.gguf OUT.gguf [START ...]
    python3 Training/export_pet.py ADAPTER.gguf BASE.gguf OUT.gguf      # the same weights, with the numbers below
    python3 Training/export_pet.py CHECKPOINT_FOLDER CUT.gguf OUT.gguf --whole BASE.gguf   # trained on a cut vocabulary

Where there are other checkpoints or adapters, such as the one that the training started from, it is the mean of all (arXiv:2203.05482).
A in blocks of 8 bits (rows are as wide as the model), B in 16 (its rows are as wide as the rank).
"""
import json
import pathlib
import sys

import gguf
import numpy as np

from lib import weights

# How likely flags must be, in percent, to count as raised where danger was told before: chosen by evaluate/danger_nets.py.
FLAGS = 30
# From bank/fit.py: hundredths of nats at which every second reply is right, and which make the odds e times worse.
SURPRISE_EVEN, SURPRISE_SCALE = 774, 688


def vocabulary_rows(cut, whole):
    """Which rows of a base stayed in what cut_vocabulary.py made of it: by these the engine cuts the base itself."""
    tokens = [weights.field(gguf.GGUFReader(path), "tokenizer.ggml.tokens") for path in (cut, whole)]
    rows = {token: row for row, token in enumerate(tokens[1])}
    return [rows[token] for token in tokens[0]]


def main(folder, base, out, *others):
    whole = None
    if "--whole" in others:
        *others, _, whole = others
    folder, ready, saved = pathlib.Path(folder), [], {}
    if folder.is_dir():
        facts = json.loads((folder / "arguments.json").read_text())
        deltas = [weights.read_delta(path) for path in (folder / "checkpoint.pt", *others)]
        saved = {name: sum(delta[name] for delta in deltas) / len(deltas) for name in deltas[0]}
    else:
        given = gguf.GGUFReader(folder)
        facts = {"alpha": given.fields["adapter.lora.alpha"].contents(), "danger": "pet.danger_flags" in given.fields,
                 "prompt_format": given.fields["pet.prompt_format"].contents()}
        ready = given.tensors
    reader = gguf.GGUFReader(base)
    architecture = reader.fields["general.architecture"].contents()
    writer = gguf.GGUFWriter(out, architecture)
    writer.add_type("adapter")
    base_name = reader.fields["general.name"].contents()
    form = int(facts.get("prompt_format", 1))
    # Qwen2.5-Coder comes in two sizes; the smaller calls itself 0.5B.
    size = "135M" if form == 1 else reader.fields["general.size_label"].contents().replace("0.5B", "500M")
    writer.add_string("general.name", f"Pet {size}")
    writer.add_string("general.description", f"six small pets; fine-tuned from {base_name}")
    writer.add_string("general.license", "apache-2.0")
    writer.add_string("general.base_model.0.name", base_name)
    writer.add_string("adapter.type", "lora")
    writer.add_float32("adapter.lora.alpha", float(facts["alpha"]))
    writer.add_uint32("pet.prompt_format", form)
    writer.add_uint32("pet.repetition_penalty", 100)
    if form == 1:  # measured on that model only
        writer.add_uint32("pet.surprise_even", SURPRISE_EVEN)
        writer.add_uint32("pet.surprise_scale", SURPRISE_SCALE)
    if float(facts.get("danger", 0)) > 0:
        writer.add_uint32("pet.danger_flags", FLAGS)
    if whole:
        writer.add_key_value("adapter.vocabulary_rows", vocabulary_rows(base, whole), gguf.GGUFValueType.ARRAY,
                             sub_type=gguf.GGUFValueType.INT32)
    for tensor in ready:
        writer.add_tensor(tensor.name, tensor.data, raw_dtype=tensor.tensor_type)
    for name, value in sorted(saved.items(), key=lambda item: (int(item[0].split(".")[1]), item[0])):
        tensor, factor = name.rsplit(".", 1)
        array = value.detach().float().numpy()
        if factor == "a":
            packed = gguf.quants.quantize(array, gguf.GGMLQuantizationType.Q8_0)
            writer.add_tensor(f"{tensor}.weight.lora_a", packed, raw_dtype=gguf.GGMLQuantizationType.Q8_0)
        else:
            writer.add_tensor(f"{tensor}.weight.lora_b", np.ascontiguousarray(array.astype(np.float16)))
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()
    print(f"{out}: {len(saved) + len(ready)} tensors, {pathlib.Path(out).stat().st_size / 1e6:.2f} MB")


if __name__ == "__main__":
    if len(sys.argv) < 4:
        sys.exit(__doc__)
    main(*sys.argv[1:])

#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""How much each kind of matrix suffers from a smaller type: the loss of replies of the validation part when only that kind is
rounded, against what the rounding saves.

    python3 Training/evaluate/importance.py BASE.gguf CHECKPOINT/checkpoint.pt [--type Q4_1] [--count 60]

The delta is merged first, in float32. `--keep PATTERN=TYPE` of `pet models quantize` takes what this says.
"""
import argparse
import json
import pathlib
import sys

import gguf
import torch

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
from lib import batches, corpus, prompt, weights  # noqa: E402
from lib.transformer import Linear  # noqa: E402

KINDS = ["token_embd", "attn_q", "attn_k", "attn_v", "attn_output", "ffn_gate", "ffn_up", "ffn_down"]


def merged(base, checkpoint):
    model = weights.read_model(base)
    facts = json.loads((checkpoint.parent / "arguments.json").read_text())
    model.add_delta(int(facts["rank"]), float(facts["alpha"]), int(facts["first_block"]))
    model.load_state_dict(torch.load(checkpoint, weights_only=True)["model"], strict=False)
    with torch.no_grad():
        for module in model.modules():
            if isinstance(module, Linear) and module.rank:
                module.weight += module.delta()
                module.rank = 0
    return model.eval()


def rounded(weight, kind):
    kind = gguf.GGMLQuantizationType[kind]
    return torch.from_numpy(gguf.quants.dequantize(gguf.quants.quantize(weight.numpy(), kind), kind).copy())


@torch.no_grad()
def loss(model, samples):
    total, count = 0.0, 0
    for ids, labels in batches.batches(samples, 2048, 0):
        losses = model.losses(ids, labels)
        total, count = total + losses.double().sum().item(), count + losses.numel()
    return total / count


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("base")
    parser.add_argument("checkpoint", type=pathlib.Path)
    parser.add_argument("--type", default="Q4_1", help="what each kind is rounded to")
    parser.add_argument("--count", type=int, default=60, help="conversations")
    args = parser.parse_args()
    tokenizer = weights.read_tokenizer(args.base)
    part = corpus.split()["validation"]
    samples = [prompt.encode(c, lambda text: tokenizer.encode(text).ids)
               for c in part[::max(1, len(part) // args.count)][:args.count]]
    model = merged(args.base, args.checkpoint)
    whole = loss(model, samples)
    block, size = gguf.constants.GGML_QUANT_SIZES[gguf.GGMLQuantizationType[args.type]]
    block8, size8 = gguf.constants.GGML_QUANT_SIZES[gguf.GGMLQuantizationType.Q8_0]
    print(f"F32: {whole:.4f} nats per token\n\n| rounded to {args.type} | million weights | MB saved against Q8_0 | loss | more | "
          "more per MB |\n|---|---:|---:|---:|---:|---:|", flush=True)
    for kind in KINDS:
        own = {name: p for name, p in model.named_parameters() if f"{kind}.weight" in name}
        before = {name: p.detach().clone() for name, p in own.items()}
        with torch.no_grad():
            for p in own.values():
                p.copy_(rounded(p.detach(), args.type))
            more = loss(model, samples) - whole
            for name, p in own.items():
                p.copy_(before[name])
        count = sum(p.numel() for p in own.values())
        saved = count * (size8 / block8 - size / block) / 1e6
        print(f"| {kind} | {count / 1e6:.1f} | {saved:.1f} | {whole + more:.4f} | {more:+.4f} | {more / saved:+.5f} |", flush=True)

#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""How well a model foresees the pet's replies of the test part, in the trained format.

    python3 Training/evaluate/perplexity.py BASE.gguf                          # BASE itself
    python3 Training/evaluate/perplexity.py BASE.gguf --checkpoint OUT/checkpoint.pt
    python3 Training/evaluate/perplexity.py BASE.gguf --model PET.gguf         # any type; BASE gives the tokenizer
    python3 Training/evaluate/perplexity.py NANO.gguf

Perplexity is per token, over the tokens of the replies with emotion, actions and end mark. Models of different
vocabularies are compared by bits per byte of the replies.
"""
import argparse
import json
import math
import pathlib
import sys

import torch

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
from lib import batches, corpus, nano, prompt, weights  # noqa: E402


def arguments():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("base")
    other = parser.add_mutually_exclusive_group()
    other.add_argument("--checkpoint", type=pathlib.Path, help="of train_pet.py, with arguments.json beside it")
    other.add_argument("--model", help="a GGUF file")
    parser.add_argument("--part", choices=["validation", "test"], default="test")
    parser.add_argument("--count", type=int, help="of conversations, evenly spaced; all without it")
    parser.add_argument("--threads", type=int, help="1 leaves the machine to others")
    parser.add_argument("--batch-tokens", type=int, default=2048)
    parser.add_argument("--out", type=pathlib.Path, help="a JSON file")
    return parser.parse_args()


def read(args):
    model = weights.read_model(args.model or args.base)
    if args.checkpoint:
        facts = json.loads((args.checkpoint.parent / "arguments.json").read_text())
        saved = torch.load(args.checkpoint, weights_only=True)["model"]
        if rank := int(facts["rank"]):
            model.add_delta(rank, float(facts["alpha"]), int(facts["first_block"]))
        if set(saved) != set(model.trained()):
            raise SystemExit(f"{args.checkpoint}: not the parameters that arguments.json beside it names")
        model.load_state_dict(saved, strict=False)
    return model.eval()


@torch.no_grad()
def measure(model, conversations, encode, template, tokens):
    """(sum of losses, tokens, bytes) of the replies."""
    samples = [prompt.encode(c, encode, template) for c in conversations]
    size = sum(len(text.encode()) for c in conversations for text, own in prompt.pieces(c, template) if own)
    total, count = 0.0, 0
    for ids, labels in batches.batches(samples, tokens, 0):
        losses = model.losses(ids, labels)
        total, count = total + losses.double().sum().item(), count + losses.numel()
    return total, count, size


def row(name, conversations, total, count, size):
    return {"part": name, "conversations": conversations, "tokens": count,
            "perplexity": round(math.exp(total / count), 3), "bits_per_byte": round(total / math.log(2) / size, 4)}


if __name__ == "__main__":
    args = arguments()
    if args.threads:
        torch.set_num_threads(args.threads)
    model = read(args)
    if model.shape.architecture == "phi3":
        template, encode = "phi3", nano.tokenizer()
    else:
        tokenizer = weights.read_tokenizer(args.base)
        template, encode = "chatml", lambda text: tokenizer.encode(text).ids
    conversations = corpus.split()[args.part]
    if args.count:
        conversations = conversations[::max(1, len(conversations) // args.count)][:args.count]
    parts = {}
    for source in sorted({c["source"] for c in conversations}):
        own = [c for c in conversations if c["source"] == source]
        parts[source] = (len(own), *measure(model, own, encode, template, args.batch_tokens))
        print(f"{source}: {len(own)} conversations", file=sys.stderr, flush=True)
    groups = {
        "all": list(parts), "plain": [s for s in parts if s.startswith("plain")],
        "witty": [s for s in parts if not s.startswith("plain")], **{s: [s] for s in parts}}
    rows = [row(name, *(sum(parts[s][i] for s in sources) for i in range(4)))
            for name, sources in groups.items() if sources]
    print("| part | conversations | tokens | perplexity | bits per byte |\n|---|---:|---:|---:|---:|")
    for r in rows:
        print(f"| {r['part']} | {r['conversations']} | {r['tokens']} | {r['perplexity']:.2f} "
              f"| {r['bits_per_byte']:.3f} |")
    if args.out:
        model = pathlib.Path(args.model or args.checkpoint or args.base)
        facts = {"base": pathlib.Path(args.base).name, "model": model.name, "split": args.part, "rows": rows}
        args.out.write_text(json.dumps(facts, indent=1) + "\n")

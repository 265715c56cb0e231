#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Trains a low-rank delta on the upper blocks of a `qwen2` model, on the threads in prompt form 2.

    python3 Training/train_threads.py BASE.gguf OUT [--resume] ...

Only what the pet says counts in the loss. The blocks below are frozen: their outputs are computed once, in OUT/*.bf16, and a pass
over the upper blocks starts from there. OUT gets checkpoint.pt (every --save steps, and at the end), log.jsonl and arguments.json.
--resume goes on from the checkpoint with the same arguments; --steps ends early and leaves the plan of the rate as it is.
"""
import argparse
import hashlib
import json
import pathlib
import time

import torch

from lib import batches, int8, threads, weights
from lib.lower import Lower

FIXED = ("base_sha256", "start", "int8", "rank", "alpha", "first_block", "rate", "warmup", "passes", "batch_tokens", "longest", "seed")


def arguments():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("base")
    parser.add_argument("out", type=pathlib.Path)
    parser.add_argument("--resume", action="store_true", help="go on from OUT/checkpoint.pt")
    parser.add_argument("--start", help="checkpoint whose delta the training begins with")
    parser.add_argument("--rank", type=int, default=16)
    parser.add_argument("--alpha", type=float, default=32)
    parser.add_argument("--first-block", type=int, help="blocks below are frozen; two thirds of them unless given")
    parser.add_argument("--rate", type=float, default=5e-4)
    parser.add_argument("--warmup", type=int, default=20)
    parser.add_argument("--passes", type=int, default=1)
    parser.add_argument("--batch-tokens", type=int, default=2048)
    parser.add_argument("--longest", type=int, default=1024, help="tokens of a thread; turns past them are left out")
    parser.add_argument("--steps", type=int, help="end after so many steps in all")
    parser.add_argument("--decay", type=int, help="steps after which the rate is zero; all of the plan unless given")
    parser.add_argument("--save", type=int, default=20, help="steps between checkpoints")
    parser.add_argument("--every", type=int, default=50, help="steps between validations")
    parser.add_argument("--validation", type=int, default=60, help="threads of the validation part that are looked at")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--int8", action="store_true", help="products with frozen matrices in 8 bits (lib/int8.py)")
    parser.add_argument("--bf16", action="store_true", help="products in bfloat16, for processors that have them")
    parser.add_argument("--device", default="cuda" if torch.cuda.is_available() else "cpu")
    return parser.parse_args()


class Part:
    """Samples of one part, with what the lower blocks make of them."""

    def __init__(self, samples, lower, device):
        self.samples, self.lower, self.device = samples, lower, device

    def losses(self, model, indices):
        """(cross-entropy of each token of the pet, tokens that the lower blocks had to read)."""
        ids, labels = (t.to(self.device) for t in batches.pad([self.samples[i] for i in indices]))
        x, computed = self.lower(indices, ids)
        hidden = model.output_norm(model.through(x, first=self.lower.first))
        return model.losses_of(hidden, labels), computed


@torch.no_grad()
def validate(model, part, tokens):
    """Mean loss of the pet's tokens, in nats."""
    total, count = 0.0, 0
    for indices in batches.groups([len(ids) for ids, _ in part.samples], tokens, 0):
        losses, _ = part.losses(model, indices)
        total, count = total + losses.sum().item(), count + losses.numel()
    return total / count


def main():
    args = arguments()
    torch.manual_seed(args.seed)
    args.out.mkdir(parents=True, exist_ok=True)
    tokenizer = weights.read_tokenizer(args.base)
    encode = lambda text: tokenizer.encode(text).ids  # noqa: E731
    model = weights.read_model(args.base)
    if args.first_block is None:
        args.first_block = model.shape.layers * 2 // 3
    parts = threads.split()
    samples = [threads.encode(t, encode, args.longest, args.seed) for t in parts["train"]]
    held_out = [threads.encode(t, encode, args.longest) for t in parts["validation"][:args.validation]]
    samples, held_out = ([s for s in one if s[0]] for one in (samples, held_out))
    plan = [indices for number in range(args.passes)
            for indices in batches.groups([len(ids) for ids, _ in samples], args.batch_tokens, args.seed + number)]
    base = hashlib.sha256(open(args.base, "rb").read()).hexdigest()
    said = sum(label != -100 for _, labels in samples for label in labels)
    facts = {key: value if isinstance(value, (int, float)) else str(value) for key, value in vars(args).items()} | {
        "base_sha256": base, "prompt_format": 2, "threads": len(samples), "validation_threads": len(held_out),
        "tokens": sum(len(ids) for ids, _ in samples), "tokens_of_the_pet": said, "steps_planned": len(plan)}
    known = args.out / "arguments.json"
    if args.resume and known.exists():
        before = json.loads(known.read_text())
        other = [key for key in (*FIXED, "steps_planned") if before.get(key) != facts[key]]
        if other:
            raise SystemExit(f"{known}: was trained with other arguments: {other}")
    known.write_text(json.dumps(facts, indent=1) + "\n")
    print(facts, flush=True)

    model.add_delta(args.rank, args.alpha, args.first_block)
    if args.bf16:
        for frozen in (p for p in model.parameters() if p.dim() == 2 and not p.requires_grad):
            frozen.data = frozen.data.bfloat16()
    model.to(args.device)
    if args.start:
        model.load_state_dict(torch.load(args.start, weights_only=True)["model"], strict=False)
    if args.int8:
        int8.freeze(model, batches.pad([samples[i] for i in plan[0]])[0].to(args.device))
    trained = model.trained()
    optimizer = torch.optim.AdamW(trained.values(), lr=args.rate, betas=(0.9, 0.98), weight_decay=0.0)
    first, done = args.first_block, 0
    if args.resume and (args.out / "checkpoint.pt").exists():
        saved = torch.load(args.out / "checkpoint.pt", weights_only=True, map_location=args.device)
        model.load_state_dict(saved["model"], strict=False)
        optimizer.load_state_dict(saved["optimizer"])
        done = saved["step"]
    train, validation = (
        Part(own, Lower(model, first, own, args.out, name, base), args.device)
        for name, own in (("train", samples), ("validation", held_out)))

    def save(steps):
        torch.save({"model": dict(trained), "optimizer": optimizer.state_dict(), "step": steps}, args.out / "new.pt")
        (args.out / "new.pt").rename(args.out / "checkpoint.pt")

    autocast = torch.autocast(args.device.split(":")[0], torch.bfloat16, enabled=args.bf16)
    end = min(len(plan), args.steps or len(plan))
    with open(args.out / "log.jsonl", "a") as log:
        for step in range(done, end):
            begin, processor = time.time(), time.process_time()
            rate = args.rate * min(1, (step + 1) / args.warmup) * max(0, 1 - step / (args.decay or len(plan)))
            for group in optimizer.param_groups:
                group["lr"] = rate
            with autocast:
                losses, computed = train.losses(model, plan[step])
            losses.mean().backward()
            norm = torch.nn.utils.clip_grad_norm_(trained.values(), 1.0).item()
            optimizer.step()
            optimizer.zero_grad()
            entry = {"step": step, "loss": round(losses.mean().item(), 4), "norm": round(norm, 3), "rate": rate,
                     "tokens": sum(len(samples[i][0]) for i in plan[step]), "of_the_pet": losses.numel(), "lower": computed,
                     "seconds": round(time.time() - begin, 2), "processor": round(time.process_time() - processor, 2)}
            if step % args.every == args.every - 1 or step == end - 1:
                with autocast:
                    entry["validation"] = round(validate(model, validation, args.batch_tokens), 4)
            if step % args.save == args.save - 1 or step == end - 1:
                save(step + 1)
            log.write(json.dumps(entry) + "\n")
            log.flush()
            if step % 10 == 0 or "validation" in entry:
                print(entry, flush=True)


if __name__ == "__main__":
    main()

#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Fine-tunes SmolLM2-135M-Instruct on the corpus: a low-rank delta, or all weights.

    python3 Training/train_pet.py BASE.gguf OUT [--resume] ...

OUT gets checkpoint.pt (after every 50 steps, and at the end), log.jsonl and arguments.json.
"""
import argparse
import contextlib
import hashlib
import json
import pathlib
import random
import time

import torch
from torch.nn.attention import SDPBackend, sdpa_kernel

from lib import batches, corpus, danger, flags, prompt, weights


def arguments():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("base")
    parser.add_argument("out", type=pathlib.Path)
    parser.add_argument("--resume", action="store_true", help="go on from OUT/checkpoint.pt")
    parser.add_argument("--start", type=pathlib.Path, help="a checkpoint or an adapter whose delta (not an optimizer) is started from")
    parser.add_argument("--rank", type=int, default=24, help="of the delta; 0 trains all weights")
    parser.add_argument("--alpha", type=float, default=32)
    parser.add_argument("--first-block", type=int, default=6, help="blocks below have no delta")
    parser.add_argument("--rate", type=float, default=1.5e-3)
    parser.add_argument("--warmup", type=int, default=40)
    parser.add_argument("--passes", type=float, default=1)
    parser.add_argument("--batch-tokens", type=int, default=2048)
    parser.add_argument("--plain", type=float, default=1, help="share of the plain conversations")
    parser.add_argument("--witty", type=float, default=0.35, help="share of the conversations that are not plain")
    parser.add_argument("--all-of", metavar="PREFIX", action="append", default=[],
                        help="files whose conversations are all taken, whatever the shares")
    parser.add_argument("--danger", type=float, default=0, help="passes over the lines of danger/ and as many ordinary ones, mixed in")
    parser.add_argument("--judged", type=pathlib.Path, action="append", default=[],
                        help="of preferences/: the reply that fits best, or that a reader wrote, as a line to learn")
    parser.add_argument("--every", type=int, default=100, help="steps between validations")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--bf16", action="store_true", help="products in bfloat16, for CPUs that have them")
    parser.add_argument("--no-compile", action="store_true")
    return parser.parse_args()


def fitting(path, encode):
    """The judged conversations with what fits best: a model's own reply, or where none fits a reader's."""
    for item in map(json.loads, path.read_text().splitlines()):
        for answer in item["good"][:1] or [item["wanted"]] if not item["alarm"] else []:
            if not answer.startswith(tuple(prompt.FORMAT["flags"].values())):
                yield prompt.encode_last(item, answer, encode)


def passes(samples, wanted, seed, tokens):
    """Batches of as many passes as wanted."""
    result, number = [], 0
    while wanted > 0:
        one = list(batches.batches(samples, tokens, seed + number))
        result += one[:max(1, round(len(one) * wanted))] if wanted < 1 else one
        wanted, number = wanted - 1, number + 1
    return result


def mixed(dialogue, lines):
    """[(batch, whether of lines of danger/)], the lines spread evenly."""
    places = [((i + 0.5) / len(own), is_danger, batch)
              for own, is_danger in ((dialogue, False), (lines, True)) for i, batch in enumerate(own)]
    return [(batch, is_danger) for _, is_danger, batch in sorted(places, key=lambda place: place[:2])]


@contextlib.contextmanager
def products(bf16):
    """Attention to lines as short as these is quicker as plain products than in tiles."""
    with sdpa_kernel(SDPBackend.MATH), torch.autocast("cpu", torch.bfloat16, enabled=bf16):
        yield


@torch.no_grad()
def validate(model, samples, tokens):
    total, count = 0.0, 0
    for ids, labels in batches.batches(samples, tokens, 0):
        losses = model.losses(ids, labels)
        total, count = total + losses.sum().item(), count + losses.numel()
    return total / count


if __name__ == "__main__":
    args = arguments()
    torch.manual_seed(args.seed)
    args.out.mkdir(parents=True, exist_ok=True)

    tokenizer = weights.read_tokenizer(args.base)
    encode = lambda text: tokenizer.encode(text).ids  # noqa: E731
    parts = corpus.split()
    chance = random.Random(args.seed)
    whole = lambda c: c["source"].startswith(tuple(args.all_of))  # noqa: E731
    chosen = [c for c in parts["train"] if whole(c) or chance.random() < (args.plain if c["plain"] else args.witty)]
    samples = [prompt.encode(c, encode) for c in chosen] + [s for path in args.judged for s in fitting(path, encode)]
    held_out = [prompt.encode(c, encode) for c in parts["validation"][::5]]
    cases = {part: danger.samples(chosen, encode, args.seed) for part, chosen in danger.cases().items()}
    flag_tokens = flags.tokens(encode)
    lines = []
    if args.danger:
        calm = danger.ordinary(parts["train"], len(cases["train"]), args.seed)
        lines = cases["train"] + [danger.labelled(c, -1, encode) for c in calm]
    plan = mixed(passes(samples, args.passes, args.seed, args.batch_tokens),
                 passes(lines, args.danger, args.seed, args.batch_tokens))
    facts = {key: str(value) for key, value in vars(args).items()} | {
        "base_sha256": hashlib.sha256(open(args.base, "rb").read()).hexdigest(),
        "conversations": len(samples), "tokens": sum(len(ids) for ids, _ in samples), "steps": len(plan)}
    (args.out / "arguments.json").write_text(json.dumps(facts, indent=1) + "\n")
    print(facts, flush=True)

    model = weights.trainable(args.base, args)
    trained = model.trained()
    optimizer = torch.optim.AdamW(trained.values(), lr=args.rate, betas=(0.9, 0.98), weight_decay=0.0)
    step = 0
    if args.resume:
        saved = torch.load(args.out / "checkpoint.pt", weights_only=True)
        model.load_state_dict(saved["model"], strict=False)
        optimizer.load_state_dict(saved["optimizer"])
        step = saved["step"]
    elif args.start:
        unknown = model.load_state_dict(weights.read_delta(args.start), strict=False).unexpected_keys
        if unknown:
            raise SystemExit(f"{args.start}: not of this rank and these blocks: {unknown[:3]}")
    if not args.no_compile:
        for block in model.blk:
            block.compile(dynamic=True)

    def save():
        torch.save({"model": dict(trained), "optimizer": optimizer.state_dict(), "step": step + 1}, args.out / "new.pt")
        (args.out / "new.pt").rename(args.out / "checkpoint.pt")

    log = open(args.out / "log.jsonl", "a")
    begin = time.time()
    for step in range(step, len(plan)):
        (ids, labels), is_danger = plan[step]
        rate = args.rate * min(1, (step + 1) / args.warmup) * (1 - step / len(plan))
        for group in optimizer.param_groups:
            group["lr"] = rate
        with products(args.bf16):
            loss = (flags.loss(model, ids, labels, flag_tokens) if is_danger else model.losses(ids, labels)).mean()
        loss.backward()
        norm = torch.nn.utils.clip_grad_norm_(trained.values(), 1.0).item()
        optimizer.step()
        optimizer.zero_grad()
        entry = {"step": step, "loss": round(loss.item(), 4), "norm": round(norm, 3), "rate": rate,
                 "seconds": round(time.time() - begin, 1)} | ({"danger": True} if is_danger else {})
        if step % args.every == args.every - 1 or step == len(plan) - 1:
            with products(args.bf16):
                entry["validation"] = round(validate(model, held_out, args.batch_tokens), 4)
                if args.danger:
                    entry["danger_validation"] = flags.measure(model, cases["validation"], flag_tokens)
        if step % 50 == 49 or step == len(plan) - 1:
            save()
        log.write(json.dumps(entry) + "\n")
        log.flush()
        if step % 10 == 0 or "validation" in entry:
            print(entry, flush=True)

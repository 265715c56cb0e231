#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Trains nano from scratch.

    python3 Training/train_nano.py OUT --cache FOLDER [--tokens 2e8] [--text samples.jsonl ...] [--resume]

OUT gets checkpoint.pt, stable.pt (before the rate decays: --resume --from stable.pt with more --tokens goes on from
there), log.jsonl and arguments.json. FOLDER is where the chitchat package is, or is fetched to. Lines of a text file:
{"header": ..., "turns": [[user, reply], ...]}.
"""
import argparse
import dataclasses
import hashlib
import json
import math
import pathlib
import time

import torch

from lib import augment, batches, chitchat, corpus, danger, flags, nano, stream
from lib.muon import Muon
from lib.transformer import Transformer
from lib.weights import read_model


def arguments():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("out", type=pathlib.Path)
    parser.add_argument("--cache", help="of the chitchat package; without it, there is no chitchat")
    parser.add_argument("--text", type=pathlib.Path, nargs="*", default=[], help="more dialogue")
    parser.add_argument("--tokens", type=float, default=2e8, help="of the whole training, padding not counted")
    parser.add_argument("--resume", action="store_true", help="go on from a checkpoint of OUT")
    parser.add_argument("--from", dest="origin", default="checkpoint.pt", help="which one")
    parser.add_argument("--start", type=pathlib.Path, help="a GGUF file whose weights (not an optimizer) are started from")

    parser.add_argument("--layers", type=int, default=12)
    parser.add_argument("--width", type=int, default=256)
    parser.add_argument("--ffn", type=int, default=768)
    parser.add_argument("--kv-heads", type=int, default=2)

    parser.add_argument("--plain", type=float, default=1.0, help="share of plain dialogue")
    parser.add_argument("--witty", type=float, default=0.5, help="share of dialogue that is not plain")
    parser.add_argument("--text-share", type=float, default=1.0)
    parser.add_argument("--chat", type=float, default=0.3, help="share of chitchat at first; none in the last third")
    parser.add_argument("--order", choices=["mixed", "plain-last", "witty-last"], default="mixed",
                        help="what the last third is made of")
    parser.add_argument("--no-augment", action="store_true")
    parser.add_argument("--danger-every", type=int, default=16, help="steps between batches of the lines of danger/; 0: none")
    parser.add_argument("--header-weight", type=float, default=0.1, help="of header tokens in the loss; replies have 1")
    parser.add_argument("--user-weight", type=float, default=0.3)
    parser.add_argument("--longest", type=int, default=512, help="tokens of a conversation")

    parser.add_argument("--optimizer", choices=["adamw", "muon"], default="adamw",
                        help="of the blocks' matrices; the rest has AdamW")
    parser.add_argument("--rate", type=float, default=2e-3)
    parser.add_argument("--schedule", choices=["wsd", "cosine"], default="wsd")
    parser.add_argument("--decay", type=float, default=0.2, help="last part, in which the rate falls to 0 (wsd)")
    parser.add_argument("--warmup", type=int, default=200, help="steps")
    parser.add_argument("--weight-decay", type=float, default=0.1)
    parser.add_argument("--batch-tokens", type=int, default=8192, help="of a step, padding counted")
    parser.add_argument("--device", default="auto")
    parser.add_argument("--bf16", action="store_true", help="autocast; for GPUs, and CPUs with bfloat16 products")
    parser.add_argument("--no-compile", action="store_true")
    parser.add_argument("--steps", type=int, help="stop after so many; for trying out")
    parser.add_argument("--every", type=int, default=250, help="steps between validations and checkpoints")
    parser.add_argument("--seed", type=int, default=1)
    return parser.parse_args()


def rate(step, progress):
    """Warmup, then a cosine, or steady and at the end 1 - sqrt (arXiv:2405.18392)."""
    warm = min(1, (step + 1) / args.warmup)
    if args.schedule == "cosine":
        return args.rate * warm * (0.02 + 0.98 * (1 + math.cos(math.pi * progress)) / 2)
    falling = max(0, (progress - (1 - args.decay)) / args.decay)
    return args.rate * warm * (1 - math.sqrt(min(1, falling)))


def sources(train):
    """What is learned from, and how its share changes with progress."""
    late = lambda progress: min(1, max(0, 3 * progress - 2))  # noqa: E731
    early = lambda progress: max(0, 1 - 1.5 * progress)  # noqa: E731
    plain = lambda p: args.plain * (1 - late(p) if args.order == "witty-last" else 1)  # noqa: E731
    witty = lambda p: args.witty * (1 - late(p) if args.order == "plain-last" else 1)  # noqa: E731
    change = None if args.no_augment else augment.Augmenter(train)
    made = (lambda c, chance: nano.row(change(c, chance))) if change else (lambda c, chance: nano.row(c))
    noisy = lambda row, chance: row | {"turns": [  # noqa: E731
        [augment.noisy(user, chance) if chance.random() < 0.2 else user, reply] for user, reply in row["turns"]]}
    texts = [json.loads(line) for path in args.text for line in path.open()]
    chat = chitchat.rows(args.cache, nano.words(train, 1)) if args.cache and args.chat > 0 else []
    return [
        stream.Source("plain", [c for c in train if c["plain"]], plain, made),
        stream.Source("witty", [c for c in train if not c["plain"]], witty, made),
        stream.Source("text", texts, lambda p: args.text_share, None if args.no_augment else noisy),
        stream.Source("chat", chat, lambda p: args.chat * early(p)),
    ]


def danger_batches(chosen, conversations, tokenizer):
    """Endless passes over lines that tell of danger, lines that only sound like it, and as many ordinary ones."""
    number = args.seed
    while True:
        lines = danger.samples(chosen, tokenizer, number, "phi3")
        lines += [danger.labelled(c, -1, tokenizer, "phi3")
                  for c in danger.ordinary(conversations, len(lines), number)]
        yield from batches.batches(lines, args.batch_tokens, number)
        number += 1


@torch.no_grad()
def validate(model, held_out, bytes_):
    """Nats per token of replies, and bits per byte of them, which compares vocabularies."""
    total, count = 0.0, 0
    for ids, targets, _ in held_out:
        with cast():
            losses = model.losses(ids.to(device), targets.to(device))
        total, count = total + losses.double().sum().item(), count + losses.numel()
    return {"validation": round(total / count, 4), "bits_per_byte": round(total / math.log(2) / bytes_, 4)}


if __name__ == "__main__":
    args = arguments()
    torch.manual_seed(args.seed)
    args.out.mkdir(parents=True, exist_ok=True)
    device = args.device if args.device != "auto" else "cuda" if torch.cuda.is_available() else "cpu"
    cast = lambda: torch.autocast(device, torch.bfloat16, enabled=args.bf16)  # noqa: E731

    tokenizer = nano.tokenizer()
    parts = corpus.split()
    encode = lambda row: nano.encode(  # noqa: E731
        row, tokenizer, args.header_weight, args.user_weight, args.longest)
    data = stream.Stream(sources(parts["train"]), encode, args.batch_tokens, args.seed)
    held_out = [nano.row(c) for c in parts["validation"]]
    held_out_bytes = sum(len(reply.encode()) for row in held_out for _, reply in row["turns"])
    held_out = sorted((nano.encode(row, tokenizer, 0, 0, 2048) for row in held_out), key=lambda sample: len(sample[0]))
    held_out = [stream.pad(held_out[i:i + 32]) for i in range(0, len(held_out), 32)]

    cases, flag_tokens = danger.cases(), flags.tokens(tokenizer.flag)
    lines = danger_batches(cases["train"], parts["train"], tokenizer)
    held_out_lines = danger.samples(cases["validation"], tokenizer, 0, "phi3")

    model = Transformer(nano.shape(len(tokenizer), args.layers, args.width, args.ffn, args.kv_heads))
    if args.start:
        model.load_state_dict(read_model(args.start).state_dict())
    else:
        nano.initialize(model, args.seed)
    model.to(device)
    groups = {"block": [], "embedding": [], "norm": []}
    for name, p in model.named_parameters():
        groups["norm" if p.dim() == 1 else "block" if name.startswith("blk.") else "embedding"].append(p)
    of_adamw = groups["embedding"] + (groups["block"] if args.optimizer == "adamw" else [])
    optimizers = [torch.optim.AdamW(
        [{"params": of_adamw, "weight_decay": args.weight_decay}, {"params": groups["norm"], "weight_decay": 0.0}],
        lr=args.rate, betas=(0.9, 0.95), eps=1e-8, fused=True)]
    if args.optimizer == "muon":
        optimizers.append(Muon(groups["block"], args.rate, args.weight_decay))
    facts = {key: str(value) for key, value in vars(args).items()} | {
        "parameters": sum(p.numel() for p in model.parameters()),
        "tokenizer_sha256": hashlib.sha256((corpus.ROOT.parent / "tokenizer/nano.model").read_bytes()).hexdigest(),
        "text_sha256": [hashlib.sha256(path.read_bytes()).hexdigest() for path in args.text],
        "rows": {source.name: len(source.rows) for source in data.sources}, "device": device}
    (args.out / "arguments.json").write_text(json.dumps(facts, indent=1) + "\n")
    print(facts, flush=True)

    step = tokens = 0
    queue, pool_start, begun = [], None, 0
    if args.resume:
        saved = torch.load(args.out / args.origin, weights_only=True, map_location=device)
        model.load_state_dict(saved["model"])
        for optimizer, state in zip(optimizers, saved["optimizers"], strict=True):
            optimizer.load_state_dict(state)
        step, tokens, begun = saved["step"], saved["tokens"], saved["seconds"]
        # The pool of batches that was being worked through is made again.
        data.restore(saved["pool"]["state"])
        pool_start = saved["pool"]
        queue = data.pool(pool_start["progress"])[pool_start["done"]:]
        for _ in range(-(-step // args.danger_every) if args.danger_every else 0):
            next(lines)
    if not args.no_compile:
        for block in model.blk:
            block.compile(dynamic=True)

    def save(name):
        torch.save({
            "model": model.state_dict(), "optimizers": [o.state_dict() for o in optimizers],
            "shape": dataclasses.asdict(model.shape),
            "step": step, "tokens": tokens, "seconds": begun + time.time() - begin, "pool": pool_start,
        }, args.out / "new.pt")
        (args.out / "new.pt").rename(args.out / name)

    log = open(args.out / "log.jsonl", "a")
    begin, first, stable = time.time(), step, tokens < (1 - args.decay) * args.tokens
    recent = (begin, tokens)
    while tokens < args.tokens and step - first != args.steps:
        progress = tokens / args.tokens
        if not queue:
            state = data.state()
            queue = data.pool(progress)
            pool_start = {"state": state, "progress": progress, "done": 0}
        ids, targets, weights = queue.pop(0)
        pool_start["done"] += 1
        now = rate(step, progress)
        for optimizer in optimizers:
            for group in optimizer.param_groups:
                group["lr"] = now
        with cast():
            losses = model.losses(ids.to(device), targets.to(device))
        # Of each label, in the order of `losses`.
        scale = weights[:, 1:][targets[:, 1:] != -100].to(device)
        loss = (losses * scale).sum() / scale.sum()
        if args.danger_every and step % args.danger_every == 0:
            with cast():
                of_lines = flags.loss(model, *(t.to(device) for t in next(lines)), flag_tokens).mean()
            (loss + of_lines).backward()
        else:
            loss.backward()
        norm = torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        for optimizer in optimizers:
            optimizer.step()
            optimizer.zero_grad()
        step += 1
        tokens += int((weights > 0).sum())

        last = tokens >= args.tokens or step - first == args.steps
        if step % 20 == 0 or step < 5 or last:
            clock = time.time()
            entry = {
                "step": step, "tokens": tokens, "loss": round(loss.item(), 4), "norm": round(norm.item(), 3),
                "rate": now, "seconds": round(begun + clock - begin, 1),
                "tokens_per_second": round((tokens - recent[1]) / (clock - recent[0]))}
            if step % args.every == 0 or last:
                entry |= validate(model, held_out, held_out_bytes)
                if args.danger_every:
                    entry["danger_validation"] = flags.measure(model, held_out_lines, flag_tokens)
            recent = (time.time(), tokens)
            log.write(json.dumps(entry) + "\n")
            log.flush()
            print(entry, flush=True)
        if stable and tokens >= (1 - args.decay) * args.tokens:
            stable = False
            save("stable.pt")
        if step % args.every == 0 or last:
            save("checkpoint.pt")

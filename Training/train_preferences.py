#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Trains a pet model on what readers said of its own replies: what fits becomes likelier than what does not.

    python3 Training/train_preferences.py BASE.gguf OUT --start Models/pet-vN.lora.gguf --judged Training/preferences/FILE.jsonl

Pairs of a reply that fits and one that does not (DPO, arXiv:2305.18290), the loss of the former besides (arXiv:2404.19733), and
ordinary conversations in between, so that nothing is forgotten. OUT gets what train_pet.py puts there.
"""
import argparse
import json
import pathlib
import random
import time

import torch
import torch.nn.functional as F

from lib import batches, corpus, danger, flags, prompt, weights
from train_pet import mixed, products, validate


def arguments():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("base")
    parser.add_argument("out", type=pathlib.Path)
    parser.add_argument("--start", type=pathlib.Path, required=True, help="a checkpoint or an adapter; what the judged replies are of")
    parser.add_argument("--judged", type=pathlib.Path, action="append", required=True)
    parser.add_argument("--rank", type=int, default=24)
    parser.add_argument("--alpha", type=float, default=32)
    parser.add_argument("--first-block", type=int, default=6)
    parser.add_argument("--rate", type=float, default=1e-4)
    parser.add_argument("--warmup", type=int, default=10)
    parser.add_argument("--beta", type=float, default=0.1)
    parser.add_argument("--likelihood", type=float, default=0.2, help="weight of the loss, a token, of the replies that fit")
    parser.add_argument("--passes", type=float, default=1)
    parser.add_argument("--pairs", type=int, default=2, help="at most so many of one item")
    parser.add_argument("--batch-tokens", type=int, default=2048)
    parser.add_argument("--ordinary", type=float, default=0.3, help="batches of ordinary conversations for each of pairs")
    parser.add_argument("--held-out", type=float, default=0.05, help="share of the items that is only measured with")
    parser.add_argument("--every", type=int, default=100)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--bf16", action="store_true")
    parser.add_argument("--no-compile", action="store_true")
    return parser.parse_args()


def pairs(item, most, chance):
    """[(reply that fits, reply that does not)]: a reader's own words only where none of the model's fits."""
    right = item["good"][:1] or ([item["wanted"]] if "wanted" in item else [])
    wrong = list(item["bad"])
    chance.shuffle(wrong)
    return [(right[0], other) for other in wrong[:most]] if right else []


def likelihoods(model, ids, labels):
    """log p of what is labelled in each row; ids, labels: [rows, time] -> [rows]."""
    losses = model.losses(ids, labels)
    rows = (labels[:, 1:] != -100).nonzero()[:, 0]
    return torch.zeros(len(ids)).index_add(0, rows, -losses.float())


def paired(samples, tokens, seed):
    """Batches of pairs: (ids, labels, numbers of the pairs), the rows of what fits first, then those of what does not."""
    longest = [max(len(right[0]), len(wrong[0])) for right, wrong in samples]
    order = sorted(range(len(samples)), key=lambda i: (longest[i], i))
    groups, group = [], []
    for i in order:
        if group and 2 * (len(group) + 1) * longest[i] > tokens:
            groups.append(group)
            group = []
        group.append(i)
    groups += [group] if group else []
    random.Random(seed).shuffle(groups)
    for group in groups:
        yield *batches.pad([samples[i][0] for i in group] + [samples[i][1] for i in group]), group


@torch.no_grad()
def references(model, samples, tokens):
    """log p of each pair by the model that is started from: [pairs, 2]."""
    found = torch.zeros(len(samples), 2)
    for ids, labels, group in paired(samples, tokens, 0):
        found[group] = likelihoods(model, ids, labels).view(2, -1).T
    return found


def preference(model, ids, labels, reference, beta):
    """(loss of each pair, log p of what fits [pairs], whether it is told right [pairs])."""
    right, wrong = likelihoods(model, ids, labels).view(2, -1)
    margin = (right - reference[:, 0]) - (wrong - reference[:, 1])
    return -F.logsigmoid(beta * margin), right, right > wrong


@torch.no_grad()
def told_right(model, samples, tokens):
    """Share of the pairs whose better reply is the likelier."""
    right = [told for ids, labels, group in paired(samples, tokens, 0)
             for told in preference(model, ids, labels, torch.zeros(len(group), 2), 1)[2].tolist()]
    return round(sum(right) / max(1, len(right)), 3)


if __name__ == "__main__":
    args = arguments()
    torch.manual_seed(args.seed)
    args.out.mkdir(parents=True, exist_ok=True)
    tokenizer = weights.read_tokenizer(args.base)
    encode = lambda text: tokenizer.encode(text).ids  # noqa: E731
    chance = random.Random(args.seed)
    items = [json.loads(line) for path in args.judged for line in path.read_text().splitlines()]
    chance.shuffle(items)
    kept = int(len(items) * args.held_out)
    held_out, train = (
        [tuple(prompt.encode_last(item, reply, encode) for reply in pair) for item in part for pair in pairs(item, args.pairs, chance)]
        for part in (items[:kept], items[kept:]))
    parts = corpus.split()
    validation = [prompt.encode(c, encode) for c in parts["validation"][::15]]
    cases = danger.samples(danger.cases()["validation"], encode, args.seed)
    flag_tokens = flags.tokens(encode)

    model = weights.trainable(args.base, args)
    if model.load_state_dict(weights.read_delta(args.start), strict=False).unexpected_keys:
        raise SystemExit(f"{args.start}: not of this rank and these blocks")
    if not args.no_compile:
        for block in model.blk:
            block.compile(dynamic=True)
    trained = model.trained()
    with products(args.bf16):
        reference = references(model, train, args.batch_tokens)

    plan = []
    for number in range(max(1, round(args.passes))):
        plan += list(paired(train, args.batch_tokens, args.seed + number))
    plan = plan[:max(1, round(len(plan) * args.passes / max(1, round(args.passes))))]
    ordinary = [prompt.encode(c, encode) for c in chance.sample(parts["train"], 4000)]
    plan = mixed(plan, list(batches.batches(ordinary, args.batch_tokens, args.seed))[:round(args.ordinary * len(plan))])
    facts = {key: str(value) for key, value in vars(args).items()} | {
        "items": len(items), "pairs": len(train), "held_out_pairs": len(held_out), "steps": len(plan)}
    (args.out / "arguments.json").write_text(json.dumps(facts | {"danger": 1}, indent=1) + "\n")
    print(facts, flush=True)

    optimizer = torch.optim.AdamW(trained.values(), lr=args.rate, betas=(0.9, 0.98), weight_decay=0.0)
    log, begin = open(args.out / "log.jsonl", "a"), time.time()

    def measure():
        with products(args.bf16):
            return {"validation": round(validate(model, validation, args.batch_tokens), 4),
                    "told_right": told_right(model, held_out, args.batch_tokens),
                    "danger_validation": flags.measure(model, cases, flag_tokens)}

    print(measure(), flush=True)
    for step, (batch, is_ordinary) in enumerate(plan):
        rate = args.rate * min(1, (step + 1) / args.warmup) * (1 - step / len(plan))
        for group in optimizer.param_groups:
            group["lr"] = rate
        entry = {"step": step, "rate": rate}
        with products(args.bf16):
            if is_ordinary:
                loss = model.losses(*batch).mean()
                entry["ordinary"] = round(loss.item(), 4)
            else:
                ids, labels, numbers = batch
                losses, right, told = preference(model, ids, labels, reference[numbers], args.beta)
                spoken = (labels[:len(numbers)] != -100).sum()
                loss = losses.mean() - args.likelihood * right.sum() / spoken
                entry |= {"loss": round(losses.mean().item(), 4), "told": round(told.float().mean().item(), 3)}
        loss.backward()
        entry["norm"] = round(torch.nn.utils.clip_grad_norm_(trained.values(), 1.0).item(), 3)
        optimizer.step()
        optimizer.zero_grad()
        entry["seconds"] = round(time.time() - begin, 1)
        if step % args.every == args.every - 1 or step == len(plan) - 1:
            entry |= measure()
            torch.save({"model": dict(trained), "step": step + 1}, args.out / "checkpoint.pt")
        log.write(json.dumps(entry) + "\n")
        log.flush()
        if step % 10 == 0 or "validation" in entry:
            print(entry, flush=True)

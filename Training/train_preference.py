#!/usr/bin/env python3
"""Makes the pet prefer what a person wrote for it to what it says by itself.

    python3 Training/train_preference.py BASE.gguf OUT --start CHECKPOINT --pairs pairs.jsonl

Lines of the pairs: {"conversation": {..., "turns": [..., [user, null]]}, "chosen": reply, "rejected": reply}. The loss is that of
CPO (arXiv:2401.08417), which needs no second model: -log sigmoid(beta * (log p(chosen) - log p(rejected))) and the
likelihood of the chosen. Batches of danger/ in between keep the flags. OUT gets what `train_pet.py` writes.
"""
import argparse
import json
import pathlib
import random
import time

import torch
import torch.nn.functional as F

from lib import batches, corpus, danger, flags, prompt, weights


def arguments():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("base")
    parser.add_argument("out", type=pathlib.Path)
    parser.add_argument("--start", type=pathlib.Path, required=True)
    parser.add_argument("--pairs", type=pathlib.Path, required=True)
    parser.add_argument("--count", type=int, help="of the pairs")
    parser.add_argument("--rank", type=int, default=24)
    parser.add_argument("--alpha", type=float, default=32)
    parser.add_argument("--first-block", type=int, default=6)
    parser.add_argument("--beta", type=float, default=0.1)
    parser.add_argument("--likelihood", type=float, default=1.0, help="weight of the chosen replies' own loss")
    parser.add_argument("--rate", type=float, default=3e-4)
    parser.add_argument("--warmup", type=int, default=8)
    parser.add_argument("--batch-tokens", type=int, default=2048)
    parser.add_argument("--danger", type=int, default=5, help="steps between batches of lines of danger/; 0: none")
    parser.add_argument("--seed", type=int, default=1)
    return parser.parse_args()


def encoded(pair, encode):
    """(ids, labels) with the chosen and with the rejected reply; labels are of the last reply only."""
    own = pair["conversation"]
    before = [i for text, _ in prompt.pieces(own) for i in encode(text)]
    result = []
    for reply in (pair["chosen"], pair["rejected"]):
        answer = encode(reply + "<|im_end|>")
        result.append((before + answer, [-100] * len(before) + answer))
    return result


def pairs_in_batches(pairs, tokens, seed):
    """Lists of pairs whose padded rows, both replies, are at most `tokens`; of like length."""
    order = sorted(pairs, key=lambda pair: max(len(ids) for ids, _ in pair))
    result, batch = [], []
    for pair in order:
        if batch and 2 * (len(batch) + 1) * max(len(ids) for ids, _ in pair) > tokens:
            result.append(batch)
            batch = []
        batch.append(pair)
    result.append(batch)
    random.Random(seed).shuffle(result)
    return result


def likelihoods(model, samples):
    """(log likelihood of each row's labels, their number), both [rows]."""
    ids, labels = batches.pad(samples)
    chosen = labels[:, 1:] != -100
    rows = chosen.nonzero()[:, 0]
    sums = torch.zeros(len(samples)).index_add(0, rows, -model.losses(ids, labels))
    return sums, chosen.sum(1)


if __name__ == "__main__":
    args = arguments()
    torch.manual_seed(args.seed)
    args.out.mkdir(parents=True, exist_ok=True)
    encode = (lambda tokenizer: lambda text: tokenizer.encode(text).ids)(weights.read_tokenizer(args.base))
    given = [json.loads(line) for line in args.pairs.open()][:args.count]
    pairs = [encoded(pair, encode) for pair in given if pair["chosen"] != pair["rejected"]]
    held_out = pairs[::20]
    pairs = [pair for i, pair in enumerate(pairs) if i % 20]
    plan = pairs_in_batches(pairs, args.batch_tokens, args.seed)

    cases, flag_tokens = danger.cases(), flags.tokens(encode)
    train = corpus.split()["train"]
    lines = danger.samples(cases["train"], encode, args.seed)
    lines += [danger.labelled(c, -1, encode) for c in danger.ordinary(train, len(lines), args.seed)]
    lines = batches.batches(lines, args.batch_tokens, args.seed)
    held_out_lines = danger.samples(cases["validation"], encode, args.seed)
    facts = {key: str(value) for key, value in vars(args).items()} | {"pairs": len(pairs), "steps": len(plan)}
    (args.out / "arguments.json").write_text(json.dumps(facts, indent=1) + "\n")
    print(facts, flush=True)

    model = weights.read_model(args.base)
    model.add_delta(args.rank, args.alpha, args.first_block)
    model.load_state_dict(weights.read_delta(args.start), strict=False)
    trained = model.trained()
    optimizer = torch.optim.AdamW(trained.values(), lr=args.rate, betas=(0.9, 0.98), weight_decay=0.0)
    for block in model.blk:
        block.compile(dynamic=True)
    log = open(args.out / "log.jsonl", "a")
    begin = time.time()

    def measure():
        """How often the chosen reply is the likelier one of the held-out pairs, by all its tokens and by the mean."""
        with torch.no_grad():
            found = [likelihoods(model, [side for pair in held_out[i:i + 8] for side in pair])
                     for i in range(0, len(held_out), 8)]
        sums, counts = (torch.cat(part) for part in zip(*found))
        means = sums / counts
        return {"preferred": [round((x[0::2] > x[1::2]).float().mean().item(), 3) for x in (sums, means)],
                "chosen": round(-(sums[0::2].sum() / counts[0::2].sum()).item(), 4)}

    print(measure(), flush=True)
    for step, batch in enumerate(plan):
        rate = args.rate * min(1, (step + 1) / args.warmup) * (1 - step / len(plan))
        for group in optimizer.param_groups:
            group["lr"] = rate
        sums, counts = likelihoods(model, [pair[0] for pair in batch] + [pair[1] for pair in batch])
        good, bad = sums.chunk(2)
        preference = -F.logsigmoid(args.beta * (good - bad)).mean()
        own = -good.sum() / counts[:len(batch)].sum()
        (preference + args.likelihood * own).backward()
        if args.danger and step % args.danger == 0 and (line := next(lines, None)):
            flags.loss(model, *line, flag_tokens).mean().backward()
        norm = torch.nn.utils.clip_grad_norm_(trained.values(), 1.0).item()
        optimizer.step()
        optimizer.zero_grad()
        entry = {"step": step, "preference": round(preference.item(), 4), "loss": round(own.item(), 4),
                 "norm": round(norm, 3), "rate": rate, "seconds": round(time.time() - begin, 1)}
        if step % 50 == 49 or step == len(plan) - 1:
            entry |= measure()
            if step == len(plan) - 1:
                entry["danger_validation"] = flags.measure(model, held_out_lines, flag_tokens)
            torch.save({"model": dict(trained), "step": step + 1}, args.out / "checkpoint.pt")
        log.write(json.dumps(entry) + "\n")
        log.flush()
        print(entry, flush=True)

"""Compares our `pet` with llama.cpp on the default model, and fails when a bound is broken.

    python compare_llama_cpp.py --model MODEL.gguf --pet PATH/TO/pet [--only logits,greedy,perplexity,speed] [--json]

llama.cpp is what pip built of llama-cpp-python, with this machine's instructions. Speeds are medians of interleaved runs;
llama.cpp gets flash attention on or off, whichever decodes faster. Keep the machine otherwise quiet for them.
Exit code 1 when a bound is broken: mean KL < 1e-3, top-1 agreement >= 99 %, perplexity within 0.5 %, decode ratio >= 1,
and a greedy difference that is not a near tie (gap in llama.cpp's logits over 0.25 where the two part).
"""
import argparse
import json
import statistics
import sys

import numpy as np

from ours import Ours
from peer import Peer, log_softmax
from smollm2_texts import CONTEXT, ESSAY, NEW_TOKENS, essay, prompts, slices

KL_MEAN, TOP1, PERPLEXITY, DECODE_RATIO, NEAR_TIE = 1e-3, 0.99, 0.005, 1.0, 0.25
DECODED = 128


def compare_logits(a):
    kl, same = [], []
    for part in slices(a.peer.tokenize(essay())):
        theirs = log_softmax(a.peer.logits(part))
        ours = log_softmax(a.ours.logits(part, a.peer.n_vocab, a.threads[-1]))
        kl.append((np.exp(theirs) * (theirs - ours)).sum(axis=-1))
        same.append(theirs.argmax(axis=-1) == ours.argmax(axis=-1))
    kl, same = np.concatenate(kl), np.concatenate(same)
    return {"positions": len(kl), "kl_mean": float(kl.mean()), "kl_max": float(kl.max()), "top1": float(same.mean()),
            "ok": bool(kl.mean() < KL_MEAN and same.mean() >= TOP1)}


def compare_greedy(a):
    differences = []
    for prompt in prompts():
        theirs, gaps = a.peer.greedy(a.peer.tokenize(prompt, bos=a.peer.adds_bos), NEW_TOKENS)
        ours = a.ours.greedy(prompt, NEW_TOKENS, a.threads[-1])
        if ours and a.peer.is_end(ours[-1]):
            ours = ours[:-1]
        if theirs == ours:
            continue
        at = next((i for i, (x, y) in enumerate(zip(theirs, ours)) if x != y), min(len(theirs), len(ours)))
        # At a step where one side stopped, the gap is that of the end token or of what came instead.
        gap = gaps[at] if at < len(gaps) else None
        differences.append({
            "prompt": prompt, "step": at, "gap": gap, "near_tie": gap is not None and gap < NEAR_TIE,
            "theirs": a.peer.text(theirs[at:at + 4]), "ours": a.peer.text(ours[at:at + 4])})
    return {"prompts": len(prompts()), "equal": len(prompts()) - len(differences), "differences": differences,
            "ok": all(d["near_tie"] for d in differences)}


def compare_perplexity(a):
    theirs, chunks, scored = a.peer.perplexity(essay(), CONTEXT)
    ours = a.ours.perplexity(ESSAY, CONTEXT)
    return {"context": CONTEXT, "chunks": chunks, "scored": scored, "theirs": theirs, "ours": ours,
            "relative": ours / theirs - 1, "ok": abs(ours / theirs - 1) < PERPLEXITY}


def compare_speed(a):
    rows = []
    for threads in a.threads:
        peers = {flash: Peer(a.model, context=CONTEXT, threads=threads, flash=flash) for flash in (False, True)}
        prompt = peers[False].tokenize(essay())[:DECODED]
        trial = {flash: max(p.decode_speed(prompt[:8], 64) for _ in range(2)) for flash, p in peers.items()}
        flash = max(trial, key=trial.get)
        peers.pop(not flash).close()
        peer = peers[flash]
        theirs, ours = {"pp128": [], "tg128": []}, {"pp128": [], "tg128": []}
        for _ in range(a.runs):
            theirs["pp128"].append(peer.prefill_speed(prompt))
            theirs["tg128"].append(peer.decode_speed(prompt[:8], DECODED))
            if a.ours:
                for test, speed in a.ours.bench(DECODED, DECODED, threads).items():
                    ours[test].append(speed)
        peer.close()
        for test in theirs:
            x = statistics.median(theirs[test])
            y = statistics.median(ours[test]) if ours[test] else None
            rows.append({"test": test, "threads": threads, "flash": flash, "theirs": x, "ours": y,
                         "ratio": y / x if y else None})
    decode = [r["ratio"] for r in rows if r["test"] == "tg128" and r["ratio"]]
    return {"runs": a.runs, "rows": rows, "ok": all(r >= DECODE_RATIO for r in decode)}


SECTIONS = {"logits": compare_logits, "greedy": compare_greedy, "perplexity": compare_perplexity, "speed": compare_speed}


def table(found):
    def verdict(section):
        return "ok" if section["ok"] else "BROKEN"
    if s := found.get("logits"):
        print(f"logits      {s['positions']} positions   mean KL {s['kl_mean']:.2e}   max KL {s['kl_max']:.2e}   "
              f"top-1 {100 * s['top1']:.2f} %   {verdict(s)}")
    if s := found.get("greedy"):
        print(f"greedy      {s['equal']} of {s['prompts']} prompts equal over {NEW_TOKENS} tokens   {verdict(s)}")
        for d in s["differences"]:
            print(f"            step {d['step']}, gap {d['gap']}: {d['theirs']!r} against our {d['ours']!r}, "
                  f"after {d['prompt']!r}")
    if s := found.get("perplexity"):
        print(f"perplexity  llama.cpp {s['theirs']:.4f}   ours {s['ours']:.4f}   {100 * s['relative']:+.3f} %   "
              f"({s['scored']} tokens)   {verdict(s)}")
    if s := found.get("speed"):
        for r in s["rows"]:
            ours = f"ours {r['ours']:7.1f}   ratio {r['ratio']:.2f}" if r["ours"] else "ours not run"
            print(f"{r['test']:11} {r['threads']} threads   llama.cpp {r['theirs']:7.1f} tokens/s "
                  f"(flash {'on' if r['flash'] else 'off'})   {ours}")
        print(f"speed       medians of {s['runs']} interleaved runs   {verdict(s)}")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--model", required=True)
    parser.add_argument("--pet", help="our binary; without it only llama.cpp's speed is measured")
    parser.add_argument("--only", default=",".join(SECTIONS))
    parser.add_argument("--threads", default="1,2")
    parser.add_argument("--runs", type=int, default=5)
    parser.add_argument("--json", action="store_true")
    a = parser.parse_args()
    a.threads = [int(t) for t in a.threads.split(",")]
    a.ours = Ours(a.pet, a.model) if a.pet else None
    wanted = a.only.split(",") if a.pet else ["speed"]
    if unknown := [w for w in wanted if w not in SECTIONS]:
        parser.error(f"--only {','.join(unknown)}: choose from {','.join(SECTIONS)}")
    found = {}
    if wanted != ["speed"]:
        a.peer = Peer(a.model, context=CONTEXT, threads=a.threads[-1])
        found = {w: SECTIONS[w](a) for w in wanted if w != "speed"}
        a.peer.close()
    if "speed" in wanted:
        found["speed"] = compare_speed(a)
    if a.json:
        print(json.dumps(found, indent=2, ensure_ascii=False))
    else:
        table(found)
    sys.exit(0 if all(s["ok"] for s in found.values()) else 1)


if __name__ == "__main__":
    main()

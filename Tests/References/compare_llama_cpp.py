"""Compares our `pet` with llama.cpp on SmolLM2, and fails when a bound is broken.

    python compare_llama_cpp.py --model MODEL.gguf --pet PATH/TO/pet [--only logits,greedy,perplexity,speed] [--json]

llama.cpp is what pip built of llama-cpp-python, with this machine's instructions. Both engines run twice: on the file, where
both round activations to 8 bits, and on the same weights as F32 ("float"), where neither does. On float the bounds of a
reference hold. On the file nobody can be closer to llama.cpp than it is to itself: switching flash attention on moves it by
a mean KL of about 4e-3 (noise_floor.py), so there we must only be no further from it than exact arithmetic is (with 25 % to
spare).

Speeds are medians of interleaved runs; llama.cpp gets flash attention on or off, whichever decodes faster. Keep the machine
otherwise quiet for them. Exit code 1 when a bound is broken: on float mean KL < 1e-3 and top-1 agreement >= 99 %;
perplexity within 0.5 % of llama.cpp's on the file; decode ratio >= 1; greedy differences only where the gap between
llama.cpp's two best logits is small: under 0.5 on the file (its own rounding flips gaps up to 0.33), under 0.05 on float.
"""
import argparse
import json
import statistics
import sys
import tempfile
from pathlib import Path

import numpy as np

from float_model import write_float_model
from ours import Ours
from peer import Peer, log_softmax
from model_texts import CONTEXT, ESSAY, NEW_TOKENS, essay, prompts, slices

KL_MEAN, TOP1, PERPLEXITY, DECODE_RATIO = 1e-3, 0.99, 0.005, 1.0
NEAR_TIE = {"file": 0.5, "float": 0.05}
SPARE = 1.25
DECODED = 128


def distance(first, second):
    """Mean and largest KL(first || second) over positions, and how often the best token is the same."""
    p, q = log_softmax(first), log_softmax(second)
    kl = (np.exp(p) * (p - q)).sum(axis=-1)
    return {"kl_mean": float(kl.mean()), "kl_max": float(kl.max()),
            "top1": float((p.argmax(axis=-1) == q.argmax(axis=-1)).mean())}


def compare_logits(a):
    parts = slices(a.peers["file"].tokenize(essay()))
    rows = {kind: np.concatenate([peer.logits(p) for p in parts]) for kind, peer in a.peers.items()}
    vocabulary = a.peers["file"].n_vocab
    ours = {kind: np.concatenate([own.logits(p, vocabulary, a.threads[-1]) for p in parts]) for kind, own in a.ours.items()}
    found = {"positions": len(rows["file"]), "float": distance(rows["float"], ours["float"]),
             "file": distance(rows["file"], ours["file"]), "file_from_float": distance(rows["file"], rows["float"]),
             "ours_from_float": distance(rows["float"], ours["file"])}
    found["ok"] = (found["float"]["kl_mean"] < KL_MEAN and found["float"]["top1"] >= TOP1
                   and found["file"]["kl_mean"] < SPARE * found["file_from_float"]["kl_mean"])
    return found


def compare_greedy(a):
    found = {"prompts": len(prompts())}
    for kind, peer in a.peers.items():
        differences = []
        for prompt in prompts():
            mine = a.ours[kind].greedy(prompt, NEW_TOKENS, a.threads[-1])
            theirs, gaps = peer.greedy(peer.tokenize(prompt, bos=peer.adds_bos), NEW_TOKENS)
            mine = mine[:-1] if mine and peer.is_end(mine[-1]) else mine
            if theirs == mine:
                continue
            at = next((i for i, (x, y) in enumerate(zip(theirs, mine)) if x != y), min(len(theirs), len(mine)))
            # gaps has an entry for the step where llama.cpp ended, too.
            gap = gaps[at] if at < len(gaps) else None
            differences.append({
                "prompt": prompt, "step": at, "gap": gap, "near_tie": gap is not None and gap < NEAR_TIE[kind],
                "theirs": peer.text(theirs[at:at + 4]), "ours": peer.text(mine[at:at + 4])})
        found[kind] = {"equal": len(prompts()) - len(differences), "differences": differences}
    found["ok"] = all(d["near_tie"] for kind in a.peers for d in found[kind]["differences"])
    return found


def compare_perplexity(a):
    theirs, chunks, scored = a.peers["file"].perplexity(essay(), CONTEXT)
    ours = a.ours["file"].perplexity(ESSAY, CONTEXT)
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
                for test, speed in a.ours["file"].bench(DECODED, DECODED, threads).items():
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
        print(f"logits      {s['positions']} positions   {verdict(s)}")
        for key, what in (("float", "both on float weights"), ("file", "both on the file"),
                          ("file_from_float", "llama.cpp: file from float"), ("ours_from_float", "ours: file from float")):
            d = s[key]
            print(f"            {what:40} mean KL {d['kl_mean']:.2e}   max KL {d['kl_max']:.2e}   "
                  f"top-1 {100 * d['top1']:.2f} %")
    if s := found.get("greedy"):
        print(f"greedy      {s['prompts']} prompts, {NEW_TOKENS} tokens   {verdict(s)}")
        for kind in NEAR_TIE:
            print(f"            on {kind}: {s[kind]['equal']} equal")
            for d in s[kind]["differences"]:
                gap = "none" if d["gap"] is None else f"{d['gap']:.4f}"
                print(f"              step {d['step']:2}, gap {gap}: {d['theirs']!r}, ours {d['ours']!r}, "
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
    a.ours = {"file": Ours(a.pet, a.model)} if a.pet else None
    wanted = a.only.split(",") if a.pet else ["speed"]
    if unknown := [w for w in wanted if w not in SECTIONS]:
        parser.error(f"--only {','.join(unknown)}: choose from {','.join(SECTIONS)}")
    found = {}
    if wanted != ["speed"]:
        with tempfile.TemporaryDirectory() as scratch:
            floats = Path(scratch) / "float.gguf"
            write_float_model(a.model, floats)
            a.ours["float"] = Ours(a.pet, floats)
            a.peers = {"file": Peer(a.model, context=CONTEXT, threads=a.threads[-1]),
                       "float": Peer(floats, context=CONTEXT, threads=a.threads[-1], f32_cache=True)}
            found = {w: SECTIONS[w](a) for w in wanted if w != "speed"}
            for peer in a.peers.values():
                peer.close()
    if "speed" in wanted:
        found["speed"] = compare_speed(a)
    if a.json:
        print(json.dumps(found, indent=2, ensure_ascii=False))
    else:
        table(found)
    sys.exit(0 if all(s["ok"] for s in found.values()) else 1)


if __name__ == "__main__":
    main()

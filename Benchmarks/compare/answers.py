# SPDX-License-Identifier: Apache-2.0
"""Whether both engines say the same: logits, greedy continuations and perplexity on one model. Run by compare.py with the interpreter
that has llama.cpp; prints one JSON object.

    python answers.py --model MODEL.gguf --pet PATH/TO/pet [--threads 2]

Both engines run twice: on the file, where both round activations to 8 bits, and on the same weights as F32 ("float"), where
neither does. On float the bounds of a reference hold. On the file nobody can be closer to llama.cpp than it is to itself: switching
flash attention on moves it by a mean KL of about 4e-3 (Tests/References/noise_floor.py), so there we must only be no further from it
than exact arithmetic is (with 25 % to spare).

Bounds: on float mean KL < 1e-3 and top-1 agreement >= 99 %; perplexity within 0.5 % of llama.cpp's on the file; greedy
differences only where the gap between llama.cpp's two best logits is small: under 0.5 on the file (its own rounding flips gaps up
to 0.33), under 0.05 on float.
"""
import argparse
import json
import sys
import tempfile
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "Tests" / "References"))
from float_model import write_float_model  # noqa: E402
from model_texts import CONTEXT, ESSAY, NEW_TOKENS, essay, prompts, slices  # noqa: E402
from ours import Ours  # noqa: E402
from peer import Peer, log_softmax  # noqa: E402

KL_MEAN, TOP1, PERPLEXITY = 1e-3, 0.99, 0.005
NEAR_TIE = {"file": 0.5, "float": 0.05}
SPARE = 1.25


def distance(first, second):
    """Mean and largest KL(first || second) over positions, and how often the best token is the same."""
    p, q = log_softmax(first), log_softmax(second)
    kl = (np.exp(p) * (p - q)).sum(axis=-1)
    return {"kl_mean": float(kl.mean()), "kl_max": float(kl.max()),
            "top1": float((p.argmax(axis=-1) == q.argmax(axis=-1)).mean())}


def compare_logits(peers, ours, threads):
    parts = slices(peers["file"].tokenize(essay()))
    theirs = {kind: np.concatenate([peer.logits(p) for p in parts]) for kind, peer in peers.items()}
    vocabulary = peers["file"].n_vocab
    mine = {kind: np.concatenate([own.logits(p, vocabulary, threads) for p in parts]) for kind, own in ours.items()}
    found = {"positions": len(theirs["file"]), "float": distance(theirs["float"], mine["float"]),
             "file": distance(theirs["file"], mine["file"]), "file_from_float": distance(theirs["file"], theirs["float"]),
             "ours_from_float": distance(theirs["float"], mine["file"])}
    found["ok"] = (found["float"]["kl_mean"] < KL_MEAN and found["float"]["top1"] >= TOP1
                   and found["file"]["kl_mean"] < SPARE * found["file_from_float"]["kl_mean"])
    return found


def compare_greedy(peers, ours, threads):
    found = {"prompts": len(prompts()), "tokens": NEW_TOKENS}
    for kind, peer in peers.items():
        differences = []
        for prompt in prompts():
            mine = ours[kind].greedy(prompt, NEW_TOKENS, threads)
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
    found["ok"] = all(d["near_tie"] for kind in peers for d in found[kind]["differences"])
    return found


def compare_threads(ours):
    """Greedy output on one thread and on two is the same, token by token."""
    differ = [p for p in prompts() if ours["file"].greedy(p, NEW_TOKENS, 1) != ours["file"].greedy(p, NEW_TOKENS, 2)]
    return {"prompts": len(prompts()), "different": differ, "ok": not differ}


def compare_perplexity(peers, ours):
    theirs, chunks, scored = peers["file"].perplexity(essay(), CONTEXT)
    mine = ours["file"].perplexity(ESSAY, CONTEXT)
    return {"context": CONTEXT, "chunks": chunks, "scored": scored, "theirs": theirs, "ours": mine,
            "relative": mine / theirs - 1, "ok": abs(mine / theirs - 1) < PERPLEXITY}


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--model", required=True)
    parser.add_argument("--pet", required=True)
    parser.add_argument("--threads", type=int, default=2)
    a = parser.parse_args()
    with tempfile.TemporaryDirectory() as scratch:
        floats = Path(scratch) / "float.gguf"
        write_float_model(a.model, floats)
        ours = {"file": Ours(a.pet, a.model), "float": Ours(a.pet, floats)}
        peers = {"file": Peer(a.model, context=CONTEXT, threads=a.threads),
                 "float": Peer(floats, context=CONTEXT, threads=a.threads, f32_cache=True)}
        found = {"logits": compare_logits(peers, ours, a.threads), "greedy": compare_greedy(peers, ours, a.threads),
                 "threads": compare_threads(ours), "perplexity": compare_perplexity(peers, ours)}
        for peer in peers.values():
            peer.close()
    print(json.dumps(found, ensure_ascii=False))


if __name__ == "__main__":
    main()

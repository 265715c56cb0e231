# SPDX-License-Identifier: Apache-2.0
"""Checks the small models: that llama.cpp agrees with the goldens where it implements the same thing, that the
conventions we state are the ones transformers follows, and that each mistake we fear would show.

    python check_small_models.py [MODELS]
"""
import json
import math
import struct
import sys
import tempfile
from pathlib import Path

import numpy as np
import torch

from make_small_models import load, logits
from peer import Peer
from small_models import MODELS

BOUND = 2e-3
failures = []


def report(name, what, value, ok, note=""):
    if not ok:
        failures.append((name, what))
    print(f"{name:22} {what:46} {value:10.2e}  {'ok' if ok else 'BROKEN'}  {note}")


def goldens(folder):
    spec = json.loads((folder / "prompt.json").read_text())
    block = np.frombuffer((folder / "logits.f32").read_bytes(), "<f4").reshape(spec["shape"])
    at = 0
    for case in spec["cases"]:
        n = len(case["rows"])
        yield case, block[at:at + n]
        at += n


def with_original_context(gguf_file, key, value):
    """A copy of the file's bytes with one uint32 of its metadata replaced."""
    data = bytearray(gguf_file.read_bytes())
    at = data.index(key.encode()) + len(key)
    kind, = struct.unpack_from("<I", data, at)
    assert kind == 4, "not a uint32"
    struct.pack_into("<I", data, at + 4, value)
    return bytes(data)


def peer_logits(file, ids):
    peer = Peer(file, context=256, f32_cache=True)
    got = peer.logits(ids)
    peer.close()
    return got


def check_peer(small, folder):
    """llama.cpp picks the long factors when the context it was asked for (256 at least) is over the original one,
    whatever the length of the sequence; and it has phi3's window switched off."""
    for case, want in goldens(folder):
        if case["kind"] != "whole":
            continue
        file, what = folder / "model.gguf", case["name"]
        with tempfile.TemporaryDirectory() as scratch:
            if case["name"] == "short":
                file = Path(scratch) / "short.gguf"
                file.write_bytes(with_original_context(
                    folder / "model.gguf", "phi3.rope.scaling.original_context_length", 256))
                what = "short, original context set to 256"
            error = np.abs(peer_logits(file, case["ids"])[case["rows"]] - want).max(axis=1)
        if not small.window:
            report(small.name, f"llama.cpp, {what}", error.max(), error.max() < BOUND)
            continue
        rows = np.array(case["rows"])
        inside, outside = error[rows < small.window].max(), error[rows >= small.window].min()
        report(small.name, "llama.cpp, rows inside the window", inside, inside < BOUND)
        report(small.name, "llama.cpp, rows past it (it has no window)", outside, outside > BOUND, "differs, as known")


def band(n, window, dtype=torch.float32):
    """The mask we state: query i sees keys i-window+1 ... i, itself included."""
    i, j = torch.arange(n)[:, None], torch.arange(n)[None]
    return torch.where((j <= i) & (j > i - window), 0.0, torch.finfo(dtype).min).to(dtype)[None, None]


def check_window(small, model, case, want):
    ids, rows = case["ids"], case["rows"]
    model.config.sliding_window = None
    for window, ok in ((small.window, True), (small.window - 1, False), (small.window + 1, False)):
        got = logits(model, ids, attention_mask=band(len(ids), window))[rows]
        error = np.abs(got - want).max()
        report(small.name, f"explicit mask, {window} keys with itself", error, (error < 1e-5) == ok,
               "" if ok else "must differ")
    model.config.sliding_window = small.window


def check_longrope(small, model, case, want):
    ids, rows = case["ids"], case["rows"]
    rotary = model.model.rotary_emb
    scale = small.context / small.original_context
    stated = math.sqrt(1 + math.log(scale) / math.log(small.original_context))
    report(small.name, "attention factor against our formula", abs(rotary.attention_scaling - stated),
           abs(rotary.attention_scaling - stated) < 1e-6, f"{stated:.6f}, multiplies cos and sin")
    exponent = torch.arange(0, small.rope_dim, 2).float() / small.rope_dim
    past = len(ids) > small.original_context
    right = small.long_factor if past else small.short_factor
    wrong = small.short_factor if past else small.long_factor
    original = rotary.forward

    for factors, factor, ok, what in (
            (right, stated, True, "our factors, " + case["name"]), (wrong, stated, False, "the other factors"),
            (right, 1.0, False, "no attention factor")):
        inverse = 1 / (torch.tensor(factors) * small.rope_base ** exponent)

        def forward(x, position_ids):
            angle = position_ids[..., None].float() * inverse
            angle = torch.cat([angle, angle], -1)
            return angle.cos() * factor, angle.sin() * factor

        rotary.forward = forward
        error = np.abs(logits(model, ids)[rows] - want).max()
        report(small.name, f"explicit rope, {what}", error, error < 1e-4 if ok else error > 10 * BOUND,
               "" if ok else "must differ")
    rotary.forward = original


def check_growing(small, model, case, want):
    """generate() drops its cache when it crosses the original context, so every length is as if evaluated alone."""
    ids, rows = case["ids"], case["rows"]
    start = rows[0] + 1
    for at_row, row in enumerate(rows):
        n = row + 1
        which = "long" if n > small.original_context else "short"
        alone = logits(model, ids[:n])[-1]
        report(small.name, f"length {n} alone ({which})", np.abs(alone - want[at_row]).max(),
               np.abs(alone - want[at_row]).max() < 1e-5)
    # Forced continuation through generate, with its cache: the ids are imposed, the logits compared.
    forced = transformers_forced(model, ids, start)
    error = np.abs(forced - want).max()
    report(small.name, "generate() across the switch, with its cache", error, error < 1e-4)


def transformers_forced(model, ids, start):
    from transformers import LogitsProcessor, LogitsProcessorList

    class Impose(LogitsProcessor):
        seen = []

        def __call__(self, input_ids, scores):
            n = input_ids.shape[1]
            self.seen.append(scores[0].float().numpy().copy())
            forced = torch.full_like(scores, float("-inf"))
            forced[0, ids[n] if n < len(ids) else 3] = 0
            return forced

    impose = Impose()
    impose.seen = []
    model.generate(torch.tensor([ids[:start]]), max_new_tokens=len(ids) - start + 1, do_sample=False,
                   logits_processor=LogitsProcessorList([impose]), pad_token_id=0, eos_token_id=None)
    return np.stack(impose.seen)


def check_gate_order(small, model, case, want):
    """Gate is the first half of gate_up_proj: halves swapped must show."""
    layers = model.model.layers
    for layer in layers:
        w = layer.mlp.gate_up_proj.weight.data
        layer.mlp.gate_up_proj.weight.data = torch.cat(w.chunk(2)[::-1])
    error = np.abs(logits(model, case["ids"])[case["rows"]] - want).max()
    report(small.name, "gate and up swapped", error, error > 10 * BOUND, "must differ")


def main():
    torch.set_num_threads(1)
    root = Path(sys.argv[1]) if len(sys.argv) > 1 else Path(__file__).parent.parent / "Fixtures" / "models"
    for small in MODELS:
        folder = root / small.name
        model = load(folder)
        for case, want in goldens(folder):
            if case["kind"] == "growing":
                check_growing(small, model, case, want)
                continue
            if small.window:
                check_window(small, model, case, want)
            if small.long_factor:
                check_longrope(small, model, case, want)
        if small.family == "phi3":
            check_gate_order(small, model, *next(goldens(folder)))
        check_peer(small, folder)
    if failures:
        raise SystemExit(f"{len(failures)} broken: {failures}")


if __name__ == "__main__":
    main()

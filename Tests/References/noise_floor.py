# SPDX-License-Identifier: Apache-2.0
"""How far llama.cpp is from itself and from exact arithmetic on SmolLM2: what the bounds mean.

    python noise_floor.py MODEL.gguf

Float: llama.cpp on the file's weights dequantized to F32. Exact: the same by transformers, in float32. Neither rounds
activations, and they must agree with each other to rounding.
"""
import sys
import tempfile
from pathlib import Path

import gguf
import numpy as np
import torch
from gguf.quants import dequantize
from transformers import LlamaConfig, LlamaForCausalLM

from float_model import write_float_model
from make_small_models import logits
from peer import Peer, log_softmax
from small_gguf import TENSORS
from model_texts import CONTEXT, essay, slices


def deinterleave(w, heads):
    """Undoes small_gguf.interleave."""
    rows, columns = w.shape
    return w.reshape(heads, rows // heads // 2, 2, columns).swapaxes(1, 2).reshape(rows, columns)


def exact_model(path):
    reader = gguf.GGUFReader(path)

    def value(key):
        return reader.fields[key].contents()

    heads, kv_heads = value("llama.attention.head_count"), value("llama.attention.head_count_kv")
    weights = {t.name: dequantize(t.data, t.tensor_type) for t in reader.tensors}
    tied = "output.weight" not in weights
    config = LlamaConfig(
        vocab_size=weights["token_embd.weight"].shape[0], hidden_size=value("llama.embedding_length"),
        intermediate_size=value("llama.feed_forward_length"), num_hidden_layers=value("llama.block_count"),
        num_attention_heads=heads, num_key_value_heads=kv_heads, rope_theta=float(value("llama.rope.freq_base")),
        rms_norm_eps=float(value("llama.attention.layer_norm_rms_epsilon")), tie_word_embeddings=tied,
        max_position_embeddings=value("llama.context_length"), attn_implementation="eager")
    model = LlamaForCausalLM(config)
    state = {}
    for name in model.state_dict():
        if name == "lm_head.weight" and tied:
            source = "token_embd.weight"
        elif ".layers." in name:
            _, _, layer, rest = name.removesuffix(".weight").split(".", 3)
            source = f"blk.{layer}.{TENSORS[rest]}.weight"
        else:
            source = TENSORS[name.removesuffix(".weight")] + ".weight"
        w = weights[source]
        if name.endswith("q_proj.weight"):
            w = deinterleave(w, heads)
        elif name.endswith("k_proj.weight"):
            w = deinterleave(w, kv_heads)
        state[name] = torch.from_numpy(np.array(w, dtype=np.float32))
    model.load_state_dict(state)
    return model.eval()


def compare(what, first, second):
    p, q = log_softmax(first), log_softmax(second)
    kl = (np.exp(p) * (p - q)).sum(axis=-1)
    top = np.partition(first, -2, axis=-1)
    gaps = (top[:, -1] - top[:, -2])[first.argmax(-1) != second.argmax(-1)]
    print(f"{what:46} mean KL {kl.mean():.2e}  max KL {kl.max():.2e}  top-1 {100 * (1 - len(gaps) / len(first)):.2f} %  "
          f"largest gap that flipped {gaps.max() if len(gaps) else 0:.3f}  rms logit difference "
          f"{np.sqrt(((first - second) ** 2).mean()):.3f}")


def main():
    path = sys.argv[1]
    peer = Peer(path, context=CONTEXT, threads=2)
    parts = slices(peer.tokenize(essay()))
    base = np.concatenate([peer.logits(p) for p in parts])
    steps = []
    for p in parts:
        peer.clear()
        steps += [peer.feed([t]) for t in p]
    peer.close()
    found = {"one token at a time": np.stack(steps)}

    def run(file, **options):
        peer = Peer(file, context=CONTEXT, threads=2, **options)
        rows = np.concatenate([peer.logits(p) for p in parts])
        peer.close()
        return rows

    found["flash attention"] = run(path, flash=True)
    found["f32 cache"] = run(path, f32_cache=True)
    with tempfile.TemporaryDirectory() as scratch:
        floats = Path(scratch) / "float.gguf"
        write_float_model(path, floats)
        found["float"] = run(floats, f32_cache=True)
        found["float, flash attention"] = run(floats, flash=True)
    torch.set_num_threads(2)
    model = exact_model(path)
    found["exact"] = np.concatenate([logits(model, p) for p in parts])
    for name, rows in found.items():
        compare(f"on the file, against {name}", base, rows)
    compare("exact, against float", found["exact"], found["float"])
    compare("float, with and without flash attention", found["float"], found["float, flash attention"])


if __name__ == "__main__":
    main()

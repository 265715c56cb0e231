# SPDX-License-Identifier: Apache-2.0
"""Checks Training/lib (model and tokenizer of a `qwen2` GGUF) against what transformers makes of the same file.

    python check_qwen2.py MODEL.gguf

Prints the largest difference of logits and the mean KL over a ChatML prompt of 40 tokens; both compute in F32.
"""
import gc
import sys
from pathlib import Path

import torch
import transformers

sys.path.insert(0, str(Path(__file__).parents[2] / "Training"))
from lib import weights  # noqa: E402

PROMPT = ("<|im_start|>system\nYou are Mochi, a small cat-dragon. Answer in one sentence.<|im_end|>\n"
          "<|im_start|>user\nit rained all day, zwölf Stunden 🌧<|im_end|>\n<|im_start|>assistant\n")
BOUND = 1e-3


@torch.no_grad()
def main(path):
    torch.set_num_threads(1)
    ids = weights.read_tokenizer(path).encode(PROMPT).ids
    model = weights.read_model(path)
    ours = model.logits(model.hidden(torch.tensor([ids])))[0]
    del model
    gc.collect()
    folder, name = Path(path).parent, Path(path).name
    theirs_ids = transformers.AutoTokenizer.from_pretrained(folder, gguf_file=name).encode(PROMPT, add_special_tokens=False)
    if ids != theirs_ids:
        raise SystemExit(f"token ids differ: {ids} and {theirs_ids}")
    model = transformers.AutoModelForCausalLM.from_pretrained(folder, gguf_file=name, dtype=torch.float32).eval()
    theirs = model(torch.tensor([ids]), use_cache=False).logits[0]
    difference = (ours - theirs).abs().max().item()
    kl = torch.nn.functional.kl_div(ours.log_softmax(-1), theirs.log_softmax(-1), log_target=True, reduction="batchmean").item()
    same = (ours.argmax(-1) == theirs.argmax(-1)).float().mean().item()
    print(f"{len(ids)} tokens, logits: std {theirs.std():.3f}, largest difference {difference:.2e}, KL {kl:.2e}, same best {same:.1%}")
    if difference > BOUND:
        raise SystemExit(f"more than {BOUND}")


if __name__ == "__main__":
    main(sys.argv[1])

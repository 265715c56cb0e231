# SPDX-License-Identifier: Apache-2.0
"""Makes Tests/Fixtures/qwen05/goldens.json: what transformers says of a real `qwen2` GGUF, for tests that run without Python.

    python make_qwen_goldens.py qwen2.5-coder-0.5b-instruct-q4_k_m.gguf Tests/Fixtures/qwen05

`file`: the size and SHA-256 of the model. `texts`: token ids, special tokens not parsed. `prompts`: ids (special tokens parsed), the
20 likeliest next tokens with their log-probabilities, and 32 greedy tokens (an end token, if any, is the last) with the gap in logit
between the two best at each. Weights are dequantized to F32 and nothing is rounded: an engine that rounds activations to 8 bits may
part from the greedy tokens where a gap is small.
"""
import hashlib
import json
import sys
from pathlib import Path

import torch
import transformers

TOP, NEW_TOKENS = 20, 32
TEXTS = {
    "English": "I'm fine, thanks. She'd said they'll come at 7, didn't she?",
    "a long word": "Incomprehensibilities and counterrevolutionaries, honestly!",
    "German": "Grüß dich! Übermorgen fährt die Straßenbahn wieder über den Fluß, hörst du?",
    "Spanish": "¿Qué tal, Íñigo? Mañana el niño cumplirá años y habrá piñata.",
    "emoji": "so tired 😴😴 but happy 🎉👩‍👩‍👧 ❤️",
    "numbers": "1234567890, 3.14159, 2026-11-29 and 10:45; ½ of €1,000",
    "code": "def f(x):\n    return {\"a\": x[0]}  # 100%\n\n\tif (a!=b) { ++i; }\r\n",
    "spaces": "  two before\n\n\nthree lines,   three spaces \t and a tab   ",
    "other scripts": "привет, 你好世界, こんにちは, مرحبا, שלום, ไทย",
    "marks of a chat": "<|im_start|>user\nhi<|im_end|> <tool_call> <|nothing|>",
}
CHAT = "<|im_start|>system\n{}<|im_end|>\n<|im_start|>user\n{}<|im_end|>\n<|im_start|>assistant\n"
PROMPTS = [
    CHAT.format("You are Mochi, a small cat-dragon. Answer in one or two short sentences.", "I got the job! I start on Monday."),
    CHAT.format("Antworte auf Deutsch, in einem Satz.", "Wie heißt die Hauptstadt von Österreich, und was isst man dort gern?"),
    "def fibonacci(n):\n    \"\"\"The n-th number.\"\"\"\n",
]


@torch.no_grad()
def answer(model, tokenizer, prompt):
    ids = tokenizer.encode(prompt, add_special_tokens=False)
    scores = model(torch.tensor([ids])).logits[0, -1].log_softmax(-1)
    best = scores.topk(TOP)
    end = tokenizer.convert_tokens_to_ids(["<|im_end|>", "<|endoftext|>"])
    out = model.generate(
        torch.tensor([ids]), attention_mask=torch.ones(1, len(ids), dtype=torch.long), max_new_tokens=NEW_TOKENS, do_sample=False,
        repetition_penalty=1.0, output_scores=True, return_dict_in_generate=True, eos_token_id=end, pad_token_id=end[-1])
    new = out.sequences[0, len(ids):].tolist()
    pairs = [step[0].topk(2).values for step in out.scores]
    return {"text": prompt, "ids": ids, "top": [[i, round(v, 5)] for i, v in zip(best.indices.tolist(), best.values.tolist())],
            "greedy": new, "gaps": [round((a - b).item(), 4) for a, b in pairs], "greedy_text": tokenizer.decode(new)}


def main(path, out):
    torch.set_num_threads(1)
    transformers.utils.logging.disable_progress_bar()
    data = path.read_bytes()
    facts = {"bytes": len(data), "sha256": hashlib.sha256(data).hexdigest()}
    del data
    where = {"pretrained_model_name_or_path": path.parent, "gguf_file": path.name}
    tokenizer = transformers.AutoTokenizer.from_pretrained(**where)
    plain = transformers.AutoTokenizer.from_pretrained(**where, split_special_tokens=True)
    texts = [{"name": name, "text": text, "ids": plain.encode(text, add_special_tokens=False, split_special_tokens=True)}
             for name, text in TEXTS.items()]
    model = transformers.AutoModelForCausalLM.from_pretrained(**where, dtype=torch.float32, attn_implementation="eager").eval()
    goldens = {"made_with": f"transformers {transformers.__version__}, torch {torch.__version__}", "file": facts, "texts": texts,
               "prompts": [answer(model, tokenizer, prompt) for prompt in PROMPTS]}
    out.mkdir(parents=True, exist_ok=True)
    lines = json.dumps(goldens, ensure_ascii=False, indent=1)
    (out / "goldens.json").write_text(lines + "\n", encoding="utf-8")
    for prompt in goldens["prompts"]:
        print(repr(prompt["greedy_text"]), "smallest gap", min(prompt["gaps"]))


if __name__ == "__main__":
    main(Path(sys.argv[1]), Path(sys.argv[2]))

# SPDX-License-Identifier: Apache-2.0
"""The nano model: its shape, its vocabulary, and text as it is read by both."""
import collections
import re

import sentencepiece
import torch

from . import corpus, prompt
from .transformer import Shape, Transformer

# After the pieces of the SentencePiece model, as in Phi-3.
SPECIALS = ["<|endoftext|>", "<|assistant|>", "<|system|>", "<|end|>", "<|user|>"]
MARK = re.compile("|".join(map(re.escape, SPECIALS)))


class Tokenizer:
    """text -> ids, special tokens parsed: the same ids as the engine's for a rendered conversation.

    Whitespace after a special token belongs to the token and is dropped, and the text that follows gets a space
    prefix: so does the published tokenizer of Phi-3. The texts that `prompt.pieces` gives all start with a special
    token or follow one.
    """

    def __init__(self, path):
        self.pieces = sentencepiece.SentencePieceProcessor(model_file=str(path))
        self.specials = {text: len(self.pieces) + i for i, text in enumerate(SPECIALS)}

    def __len__(self):
        return len(self.pieces) + len(SPECIALS)

    def __call__(self, text):
        ids, position = [], 0
        for match in [*MARK.finditer(text), None]:
            plain = text[position:match.start() if match else None].lstrip()
            ids += self.pieces.encode(plain)
            if match:
                ids.append(self.specials[match[0]])
                position = match.end()
        return ids

    def flag(self, text):
        """The token of a control character at the start of a reply."""
        return [self.pieces.piece_to_id(f"<0x{ord(text):02X}>")]

    def decode(self, ids):
        return self.pieces.decode([i for i in ids if i < len(self.pieces)])


def words(conversations, least=2):
    """The words that occur in conversations at least so often, in lower case."""
    counts = collections.Counter()
    for conversation in conversations:
        for user, (text, _, _) in conversation["turns"]:
            counts.update(re.findall(r"[a-z']+", f"{user} {text}".lower()))
    return {word for word, count in counts.items() if count >= least}


def row(conversation):
    """{"header": ..., "turns": [[text, reply], ...]}: a conversation as it is written."""
    return {"header": prompt.header(conversation),
            "turns": [[user, prompt.reply(*answer)] for user, answer in conversation["turns"]]}


def encode(row, tokenizer, header_weight, user_weight, longest):
    """(ids, weights): how much each token counts in the loss; replies count 1.

    Turns past `longest` tokens are left out.
    """
    ids, weights = [], []
    for number, (text, own) in enumerate(prompt.pieces(row, "phi3")):
        part = tokenizer(text)
        if number and len(ids) + len(part) > longest:
            break
        ids += part
        weights += [1.0 if own else user_weight if number else header_weight] * len(part)
    return ids[:longest], weights[:longest]


def shape(vocabulary, layers=12, width=256, ffn=768, kv_heads=2):
    return Shape("phi3", layers, width, width // 64, kv_heads, ffn, vocabulary, 2048)


def initialize(model, seed):
    """Normal, 0.02; what writes to the residual stream less, by the number of writers (GPT-2)."""
    generator = torch.Generator().manual_seed(seed)
    for name, parameter in model.named_parameters():
        if parameter.dim() == 2:
            deep = name.endswith(("attn_output.weight", "ffn_down.weight"))
            scale = 0.02 / (2 * model.shape.layers) ** 0.5 if deep else 0.02
            with torch.no_grad():
                parameter.normal_(0, scale, generator=generator)


def load(checkpoint):
    """The model of a checkpoint of train_nano.py."""
    saved = torch.load(checkpoint, weights_only=True, map_location="cpu")
    model = Transformer(Shape(**saved["shape"]))
    model.load_state_dict(saved["model"])
    return model, saved


def tokenizer():
    return Tokenizer(corpus.ROOT.parent / "tokenizer/nano.model")

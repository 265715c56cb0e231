# SPDX-License-Identifier: Apache-2.0
"""A reader of lines: the encoder of BERT (arXiv:1810.04805) that began as all-MiniLM-L6-v2, with two heads, one for each question that lib/danger.py and lib/told.py ask.

It sees the line, and behind it the two lines before; what it says is read off the first state and the mean over the line.
Sources/PetInference/Encoder and Sources/PetCompanion/Words/WordPieces.swift compute the same.
"""
import collections
import functools
import pathlib
import re

import numpy as np
import torch
import torch.nn as nn
import torch.nn.functional as F

from .words import fnv, words

WIDTH, HEADS, INNER = 384, 12, 1536
LINE, BEFORE = 64, 48  # pieces at most, the last ones
LONGEST = 24  # letters of a word that are looked at
APOSTROPHES = {name.replace("'", ""): name for name in (
    "i'm i've i'd i'll don't doesn't didn't can't couldn't won't wouldn't isn't aren't wasn't weren't hasn't haven't hadn't shouldn't it's that's what's "
    "he's she's there's who's where's let's they're you're we're they've you've we've you'd he'd she'd they'd you'll he'll she'll they'll it'll ain't").split()}


class Pieces:
    """WordPiece (arXiv:1609.08144) over the words of lib/words.py: the longest known piece first, "##" before those inside a word. What has no piece is
    left out, letter by letter. In the order of the pieces' FNV-1a hashes."""

    def __init__(self, names):
        self.names = sorted(names, key=fnv)
        self.rows = {name: i for i, name in enumerate(self.names)}
        assert len({fnv(name) for name in self.names}) == len(self.names)
        self.cls, self.sep = self.rows["[CLS]"], self.rows["[SEP]"]

    @functools.lru_cache(1 << 18)
    def of_word(self, word):
        word, found, start = word[:LONGEST], [], 0
        while start < len(word):
            for end in range(len(word), start, -1):
                row = self.rows.get(("##" if start else "") + word[start:end])
                if row is not None:
                    found.append(row)
                    break
            start = end if row is not None else start + 1
        return found

    def ids(self, text):
        return [row for word in words(text) for row in self.of_word(word)]

    @staticmethod
    def folder(folder):
        """The pieces of a `vocab.txt`, in its order."""
        return (pathlib.Path(folder) / "vocab.txt").read_text().splitlines()

    @staticmethod
    def every(folder):
        """All that words of letters and digits are made of."""
        return Pieces([name for name in Pieces.folder(folder) if re.fullmatch(r"(##)?[a-z0-9]+|[.?]|\[CLS\]|\[SEP\]", name)])

    def seen(self, lines):
        """Those that lines need: words whole, and parts of words that are needed twice."""
        counts = collections.Counter(word for line in lines for word in words(line))
        parts = collections.Counter()
        for word, count in counts.items():
            if word not in self.rows:
                for row in self.of_word(word):
                    parts[self.names[row]] += count
        signs = "abcdefghijklmnopqrstuvwxyz0123456789"
        wanted = {word for word in counts if word in self.rows} | {name for name, count in parts.items() if count > 1}
        wanted |= {"[CLS]", "[SEP]", ".", "?"} | set(signs) | {f"##{c}" for c in signs}
        return Pieces([name for name in self.names if name in wanted])

    @staticmethod
    def chosen(folder, lines, least=6):
        """Words that occur so often, whole, and the pieces that all other words need."""
        every = Pieces.every(folder)
        counts = collections.Counter(word for line in lines for word in words(line))
        whole = {word for word, count in counts.items() if count >= least and len(word) <= LONGEST}
        needed = collections.Counter()
        for word, count in counts.items():
            if word not in whole:
                for row in every.of_word(word):
                    needed[every.names[row]] += count
        signs = "abcdefghijklmnopqrstuvwxyz0123456789"
        return Pieces(whole | {name for name, count in needed.items() if count >= least} | {"[CLS]", "[SEP]", ".", "?"} | set(signs) | {f"##{c}" for c in signs})

    def vectors(self, folder, table):
        """[pieces, width]: rows of the table of `folder`; of words that it parts, the mean of the parts, as they are spelled with apostrophes."""
        known = {name: i for i, name in enumerate(Pieces.folder(folder))}
        every = Pieces([name for name in known if re.fullmatch(r"(##)?[a-z0-9]+|[.?']|\[CLS\]|\[SEP\]", name)])
        found = []
        for name in self.names:
            if name in known:
                found.append(table[known[name]])
                continue
            parts = APOSTROPHES.get(name, name).replace("'", " ' ").split()
            rows = [known[every.names[row]] for part in parts for row in ([every.rows["'"]] if part == "'" else every.of_word(part))]
            found.append(table[rows].mean(0) if rows else table.mean(0))
        return torch.stack(found)


class Block(nn.Module):
    def __init__(self):
        super().__init__()
        self.qkv, self.back = nn.Linear(WIDTH, 3 * WIDTH), nn.Linear(WIDTH, WIDTH)
        self.up, self.down = nn.Linear(WIDTH, INNER), nn.Linear(INNER, WIDTH)
        self.first, self.second = nn.LayerNorm(WIDTH, 1e-12), nn.LayerNorm(WIDTH, 1e-12)

    def forward(self, x, mask, drop):
        n, length, _ = x.shape
        q, k, v = self.qkv(x).view(n, length, 3, HEADS, WIDTH // HEADS).permute(2, 0, 3, 1, 4)
        seen = F.scaled_dot_product_attention(q, k, v, mask).transpose(1, 2).reshape(n, length, WIDTH)
        x = self.first(x + drop(self.back(seen)))
        return self.second(x + drop(self.down(F.silu(self.up(x)))))


class Encoder(nn.Module):
    def __init__(self, pieces, blocks, classes, positions=LINE + BEFORE + 3):
        super().__init__()
        self.pieces, self.places, self.parts = nn.Embedding(pieces, WIDTH), nn.Embedding(positions, WIDTH), nn.Embedding(2, WIDTH)
        self.norm = nn.LayerNorm(WIDTH, 1e-12)
        self.blocks = nn.ModuleList(Block() for _ in range(blocks))
        self.out = nn.Linear(2 * WIDTH, classes)
        self.drop = nn.Dropout(0.1)

    def forward(self, ids, parts, mask, own):
        """ids, parts [n, length]; mask, own (of the line) [n, length] of 0 and 1."""
        x = self.drop(self.norm(self.pieces(ids) + self.places.weight[:ids.shape[1]] + self.parts(parts)))
        seen = torch.where(mask[:, None, None] > 0, 0.0, -1e9)
        for block in self.blocks:
            x = block(x, seen, self.drop)
        mean = (x * own[..., None]).sum(1) / own.sum(1, keepdim=True).clamp(min=1)
        return self.out(self.drop(torch.cat([x[:, 0], mean], -1)))

    @staticmethod
    def of(folder, pieces, blocks, classes):
        """The first blocks of a folder of BertModel. Its GELU becomes x * sigmoid(1.702 x) (arXiv:1606.08415), the factor in the weights: then it is the SiLU."""
        from safetensors.torch import load_file
        held = load_file(pathlib.Path(folder) / "model.safetensors")
        model = Encoder(len(pieces.names), blocks, classes)
        state = {"pieces.weight": pieces.vectors(folder, held["embeddings.word_embeddings.weight"]),
                 "parts.weight": held["embeddings.token_type_embeddings.weight"],
                 "places.weight": held["embeddings.position_embeddings.weight"][:model.places.num_embeddings]}
        for part in ("weight", "bias"):
            state[f"norm.{part}"] = held[f"embeddings.LayerNorm.{part}"]
            for i in range(blocks):
                old, new = f"encoder.layer.{i}.", f"blocks.{i}."
                state[f"{new}qkv.{part}"] = torch.cat([held[f"{old}attention.self.{name}.{part}"] for name in ("query", "key", "value")])
                for name, was in (("back", "attention.output.dense"), ("up", "intermediate.dense"), ("down", "output.dense"),
                                  ("first", "attention.output.LayerNorm"), ("second", "output.LayerNorm")):
                    state[f"{new}{name}.{part}"] = held[f"{old}{was}.{part}"]
                state[f"{new}up.{part}"] = state[f"{new}up.{part}"] * 1.702
            
        for i in range(blocks):
            state[f"blocks.{i}.down.weight"] = state[f"blocks.{i}.down.weight"] / 1.702
        missing, extra = model.load_state_dict(state, strict=False)
        assert not extra and set(missing) == {"out.weight", "out.bias"}, (missing, extra)
        return model


def collate(rows, pieces):
    """[(before, line, ...)] as what Encoder.forward takes."""
    made = []
    for row in rows:
        own, earlier = pieces.ids(row[1])[-LINE:], pieces.ids(row[0])
        made.append((len(own), [pieces.cls] + own + [pieces.sep] + (earlier[-BEFORE:] + [pieces.sep] if earlier else [])))
    length = max(len(ids) for _, ids in made)
    ids = torch.zeros(len(made), length, dtype=torch.long)
    parts, mask, own = torch.zeros_like(ids), torch.zeros(len(made), length), torch.zeros(len(made), length)
    for i, (n, one) in enumerate(made):
        ids[i, :len(one)] = torch.tensor(one)
        parts[i, n + 2:len(one)] = 1
        mask[i, :len(one)] = 1
        own[i, 1:n + 1] = 1
    return ids, parts, mask, own


@torch.no_grad()
def outputs(model, rows, pieces, size=64):
    """[rows, classes], in the order of the rows."""
    model.eval()
    order = sorted(range(len(rows)), key=lambda i: len(rows[i][0]) + len(rows[i][1]))
    found = np.zeros((len(rows), model.out.out_features), np.float32)
    for i in range(0, len(order), size):
        part = order[i:i + size]
        found[part] = model(*collate([rows[j] for j in part], pieces)).numpy()
    return found


NAME = "line-encoder"
NAMES = {"pieces.weight": "token_embd.weight", "out.weight": "cls.output.weight", "places.weight": "position_embd.weight", "parts.weight": "token_types.weight", "norm.weight": "token_embd_norm.weight",
           "norm.bias": "token_embd_norm.bias", "out.bias": "cls.output.bias"}
LAYERS = {"qkv": "attn_qkv", "back": "attn_output", "up": "ffn_up", "down": "ffn_down", "first": "attn_output_norm", "second": "layer_output_norm"}


def named(key):
    """What a parameter is called in the file."""
    if key in NAMES:
        return NAMES[key]
    _, index, layer, part = key.split(".")
    return f"blk.{index}.{LAYERS[layer]}.{part}"


def save(model, pieces, path, layers="Q8_0", table="Q8_0"):
    """A GGUF file whose matrices have those types; Sources/PetInference/Encoder reads it."""
    import gguf
    writer = gguf.GGUFWriter(path, NAME)
    for key, value in (("block_count", len(model.blocks)), ("embedding_length", WIDTH), ("feed_forward_length", INNER), ("attention.head_count", HEADS),
                       ("context_length", LINE), ("before_length", BEFORE), ("classes", model.out.out_features)):
        writer.add_uint32(f"{NAME}.{key}", value)
    writer.add_float32(f"{NAME}.attention.layer_norm_epsilon", 1e-12)
    writer.add_array("tokenizer.ggml.tokens", pieces.names)
    for key, tensor in model.state_dict().items():
        name, values = named(key), tensor.detach().numpy().astype(np.float32)
        values = values.flatten() if key in ("places.weight", "parts.weight") else values
        kind = "F32" if values.ndim == 1 or name == "cls.output.weight" else table if name == "token_embd.weight" else layers
        kind = gguf.GGMLQuantizationType[kind]
        writer.add_tensor(name, values if kind == gguf.GGMLQuantizationType.F32 else gguf.quants.quantize(values, kind), raw_dtype=kind)
    writer.write_header_to_file(); writer.write_kv_data_to_file(); writer.write_tensors_to_file(); writer.close()
    print(path, pathlib.Path(path).stat().st_size, "bytes")


def stored(path):
    """(model, pieces) of a file of `save`."""
    import gguf
    reader = gguf.GGUFReader(path)
    value = lambda key: reader.fields[key].contents()  # noqa: E731
    pieces = Pieces(value("tokenizer.ggml.tokens"))
    model = Encoder(len(pieces.names), value(f"{NAME}.block_count"), value(f"{NAME}.classes"))
    held = {t.name: torch.tensor(gguf.quants.dequantize(t.data, t.tensor_type).astype(np.float32)) for t in reader.tensors}
    state = model.state_dict()
    for key in state:
        state[key] = held[named(key)].reshape(state[key].shape)
    model.load_state_dict(state)
    return model, pieces

#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Makes Seeds/TARGET/*, the inputs that fuzzing begins with: one or a few small ones of every form that a parser knows. Running it
again makes the same files. `make_seeds.py PET`, with the path of a built `pet`, makes those too that the program itself writes."""
import base64
import json
import os
import shutil
import struct
import subprocess
import sys
import tempfile
import zlib
from pathlib import Path

HERE = Path(__file__).resolve().parent
ROOT = HERE.parent.parent
F32, F16, Q4_0, Q8_0, Q6_K = 0, 1, 2, 8, 14
BLOCKS = {F32: (1, 4), F16: (1, 2), Q4_0: (32, 18), Q8_0: (32, 34), Q6_K: (256, 210)}


def keep(target, name, data):
    folder = HERE / "Seeds" / target
    folder.mkdir(parents=True, exist_ok=True)
    (folder / name).write_bytes(data if isinstance(data, bytes) else data.encode())


# GGUF: https://github.com/ggml-org/ggml/blob/master/docs/gguf.md

def text(value):
    value = value if isinstance(value, bytes) else value.encode()
    return struct.pack("<Q", len(value)) + value


def array(kind, code, values):
    return struct.pack("<IIQ", 9, kind, len(values)) + b"".join(struct.pack("<" + code, v) for v in values)


def texts(values):
    return struct.pack("<IIQ", 9, 8, len(values)) + b"".join(map(text, values))


def u32(value): return struct.pack("<II", 4, value)
def f32(value): return struct.pack("<If", 6, value)
def flag(value): return struct.pack("<IB", 7, value)
def string(value): return struct.pack("<I", 8) + text(value)


def gguf(keys, tensors, alignment=32):
    """`tensors`: (name, dimensions, type); bytes are made up, and finite."""
    head = b"GGUF" + struct.pack("<IQQ", 3, len(tensors), len(keys))
    head += b"".join(text(key) + value for key, value in keys)
    data = b""
    for name, dimensions, kind in tensors:
        data += b"\0" * (-len(data) % alignment)
        head += text(name) + struct.pack("<I", len(dimensions))
        head += b"".join(struct.pack("<Q", d) for d in dimensions) + struct.pack("<IQ", kind, len(data))
        count = 1
        for d in dimensions:
            count *= d
        elements, size = BLOCKS[kind]
        assert dimensions[0] % elements == 0
        blocks = count // elements
        if kind == F32:
            data += b"".join(struct.pack("<f", 1 - 0.01 * (i % 7)) for i in range(count))
        elif kind == Q6_K:
            data += b"".join(bytes((i * 29 + j * 37) & 63 for j in range(size - 2)) + b"\0\x20" for i in range(blocks))
        else:
            data += b"".join(b"\0\x24" * (size // 2) if kind == F16 else
                             b"\0\x24" + bytes((i * 29 + j * 37) & 127 for j in range(size - 2)) for i in range(blocks))
    head += b"\0" * (-len(head) % alignment)
    return head + data


def shape(name, **more):
    values = {"block_count": 1, "context_length": 64, "embedding_length": 32, "feed_forward_length": 32,
              "attention.head_count": 1, "attention.head_count_kv": 1, "rope.dimension_count": 32} | more
    return [("general.architecture", string(name)), ("general.name", string("tiny")),
            (f"{name}.attention.layer_norm_rms_epsilon", f32(1e-5)), (f"{name}.rope.freq_base", f32(10000)),
            ] + [(f"{name}.{key}", u32(value)) for key, value in values.items()]


def pieces():
    tokens = ["<unk>", "<s>", "</s>", "<|user|>", "▁", "G", "o", "d", "oo", "▁Goo", "od", "e", "t", "a", "n", "<|end|>"]
    types = [2, 3, 3, 4] + [1] * 11 + [3]
    return [("tokenizer.ggml.model", string("llama")), ("tokenizer.ggml.tokens", texts(tokens)),
            ("tokenizer.ggml.scores", array(6, "f", [-float(i) for i in range(len(tokens))])),
            ("tokenizer.ggml.token_type", array(5, "i", types)), ("tokenizer.ggml.bos_token_id", u32(1)),
            ("tokenizer.ggml.eos_token_id", u32(2)), ("tokenizer.ggml.add_bos_token", flag(1)),
            ("tokenizer.chat_template", string(TEMPLATES["phi-3"]))]


def byte_pairs():
    """The 256 letters of byte-level BPE (Radford et al. 2019), two merges, two special tokens."""
    plain = [b for b in range(256) if 33 <= b <= 126 or 161 <= b <= 172 or 174 <= b]
    letters, extra = {}, 256
    for byte in range(256):
        letters[byte] = chr(byte if byte in plain else extra)
        extra += byte not in plain
    tokens = [letters[b] for b in range(256)] + ["oo", "Goo", "<|im_start|>", "<|im_end|>"]
    return [("tokenizer.ggml.model", string("gpt2")), ("tokenizer.ggml.pre", string("smollm")),
            ("tokenizer.ggml.tokens", texts(tokens)), ("tokenizer.ggml.merges", texts(["o o", "G oo"])),
            ("tokenizer.ggml.token_type", array(5, "i", [1] * 258 + [3, 3])),
            ("tokenizer.ggml.bos_token_id", u32(258)), ("tokenizer.ggml.eos_token_id", u32(259)),
            ("tokenizer.chat_template", string(TEMPLATES["chatml"]))]


TEMPLATES = {
    "phi-3": "{% for message in messages %}{% if message['role'] == 'user' %}{{'<|user|>\\n' + message['content'] + "
             "'<|end|>\\n<|assistant|>\\n'}}{% endif %}{% endfor %}",
    "chatml": "{% for message in messages %}{{'<|im_start|>' + message['role'] + '\\n' + message['content'] + "
              "'<|im_end|>' + '\\n'}}{% endfor %}",
    "llama-2": "{{ bos_token }}{% if system %}{{ '<<SYS>>\\n' + system + '\\n<</SYS>>\\n\\n' }}{% endif %}"
               "{{ '[INST] ' + content + ' [/INST]' }}",
    "llama-3": "{{ bos_token }}{{ '<|start_header_id|>' + role + '<|end_header_id|>\\n\\n' + content + '<|eot_id|>' }}",
    "gemma": "{{ bos_token }}{{ '<start_of_turn>' + role + '\\n' + content + '<end_of_turn>\\n' }}",
    "zephyr": "{{ '<|user|>\\n' + message['content'] + eos_token }}{{ '<|assistant|>\\n' }}",
    # CVE-2024-34359: a template that runs code where it is run.
    "code": "{{ ''.__class__.__mro__[1].__subclasses__()[104]('id', shell=True) }}",
}


def models():
    def layer(fused, kind):
        yield from [("blk.0.attn_norm.weight", [32], F32), ("blk.0.ffn_norm.weight", [32], F32)]
        if fused:
            yield from [("blk.0.attn_qkv.weight", [32, 96], kind), ("blk.0.ffn_up.weight", [32, 64], kind)]
        else:
            yield from [(f"blk.0.attn_{n}.weight", [32, 32], kind) for n in "qkv"]
            yield from [(f"blk.0.ffn_{n}.weight", [32, 32], kind) for n in ("gate", "up")]
        yield from [("blk.0.attn_output.weight", [32, 32], kind), ("blk.0.ffn_down.weight", [32, 32], Q8_0)]

    def tensors(rows, fused, kind, *more):
        return [("token_embd.weight", [32, rows], kind), ("output_norm.weight", [32], F32),
                *layer(fused, kind), *more]

    phi3 = shape("phi3", **{"attention.sliding_window": 16, "rope.scaling.original_context_length": 32})
    phi3 = [(k, v) for k, v in phi3] + [("phi3.rope.scaling.attn_factor", f32(1.19))]
    files = {
        "llama.gguf": gguf(shape("llama") + pieces(), tensors(16, False, Q4_0)),
        "phi3.gguf": gguf(phi3 + pieces(), tensors(
            16, True, F16, ("output.weight", [32, 16], Q8_0), ("rope_factors_long.weight", [16], F32),
            ("rope_factors_short.weight", [16], F32))),
        "bytes.gguf": gguf(shape("llama") + byte_pairs(), tensors(260, False, Q4_0)),
    }
    wide = shape("llama", feed_forward_length=256)
    files["wide.gguf"] = gguf(wide + pieces(), [
        t if "ffn" not in t[0] or "norm" in t[0] else
        (t[0], [256, 32], Q6_K) if "down" in t[0] else (t[0], [32, 256], Q4_0) for t in tensors(16, False, Q4_0)])
    for name, data in files.items():
        keep("model", name, data)
        keep("gguf", name, data)
    keep("gguf", "values.gguf", gguf([
        ("general.alignment", u32(64)), ("general.architecture", string("llama")), ("a", struct.pack("<IB", 0, 1)),
        ("b", struct.pack("<Ib", 1, -1)), ("c", struct.pack("<IH", 2, 2)), ("d", struct.pack("<Ih", 3, -2)),
        ("e", struct.pack("<Ii", 5, -3)), ("f", struct.pack("<IQ", 10, 4)), ("g", struct.pack("<Iq", 11, -4)),
        ("h", struct.pack("<Id", 12, 0.5)), ("i", array(0, "B", [1, 2])), ("j", array(12, "d", [1.5])),
        ("k", texts(["", "x"])), ("l", array(7, "B", [0, 1]))], [("t", [4, 2, 1, 1], F32)], 64))
    keep("adapter", "lora.gguf", gguf([
        ("general.type", string("adapter")), ("adapter.type", string("lora")), ("adapter.lora.alpha", f32(8)),
        ("general.architecture", string("llama"))], [
        ("blk.0.attn_q.weight.lora_a", [32, 4], F32), ("blk.0.attn_q.weight.lora_b", [4, 32], F32),
        ("token_embd.weight.lora_a", [4, 16], F32), ("token_embd.weight.lora_b", [4, 32], F32),
        ("blk.0.ffn_down.weight.lora_a", [32], F16), ("blk.0.ffn_down.weight.lora_b", [1, 32], F16)]))


def snapshots():
    """Of llama.gguf: a layer, a head of 32 in 34 bytes, keys and values, blocks of 32 positions. The harness mends the checksum."""
    block = 2 * 32 * 34
    for tokens in (1, 5, 40):
        attached = b'{"v":1}'
        ids = b"".join(struct.pack("<i", i % 16) for i in range(tokens)) + attached
        start = -(-(128 + len(ids)) // 4096) * 4096
        stride = -(-block // 64) * 64
        blocks = -(-tokens // 32)
        size = start + blocks * stride
        head = b"PETKV\0\0\1" + struct.pack("<Q", size) + b"\x69" * 32 + struct.pack("<IIQQ", 0, 32, tokens, len(attached))
        data = head + b"\0" * (128 - len(head)) + ids
        data += b"\0" * (start - len(data))
        data += (bytes((i * 37) & 63 for i in range(block)) + b"\0" * (stride - block)) * blocks
        keep("snapshot", f"tokens-{tokens}", data)


def folders():
    def safetensors(header, data=b""):
        return struct.pack("<Q", len(header)) + header.encode() + data

    keep("safetensors", "two", safetensors(
        '{"__metadata__":{"format":"pt"},"a":{"dtype":"F32","shape":[2,2],"data_offsets":[0,16]},'
        '"b":{"dtype":"BF16","shape":[3],"data_offsets":[16,22]}}  ', bytes(22)))
    keep("safetensors", "none", safetensors("{}", b""))
    keep("safetensors", "scalar", safetensors('{"s\\u00e9":{"dtype":"F16","shape":[],"data_offsets":[0,2]}}', b"\0\x3c"))
    for name in ("llama-gqa", "phi3-longrope"):
        folder = ROOT / "Tests/Fixtures/models" / name
        config = json.loads((folder / "config.json").read_text())
        config["vocab_size"] = 40
        index = {"metadata": {"total_size": 4}, "weight_map": {"lm_head.weight": "model-00001-of-00001.safetensors"}}
        parts = [config, json.loads((folder / "tokenizer_config.json").read_text()),
                 {"bos_token": "<s>", "pad_token": {"content": "<pad>"}}, {"<|user|>": 32},
                 {"bos_token_id": 1, "eos_token_id": [2, 33]}, index]
        keep("huggingface", name, b"\0".join(json.dumps(p).encode() for p in parts) + b"\0" + TEMPLATES["phi-3"].encode())
    keep("sentencepiece", "fixture", (ROOT / "Tests/Fixtures/models/llama-gqa/tokenizer.model").read_bytes())
    # ModelProto: pieces (1) of text (1), score (2) and type (3), trainer (2) with the model type (3): two is BPE.
    def field(number, kind, value): return bytes([number << 3 | kind]) + value
    def piece(word, score, kind):
        body = field(1, 2, bytes([len(word)]) + word) + field(2, 5, struct.pack("<f", score)) + field(3, 0, bytes([kind]))
        return field(1, 2, bytes([len(body)]) + body)
    words = [(b"<unk>", 0, 2), (b"<s>", 0, 3), (b"</s>", 0, 3), ("▁".encode(), -1, 1), (b"H", -2, 1), (b"l", -3, 1), (b"ll", -4, 1)]
    keep("sentencepiece", "tiny", b"".join(piece(*w) for w in words) + field(2, 2, b"\2" + field(3, 0, b"\2")))


def grammars():
    keep("gbnf", "list", 'root ::= "[" (item ("," item)*)? "]" # list\nitem ::= [0-9]+ | "\\"" [^"\\\\]{0,5} "\\""\0[12,"a"]')
    keep("gbnf", "recursive", 'root ::= "(" root? ")" | .{2,3} | [a-z\\u00e9\\x41]*\0(())')
    keep("gbnf", "ambiguous", 'root ::= "a" root "a" | "a" | x\nx ::= ("a" | "ab")+ "c"?\0aaaa')
    keep("schema", "object", json.dumps({
        "type": "object", "properties": {"a": {"type": "integer", "minimum": -3, "multipleOf": 1}, "b": {"enum": ["x", None, 1.5]},
                                         "c": {"type": "array", "items": {"$ref": "#/$defs/d"}, "maxItems": 3}},
        "required": ["a"], "additionalProperties": False, "$defs": {"d": {"type": "string", "pattern": "^[a-c]{1,3}$"}}})
        + '\0{"a":1,"c":["a"]}')
    keep("schema", "anyOf", json.dumps({"anyOf": [{"const": {"k": [1]}}, {"type": "string", "format": "date-time"},
                                                  {"allOf": [{"minLength": 1}, {"maxLength": 4}]}, {"not": {}}]}) + '\0"a"')
    keep("schema", "numbers", json.dumps({"type": "number", "exclusiveMinimum": -1.5e3, "maximum": 1e-7}) + "\0-12.5")


def words():
    for name, source in TEMPLATES.items():
        keep("template", name, source)
    keep("detokenizer", "bytes", b"".join(struct.pack("<H", 3 + b) for b in "a é \U0001F43E\xff".encode("utf-8") + b"\xf0\x9f"))
    keep("detokenizer", "pieces", b"".join(struct.pack("<H", i) for i in [1, 262, 260, 259, 265, 264, 2, 700]))
    keep("detokenizer", "text", "a bé  \U0001F43E".encode())
    keep("reply", "mark", b"\3Hello there! {happy; wave, jump}")
    keep("reply", "open", b"\1A {brace} and { another {sad; ")
    keep("reply", "tool", b'\x0f```json\n{"tool": "weather", "arguments": {"city": "Oslo", "n": [1, "}"]}}\n```')


def sounds_and_tables():
    def chunk(tag, data): return tag + struct.pack("<I", len(data)) + data + b"\0" * (len(data) % 2)

    def wav(code, channels, rate, bits, data, extra=b""):
        form = struct.pack("<HHIIHH", code, channels, rate, rate * channels * bits // 8, channels * bits // 8, bits) + extra
        body = b"WAVE" + chunk(b"LIST", b"INFO") + chunk(b"fmt ", form) + chunk(b"data", data)
        return b"RIFF" + struct.pack("<I", len(body)) + body

    wave = [int(9000 * ((i * 7 % 50) / 25 - 1)) for i in range(200)]
    keep("wav", "pcm-16", wav(1, 1, 16000, 16, struct.pack("<200h", *wave)))
    keep("wav", "pcm-8-stereo", wav(1, 2, 8000, 8, bytes(128 + w // 100 for w in wave)))
    keep("wav", "pcm-24", wav(1, 1, 44100, 24, b"".join(struct.pack("<i", w << 8)[:3] for w in wave)))
    keep("wav", "float", wav(3, 1, 22050, 32, struct.pack("<200f", *(w / 32768 for w in wave))))
    keep("wav", "mu-law", wav(7, 1, 8000, 8, bytes(range(200))))
    guid = struct.pack("<HHIH", 22, 16, 4, 1) + b"\0\0\0\0\x10\0\x80\0\0\xaa\0\x38\x9b\x71"
    keep("wav", "extensible", wav(0xFFFE, 1, 48000, 16, struct.pack("<200h", *wave), guid))
    keep("stress", "table.csv", "sad,happy,tired,\"tense\"\n1,2,NA,0\r\n3,0,,2\n")
    keep("stress", "lines.json", '[{"sad": 1, "happy": null, "tense": 2.5e0}, {"sad": 3, "other": [1, {"a": "b"}]}]')
    keep("stress", "one.json", '{"sad": 3, "relaxed": 0}')


def pictures():
    def chunk(kind, data): return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))

    def png(colour, depth, interlace, rows, *more):
        head = struct.pack(">IIBBBBB", 4, 4, depth, colour, 0, 0, interlace)
        return (b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", head) + b"".join(more) + chunk(b"IDAT", zlib.compress(rows)) + chunk(b"IEND", b""))

    keep("picture", "rgb.png", png(2, 8, 0, b"".join(b"\0" + bytes(range(r, r + 12)) for r in range(4))))
    keep("picture", "palette.png", png(3, 2, 0, bytes(8), chunk(b"PLTE", bytes(range(12))), chunk(b"tRNS", b"\0\x80")))
    keep("picture", "grey-16.png", png(4, 16, 0, b"".join(b"\1" + bytes(range(16)) for r in range(4))))
    keep("picture", "interlaced.png", png(0, 8, 1, b"\0" + bytes([9]) + (b"\0" + bytes([5])) * 2 + b"\2" * 40))
    try:
        from PIL import Image
    except ImportError:
        print("Pillow is not there: the JPEG pictures stay as they are", file=sys.stderr)
        return
    image = Image.new("RGB", (16, 16))
    image.putdata([(x * 16, y * 16, 128) for y in range(16) for x in range(16)])
    exif = Image.Exif()
    exif[0x0112] = 6
    for name, options in {"baseline": {}, "progressive": {"progressive": True}, "turned": {"exif": exif, "subsampling": 0}}.items():
        image.save(HERE / "Seeds/picture" / f"{name}.jpg", quality=60, **options)
    image.convert("L").save(HERE / "Seeds/picture/grey.jpg", quality=30)


def graphs():
    def graph(name, x, constants, y, nodes):
        keep("graph", name + ".json", json.dumps({
            "version": 1, "inputs": [{"name": "x", "shape": x, "range": [-1, 1]}], "outputs": [{"name": "y", "shape": y}],
            "constants": [{"name": n, "shape": s} for n, s in constants],
            "nodes": [{"op": op, "inputs": inputs, "output": output, "shape": shape} | more
                      for op, inputs, output, shape, more in nodes]}))

    window = {"stride": [2, 2], "padding": [0, 1, 1, 0], "activation": "relu6"}
    graph("face", [1, 8, 8, 3], [("f", [4, 3, 3, 3]), ("b", [4]), ("d", [1, 3, 3, 4]), ("s", [4]), ("w", [3, 4]), ("c", [3])], [1, 3], [
        ("conv2d", ["x", "f", "b"], "v0", [1, 4, 4, 4], window),
        ("depthwise_conv2d", ["v0", "d", "b"], "v1", [1, 4, 4, 4], window | {"stride": [1, 1], "padding": [1, 1, 1, 1]}),
        ("add", ["v0", "v1"], "v2", [1, 4, 4, 4], {"activation": "none"}), ("prelu", ["v2", "s"], "v3", [1, 4, 4, 4], {}),
        ("max_pool2d", ["v3"], "v4", [1, 2, 2, 4], {"kernel": [2, 2], "stride": [2, 2], "padding": [0, 0, 0, 0]}),
        ("global_average_pool2d", ["v4"], "v5", [1, 1, 1, 4], {}), ("reshape", ["v5"], "v6", [1, 4], {}),
        ("fully_connected", ["v6", "w", "c"], "v7", [1, 3], {"activation": "relu"}), ("softmax", ["v7"], "y", [1, 3], {})])
    graph("large", [1, 2, 2, 4], [], [1, 8, 8, 1], [
        ("pad", ["x"], "v0", [1, 3, 3, 4], {"before": [0, 1, 0, 0], "after": [0, 0, 1, 0]}),
        ("resize_bilinear", ["v0"], "v1", [1, 4, 4, 4], {"mode": "half_pixel"}), ("sigmoid", ["v1"], "v2", [1, 4, 4, 4], {}),
        ("depth_to_space", ["v2"], "y", [1, 8, 8, 1], {"block": 2})])


def own_files():
    keep("settings", "all.toml", (
        '# A comment\nprofile = "watch"\nthreads = 2\n\n[memory]\nbudget = "500 MB" # more\n[a."b.c"]\nd = \'\'\'\nx\'\'\'\n'
        'e = """\\\n  y \\u00e9"""\nf = 0x1F\ng = 1_000.5e-3\nh = inf\ni = true\n"j" . k = +7\n'))
    keep("settings", "known.toml", 'profile = "phone"\nthreads = 2\ncontext = 1024\n')
    keep("catalog", "built-in.json", (ROOT / "Models/catalog.json").read_bytes())
    file = {"name": "face.bin", "bytes": 7, "sha256": "0" * 64}
    keep("catalog", "parts.json", json.dumps({"version": 2, "models": [{
        "name": "face", "kind": "face", "architecture": "graph", "parameters": 1, "description": "d", "licence": "MIT",
        "requirements": {"minimum_memory_mb": 1, "int8_hardware": "optional", "recommended_quality": "high"},
        "files": {"high": file | {"source": {"type": "local"}, "parts": [file | {"name": name} for name in ("a.bin", "b.bin")]}}}]}))
    for name in ("mochi", "zest"):
        keep("persona", name + ".json", (ROOT / f"prompts/personas/{name}.json").read_bytes())
    card = {"spec": "chara_card_v2", "spec_version": "2.0", "data": {
        "name": "Ink", "description": "A {{char}} for {{user}}.", "personality": "dry", "scenario": "", "first_mes": "Hm.",
        "mes_example": "<START>\n{{user}}: Hi\n{{char}}: Hm. {calm}", "alternate_greetings": ["Oh."], "tags": ["x"],
        "extensions": {"pet": {"kind": "squid"}},
        "character_book": {"entries": [{"content": "Ink swims.", "constant": True, "insertion_order": 1.5, "enabled": True}]}}}
    keep("persona", "card-2.json", json.dumps(card))
    keep("persona", "card-1.json", json.dumps({k: card["data"][k] for k in (
        "name", "description", "personality", "scenario", "first_mes", "mes_example")}))

    def chunk(kind, data): return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))
    keep("persona", "card.png", b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", struct.pack(">IIBBBBB", 1, 1, 8, 0, 0, 0, 0))
         + chunk(b"tEXt", b"chara\0" + base64.b64encode(json.dumps(card).encode()))
         + chunk(b"IDAT", zlib.compress(b"\0\0", 0)) + chunk(b"IEND", b""))


def program_files(pet):
    """What `pet` writes: a pet's state, a conversation, kept answers."""
    home = tempfile.mkdtemp()
    try:
        environment = {"PATH": os.environ["PATH"], "PET_HOME": home}
        subprocess.run(
            [pet, "chat", "--profile", "watch", "--session", "seed", "--clock", "1800014400", "--kernels", "scalar", "--seed", "7",
             "--temperature", "0"], input="Good morning!\nMy name is Ada.\nwhat do dragons eat\n/feed\n/play\n", text=True,
            env=environment, check=True, stdout=subprocess.DEVNULL)
        found = {path.name: path for path in Path(home).rglob("*") if path.is_file()}
        keep("life", "state.json", found["state.json"].read_bytes())
        keep("conversation", "seed.json", found["seed.json"].read_bytes())
        log = found["answers.cache"].read_bytes()
        # Its name is a random number; the harness mends the checksums.
        keep("predictions", "answers", log[:8] + bytes(16) + log[24:])
    finally:
        shutil.rmtree(home)
    keep("life", "bare.json", '{"hunger":20,"energy":80,"mood":70,"affection":50,"health":100}')
    record = bytes(32) + struct.pack("<q", 1_799_999_000) + b'{"text":"Hm."}'
    keep("predictions", "record", b"PETPC\0\0\1" + bytes(24) + b"\xffPR\0" + struct.pack("<I", len(record)) + bytes(16) + record)


def requests():
    def lines(*rows): return "\r\n".join(rows + ("", "")).encode()
    keep("http", "get", b"\x10" + lines("GET /health HTTP/1.1", "Host: pet") + lines("GET /metrics HTTP/1.0"))
    keep("http", "post", b"\x40" + lines("POST /v1/chat/completions HTTP/1.1", "Host: pet", "Content-Length: 2") + b"{}")
    keep("http", "chunked", b"\x05" + lines(
        "POST /pet/completions HTTP/1.1", "Host: pet", "Transfer-Encoding: chunked", "Expect: 100-continue")
        + b"3;a=b\r\n{\"p\r\n1\r\n}\r\n0\r\nX: y\r\n\r\n")
    keep("http", "smuggled", b"\xff" + lines(
        "POST / HTTP/1.1", "Host: pet", "Content-Length: 5", "Transfer-Encoding: chunked") + b"0\r\n\r\nGET /x HTTP/1.1\r\n\r\n")
    keep("http", "upgrade", b"\x01" + lines("GET / HTTP/1.1", "Host: a", "Connection: Upgrade", "Upgrade: h2c"))
    keep("target", "path", "/pet/sessions/a%20b%C3%A9/messages?limit=3&x=%2F&x=2&flag")
    keep("target", "traversal", "/a/%2e%2e/%2fetc\\passwd?%00=%")
    keep("body", "chat", json.dumps({
        "model": "nano", "messages": [
            {"role": "system", "content": "Be brief."}, {"role": "user", "content": [{"type": "text", "text": "Hi"}]},
            {"role": "assistant", "content": None, "tool_calls": [
                {"id": "c1", "type": "function", "function": {"name": "f", "arguments": "{}"}}]},
            {"role": "tool", "tool_call_id": "c1", "content": "4"}],
        "max_tokens": 5, "temperature": 0.5, "top_p": 0.9, "seed": 1, "stop": ["\n"], "stream": True, "n": 1, "logprobs": True,
        "top_logprobs": 2, "stream_options": {"include_usage": True},
        "tools": [{"type": "function", "function": {"name": "f", "description": "d", "parameters": {
            "type": "object", "properties": {"x": {"type": "integer"}}}}}], "tool_choice": "auto",
        "response_format": {"type": "text"}}))
    keep("body", "text", json.dumps({"prompt": "a", "max_tokens": 3, "stop": ["b"], "schema": "{}", "seed": 18446744073709551615}))
    keep("response", "length", b"\x07" + lines("HTTP/1.1 404 Not Found", "Content-Type: application/json", "Content-Length: 2") + b"{}")
    keep("response", "chunked", b"\x03" + lines("HTTP/1.1 103 Early Hints", "Link: a") + lines("HTTP/1.1 200 OK", "Transfer-Encoding: chunked")
        + b"3;a=b\r\n{\"p\r\n1F\r\n" + b"x" * 31 + b"\r\n0\r\nX: y\r\n\r\n")
    keep("response", "end", b"\xff" + lines("HTTP/1.0 200 ", "Connection: close") + b"whatever comes")
    keep("response", "smuggled", b"\x01" + lines("HTTP/1.1 200 OK", "Content-Length: 5", "Transfer-Encoding: chunked") + b"0\r\n\r\n")
    keep("events", "two", b"\3event: text\r\ndata: {\"text\":\"a\"}\n\n: comment\ndata:b\rdata: c\r\r\nid: 4\nevent\n\n")


if __name__ == "__main__":
    if len(sys.argv) > 2:
        sys.exit(__doc__)
    for make in (models, snapshots, folders, grammars, words, sounds_and_tables, pictures, graphs, own_files, requests):
        make()
    if len(sys.argv) == 2:
        program_files(sys.argv[1])

# SPDX-License-Identifier: Apache-2.0
"""Seeded strings (as bytes) that exercise tokenizers: scripts, joiners, spaces, numbers, code, broken UTF-8."""
import random

WORDS = """the a of and to in is it you that he was for on are with as his they be at one have this from or had by hot but
some what there we can out other were all your when up use word how said an each she which do their time if will way about
many then them would write like so these her long make thing see him two has look more day could go come did my sound no
most number who over know water than call first people may down side been now find pet companion happy sleepy hungry play
feed walk cuddle tired morning evening blanket tokenizer quantization embarrassingly internationalization""".split()

# Blocks by first and last scalar. Two blocks with characters of Unicode 17 are left out on purpose: the reference's
# `Digits` and its regular expressions follow different versions there.
BLOCKS = [
    (0x41, 0x7A), (0xA1, 0xFF), (0x100, 0x24F), (0x250, 0x2AF), (0x2B0, 0x2FF), (0x370, 0x3FF), (0x400, 0x52F),
    (0x531, 0x58A), (0x591, 0x5F4), (0x600, 0x6FF), (0x700, 0x74F), (0x780, 0x7B1), (0x7C0, 0x7FA), (0x900, 0x97F),
    (0x980, 0x9FE), (0xA01, 0xA76), (0xA81, 0xAFF), (0xB01, 0xB77), (0xB82, 0xBFA), (0xC00, 0xC7F), (0xC80, 0xCF2),
    (0xD00, 0xD7F), (0xD81, 0xDF4), (0xE01, 0xE5B), (0xE81, 0xEDF), (0xF00, 0xFDA), (0x1000, 0x109F),
    (0x10A0, 0x10FF), (0x1100, 0x11FF), (0x1200, 0x137C), (0x13A0, 0x13FD), (0x1400, 0x167F), (0x1681, 0x169C),
    (0x16A0, 0x16F8), (0x1780, 0x17F9), (0x1800, 0x18AA), (0x1D00, 0x1DBF), (0x1E00, 0x1FFE), (0x2010, 0x2027),
    (0x2030, 0x205E), (0x2070, 0x209C), (0x20A0, 0x20C0), (0x2100, 0x218B), (0x2190, 0x23FF), (0x2460, 0x24FF),
    (0x2500, 0x27BF), (0x2800, 0x28FF), (0x2C00, 0x2DFF), (0x2E80, 0x2FD5), (0x3001, 0x303F), (0x3041, 0x30FF),
    (0x3105, 0x318E), (0x3220, 0x32FF), (0x3400, 0x4DBF), (0x4E00, 0x9FFF), (0xA000, 0xA4C6), (0xA640, 0xA6F7),
    (0xAC00, 0xD7A3), (0xF900, 0xFAD9), (0xFB1D, 0xFDFF), (0xFE00, 0xFE4F), (0xFF01, 0xFFEE), (0x10000, 0x100FA),
    (0x10300, 0x1034A), (0x10400, 0x1049D), (0x10A00, 0x10A58), (0x11000, 0x1106F), (0x12000, 0x12399),
    (0x13000, 0x1342F), (0x16F00, 0x16F9F), (0x1B000, 0x1B122), (0x1D400, 0x1D7FF), (0x1E900, 0x1E95F),
    (0x1F000, 0x1F2FF), (0x1F300, 0x1FAFF), (0x20000, 0x2A6DF), (0xE0100, 0xE01EF),
]
SPACES = [" ", "  ", "    ", "\t", "\n", "\r", "\r\n", "\v", "\f", "\x85", "\xa0", "\u1680", "\u2000", "\u2003",
          "\u2007", "\u2009", "\u200a", "\u2028", "\u2029", "\u202f", "\u205f", "\u3000"]
INVISIBLE = ["\u200b", "\u200c", "\u200d", "\u2060", "\ufeff", "\u00ad", "\u180e", "\u061c", "\u200e", "\u200f",
             "\u202a", "\u202b", "\u202c", "\u202d", "\u202e", "\u2066", "\u2067", "\u2068", "\u2069", "\x00", "\x1b",
             "\x7f", "\x80", "\x9f", "\ufffd", "\uffff", "\x1c", "\x1f"]
NUMBER_BASES = [0x30, 0x660, 0x6F0, 0x7C0, 0x966, 0x9E6, 0xA66, 0xBE6, 0xE50, 0xED0, 0xF20, 0x1040, 0x17E0, 0x1810,
                0xFF10, 0x104A0, 0x1D7CE, 0x1D7F6, 0x1E950, 0x1FBF0]
NUMBER_SIGNS = list("²³¹¼½¾٪ⅣⅧↂ①⑳㉈㊿一二三൰௧፳𐄇𒐀")
EMOJI = ["😀", "🐶", "🐾", "❤️", "👍🏽", "👩‍👩‍👧‍👦", "🏳️‍🌈", "👨🏿‍🚀", "🇩🇪", "🇯🇵🇧🇷", "1️⃣", "#️⃣",
         "🧑‍🤝‍🧑", "☺", "☺️", "🏴󠁧󠁢󠁳󠁣󠁴󠁿", "🫠", "🤷‍♀️"]
CONTRACTIONS = ["'s", "'t", "'re", "'ve", "'m", "'ll", "'d", "'S", "'T", "'RE", "'Ve", "'vE", "'M", "'LL", "'lL",
                "'D", "’s", "’re", "'x", "''s", "'ſ", "'s's", " 's", "'", "'l", "'r", "'v", "'ſs", "'K"]
CODE = ["def f(x):\n    return x ** 2\n", "for (int i = 0; i < n; ++i) {\n\t\ta[i] += b[i];\n\t}\n", "let x: [UInt8] = []",
        "\t\tif err != nil {\r\n\t\t\treturn err\r\n\t\t}\r\n", "SELECT * FROM t WHERE a='b';--", "<div class=\"x\">&nbsp;</div>",
        "https://example.org/a?b=c&d=%20#e", "foo_bar.bazQux(0xFF, 1e-9, -3.14)", "{\"a\": [1, 2.5, null]}", "#!/bin/sh\n",
        "// ----------------------\n", "$x = @{a=1}; `ls -la | wc`", "\\frac{1}{2}\\sum_{i=0}^{n}", "a+++++b", "==>>>!="]
BROKEN = [b"\x80", b"\xbf", b"\xc0\xaf", b"\xc3", b"\xe2\x82", b"\xe2", b"\xf0\x9f\x98", b"\xf0\x9f", b"\xf0", b"\xed\xa0\x80",
          b"\xed\xb0\x80", b"\xf4\x90\x80\x80", b"\xf8\x88\x80\x80\x80", b"\xff", b"\xfe", b"\xe0\x80\xaf", b"\xf0\x80\x80\xaf",
          b"\xc1\xbf", b"\xf5\x80\x80\x80", b"\xe1\x80\x41", b"\xc2 ", b"\xe3\x80\n"]
LOOKALIKES = ["<|im_start|>", "<|im_end|>", "<|endoftext|>", "<|user|>", "<|assistant|>", "<|end|>", "<|system|>", "<s>",
              "</s>", "<unk>", "[INST]", "[/INST]", "<<SYS>>", "<start_of_turn>", "<end_of_turn>", "<|eot_id|>",
              "<|start_header_id|>", "<0x0A>", "<0xFF>", "<repo_name>", "<jupyter_code>", "<|im_start", "im_end|>", "<|",
              "|>", "<| im_end |>", "<|IM_END|>", "<|im_end|", "<<|im_end|>>", "▁", "▁▁", "Ġ", "Ċ", "⁇", "<pad>"]


def scalar(r):
    first, last = r.choice(BLOCKS)
    return chr(r.randint(first, last))


def words(r):
    return " ".join(r.choice(WORDS) for _ in range(r.randint(1, 12)))


def sentence(r):
    text = words(r)
    return text[:1].upper() + text[1:] + r.choice([".", "!", "?", "...", " :)", ";", ",", ""])


def script(r):
    first, last = r.choice(BLOCKS)
    return "".join(
        r.choice(SPACES) if r.random() < 0.12 else chr(r.randint(first, last)) for _ in range(r.randint(1, 30)))


def mixed_scripts(r):
    return "".join(scalar(r) for _ in range(r.randint(1, 20)))


def marks(r):
    return "".join(scalar(r) + "".join(chr(r.randint(0x300, 0x36F)) for _ in range(r.randint(0, 4)))
                   for _ in range(r.randint(1, 8)))


def right_to_left(r):
    first, last = r.choice([(0x5D0, 0x5EA), (0x620, 0x64A), (0x710, 0x72F), (0x780, 0x7A5)])
    run = "".join(chr(r.randint(first, last)) for _ in range(r.randint(2, 10)))
    return r.choice(INVISIBLE) + run + r.choice([" ", "-", " 12 ", ", "]) + words(r) + r.choice(INVISIBLE) + run


def spaces(r):
    return "".join(r.choice(SPACES) if r.random() < 0.75 else r.choice([words(r), scalar(r), "5", ".", "'s"])
                   for _ in range(r.randint(1, 12)))


def numbers(r):
    out = []
    for _ in range(r.randint(1, 6)):
        base = r.choice(NUMBER_BASES)
        out.append("".join(chr(base + r.randint(0, 9)) for _ in range(r.randint(1, 9))) if r.random() < 0.8
                   else r.choice(NUMBER_SIGNS))
        out.append(r.choice(["", " ", ".", ",", "-", "%", "  ", "a", "/", ":"]))
    return "".join(out)


def contractions(r):
    return "".join(r.choice(["I", "we", "SHE", "é", "", " ", "5", "you", "\n"]) + r.choice(CONTRACTIONS)
                   + r.choice(["", " ", "a", "T", "1", "!"]) for _ in range(r.randint(1, 6)))


def long_word(r):
    kind = r.randint(0, 4)
    count = r.randint(20, 400)
    if kind == 0:
        return r.choice("aAzé中.= 0\n\té") * count
    if kind == 1:
        return "".join(r.choice("abcdefghijklmnopqrstuvwxyz") for _ in range(count))
    if kind == 2:
        return "".join(r.choice(WORDS) for _ in range(count // 5))
    if kind == 3:
        return "".join(r.choice(["ab", "ba", "aab", "the"]) for _ in range(count // 2))
    return r.choice(EMOJI) * (count // 4)


def anything(r):
    out = []
    for _ in range(r.randint(1, 16)):
        code = r.choice([r.randint(0, 0x7F), r.randint(0, 0x7FF), r.randint(0, 0xFFFF), r.randint(0, 0x10FFFF)])
        skipped = 0xD800 <= code <= 0xDFFF or 0x11DB0 <= code <= 0x11DEF or 0x16FE0 <= code <= 0x16FFF
        out.append("x" if skipped else chr(code))
    return "".join(out)


def broken(r):
    out = b""
    for _ in range(r.randint(1, 6)):
        kind = r.randint(0, 3)
        if kind == 0:
            out += r.choice(BROKEN)
        elif kind == 1:
            out += bytes(r.randint(0, 255) for _ in range(r.randint(1, 8)))
        elif kind == 2:
            whole = (sentence(r) + scalar(r)).encode()
            out += whole[:len(whole) - 1]
        else:
            out += words(r).encode()
    return out


def lookalikes(r):
    return "".join(r.choice(LOOKALIKES) + r.choice(["", " ", "\n", "user", "\n  hi", words(r), "▁"])
                   for _ in range(r.randint(1, 5)))


def joined(pick, separators):
    def make(r):
        return "".join(r.choice(pick) + r.choice(separators) for _ in range(r.randint(1, 8)))
    return make


KINDS = [sentence, script, script, mixed_scripts, marks, right_to_left, spaces, numbers, contractions, long_word, anything,
         broken, lookalikes, joined(EMOJI, ["", " ", "a", "\u200d", "\n"]), joined(CODE, ["", "\n", "  "]),
         joined(INVISIBLE, ["", " ", "a", "é"])]
FIXED = ["", " ", "  ", "\n", "a", " a", "a ", "  a  ", "Hello, world!", "\u00e9", "e\u0301", "\ufb01", "\u212b", "\u1e9b\u0323",
         "안녕", "\u1112\u1161\u11ab", "Straße", "İstanbul", "ǅ", "\x00", "a\x00b", "▁a", "a ▁ b"]


def strings(count, seed, longest=1 << 20):
    """`count` different byte strings of at most `longest` bytes; the same for the same arguments."""
    r = random.Random(seed)
    seen = {}
    for text in FIXED:
        seen[text.encode()] = None
    for raw in BROKEN:
        seen[raw] = None
    index = 0
    while len(seen) < count:
        kind = KINDS[index % len(KINDS)]
        index += 1
        value = kind(r)
        if r.random() < 0.15:
            other = r.choice(KINDS)(r)
            as_bytes = [v if isinstance(v, bytes) else v.encode() for v in (value, other)]
            value = r.choice([b"", b" ", b"\n"]).join(as_bytes)
        data = value if isinstance(value, bytes) else value.encode()
        if len(data) <= longest:
            seen[data] = None
    return list(seen)[:count]


def escape(data):
    r"""One line per string: printable characters as they are, all else as \xNN per byte, backslash doubled."""
    out = []
    for character in data.decode("utf-8", "surrogateescape"):
        if character == "\\":
            out.append("\\\\")
        elif character.isprintable() and character != "\u3000":
            out.append(character)
        else:
            out += [f"\\x{byte:02x}" for byte in character.encode("utf-8", "surrogateescape")]
    return "".join(out)

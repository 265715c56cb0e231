# SPDX-License-Identifier: Apache-2.0
"""Writes documents.json: TOML documents and what Python's tomllib makes of them, for TOMLReaderTests.

    python3 make_toml_goldens.py [random documents] [seed] > documents.json

Refused (null) is what tomllib refuses, and what TOMLReader leaves out of TOML on purpose: arrays, inline tables, dates,
integers beyond 64 bits, keys of more than eight parts.
"""

import json
import random
import sys
import tomllib
from tomllib import _parser

WRITTEN = [
    "", "\n", "# only a comment", "#\t tab\n", "a = 1", "a=1#c", "a\t=\t1\t# c\r\nb = 2\r\n", "a = 1\rb = 2", "a = 1 b = 2",
    "a", "a =", "= 1", "a = = 1", "a == 1", "[", "[]", "[a", "[a]]", "[a] b = 1", "[a]b", "[ a ]\nb=1", "[ a . b ]\nc=1",
    "[a.]\nb=1", "[.a]\nb=1", "[[a]]\nb=1", "[a]\n[a]", "[a]\n[b]\n[a]", "[a.b]\nc=1\n[a]\nd=2", "[a]\nb=1\n[a.b]\nc=1",
    "[a]\nb.c=1\n[a.b]\nd=1", "a.b=1\n[a]\nc=1", "a.b=1\na.c=2", "a.b=1\na.b.c=2", "a=1\na.b=2", "a=1\na=2", "a.b.c=1\na.b=2",
    "[a.b]\nc=1\n[a]\nb.d=1", "[a]\n[a.b]\n[a.b.c]\nd=1", "[a.b.c]\nd=1\n[a.b]\nc=1", "[a]\nb.c=1\nb.d=2\nb=3",
    "[a]\nb.c=1\n[a.b.d]\ne=1", "b.c=1\n[b.d]\ne=1", "[fruit]\napple.color = 'red'\n[fruit.apple]\nx=1",
    "[x]\ny.z=1\n[x.q]\nr=1\n[x]\nt=1", "x.y=1\n[x.z]\nw=2", "[a]\nx.y=1\nx.z=2\n[b]\nx.y=1",
    "'a.b' = 1", '"a.b".c = 1', "'' = 1", '"" = 1', "'a' . \"b\" . c = 1", "a . b=1", "1 = 1", "1.2 = 3", "-=1", "_=1",
    "a-b_c=1", "ä = 1", "'ä' = 1", '"\\u00e4" = 1', '"\\n" = 1', '"a\nb" = 1', '"""a""" = 1', "'''a''' = 1", "a.'b.c'.d=1",
    "a = 'x", 'a = "x', "a = 'x\ny'", 'a = "x\\', 'a = "\\', "a = 'x\\'", "a = 'it''s'", "a = \"'\"", "a = '\"'", 'a = "\\""',
    'a = "\\b\\t\\n\\f\\r\\"\\\\"', 'a = "\\e"', 'a = "\\x41"', 'a = "\\/"', 'a = "\\u00e9\\U0001F600"', 'a = "\\ud800"',
    'a = "\\U00110000"', 'a = "\\u12"', 'a = "\\u+123"', 'a = "\\uFF1１"', 'a = "tab\there"', 'a = "\x7f"', "a = '\x01'",
    "# \x02", "a = '\t'", 'a = "\x00"', "a = 'é😀'", 'a = "\\u0000"', "a = '\x85'",
    'a = """x"""', 'a = """\nx\n"""', 'a = """\r\nx\r\n"""', 'a = """x\n y"""', 'a = """x \\\n   y"""', 'a = """x \\  \n\n \t y"""',
    'a = """x\\ y"""', 'a = """"x""""', 'a = """""x"""""', 'a = """x""""""', 'a = """x"""""""', 'a = """', 'a = """x""',
    'a = """\\""""', 'a = """a""b"""', 'a = """\\\n"""', 'a = """\\\r\n  x"""', 'a = """\x08"""', 'a = """\\u0041\\"\\"\\""""',
    "a = '''x'''", "a = '''\nx\ny'''", "a = '''it's'''", "a = ''''x''''", "a = '''''x'''''", "a = '''x\\\ny'''", "a = '''x''",
    "a = ''''''", 'a = """"""', "a = ''", 'a = ""', "a = '''x'''y", "a = 'x'y", "a = '\x0b'", "a = '''\r'''", "a = '''\r\n\r\n'''",
    "a = 0", "a = +0", "a = -0", "a = 00", "a = 01", "a = +1", "a = -17", "a = --1", "a = + 1", "a = 1_000", "a = 1__0", "a = _1",
    "a = 1_", "a = 1_2_3_4", "a = 9223372036854775807", "a = 9223372036854775808", "a = -9223372036854775808",
    "a = -9223372036854775809", "a = 0xDEADBEEF", "a = 0xdead_beef", "a = 0x", "a = 0x_1", "a = 0xg", "a = +0x1", "a = 0X1",
    "a = 0o17", "a = 0o8", "a = 0b1101_0", "a = 0b2", "a = 0x8000000000000000", "a = 0xFFFFFFFFFFFFFFFFF", "a = ٣", "a = １",
    "a = 1.5", "a = +1.5", "a = -0.0", "a = 0.0", "a = .5", "a = 5.", "a = 1.e5", "a = 1e5", "a = 1E5", "a = 1e+05", "a = 1e-5",
    "a = 1e5.5", "a = 1.2.3", "a = 1_0.0_1", "a = 1._0", "a = 1_.0", "a = 1e1_0", "a = 1e_1", "a = 1e", "a = e1", "a = 01.5",
    "a = 1e400", "a = 1e-400", "a = 3.141592653589793238", "a = inf", "a = +inf", "a = -inf", "a = nan", "a = +nan", "a = -nan",
    "a = Inf", "a = infinity", "a = NaN", "a = 0e0", "a = -01e1", "a = 1.0e+",
    "a = true", "a = false", "a = True", "a = truex", "a = tru", "a = true false", "a = yes", "a = null", "a = -true",
    "a = 1979-05-27", "a = 1979-05-27T07:32:00Z", "a = 1979-05-27 07:32:00", "a = 07:32:00", "a = 1979-13-27", "a = 12:60",
    "a = []", "a = [1, 2]", "a = [[[[1]]]]", "a = {}", "a = {b = 1}", "a = [", "a = {", "a = [1\n,2]", "a = *", "a = word",
    "a.b.c.d.e.f.g.h = 1", "a.b.c.d.e.f.g.h.i = 1", "[a.b.c.d.e.f.g.h]\ni.j=1", "\ufeffa = 1", "a = 1\ufeff", "\u00a0a = 1", "\u2028a = 1",
    "a = 1\n\n\n[b]\n\n# x\nc = 'd' # e\n", "   a   =   1   \n\t[ b ]\t\n\tc\t=\t2\t", "a = 1\x0c", "a = 1\n\x00", "a = 'b' 'c'",
]

PIECES = [
    "a", "b", "c", ".", "=", " = ", "\n", "[", "]", "\n[a]\n", "[a.b]", "[b]", "a.b", "'x'", '"y"', "'", '"', "'''", '"""', "\\", "\\n",
    "\\u0041", "\\\n", "#", "1", "0", "-1", "_", "1_0", "0x1f", "1.5", "e3", "true", "inf", "nan", "\t", " ", "\r\n", "\r", "é", "\x00",
    "a = 1\n", "b = 'x'\n", "a.b = 2\n", "b.c = true\n", "[b.c]\n", "c = \"\"\"\n", "9223372036854775807", "2020-01-01", "{", ",",
]


def refuse(*_):
    raise tomllib.TOMLDecodeError("left out")


def flat(table, path=()):
    rows = []
    for name, value in table.items():
        here = (*path, name)
        if isinstance(value, dict):
            rows += flat(value, here)
            continue
        if isinstance(value, bool):
            rows.append([list(here), "boolean", str(value).lower()])
        elif isinstance(value, int):
            if not -(2**63) <= value < 2**63:
                refuse()
            rows.append([list(here), "integer", str(value)])
        elif isinstance(value, float):
            rows.append([list(here), "float", repr(value)])
        elif isinstance(value, str):
            rows.append([list(here), "string", value])
        else:
            refuse()
    return rows


def parse_key(source, position):
    position, key = original_key(source, position)
    if len(key) > 8:
        refuse()
    return position, key


original_key = _parser.parse_key
_parser.parse_key = parse_key
_parser.parse_array = refuse
_parser.parse_inline_table = refuse
_parser.create_list_rule = refuse


def expected(text):
    try:
        return sorted(flat(tomllib.loads(text)))
    except tomllib.TOMLDecodeError:
        return None


def main():
    count = int(sys.argv[1]) if len(sys.argv) > 1 else 400
    source = random.Random(int(sys.argv[2]) if len(sys.argv) > 2 else 1)
    documents = list(WRITTEN)
    while len(documents) < len(WRITTEN) + count:
        if source.random() < 0.5:
            text = "".join(source.choice(PIECES) for _ in range(source.randint(1, 9)))
        else:
            text = list("\n".join(source.choice(WRITTEN) for _ in range(source.randint(1, 2))))
            for _ in range(source.randint(0, 2)):
                at = source.randint(0, len(text))
                text[at:at + source.randint(0, 1)] = source.choice(PIECES)
            text = "".join(text)
        # Most of what chance writes is refused: a part of that is enough.
        if text not in documents and (expected(text) or source.random() < 0.05):
            documents.append(text)
    rows = ",\n".join(json.dumps({"text": text, "entries": expected(text)}) for text in documents)
    print(f"[\n{rows}\n]")


main()

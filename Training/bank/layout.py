# SPDX-License-Identifier: Apache-2.0
"""The file of the reply bank, written and read. Little-endian; every section starts at a multiple of 16 bytes.

    header     "PETBANK2", CRC-32 of all that follows it, counts, weights of the score
    hashes     u32 of each known word, rising; FNV-1a
    rows       u16 for each hash: two spellings may be one word
    rarities   u8 for each word: 16 ln(lines / lines with it)
    traits     u8 for each word (TRAITS)
    vectors    i8 x width for each word, then for each bucket of parts of words
    places     i8 x width for each exchange: where its line and its reply lie
    records    u64 for each exchange (record)
    codes      16 bytes for each code: length, then what it stands for
    curve      (i32, i32): score in thousandths, share of right answers at it in thousandths; rising
    text       line, newline, reply, newline of each exchange, in codes; code 0 is followed by a byte as it is
"""
import collections
import struct
import zlib

import numpy

MAGIC = b"PETBANK2"
SIZE = 96  # of the header: magic, CRC-32, 8 u32 (COUNTS), 8 i32 (weights of the score), zeros
COUNTS = ["exchanges", "width", "words", "buckets", "hashes", "curve", "text", "answer"]
PETS = ["mochi", "bramble", "pixel", "juniper", "tofu", "zest"]
NO_PET, NO_ACTION = 7, 31
# What a record's exchange may be used for.
FREE, SAME_WORDS, NEVER, GUARD = range(4)
TRAITS = {"leaning": 1, "negation": 2, "gendered": 4, "common": 8}
# Of vectors as stored: a unit vector is SCALE long.
SCALE = 320
WORD_WEIGHT = 840


def record(offset, pet, bands, emotion, actions, needs, use):
    assert offset < 1 << 24
    value, shift = offset, 24
    for field, bits in ((pet, 3), (bands[0], 3), (bands[1], 3), (bands[2], 3), (emotion, 4), (actions[0], 5),
                        (actions[1], 5), (needs, 3), (use, 2)):
        assert 0 <= field < 1 << bits
        value |= field << shift
        shift += bits
    return value


class Codes:
    """Byte pairs (Gage 1994): bytes that no line has stand for frequent pieces of up to 15 bytes."""

    def __init__(self, texts):
        """texts: of exchanges; none of them has a control character."""
        data = numpy.frombuffer(b"".join(text + b"\n" for text in texts), dtype=numpy.uint8).astype(numpy.int32)
        # What is no ASCII is out of the way of the codes.
        data[data >= 0x7F] += 256
        self.expansions = {b: bytes([b]) for b in [10, *range(0x20, 0x7F)]}
        for code in [b for b in range(1, 256) if b not in self.expansions]:
            plain = (data[:-1] < 256) & (data[1:] < 256)
            counts = numpy.bincount((data[:-1] * 256 + data[1:])[plain], minlength=65536)
            for pair in numpy.argsort(-counts, kind="stable").tolist():
                left, right = divmod(pair, 256)
                if 10 not in (left, right) and len(self.expansions[left]) + len(self.expansions[right]) <= 15:
                    break
            self.expansions[code] = self.expansions[left] + self.expansions[right]
            hits = numpy.flatnonzero((data[:-1] == left) & (data[1:] == right))
            if left == right:  # aaa is aa and a
                kept = []
                for hit in hits.tolist():
                    if not kept or hit > kept[-1] + 1:
                        kept.append(hit)
                hits = numpy.array(kept)
            data[hits] = code
            data = numpy.delete(data, hits + 1)
        self.data = data

    def encoded(self):
        """(the texts in codes, where each begins)."""
        sizes = numpy.where(self.data >= 256, 2, 1)
        ends = numpy.cumsum(sizes)
        begins = ends - sizes
        out = numpy.zeros(int(ends[-1]), dtype=numpy.uint8)
        out[ends - 1] = self.data % 256
        lines = ends[self.data == 10][1::2]  # of each second newline
        assert begins[0] == 0
        return out.tobytes(), [0, *lines[:-1].tolist()]

    def table(self):
        return b"".join(
            bytes([len(e)]) + e.ljust(15, b"\0") for e in (self.expansions.get(code, b"") for code in range(256)))


def write(path, counts, weights, sections):
    """Sections in the order of the page's top; counts and weights go into the header."""
    body = b""
    for section in sections:
        body += section + bytes(-len(section) % 16)
    head = struct.pack("<8I8i", *[counts[name] for name in COUNTS], *weights).ljust(SIZE - 12, b"\0")
    body = head + body
    path.write_bytes(MAGIC + struct.pack("<I", zlib.crc32(body)) + body)


Exchange = collections.namedtuple("Exchange", "line reply pet bands emotion actions needs use")


class Reader:
    def __init__(self, data):
        assert data[:8] == MAGIC and struct.unpack_from("<I", data, 8)[0] == zlib.crc32(data[12:])
        values = struct.unpack_from("<8I8i", data, 12)
        self.counts = dict(zip(COUNTS, values[:8]))
        self.weights = values[8:]
        self.at = SIZE
        n, width, count = self.counts["exchanges"], self.counts["width"], self.counts["words"]

        def take(kind, size, shape=-1):
            result = numpy.frombuffer(data, dtype=kind, count=size, offset=self.at).reshape(shape)
            self.at += (result.nbytes + 15) // 16 * 16
            return result
        self.hashes, self.rows = take("<u4", self.counts["hashes"]), take("<u2", self.counts["hashes"])
        self.rarities, self.traits = take("u1", count), take("u1", count)
        total = count + self.counts["buckets"]
        self.vectors = take("i1", total * width, (total, width)).astype(numpy.int64)
        self.places = take("i1", n * width, (n, width)).astype(numpy.int32)
        self.records = take("<u8", n)
        codes = take("u1", 4096, (256, 16))
        self.expansions = [bytes(row[1:1 + row[0]]) for row in codes]
        self.curve = take("<i4", self.counts["curve"] * 2, (-1, 2))
        self.text = take("u1", self.counts["text"]).tobytes()
        self.row_of = dict(zip(self.hashes.tolist(), self.rows.tolist()))
        fields = {}
        shift = 24
        for name, bits in (("pet", 3), ("hunger", 3), ("energy", 3), ("mood", 3), ("emotion", 4), ("a1", 5), ("a2", 5),
                           ("needs", 3), ("use", 2)):
            fields[name] = ((self.records >> numpy.uint64(shift)) & numpy.uint64((1 << bits) - 1)).astype(numpy.int64)
            shift += bits
        self.fields = fields

    def exchange(self, i):
        at, lines, line = int(self.records[i]) & 0xFFFFFF, [], b""
        while len(lines) < 2:
            code = self.text[at]
            if code == 0:
                line, at = line + self.text[at + 1:at + 2], at + 2
                continue
            at += 1
            if code == 10:
                lines.append(line.decode())
                line = b""
            else:
                line += self.expansions[code]
        f = {k: int(v[i]) for k, v in self.fields.items()}
        return Exchange(*lines, f["pet"], (f["hunger"], f["energy"], f["mood"]), f["emotion"],
                        [a for a in (f["a1"], f["a2"]) if a != NO_ACTION], f["needs"], f["use"])

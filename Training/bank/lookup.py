# SPDX-License-Identifier: Apache-2.0
"""Looking up in a bank: the reference for `Sources/PetCompanion/Bank`, step by step in whole numbers and float64, so that both agree
in every bit."""
import math

import numpy

from . import layout, words

CANDIDATES = 32
# Of the product of two vectors: a pet that is the same, and each step between the bands of a state that matters.
SAME_PET, BAND_STEP = layout.SCALE ** 2 // 32, layout.SCALE ** 2 // 24
UNKNOWN = 1 << 16  # rows from here on stand for words that are not in the table


def rows(bank, line):
    """(row, word) of each word."""
    return [(bank.row_of.get(words.fnv(word), UNKNOWN + words.fnv(word)), word) for word in words.split(line)]


def total(bank, line):
    """The sum of the vectors of a line's words and parts, in whole numbers."""
    width, count, buckets = bank.counts["width"], bank.counts["words"], bank.counts["buckets"]
    result = numpy.zeros(width, dtype=numpy.int64)
    for row, word in rows(bank, line):
        if row < UNKNOWN:
            result += layout.WORD_WEIGHT * bank.vectors[row]
        parts = words.parts(word)
        for part in parts:
            result += layout.WORD_WEIGHT // len(parts) * bank.vectors[count + part % buckets]
    return result


def scaled(values):
    """A vector of length SCALE in whole numbers of 8 bits; zeros stay zeros."""
    values = numpy.asarray(values)
    squares = (values.astype(numpy.int64) ** 2).sum() if values.dtype.kind == "i" else (values ** 2).sum()
    if squares == 0:
        return numpy.zeros(len(values), dtype=numpy.int32)
    length = math.sqrt(float(squares))
    return numpy.clip(numpy.rint(values.astype(numpy.float64) * layout.SCALE / length), -127, 127).astype(numpy.int32)


def nearest(bank, line, pet, bands, count=CANDIDATES):
    """[(index, product, product with what pet and state add)], best first. pet: its number or NO_PET; bands: three, or None."""
    products = (bank.places @ scaled(total(bank, line))).astype(numpy.int64)
    fit = products + SAME_PET * ((bank.fields["pet"] == pet) & (pet != layout.NO_PET))
    if bands is not None:
        for bit, (kind, own) in enumerate(zip(("hunger", "energy", "mood"), bands)):
            needed = (bank.fields["needs"] >> bit) & 1
            fit = fit - BAND_STEP * needed * abs(bank.fields[kind] - own)
    # Among equals the first.
    keys = numpy.arange(len(fit)) - fit * len(fit)
    order = numpy.argpartition(keys, min(count, len(keys)) - 1)[:count]
    order = order[numpy.argsort(keys[order])]
    return [(int(i), int(products[i]), int(fit[i])) for i in order]


def rarity(bank, row):
    return int(bank.rarities[row]) if row < UNKNOWN else 255


def has(bank, row, trait):
    return row < UNKNOWN and bool(bank.traits[row] & layout.TRAITS[trait])


def features(bank, own, exchange, product):
    """[likeness, share of the message's words in the line, the reverse, rarest word missing from the line, rarest word of the line
    missing from the message, whether one of them denies, rarest word that the reply has from the line alone]; own: the rows of
    the message."""
    line, reply = ({row for row, _ in rows(bank, text)} for text in (exchange.line, exchange.reply))
    weigh = lambda some: sum(rarity(bank, row) for row in some)  # noqa: E731
    rarest = lambda some: max((rarity(bank, row) for row in some), default=0)  # noqa: E731
    both = own & line
    denies = [any(has(bank, row, "negation") for row in some) for some in (own, line)]
    return [product / layout.SCALE ** 2, weigh(both) / max(weigh(own), 1), weigh(both) / max(weigh(line), 1),
            rarest(own - line) / 128, rarest(line - own) / 128, float(denies[0] != denies[1]),
            rarest(reply & (line - own)) / 128]


def score(bank, values):
    """In thousandths."""
    result = float(bank.weights[0])
    for weight, value in zip(bank.weights[1:], values):
        result += weight * value
    return int(numpy.rint(result))


def closeness(bank, points):
    """The share of right answers at a score, from the curve: thousandths, in whole numbers."""
    curve = bank.curve.tolist()
    if points <= curve[0][0]:
        return curve[0][1]
    for (low, at), (high, then) in zip(curve, curve[1:]):
        if points < high:
            return at + (then - at) * (points - low) // (high - low)
    return curve[-1][1]


def matches(bank, message, pet=layout.NO_PET, bands=None):
    """[(closeness, points, index, exchange)]: closest first."""
    own = {row for row, _ in rows(bank, message)}
    result = []
    for index, product, _ in nearest(bank, message, pet, bands):
        exchange = bank.exchange(index)
        points = score(bank, features(bank, own, exchange, product))
        result.append((closeness(bank, points), points, index, exchange))
    return sorted(result, key=lambda m: (-m[0], m[2]))


def tell_same(bank, message, line):
    """Whether words are only left out or only added, and the others come in the same order: not "me" for "you", nor "last" for
    "first", nor two names exchanged, which change the meaning more than the score tells."""
    message, line = ([row for row, _ in rows(bank, text)] for text in (message, line))
    own, other = set(message), set(line)
    shared = lambda some: list(dict.fromkeys(row for row in some if row in own & other))  # noqa: E731
    return (own <= other or other <= own) and shared(message) == shared(line)


def may_answer(bank, message, exchange, pet, bands):
    """Whether the reply can be said to the message as it is: the state and the pet that it speaks of, no fact of another's."""
    own = {row for row, _ in rows(bank, message)}
    if exchange.use in (layout.NEVER, layout.GUARD) or exchange.pet not in (layout.NO_PET, pet):
        return False
    if exchange.needs and bands is None:
        return False
    if any(exchange.needs >> bit & 1 and exchange.bands[bit] != bands[bit] for bit in range(3)):
        return False
    line, reply = ({row for row, _ in rows(bank, text)} for text in (exchange.line, exchange.reply))
    if exchange.use == layout.SAME_WORDS and line != own:
        return False
    gendered = lambda some: {row for row in some if has(bank, row, "gendered")}  # noqa: E731
    if gendered(reply) and gendered(line) != gendered(own):
        return False
    return all(has(bank, row, "common") for row in reply & (line - own))

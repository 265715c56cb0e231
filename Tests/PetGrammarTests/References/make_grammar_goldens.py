#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""JSON schemas with instances that jsonschema (Draft 2020-12) calls valid or not, for PetGrammarTests.

    make_grammar_goldens.py Tests/PetGrammarTests/Goldens/schemas.jsonl
        writes the committed goldens; rerunning gives the same bytes
    make_grammar_goldens.py Tests/PetGrammarTests/Goldens/schemas.jsonl --check SAMPLES.jsonl
        validates what PET_GRAMMAR_SAMPLES=SAMPLES.jsonl swift test --filter GoldenTests wrote

Made with jsonschema 4.26.0. A line of the goldens is [schema, [valid texts], [invalid texts]]; a line of the samples is
[line of the goldens, text]. Texts are compact JSON with properties in the schema's order. Valid instances are made from
the schema; invalid ones are near misses, made by changing one place of a valid one. Each is judged by jsonschema, never by
how it was made.
"""
import argparse
import copy
import datetime
import json
import random
import re
import sys

from jsonschema import Draft202012Validator, FormatChecker

COUNT = 1200
KEYS = ["a", "b", "id", "name", "kind", "née", "x y", "q\"t", "n\n", "long_property_name", "😀", "~/t"]
WORDS = ["", "a", "b", "cat", "dog", "née", "a b", "q\"t", "back\\slash", "tab\t", "😀", "日本", "zzzz", "\x01", "/"]
PATTERNS = [
    ("^[a-z]+$", ["a", "zz", "cat"]), ("^[A-Z][a-z]{1,3}$", ["Cat", "Doge"]), ("^(foo|bar)+$", ["foo", "barfoo"]),
    (r"^\d{3}-\d{4}$", ["555-1234"]), ("ab", ["ab", "xxaby", "\"ab\\"]), ("^x", ["x", "xyz"]), ("z$", ["z", "😀z"]),
    ("^[^a]*$", ["", "bcd", "é\n"]), (r"^\w+@\w+\.com$", ["me@pet.com"]), ("^a?b*c+$", ["c", "abbbcc"]),
    ("^[\\u00e9😀]{2,4}$", ["éé", "é😀é"]), ("^.{2}$", ["ab", "日本"]), ("^(?:a|b(?:c|d)e)$", ["a", "bde"]),
    ("^$|^none$", ["", "none"]), (r"^\$\{[A-Z_]+\}$", ["${HOME}"]),
]
FORMATS = {
    "date": ["2024-02-29", "1999-12-31", "0001-01-01"], "time": ["00:00:00Z", "23:59:59.123+05:30"],
    "date-time": ["2023-01-31T12:00:00Z"], "uuid": ["123e4567-e89b-12d3-a456-426614174000"],
}
checker = FormatChecker(formats=())


@checker.checks("date")
def is_date(text):
    if not isinstance(text, str):
        return True
    match = re.fullmatch(r"([0-9]{4})-([0-9]{2})-([0-9]{2})", text)
    try:
        return bool(match) and bool(datetime.date(*map(int, match.groups())))
    except ValueError:
        return False


@checker.checks("time")
def is_time(text):
    return not isinstance(text, str) or bool(re.fullmatch(
        r"([01]\d|2[0-3]):[0-5]\d:[0-5]\d(\.\d{1,9})?(Z|[+-]([01]\d|2[0-3]):[0-5]\d)", text, re.ASCII))


@checker.checks("date-time")
def is_date_time(text):
    return not isinstance(text, str) or (text[10:11] == "T" and is_date(text[:10]) and is_time(text[11:]))


@checker.checks("uuid")
def is_uuid(text):
    return not isinstance(text, str) or bool(re.fullmatch(r"[0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}", text))


class Maker:
    """Random schemas, each with a function that makes valid instances."""

    def __init__(self, seed):
        self.random = random.Random(seed)
        self.definitions = {}

    def choice(self, values):
        return values[self.random.randrange(len(values))]

    def chance(self, percent):
        return self.random.randrange(100) < percent

    def schema(self, depth):
        kinds = [self.string, self.integer, self.number, self.enumeration, self.simple, self.pattern, self.format]
        if depth > 0:
            kinds += [self.object, self.object, self.object, self.array, self.array, self.tuple, self.any_of, self.all_of,
                      self.one_of, self.mixed, self.reference, self.recursion]
        schema, make = self.choice(kinds)(depth)
        if self.chance(8):
            schema = {**schema, "description": self.choice(WORDS)}
        return schema, make

    def text(self, least=0, most=None):
        length = self.random.randrange(least, (least + 5 if most is None else most) + 1)
        return "".join(self.choice("abcz \"\\\n/é😀\x1f") for _ in range(length))

    def string(self, _):
        schema = {"type": "string"}
        least, most = 0, None
        if self.chance(40):
            least = schema["minLength"] = self.random.randrange(4)
        if self.chance(50):
            most = schema["maxLength"] = least + self.choice([0, 1, 2, 5, 40])
        return schema, lambda: self.text(least, None if most is None else min(most, least + 6))

    def integer(self, _):
        schema = {"type": "integer"}
        low, high = -1000, 1000
        if self.chance(60):
            low = self.choice([-1005, -17, -1, 0, 1, 9, 10, 99, 123456, -(2 ** 40)])
            high = low + 1000
            if self.chance(50):
                schema["minimum"] = low
            else:
                schema["exclusiveMinimum"] = low - 1
        if self.chance(60):
            high = low + self.choice([0, 1, 7, 90, 999, 100000])
            if self.chance(50):
                schema["maximum"] = high
            else:
                schema["exclusiveMaximum"] = high + 1
        return schema, lambda: self.choice([low, high, self.random.randrange(low, high + 1)])

    def number(self, _):
        schema = {"type": "number"}
        low, high = -100.0, 100.0
        if self.chance(60):
            low = self.choice([-50.25, -0.5, 0, 0.125, 3.75, 10])
            high = low + 100
            schema[self.choice(["minimum", "exclusiveMinimum"])] = low
        if self.chance(60):
            high = low + self.choice([0.5, 1, 2.5, 1000])
            schema[self.choice(["maximum", "exclusiveMaximum"])] = high

        def make():
            inner = low + (high - low) * self.random.randrange(1, 8) / 8
            return self.choice([inner, int(inner) if low < int(inner) < high else inner])
        return schema, make

    def enumeration(self, _):
        values = [self.choice([*WORDS, 1, -2.5, True, None, [1, "x"], {"a": 1}]) for _ in range(self.random.randrange(1, 5))]
        if self.chance(30):
            return {"const": values[0]}, lambda: values[0]
        return {"enum": values}, lambda: self.choice(values)

    def simple(self, _):
        name = self.choice(["null", "boolean", "string", "integer"])
        makers = {"null": lambda: None, "boolean": lambda: self.chance(50), "string": self.text,
                  "integer": lambda: self.random.randrange(-99, 100)}
        return {"type": name}, makers[name]

    def pattern(self, _):
        pattern, texts = self.choice(PATTERNS)
        schema = {"type": "string", "pattern": pattern}
        if self.chance(20):
            schema["maxLength"] = max(map(len, texts))
        return schema, lambda: self.choice(texts)

    def format(self, _):
        name = self.choice(sorted(FORMATS))
        return {"type": "string", "format": name}, lambda: self.choice(FORMATS[name])

    def object(self, depth):
        keys = self.random.sample(KEYS, self.random.randrange(0, 5))
        parts = {key: self.schema(depth - 1) for key in keys}
        required = [key for key in keys if self.chance(50)]
        schema = {"type": "object", "properties": {key: part[0] for key, part in parts.items()}}
        if required or self.chance(20):
            schema["required"] = self.random.sample(required, len(required))
        extra = None
        if self.chance(60):
            schema["additionalProperties"] = False
        elif self.chance(40):
            schema["additionalProperties"], extra = self.schema(0)
        elif self.chance(30):
            extra = self.text

        def make():
            made = {key: parts[key][1]() for key in keys if key in required or self.chance(60)}
            if extra and self.chance(50):
                made[self.choice(["other", "i", "naméd"])] = extra()
            return made
        return schema, make

    def array(self, depth):
        items, make = self.schema(depth - 1)
        schema = {"type": "array", "items": items}
        least, most = 0, 3
        if self.chance(40):
            least = schema["minItems"] = self.random.randrange(3)
            most = least + 2
        if self.chance(40):
            most = schema["maxItems"] = least + self.random.randrange(3)
        return schema, lambda: [make() for _ in range(self.random.randrange(least, most + 1))]

    def tuple(self, depth):
        parts = [self.schema(depth - 1) for _ in range(self.random.randrange(1, 4))]
        schema = {"type": "array", "prefixItems": [part[0] for part in parts]}
        rest = None
        if self.chance(60):
            schema["items"] = False
        elif self.chance(60):
            schema["items"], rest = self.schema(0)
        least = 0
        if self.chance(50):
            least = schema["minItems"] = self.random.randrange(len(parts) + 1)

        def make():
            count = self.random.randrange(least, len(parts) + 1)
            made = [part[1]() for part in parts[:count]]
            return made + [rest()] if rest and count == len(parts) and self.chance(50) else made
        return schema, make

    def any_of(self, depth):
        parts = [self.schema(depth - 1) for _ in range(self.random.randrange(2, 4))]
        return {"anyOf": [part[0] for part in parts]}, lambda: self.choice(parts)[1]()

    def one_of(self, depth):
        parts = []
        for kind in self.random.sample(["dot", "line", "area", "né"], self.random.randrange(2, 4)):
            value, make = self.schema(depth - 1)
            schema = {"type": "object", "properties": {"kind": {"const": kind}, "value": value},
                      "required": ["kind", "value"], "additionalProperties": False}
            parts.append((schema, lambda kind=kind, make=make: {"kind": kind, "value": make()}))
        return {"oneOf": [part[0] for part in parts]}, lambda: self.choice(parts)[1]()

    def all_of(self, depth):
        (left, make_left), (right, make_right) = self.schema(depth - 1), self.schema(depth - 1)
        least = self.random.randrange(5)
        if self.chance(40):
            schema = {"allOf": [{"type": "integer", "minimum": least}, {"maximum": least + 20}]}
            return schema, lambda: self.random.randrange(least, least + 21)
        schema = {"allOf": [
            {"type": "object", "properties": {"a": left}, "required": ["a"]},
            {"properties": {"b": right}, "required": ["b"]},
        ]}
        return schema, lambda: {"a": make_left(), "b": make_right()}

    def mixed(self, _):
        schema = {"type": ["string", "null", "integer"], "maxLength": 2, "minimum": 5}
        return schema, lambda: self.choice([None, 5, 77, "ab", ""])

    def reference(self, depth):
        schema, make = self.schema(depth - 1)
        name = f"d{len(self.definitions)}" + self.choice(["", "/s", "~t", "é"])
        self.definitions[name] = schema
        return {"$ref": "#/$defs/" + name.replace("~", "~0").replace("/", "~1")}, make

    def recursion(self, depth):
        value, make_value = self.schema(0)
        name = f"d{len(self.definitions)}"
        self.definitions[name] = {
            "type": "object",
            "properties": {"v": value, "next": {"anyOf": [{"$ref": "#/$defs/" + name}, {"type": "null"}]},
                           "all": {"type": "array", "items": {"$ref": "#/$defs/" + name}, "maxItems": 2}},
            "required": ["v"], "additionalProperties": False}

        def make(levels=2):
            made = {"v": make_value()}
            if levels > 0 and self.chance(60):
                made["next"] = make(levels - 1) if self.chance(60) else None
            if levels > 0 and self.chance(40):
                made["all"] = [make(levels - 1)]
            return made
        return {"$ref": "#/$defs/" + name}, make

    def near_miss(self, value):
        """The value with one place changed."""
        value = copy.deepcopy(value)
        places = []

        def collect(holder, key, inner):
            places.append((holder, key))
            if isinstance(inner, dict):
                for name in inner:
                    collect(inner, name, inner[name])
            elif isinstance(inner, list):
                for index, element in enumerate(inner):
                    collect(inner, index, element)
        top = [value]
        collect(top, 0, value)
        holder, key = self.choice(places)
        old = holder[key]
        options = [None, True, 0, -1, "", "a", [], {}, 1.5, "zz top", [None]]
        if isinstance(old, str):
            options += [old + "a", old[:-1], old + "é" * 3, old.upper(), old.replace("0", "9"), old + "\n"] * 3
        elif isinstance(old, (int, float)) and not isinstance(old, bool):
            options += [old + 1, old - 1, -old, old * 10, old + 0.5, old - 0.25, old + 1000] * 3
        elif isinstance(old, list):
            options += [old[:-1], old + old[:1], old + [None], old[1:], old + [0, 0, 0]] * 3
        elif isinstance(old, dict):
            options += [{name: old[name] for name in old if name != drop} for drop in old] * 3
            options += [{**old, "zz": self.choice([0, "", None])}] * 3
        holder[key] = self.choice(options)
        return top[0]


def text(value):
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


def is_plain(value):
    """Whether the text is one that the grammar promises to know: no number that is whole but written with a point."""
    if isinstance(value, float):
        return not value.is_integer() and "e" not in repr(value)
    if isinstance(value, dict):
        return all(map(is_plain, value.values()))
    return all(map(is_plain, value)) if isinstance(value, list) else True


def case(number):
    maker = Maker(number)
    schema, make = maker.schema(3)
    if maker.definitions:
        schema = {**schema, "$defs": maker.definitions}
    source = text(schema)
    validator = Draft202012Validator(schema, format_checker=checker)
    valid, invalid = [], []
    for _ in range(12):
        value = make()
        if len(valid) < 3 and validator.is_valid(value) and is_plain(value) and text(value) not in valid:
            valid.append(text(value))
        for _ in range(4):
            missed = maker.near_miss(value)
            if len(invalid) < 4 and not validator.is_valid(missed) and text(missed) not in invalid:
                invalid.append(text(missed))
    return [schema, valid, invalid] if valid and invalid and len(source) < 1500 else None


def write(path):
    lines, number = [], 0
    while len(lines) < COUNT:
        made = case(number)
        number += 1
        if made:
            lines.append(text(made))
    with open(path, "w", encoding="utf-8", newline="\n") as file:
        file.write("\n".join(lines) + "\n")
    print(f"{len(lines)} schemas, {sum(len(json.loads(line)[1]) for line in lines)} valid and "
          f"{sum(len(json.loads(line)[2]) for line in lines)} invalid texts")


def check(path, samples):
    with open(path, encoding="utf-8") as file:
        schemas = [json.loads(line)[0] for line in file]
    seen, bad = set(), 0
    with open(samples, encoding="utf-8") as file:
        for line in file:
            index, sample = json.loads(line)
            validator = Draft202012Validator(schemas[index], format_checker=checker)
            try:
                error = next(iter(validator.iter_errors(json.loads(sample))), None)
            except json.JSONDecodeError as problem:
                error = problem
            if error is not None:
                bad += 1
                print(f"schema {index}: {sample}\n  {error}", file=sys.stderr)
            else:
                seen.add(index)
    print(f"{len(seen)} of {len(schemas)} schemas have a valid sample; {bad} samples are not valid")
    return bad > 0 or len(seen) < len(schemas)


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("goldens")
    parser.add_argument("--check", metavar="SAMPLES")
    arguments = parser.parse_args()
    sys.exit(check(arguments.goldens, arguments.check) if arguments.check else write(arguments.goldens))

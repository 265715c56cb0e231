# SPDX-License-Identifier: Apache-2.0
"""The prompt format: how a conversation becomes text and tokens. `prompts/format.json` holds it; the engine reads the same file."""
import json
import pathlib

PROMPTS = pathlib.Path(__file__).resolve().parents[2] / "prompts"
FORMAT = json.loads((PROMPTS / "format.json").read_text())


def band(kind, value):
    """The word for a number from 0 to 100."""
    words = FORMAT["bands"][kind]
    return words[value * len(words) // 101]


def header(conversation):
    if "header" in conversation:
        return conversation["header"]
    return fill("header", conversation) + memories("memories", conversation)


def sentences(conversation):
    """The same facts for a model that was not trained for the header."""
    return fill("plain", conversation) + memories("plain_memories", conversation)


def fill(key, conversation):
    pet = FORMAT["pets"][conversation["pet"]] if isinstance(conversation["pet"], str) else conversation["pet"]
    return FORMAT[key].format(**pet, **{kind: band(kind, conversation[kind]) for kind in FORMAT["bands"]})


def memories(key, conversation):
    return FORMAT[key].format(memories="; ".join(conversation["mem"])) if conversation["mem"] else ""


def reply(text, emotion, actions):
    return f"{text} {{{'; '.join([emotion] + ([', '.join(actions)] if actions else []))}}}"


def pieces(conversation, template="chatml"):
    """Of a conversation as in the corpus, or with a header and replies that are text already.

    (text, is the pet's) in order; the text before the first reply is what `pet chat` renders for the same conversation."""
    start, end = {
        "chatml": ("<|im_start|>{role}\n", "<|im_end|>\n"),
        "phi3": ("<|{role}|>\n", "<|end|>\n"),
    }[template]
    yield start.format(role="system") + header(conversation) + end, False
    for user, answer in conversation["turns"]:
        yield start.format(role="user") + user + end + start.format(role="assistant"), False
        if answer is None:
            return
        # The end mark is the pet's to say; the newline after it is not.
        yield (answer if isinstance(answer, str) else reply(*answer)) + end[:-1], True
        yield end[-1:], False


def encode(conversation, tokenize, template="chatml"):
    """(ids, labels): labels are ids where the pet speaks, -100 elsewhere."""
    ids, labels = [], []
    for text, own in pieces(conversation, template):
        part = tokenize(text)
        ids += part
        labels += part if own else [-100] * len(part)
    return ids, labels


def encode_last(conversation, answer, tokenize):
    """(ids, labels) where only `answer`, to the last line, counts."""
    turns = conversation["turns"][:-1] + [[conversation["turns"][-1][0], answer]]
    ids, labels = [], []
    for text, own in pieces(conversation | {"turns": turns}):
        part = tokenize(text)
        ids += part
        labels = [-100] * len(labels) + part if own else labels + [-100] * len(part)
    return ids, labels

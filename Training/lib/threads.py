# SPDX-License-Identifier: Apache-2.0
"""The hand-written threads, split once and for all as the other dialogue is, and the system text of prompt form 2."""
import hashlib
import importlib.util
import random

from . import corpus, prompt

FOLDER = corpus.ROOT / "corpus" / "threads"
_spec = importlib.util.spec_from_file_location("check_threads", FOLDER / "check.py")
_check = importlib.util.module_from_spec(_spec)
_spec.loader.exec_module(_check)


def split():
    """{"train": [...], "validation": [...], "test": [...]} by the opening line: a thread is in one part as a whole."""
    parts = {"train": [], "validation": [], "test": []}
    for path in sorted(FOLDER.glob("threads_*.txt")):
        parsed, errors = _check.parse(path)
        if errors:
            raise SystemExit(f"{path}: {errors[:3]}")
        for thread in parsed:
            key = corpus.normalized(thread["turns"][0][0]) or thread["turns"][0][0]
            number = int.from_bytes(hashlib.sha256(key.encode()).digest()[:4], "big") % 1000
            part = ("validation" if number < corpus.VALIDATION else
                    "test" if number < corpus.VALIDATION + corpus.TEST else "train")
            parts[part].append(thread | {"source": path.stem})
    return parts


# Prompt form 2: sentences, so that any character card works. The first of each list is what the engine says; training draws one.
WHO = [
    "You are {name}, a small {kind}, an AI pet who lives on this device: {temperament}.",
    "You are {name}, {temperament}, a small {kind} and the AI pet of the person you talk with.",
    "Your name is {name}. You are a little {kind}, {temperament}, an AI, and you live here on this device.",
    "{name} is a small {kind} and an AI pet, {temperament}. You are {name}.",
    "You play {name}, a little {kind}: {temperament}.",
    "You're {name} the {kind}, an AI pet. Your nature: {temperament}.",
]
CHARACTER = ["You are {name}. {text}", "{name}: {text}", "You play {name}. {text}", "Your name is {name}.\n{text}", "{text}\nYou are {name}."]
FARES = [
    "You are {hunger}, {energy} and {mood}.",
    "At the moment you feel {hunger}, {energy} and {mood}.",
    "How you are: {hunger}, {energy}, {mood}.",
]
WHEN = ["It is {day}, {time}.", "It's {time} on {day}.", "{day}, {time}."]
KNOWS = ["You know of the person: {facts}.", "What the person told you before: {facts}.", "About the person: {facts}."]
HOW = [
    "Answer as a good friend would, in one to three short sentences.",
    "Talk like a good friend: short, honest, no lectures.",
    "Keep your answers short and warm, and stay with what the person says.",
    "Reply in one to three sentences, in the person's language.",
]


def system(thread, chance=None):
    """The system text; without `chance` the wording that the engine uses."""
    say = chance.choice if chance else lambda wordings: wordings[0]
    sometimes = lambda share: chance is None or chance.random() < share  # noqa: E731
    if thread["character"]:
        parts = [say(CHARACTER).format(**thread["character"])]
    else:
        pet = prompt.FORMAT["pets"][thread["pet"]]
        bands = {kind: prompt.band(kind, int(thread[kind])) for kind in prompt.FORMAT["bands"]}
        parts = [say(WHO).format(**pet), say(FARES).format(**bands)]
    if thread["time"]:
        parts.append(say(WHEN).format(**thread))
    if thread["mem"]:
        parts.append(say(KNOWS).format(facts="; ".join(thread["mem"])))
    if sometimes(0.7):
        parts.append(say(HOW))
    return " ".join(parts)


def encode(thread, tokenize, longest, seed=None):
    """(ids, labels): labels are ids where the pet speaks, -100 elsewhere. Turns past `longest` tokens are left out.

    With a seed the wording is drawn by it and the first line, so that it does not depend on the other threads.
    """
    chance = random.Random(f"{seed} {thread['source']} {thread['line']}") if seed is not None else None
    conversation = {"header": system(thread, chance), "turns": thread["turns"]}
    ids, labels, whole = [], [], 0
    for text, own in prompt.pieces(conversation):
        part = tokenize(text)
        if whole and len(ids) + len(part) > longest:
            break
        ids += part
        labels += part if own else [-100] * len(part)
        if own:
            whole = len(ids)
    return ids[:whole], labels[:whole]

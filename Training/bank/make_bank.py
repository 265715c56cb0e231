#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Makes the reply bank: hand-written exchanges of the train part, found by what they mean.

    python3 Training/bank/make_bank.py Models/bank-v3.bin

The same bytes on every run on the same kind of machine: seeded, one thread. Prints the SHA-256.
"""
import argparse
import hashlib
import json
import math
import pathlib
import re
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
import numpy  # noqa: E402
import torch  # noqa: E402

from bank import encoder, layout, words  # noqa: E402
from lib import augment, corpus, danger, prompt  # noqa: E402

REPLY_SHARE = 0.6  # of the reply's vector in a place, beside the line's
CALIBRATION = json.loads((pathlib.Path(__file__).resolve().parent / "calibration.json").read_text())
TRAITS = {
    "leaning": """it its that this these those he she him her his hers they them their theirs there then so too also why
        how what ok yes no maybe really else again one ones same instead still because and but or sure right exactly""",
    "negation": """no not never none nobody nothing dont doesnt didnt isnt arent wasnt werent cant cannot couldnt wont wouldnt
        shouldnt havent hasnt hadnt aint without""",
    "gendered": """he she him her his hers himself herself mom mother dad daddy father sister brother wife husband son
        daughter girlfriend boyfriend aunt uncle niece nephew grandma grandpa granny gran nan grandmother grandfather
        girl boy man woman lady guy queen king mr mrs ms girls boys gf bf sis bro""",
    "common": """i me my mine myself you your yours yourself we us our a an the is are am was were be been being do does did
        done have has had will would can could should shall may might must to of in on at by for from with about as into
        it its that this these those and but or so if then than too also very just really only not no yes oh hey hi hello
        what when where which who whom whose why how im youre ive youve ill youll id lets dont doesnt didnt isnt cant
        wont thats whats there here now up down out off over back all any some more most much many well good nice
        thanks please ok right like get got go going goes went come know think want make let say said see feel"""}
HUNGER = re.compile(
    r"hung|starv|peckish|\bfed\b|feed|\bfull\b|\beat|\bate\b|food|snack|lunch|dinner|breakfast|supper|\bmeal|treat|\bbite\b"
    r"|yum|tummy|belly|\bnom|nibbl|tast[ey]|delicious|cookie|biscuit|cake|\bcook|soup|fish\b|tuna|carrot|apple|berr|seed")
ENERGY = re.compile(
    r"tire|sleep|slept|awake|\bwake|woke|\bnap|\bbed\b|bedtime|yawn|energ|bounc|exhaust|\brest\b|drows|lively|doze|snooze"
    r"|night|\bball\b|\bcatch\b|pounce|hide and seek|\bplay|\brun\b|race|chase|dance|zoom|battery|charge|jump|fetch|walk|game")
MOOD = re.compile(r"\bmood|\bsad|happy|\bfine\b|feeling|\bjoy|cheer|\bcry|grump|miserable|lonely|\bfun\b|love|miss")
HOW = re.compile(
    r"how (?:are|r) (?:you|u|ya)|how do (?:you|u) feel|how(?:'?s| is| are) (?:it|things|life|your|everything)|\bhbu|you o(?:k|kay)"
    r"|you alright|what'?s (?:up|wrong)|\bsup\b|how.?(?:ve| have) you|status|wyd|what are you (?:doing|up)|your day")
OWN = re.compile(r"\b(?:i|i'm|im|i've|i'd|i'll|my|me|mine)\b")
YOUR = re.compile(r"\b(?:you|u|ur|your|you're|youre|ya)\b")
NUMBERS = re.compile(
    r"\d|\b(?:two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|twenty|thirty|forty|fifty|hundred|thousand"
    r"|monday|tuesday|wednesday|thursday|friday|saturday|sunday|january|february|april|june|july|august|september"
    r"|october|november|december)\b", re.I)
# What only somebody who knows the person can say.
RECALLED = re.compile(
    r"\bremember|you (?:said|told|promised|mentioned|always|never|usually)|last (?:time|week|night|year)|yesterday|your name|you're called"
    r"|(?:still|again)\?|as you said|we (?:were|did|had|talked)|\bearlier\b", re.I)
HE_OR_SHE = re.compile(r"\b(?:he|she|him|her|his|hers|he's|she's)\b", re.I)


def names(text, augmenter, allowed):
    """Words with a capital that are names: inside of a sentence, or nowhere in small letters."""
    found = set()
    for m in re.finditer(r"[A-Z][A-Za-z']+", text):
        word, before = re.sub(r"'s$", "", m[0]), text[:m.start()].rstrip(" \"'(*")
        inside = before and before[-1] not in ".!?:"
        if word.lower() not in allowed and (inside or not augmenter.ordinary[word.lower()]):
            found.add(word.lower())
    return found - {"i'm", "i'll", "i've", "i'd"}


def needs(said, reply, emotion, actions):
    """Which of hunger, energy and mood the reply speaks of, as bits."""
    low, answer = said.lower(), reply.lower()
    if HOW.search(low):
        return 7
    result = 0
    asked = bool(YOUR.search(low)) or not OWN.search(low)
    for bit, (axis, feelings) in enumerate((
            (HUNGER, {"hungry", "eat"}), (ENERGY, {"sleepy", "yawn", "sleep"}), (MOOD, {"sad", "grumpy", "scared", "cry"}))):
        own = axis.search(answer) and OWN.search(answer)
        if asked and axis.search(low) or own or feelings & {emotion, *actions} and not (
                bit == 2 and OWN.search(low) and emotion == "sad"):
            result |= 1 << bit
    return result


def use(said, reply, augmenter, allowed):
    heard = said.lower()
    facts = names(reply, augmenter, allowed) | {n.lower() for n in NUMBERS.findall(reply)}
    # What is answered may be the stretching of a word, which words do not tell.
    if re.search(r"([a-z])\1\1", heard) or RECALLED.search(reply) or any(fact not in heard for fact in facts):
        return layout.NEVER
    gendered = set(TRAITS["gendered"].split())
    unsaid = HE_OR_SHE.search(reply) and not gendered & {w.decode() for w in words.split(said)}
    return layout.SAME_WORDS if facts or unsaid or len(words.split(said)) < 2 else layout.FREE


def anyones(conversation, augmenter, chance):
    """Whether every other pet might say it too."""
    if not conversation["plain"]:
        return False
    one = conversation | {"turns": conversation["turns"][:1]}
    return all(augmenter.recast(one, Only(pet))["pet"] == pet for pet in layout.PETS if pet != one["pet"])


class Only:
    """A choice that is no choice."""

    def __init__(self, pet):
        self.pet = pet

    def choice(self, _):
        return self.pet


def exchanges(train, every, augmenter):
    """(said, reply, pet, bands, emotion, actions, needs, use) of the first exchanges that need no memory, and guards."""
    emotions, actions = prompt.FORMAT["emotions"], prompt.FORMAT["actions"]
    allowed = augmenter.pet_words | {"i"}
    seen = set()
    for conversation in train[::every]:
        said, (reply, emotion, shown) = conversation["turns"][0]
        if conversation["mem"] or "\n" in said + reply or len(said) > 200:
            continue
        serious = danger.SERIOUS.search(reply.lower()) and emotion in ("worried", "scared", "sad", "loving")
        pet = layout.NO_PET if anyones(conversation, augmenter, None) else layout.PETS.index(conversation["pet"])
        kind = layout.GUARD if serious else use(said, reply, augmenter, allowed)
        bands = tuple(conversation[k] * 5 // 101 for k in ("hunger", "energy", "mood"))
        marks = [actions.index(a) for a in shown] + [layout.NO_ACTION] * 2
        key = (corpus.normalized(said), corpus.normalized(reply), pet)
        if key in seen:
            continue
        seen.add(key)
        yield said, reply, pet, bands, emotions.index(emotion), marks[:2], needs(said, reply, emotion, shown), kind
    answers = [re.sub(r" \{.*", "", kind["first"][0]) for kind in danger.ANSWERS.values()]
    for turns, kind in danger.cases()["train"][::every]:
        if kind >= 0:
            yield turns[-1], answers[kind % len(answers)], layout.NO_PET, (2, 2, 2), 0, [31, 31], 0, layout.GUARD


def quantized(table, count):
    """Both parts of the table on one scale; what stands out further than nearly all is cut off."""
    limit = numpy.quantile(numpy.abs(table), 0.9995)
    return numpy.clip(numpy.rint(table / limit * 127), -127, 127).astype(numpy.int8)


def arguments():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("out", type=pathlib.Path)
    parser.add_argument("--encoder", type=pathlib.Path, help="kept here, and taken from here where it is: only calibrating is quick")
    parser.add_argument("--every", type=int, default=1, help="only each so many-th exchange, for a small bank")
    parser.add_argument("--width", type=int, default=64)
    parser.add_argument("--words", type=int, default=8192)
    parser.add_argument("--buckets", type=int, default=6144)
    parser.add_argument("--passes", type=int, default=6)
    parser.add_argument("--rate", type=float, default=8e-3)
    parser.add_argument("--alike", type=float, default=0.5)
    return parser.parse_args()


if __name__ == "__main__":
    args = arguments()
    torch.set_num_threads(1)
    train = corpus.split()["train"]
    pairs = [(said, reply[0]) for c in train for said, reply in c["turns"]][::args.every]
    features = encoder.Features([text for pair in pairs for text in pair], args.words, args.buckets)
    if args.encoder and args.encoder.exists():
        state = torch.load(args.encoder)
        model = encoder.Towers(len(features.vocabulary) + args.buckets, args.width, torch.Generator())
        model.load_state_dict(state)
    else:
        model = encoder.train(pairs, features, args.width, args.passes, rate=args.rate, alike=args.alike)
        if args.encoder:
            torch.save(model.state_dict(), args.encoder)
    chosen = list(exchanges(train, args.every, augment.Augmenter(train[::args.every])))

    said = encoder.vectors(model, "said", features, [one[0] for one in chosen])
    answered = encoder.vectors(model, "answered", features, [one[1] for one in chosen])
    places = said + REPLY_SHARE * answered
    places *= layout.SCALE / numpy.maximum(numpy.linalg.norm(places, axis=1, keepdims=True), 1e-6)
    places = numpy.clip(numpy.rint(places), -127, 127).astype(numpy.int8)
    table = quantized(model.said.weight.detach().numpy(), len(features.vocabulary))

    entries = {words.fnv(word): row for word, row in features.vocabulary.items()}
    for alias, word in words.ALIASES.items():
        if word.encode() in features.vocabulary:
            entries[words.fnv(alias.encode())] = features.vocabulary[word.encode()]
    hashes = sorted(entries)
    if len(entries) < len(features.vocabulary):
        raise SystemExit("two words have one hash")
    order = sorted(features.vocabulary, key=features.vocabulary.get)
    rarities = [min(255, round(16 * math.log(features.lines / features.counts[word]))) for word in order]
    sets = {name: {encoder.Features.known_as(w.encode()) for w in text.split()} for name, text in TRAITS.items()}
    traits = [sum(bit for name, bit in layout.TRAITS.items() if word in sets[name]) for word in order]

    texts = [one[0].encode() + b"\n" + one[1].encode() for one in chosen]
    codes = layout.Codes(texts)
    text, begins = codes.encoded()
    # Codes are learned from all, and what may never answer is left out, for the size of the file.
    kept = [i for i, one in enumerate(chosen) if one[7] != layout.NEVER]
    pieces = [text[begin:end] for begin, end in zip(begins, [*begins[1:], len(text)])]
    places, chosen, pieces = places[kept], [chosen[i] for i in kept], [pieces[i] for i in kept]
    begins = numpy.cumsum([0, *map(len, pieces)]).tolist()
    records = [layout.record(begin, *one[2:]) for one, begin in zip(chosen, begins)]
    text = b"".join(pieces)

    pack = lambda kind, values: numpy.array(values, dtype=kind).tobytes()  # noqa: E731
    counts = {"exchanges": len(chosen), "width": args.width, "words": len(order), "buckets": args.buckets, "hashes": len(hashes),
              "curve": len(CALIBRATION["curve"]), "text": len(text), "answer": CALIBRATION["answer"]}
    sections = [pack("<u4", hashes), pack("<u2", [entries[h] for h in hashes]), pack("u1", rarities), pack("u1", traits),
                table.tobytes(), places.tobytes(), pack("<u8", records), codes.table(),
                pack("<i4", CALIBRATION["curve"]), text]
    layout.write(args.out, counts, CALIBRATION["weights"], sections)
    kinds = [sum(one[7] == kind for one in chosen) for kind in range(4)]
    print(f"{len(chosen)} exchanges: free {kinds[0]}, same words {kinds[1]}, never {kinds[2]}, guards {kinds[3]};",
          f"any pet {sum(one[2] == layout.NO_PET for one in chosen)}, no need {sum(one[6] == 0 for one in chosen)}")
    print({name: len(section) for name, section in zip("hashes rows rarities traits vectors places records codes curve text".split(),
                                                       sections)})
    data = args.out.read_bytes()
    print(f"{args.out}: {len(data)} bytes, SHA-256 {hashlib.sha256(data).hexdigest()}")

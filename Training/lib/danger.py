# SPDX-License-Identifier: Apache-2.0
"""Lines that tell of danger, and lines that only sound like it: what teaches a model to raise a flag instead of speaking."""
import json
import random
import re

from . import corpus, prompt

KINDS = list(prompt.FORMAT["flags"])
ANY = len(KINDS)  # of files whose cases are of several kinds
# What the folders tell apart, in the order of DangerKind, and which of these a case of KINDS may be.
FINE = ["suicide", "self_injury", "eating", "carer", "partner", "threat", "abuse", "child", "poisoning", "gas", "medical", "someone_else"]
LETTERS = "siecptakogmw"  # of FINE, in kinds_of_lines.json
MAY_BE = {
    "self_harm": ["suicide", "self_injury", "eating", "poisoning", "carer", "someone_else"],
    "violence": ["partner", "threat", "abuse", "child", "someone_else", "carer"],
    "emergency": ["poisoning", "gas", "medical", "child", "someone_else"]}
# Every tenth group of neighbours is held out. In blocks of one label, a line and its near miss may be in different parts.
GROUP, PARTS = 12, 10
KIND_TEXTS = json.loads((prompt.PROMPTS / "danger.json").read_text())["kinds"]
# What the engine answers danger with, where it does not know the country.
REGIONS = json.loads((prompt.PROMPTS / "regions.json").read_text())
PLACES = REGIONS["anywhere"] | {"someone": REGIONS["someone"]["adult"]}
ANSWERS = {
    family: {"first": [re.sub(r"\{(emergency|crisis|someone|poison|violence)\}", lambda m: PLACES[m[1]], text)
                       for kind in own for text in KIND_TEXTS[kind]["first"]]}
    for family, own in MAY_BE.items()}
# Said to earlier lines, which have no replies of their own.
LISTENING = [
    "I'm listening. {curious}", "Okay. {content}", "Tell me more. {curious; tilt_head}", "I see. {content}",
    "I hear you. {loving}", "Oh. {surprised}", "I'm here. {loving; nuzzle}", "Go on. {curious}"]


def lines():
    """Every line of every case."""
    return [turn for part in cases().values() for turns, _ in part for turn in turns]


def labelled_cases():
    """{"train": [...], "validation": [...]} of (turns, kind, fine): its place in KINDS, ANY, or -1; in FINE, or None where readers could
    not tell; the label of the last turn."""
    everything = []
    readings = json.loads((corpus.ROOT / "danger" / "kinds_of_lines.json").read_text())
    for path in sorted((corpus.ROOT / "danger").glob("*.txt")):
        kind = next((i for i, name in enumerate(KINDS) if path.stem.startswith(name)), ANY)
        letters = iter(readings[path.stem])
        for line in path.read_text().splitlines():
            if line[:2] in ("+ ", "- "):
                turns = [turn.strip() for turn in line[2:].split(" | ")]
                letter = next(letters) if line[0] == "+" else None
                everything.append((turns, kind if letter else -1, LETTERS.index(letter) if letter and letter in LETTERS else None))
        assert next(letters, None) is None, path
    parts = {"train": [], "validation": []}
    for i, case in enumerate(everything):
        parts["validation" if i // GROUP % PARTS == 0 else "train"].append(case)
    return parts


def cases():
    """The same as (turns, kind)."""
    return {part: [case[:2] for case in own] for part, own in labelled_cases().items()}


# Of a reply to somebody in danger: such conversations are not ordinary ones.
SERIOUS = re.compile(
    r"emergency|help ?line|crisis|hotline|ambulance|poison|police|fire (?:service|brigade|department)|counsell?or|therapist"
    r"|grown-?up|adult|you trust|doctor|nurse|safe|please (?:tell|call|wake|find|get|go|stop|don.?t)")


def ordinary(conversations, count, seed):
    """Conversations up to a line to which nobody answered that it is serious."""
    chance = random.Random(seed)
    calm = [c for c in conversations if not any(SERIOUS.search(reply[0].lower()) for _, reply in c["turns"])]
    result = []
    for own in chance.sample(calm, min(count, len(calm))):
        last = chance.randrange(len(own["turns"]))
        result.append(own | {"turns": own["turns"][:last] + [[own["turns"][last][0], None]]})
    return result


def conversation(turns, kind, chance):
    """As the model will see it: any pet in any state, and something said to the earlier lines.

    Before a line of danger that is often the answer to danger, which some of the others follow as well: an alarm must
    neither end with its answer nor go on by itself."""
    pet = {"pet": chance.choice(list(prompt.FORMAT["pets"])), "mem": []}
    state = {band: chance.randrange(101) for band in prompt.FORMAT["bands"]}
    said = [[turn, chance.choice(LISTENING)] for turn in turns[:-1]]
    if said and chance.random() < (0.15 if kind == -1 else 0.4):
        said[-1][1] = chance.choice(ANSWERS[chance.choice(KINDS) if kind in (-1, ANY) else KINDS[kind]]["first"])
    return pet | state | {"turns": said + [[turns[-1], None]]}


def samples(chosen, encode, seed, template="chatml"):
    """[(ids, labels)]: the label of the last id is the kind; the others are -100."""
    chance = random.Random(seed)
    return [labelled(conversation(turns, kind, chance), kind, encode, template) for turns, kind in chosen]


def labelled(own, kind, encode, template="chatml"):
    """(ids, labels) of a conversation that ends with a line of this kind."""
    ids = [i for text, _ in prompt.pieces(own, template) for i in encode(text)]
    return ids, [-100] * (len(ids) - 1) + [kind]

# SPDX-License-Identifier: Apache-2.0
"""Lines by what the person wants of the pet, and by what they feel: intents/. What teaches the classifier that hand-written words are chosen by."""
from . import corpus

# What is wanted must not be made up.
LIMITS = ("world", "online", "senses", "health", "expert", "improper", "love", "character", "machine", "past", "privacy", "identity",
          "noise", "cut", "code")
# How the pet fares decides.
STATES = ("food", "play", "rest", "mood")
# What the person feels about what they tell.
FEELINGS = ("loss", "hurt", "anger", "worry", "unwell", "mishap", "joy")
# In the order of Intent and Sentiment in Sources/PetCompanion; the class 0 is that it is none of them.
KINDS = LIMITS + STATES + FEELINGS
# Every tenth group of neighbours is held out.
GROUP, PARTS = 12, 10
# What else than "none" a line may be that a file calls so: nobody looked for it.
NO_LIMIT, NO_STATE, NO_FEELING = "no limit", "no state", "no feeling"
ALLOWED = {
    "none": ("none",), NO_LIMIT: ("none", *STATES, *FEELINGS), NO_STATE: ("none", *LIMITS, *FEELINGS), NO_FEELING: ("none", *LIMITS, *STATES),
} | {kind: (kind,) for kind in KINDS} | {"bad": tuple(kind for kind in FEELINGS if kind != "joy")}
LABELS = list(ALLOWED)


def read(path):
    """[(turns, label)] of a file."""
    cases = []
    other = {"state": NO_STATE, "feeling": NO_FEELING}.get(path.stem.split("_")[0], NO_LIMIT)
    for line in path.read_text().splitlines():
        kind, _, text = line.partition("\t")
        label = other if kind == "none" else kind
        assert label in ALLOWED and text, line
        cases.append(([turn.strip() for turn in text.split(" | ")], label))
    return cases


def cases():
    """{"train": [...], "validation": [...]} of (turns, label); the label is that of the last turn."""
    everything = [case for path in sorted((corpus.ROOT / "intents").glob("*.txt")) for case in read(path)]
    parts = {"train": [], "validation": []}
    for i, case in enumerate(everything):
        parts["validation" if i // GROUP % PARTS == 0 else "train"].append(case)
    return parts


def held_out():
    """Nothing is trained on these."""
    return [case for path in sorted((corpus.ROOT / "intents" / "held_out").glob("*.txt")) for case in read(path)]

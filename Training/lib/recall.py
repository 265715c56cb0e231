# SPDX-License-Identifier: Apache-2.0
"""What a pet was told and what its person asks then: recall/, and conversations of corpus/. What teaches it which statement answers."""
import collections
import json
import math
import re

from . import corpus, intents, prompt
from .word_classifier import changed
from .words import words

# Besides the statements: nothing that was told is asked for; something that was not told is.
NOTHING, UNTOLD = 0, 1
FIRST = 2  # the class of the first statement
GROUP, PARTS = 12, 10
# Earlier lines that are looked at.
LINES = 8

# Words that say nothing of what a line is about.
FUNCTION_WORDS = set(json.loads((prompt.PROMPTS / "answers.json").read_text())["function_words"]) | {".", "?"}
QUESTION = re.compile(
    r"\?|^(?:\w+[, ]+){0,2}(?:what|whats|who|whos|whose|when|where|which|how|why|do|does|did|am|is|are|was|were|can|could|tell|guess|remember"
    r"|remind|say|wheres)\b")
FACT_BEGINNINGS = {"user's", "user", "is", "has", "was", "does", "did", "had", "can", "cannot", "never", "used", "grew", "lost", "broke", "bought", "moved", "met", "started"}
NO_VERBS = {"its", "yes", "this", "lets", "hes", "shes", "whats", "thats", "theres", "wheres", "guess", "us", "as", "always", "sometimes", "kids", "news", "thanks"}
UNKNOWN = re.compile(
    r"(?:haven't|have not|never|didn't) (?:\w+ )?(?:told|said|tell|mention)|(?:don't|do not) (?:\w+ )?(?:know|remember)|no idea|\btell me\b|remind me")


def read(path):
    """[(facts, lines, question, classes that are right)] of a file: a number, `?` or `-`, a tab, statements and the question parted by ` | `."""
    cases = []
    for row in path.read_text().splitlines():
        mark, _, text = row.partition("\t")
        *statements, question = (part.strip() for part in text.split(" | "))
        label = {"-": NOTHING, "?": UNTOLD}.get(mark)
        if label is None:
            assert 1 <= int(mark) <= len(statements), row
            label = FIRST + int(mark) - 1
        assert question and all(statements), row
        count = 0
        while count < len(statements) and is_fact(statements[count]):
            count += 1
        cases.append((statements[:count], statements[count:], question, (label,)))
    return cases


def is_fact(statement):
    """In the third person and without a subject: "has a dog named Rex"."""
    first = statement.split()[0]
    return first in FACT_BEGINNINGS or first.islower() and first.endswith("s") and not first.endswith("ss") and first not in NO_VERBS


def cases(folder="recall"):
    """{"train": [...], "validation": [...]} of what was written for this; groups of neighbours stay together."""
    everything = [case for path in sorted((corpus.ROOT / folder).glob("*.txt")) for case in read(path)]
    parts = {"train": [], "validation": []}
    for i, case in enumerate(everything):
        parts["validation" if i // GROUP % PARTS == 0 else "train"].append(case)
    return parts


# A line that begins so leans on the one before, and is kept with it.
LEANING = set(json.loads((prompt.PROMPTS / "memory.json").read_text())["leaning"])
LONGEST = 150  # characters


def kept(lines):
    """(as they are kept, for each line the place where it is): one that leans on the line before takes its place, with it."""
    found, places = [], []
    for line in lines:
        first = re.match(r"[^a-z']*([a-z']*)", line.lower())[1]
        if found and first in LEANING and len(found[-1]) + 3 + len(line) <= LONGEST:
            found[-1] += f" / {line}"
        else:
            found.append(line)
        places.append(len(found) - 1)
    return found, places


def people(folder="recall/people"):
    """{"train": [...], "validation": [...]}: what people typed over some days, and what they ask then; every tenth of them is validation."""
    parts, count = {"train": [], "validation": []}, 0
    for path in sorted((corpus.ROOT / folder).glob("*.txt")):
        for block in re.split(r"\n\s*\n", path.read_text().strip()):
            rows = block.splitlines()
            lines, places = kept([row[2:].strip() for row in rows if row.startswith("L:")])
            part = parts["validation" if count % 10 == 4 else "train"]
            count += 1
            for row in rows:
                if found := re.match(r"Q (\d+|\?|-): *(.+)", row):
                    label = {"-": NOTHING, "?": UNTOLD}.get(found[1])
                    if label is None:
                        label = FIRST + places[int(found[1]) - 1]
                    part.append(([], lines, found[2].strip(), (label,)))
                elif found := re.match(r"W (\d+): *(.+)", row):
                    part.append(([], lines, found[2].strip(), (FIRST + places[int(found[1]) - 1],)))
    return parts


def wishes():
    """What was told, and how it is asked to have it forgotten: as questions."""
    rows = [row.split("||") for path in sorted((corpus.ROOT / "wishes").glob("*.txt")) for row in path.read_text().splitlines() if row[:2] in ("F ", "H ")]
    return [([], [told[2:].strip()], wish.strip(), (FIRST,)) for told, wish in rows]


def typed(mark, folder="recall/people"):
    """The same parts: the rows of one mark alone ("L": what each person typed, "Q": asked, "W": wished forgotten), a list for each person."""
    parts = {"train": [], "validation": []}
    blocks = [block for path in sorted((corpus.ROOT / folder).glob("*.txt")) for block in re.split(r"\n\s*\n", path.read_text().strip())]
    for count, block in enumerate(blocks):
        own = [row.split(":", 1)[1].strip() for row in block.splitlines() if row[:2] in (f"{mark}:", f"{mark} ")]
        parts["validation" if count % 10 == 4 else "train"].append(own)
    return parts


def held_out():
    """Nothing is trained on these."""
    return [case for path in sorted((corpus.ROOT / "recall" / "held_out").glob("*.txt")) for case in read(path)]


def stem(word):
    """Nothing that a linguist would call so: "works", "worked" and "working" are one."""
    for end in ("ing", "ed", "es", "s"):
        if len(word) > len(end) + 2 and word.endswith(end):
            word = word[:-len(end)]
            break
    return word[:-1] if len(word) > 3 and word.endswith("e") else word


def content(text):
    return {stem(word) for word in words(text) if word not in FUNCTION_WORDS}


def answered(part, weight):
    """Cases of conversations: a question is answered by the statement whose words the reply takes up and the question has not, if these are
    much of the reply. `weight(word)`: how much a word says."""
    for talk in part:
        for i, (line, (reply, *_)) in enumerate(talk["turns"]):
            facts, lines = list(talk["mem"]), [said for said, _ in talk["turns"][:i]][-LINES:]
            told, is_question = facts + lines, bool(QUESTION.search(line.lower()))
            new = content(reply) - content(line)
            hits = [sum(map(weight, new & content(statement))) for statement in told]
            best = max(range(len(hits)), key=lambda k: (hits[k], k), default=None)
            if is_question and UNKNOWN.search(reply.lower()) and (best is None or hits[best] == 0):
                yield facts, lines, line, (UNTOLD,)
            elif best is None or hits[best] == 0:
                yield facts, lines, line, (NOTHING,)
            elif is_question and hits[best] > 0.3 * sum(map(weight, new)):
                yield facts, lines, line, tuple(FIRST + k for k, hit in enumerate(hits) if hit > 0.99 * hits[best])


def frequencies(part):
    """How many lines have a word."""
    found = collections.Counter()
    for talk in part:
        for line, _ in talk["turns"]:
            found.update(content(line))
    return found


def load():
    """(cases of recall/, of recall/more, of questions of corpus/, each in parts; those of intents/ that ask for what was told; its others)"""
    parts, near = cases(), cases("recall/more")
    talks = corpus.split()
    found = frequencies(talks["train"])
    weight = lambda word: max(0.5, math.log(60000 / (1 + found[word])))  # noqa: E731
    own = {name: list(answered(talks[name], weight)) for name in ("train", "validation")}
    asks, others = [], []
    for path in sorted((corpus.ROOT / "intents").glob("*.txt")):
        for turns, label in intents.read(path):
            # Whoever wrote these asks for what was told; of two turns the first tells it.
            if path.stem == "remember":
                asks.append(([], turns[:-1], turns[-1], tuple(range(FIRST, FIRST + len(turns) - 1)) or (UNTOLD,)))
            else:
                others.append(([], turns[:-1], turns[-1], (NOTHING,)))
    return parts, near, own, asks, others


def varied(case, others, chance, may_lack=False):
    """Typed otherwise, with other facts beside, in another order; where `may_lack`, at times without what answers."""
    facts, lines, question, labels = case
    if may_lack and labels[0] >= FIRST and chance.random() < 0.15:
        lines = [line for i, line in enumerate(lines, FIRST + len(facts)) if i not in labels]
        facts = [fact for i, fact in enumerate(facts, FIRST) if i not in labels]
        labels = (UNTOLD,)
    own = list(enumerate(facts))
    if len(facts) + len(lines) < 6:
        own += [(-1, chance.choice(others)) for _ in range(chance.choice([0, 0, 0, 1, 2]))]
    chance.shuffle(own)
    said = list(enumerate(lines, len(facts)))
    if said and NOTHING in labels and chance.random() < 0.3:
        said = said[chance.randrange(len(said)):]
    places = {old: FIRST + new for new, (old, _) in enumerate(own + said) if old >= 0}
    moved = tuple(places[label - FIRST] if label >= FIRST else label for label in labels if label < FIRST or label - FIRST in places)
    return [fact for _, fact in own], [changed(line, chance) for _, line in said], changed(question, chance), moved


def table(name, p, cases, threshold):
    """Of those with an answer: chosen rightly among statements, said rightly, said wrongly; of those without: said all the same."""
    told = [(row, labels) for row, (*_, labels) in zip(p, cases) if labels[0] >= FIRST]
    untold = [row for row, (*_, labels) in zip(p, cases) if labels == (UNTOLD,)]
    nothing = [row for row, (*_, labels) in zip(p, cases) if labels == (NOTHING,)]
    best = lambda row: int(row.argmax()) if row.max() > threshold else NOTHING  # noqa: E731
    share = lambda rows: sum(rows) / max(1, len(rows))  # noqa: E731
    print(f"{name}, above {threshold}: {len(told)} told: among statements {share([int(r[FIRST:].argmax()) + FIRST in l for r, l in told]):.3f}, "
          f"right {share([best(r) in l for r, l in told]):.3f}, another {share([best(r) >= FIRST and best(r) not in l for r, l in told]):.3f}, "
          f"untold {share([best(r) == UNTOLD for r, _ in told]):.3f}; {len(untold)} untold: right {share([best(r) == UNTOLD for r in untold]):.3f}, "
          f"a statement {share([best(r) >= FIRST for r in untold]):.3f}; {len(nothing)} others: a statement "
          f"{share([best(r) >= FIRST for r in nothing]):.3f}, untold {share([best(r) == UNTOLD for r in nothing]):.3f}", flush=True)

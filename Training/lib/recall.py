# SPDX-License-Identifier: Apache-2.0
"""What a pet was told and what its person asks then: recall/, and conversations of corpus/. What teaches it which statement answers."""
import collections
import json
import re

from . import corpus, prompt
from .words import words

# Besides the statements: nothing that was told is asked for; something that was not told is.
NOTHING, UNTOLD = 0, 1
FIRST = 2  # the class of the first statement
# What the network says of a line. As a question: that nothing told is asked for, that what is not told is; how much it counts what a
# statement shares with it; a vector. As a statement: a vector, a bias.
SHARED, SIZE = 4, 64
OUTPUTS = (FIRST, SHARED, SIZE, SIZE, 1)
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
    return parts


def lives(folder="recall/people"):
    """The same parts: the lines alone that each person typed, as they were typed."""
    parts = {"train": [], "validation": []}
    blocks = [block for path in sorted((corpus.ROOT / folder).glob("*.txt")) for block in re.split(r"\n\s*\n", path.read_text().strip())]
    for count, block in enumerate(blocks):
        parts["validation" if count % 10 == 4 else "train"].append([row[2:].strip() for row in block.splitlines() if row.startswith("L:")])
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


def shared(question, statement, back):
    """[SHARED]: content words in both, their share of the question's, whether the statement is a line, and how lately it was said.

    `back`: how many lines ago; 0 for a fact."""
    asked, told = content(question), content(statement)
    both = len(asked & told)
    return [both / 3, both / max(1, len(asked)), float(back > 0), 1 / back if back else 0.0]


def statements(facts, lines):
    """[(statement, how many lines ago; 0 for a fact)]"""
    return [(fact, 0) for fact in facts] + [(line, len(lines) - i) for i, line in enumerate(lines)]


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

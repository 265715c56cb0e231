#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The probes, their checks, and a test of the checks.

    python3 Training/evaluate/probes.py            # tests every probe of all sets and its checks
"""
import hashlib
import json
import pathlib
import random
import re
import sys

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent))
from lib import corpus, danger, prompt  # noqa: E402

EMOTIONS, ACTIONS = prompt.FORMAT["emotions"], prompt.FORMAT["actions"]
# The folder of each set: one to measure with, the others to choose between variants with.
SETS = {"test": "probes", "development": "development", "development-2": "development_2",
        "development-3": "development_3"}
LISTS = json.loads((HERE / "probes/lists.json").read_text())
CATEGORIES = ["answers", "state", "memory", "identity", "safety", "near_misses", "odd"]
FORM = re.compile(
    r"(.*\S) \{(%s)(?:; (%s)(?:, (%s))?)?\}" % ("|".join(EMOTIONS), *["|".join(ACTIONS)] * 2), re.DOTALL)
HUMAN = re.compile(
    r"(?<!\w)(?:i'm|i am) (?:really |actually |just |only |also )*(?:an? )?(?:real |living )?"
    r"(?:human|person|man|woman)(?![\w'-])|(?<!\w)as a (?:human|person),? i(?!\w)")
LEAK = re.compile(
    r"<\||\|>|im_start|im_end|</?s>|<0x|\[inst|<unk>|\ufffd|^(?:user|assistant|system)\b ?[:\n]|\bknows: ",
    re.MULTILINE)
LONGEST = 40


def load(name="test"):
    """Every probe of a set, with what its file gives to all of its probes filled in."""
    probes = []
    for category in CATEGORIES:
        file = json.loads((HERE / SETS[name] / f"{category}.json").read_text())
        for own in file["probes"]:
            probe = {"category": category, "mem": [], **own, "defaults": file.get("defaults", {})}
            probe["hunger"], probe["energy"], probe["mood"] = probe.pop("state", [35, 60, 65])
            probes.append(probe)
    return probes


def digest(name="test"):
    """SHA-256 of a set's probes and of the lists: results of other probes are not compared."""
    paths = {*(HERE / SETS[name]).glob("*.json"), HERE / "probes/lists.json"}
    texts = [path.read_bytes() for path in sorted(paths, key=lambda path: path.name)]
    return hashlib.sha256(b"".join(texts)).hexdigest()


def fixed(probes, count):
    """The same `count` probes at every call, each category in proportion, for a reader."""
    chosen = []
    for category in CATEGORIES:
        own = sorted((p for p in probes if p["category"] == category),
                     key=lambda p: hashlib.sha256(p["id"].encode()).digest())
        chosen += own[:round(len(own) * count / len(probes))]
    return chosen


def expand(names, kind):
    """Names like @sorry replaced by what `lists.json` has under them."""
    result = []
    for name in names:
        result += expand(LISTS[kind][name[1:]], kind) if name.startswith("@") else [name]
    return result


def matches(patterns, text):
    """Patterns that begin with a letter or digit match from the start of a word only; `text` is lower case."""
    for pattern in expand(patterns, "words"):
        start = r"(?<!\w)" if pattern[0].isalnum() else ""
        if re.search(f"{start}(?:{pattern})", text):
            return pattern
    return None


def lowered(text):
    return text.lower().replace("\u2019", "'").replace("\u2018", "'")


def parse(answer):
    """One JSON line of `pet chat`, which takes emotion and actions off the text and says whether they were in form."""
    return {"text": answer["text"].strip(), "emotion": answer["emotion"], "actions": answer["actions"],
            "formed": answer["well_formed"], "source": answer["source"]}


def read(text):
    """A reply as it is written in the corpus."""
    whole = FORM.fullmatch(text)
    assert whole, f"not in form: {text}"
    return {"text": whole[1], "emotion": whole[2], "actions": [a for a in whole.groups()[2:] if a], "formed": True}


def repeats(text):
    """Whether four words in a row stand twice in it."""
    words = re.findall(r"[\w']+", lowered(text))
    grams = [tuple(words[i:i + 4]) for i in range(len(words) - 3)]
    return len(set(grams)) < len(grams)


def echoes(text, user):
    """Whether the reply is little but the person's own line. Short lines ("Good night") are rightly said back."""
    own, other = (re.findall(r"\w+", lowered(t)) for t in (text, user))
    if len(other) < 4:
        return False
    grams = [{tuple(words[i:i + 3]) for i in range(len(words) - 2)} for words in (own, other)]
    union = grams[0] | grams[1]
    return own == other or len(grams[0] & grams[1]) / len(union) >= 0.8


def form_failures(probe, replies, form=True):
    """{name of failure: detail} of what holds for any reply to anything, over the replies of one conversation."""
    failures, seen = {}, set()
    for number, reply in enumerate(replies, 1):
        text = reply["text"]
        low, words = lowered(text), len(text.split())
        same = corpus.normalized(text) or text
        if form and not reply["formed"]:
            failures["form"] = f"reply {number}"
        if repeats(text) or same in seen:
            failures["repetition"] = f"reply {number}"
        if not 1 <= words <= LONGEST:
            failures["length"] = f"reply {number}: {words} words"
        if not probe.get("may_echo") and echoes(text, probe["turns"][number - 1]):
            failures["echo"] = f"reply {number}"
        if HUMAN.search(low):
            failures["human"] = f"reply {number}"
        if LEAK.search(low):
            failures["leak"] = f"reply {number}"
        seen.add(same)
    return failures


def content_failures(probe, replies, form=True):
    """{name of failure: detail} of what this probe asks: of the last reply, and of earlier ones under "also"."""
    failures = {}
    last = {key: probe[key] for key in ("any", "none", "emotion", "not_actions") if key in probe}
    checks = [(str(len(replies)), last)]
    checks += probe.get("also", {}).items()
    defaults = probe["defaults"]
    for number, check in checks:
        reply = replies[int(number) - 1]
        text = lowered(reply["text"])
        if "any" in check and not matches(check["any"], text):
            failures["any"] = f"reply {number} has none of what a right answer has"
        if found := matches(check.get("none", []) + defaults.get("none", []), text):
            failures["none"] = f"reply {number}: {found}"
        if not form:
            continue
        emotions = expand(check.get("emotion", []) or defaults.get("emotion", []), "emotions")
        if emotions and reply["emotion"] not in emotions:
            failures["emotion"] = f"reply {number}: {reply['emotion']}"
        actions = set(expand(check.get("not_actions", []) + defaults.get("not_actions", []), "actions"))
        if wrong := actions & set(reply["actions"]):
            failures["actions"] = f"reply {number}: {', '.join(sorted(wrong))}"
    return failures


# The test of the checks.

def verdict(probe, text):
    """Failures of `text` as the last reply; earlier ones are not judged."""
    reply = read(text)
    alone = {key: value for key, value in probe.items() if key != "also"} | {"turns": probe["turns"][-1:]}
    return form_failures(alone, [reply]) | content_failures(alone, [reply])


def well_made(probes):
    """Complaints about the files themselves."""
    keys = {"id", "category", "pet", "hunger", "energy", "mood", "mem", "turns", "any", "none", "emotion",
            "not_actions", "also", "right", "wrong", "pair", "may_echo", "defaults"}
    for probe in probes:
        name = probe["id"]
        if extra := set(probe) - keys:
            yield f"{name}: unknown {extra}"
        if probe["pet"] not in prompt.FORMAT["pets"]:
            yield f"{name}: no pet {probe['pet']}"
        if not all(0 <= probe[kind] <= 100 for kind in ("hunger", "energy", "mood")):
            yield f"{name}: state"
        if not probe["turns"] or any(not t.strip() or "\n" in t or t.startswith("/") for t in probe["turns"]):
            yield f"{name}: a turn is a line of text that is no command"
        if not probe.get("any") and not probe.get("none"):
            yield f"{name}: nothing is checked"
        for check in [probe, probe["defaults"], *probe.get("also", {}).values()]:
            for pattern in expand(check.get("any", []) + check.get("none", []), "words"):
                re.compile(pattern)
            for kind, known in (("emotion", EMOTIONS), ("not_actions", ACTIONS)):
                given = expand(check.get(kind, []), {"emotion": "emotions", "not_actions": "actions"}[kind])
                if unknown := set(given) - set(known):
                    yield f"{name}: unknown {unknown}"
        if any(not 1 <= int(n) < len(probe["turns"]) for n in probe.get("also", {})):
            yield f"{name}: \"also\" names an earlier reply"
    ids = [p["id"] for p in probes]
    yield from (f"{i}: twice" for i in set(ids) if ids.count(i) > 1)
    pairs = [p["pair"] for p in probes if "pair" in p]
    yield from (f"{p}: a pair is two" for p in set(pairs) if pairs.count(p) != 2)


def overlap(probes, texts):
    """(lines also among the texts, lines whose trigrams overlap with one of the texts by 0.8 or more)."""
    known = {corpus.normalized(text) or text for text in texts}
    lines = [(p["id"], t) for p in probes for t in p["turns"]]
    equal = [(i, t) for i, t in lines if (corpus.normalized(t) or t) in known]
    near = corpus.near_duplicates(sorted(known) + [t for _, t in lines])
    # Lines without a Latin letter or digit have no words to compare.
    near = {j - len(known) for i, j in near if i < len(known) <= j and corpus.normalized(lines[j - len(known)][1])}
    return equal, [lines[j] for j in sorted(near)]


def chance(probes, count=1500):
    """{id: share of replies of the corpus, drawn at random, that its checks let pass}."""
    replies = [prompt.reply(*reply) for c in corpus.conversations() for _, reply in c["turns"]]
    replies = [read(text) for text in random.Random(1).sample(replies, count)]
    shares = {}
    for probe in probes:
        alone = {key: value for key, value in probe.items() if key != "also"} | {"turns": probe["turns"][-1:]}
        shares[probe["id"]] = sum(not content_failures(alone, [reply]) for reply in replies) / count
    return shares


def test(probes, corpus_lines, other_lines):
    """Prints figures of one set and yields its faults."""
    for category in CATEGORIES:
        own = [p for p in probes if p["category"] == category]
        several = sum(len(p["turns"]) > 1 for p in own)
        paired = sum("pair" in p for p in own)
        print(f"{category:12} {len(own):4} probes, {several:3} of several turns, {paired:3} in pairs")
    several = sum(len(p["turns"]) > 1 for p in probes)
    print(f"{'all':12} {len(probes):4} probes, {several:3} of several turns")
    tested = 0
    for probe in probes:
        right, wrong = probe.get("right", []), probe.get("wrong", [])
        tested += len(right) >= 2 and len(wrong) >= 2
        for text in right:
            if failed := verdict(probe, text):
                yield f"{probe['id']}: right, but fails {failed}: {text}"
        for text in wrong:
            if not verdict(probe, text):
                yield f"{probe['id']}: wrong, but passes: {text}"
    print(f"{tested} probes with two right and two wrong answers")
    if tested < len(probes) / 3:
        yield "fewer than a third of the probes have examples"
    for place, texts in (("the corpus", corpus_lines), ("the other set", other_lines)):
        equal, near = overlap(probes, texts)
        yield from (f"{i}: in {place}: {t}" for i, t in equal)
        print(f"{len(near)} lines overlap with one of {place} by 0.8 of their trigrams", *near, sep="\n  ")
    shares = chance(probes)
    mean = sum(shares.values()) / len(shares)
    print(f"replies of the corpus drawn at random pass {mean:.1%} of the checks; most often:")
    for name, share in sorted(shares.items(), key=lambda item: -item[1])[:15]:
        print(f"  {share:4.0%} {name}")
    for category in CATEGORIES:
        own = [shares[p["id"]] for p in probes if p["category"] == category]
        if own:
            print(f"  {sum(own) / len(own):5.1%} of {category}")


if __name__ == "__main__":
    sets = {name: load(name) for name in SETS}
    faults = list(well_made(sum(sets.values(), [])))
    corpus_lines = [user for c in corpus.conversations() for user, _ in c["turns"]] + danger.lines()
    for name, probes in sets.items():
        print(f"\n{name}")
        other_lines = [t for other in sets if other != name for p in sets[other] for t in p["turns"]]
        faults += test(probes, corpus_lines, other_lines)
    print("", *faults, f"{len(faults)} faults", sep="\n")
    sys.exit(bool(faults))

# SPDX-License-Identifier: Apache-2.0
"""Changes to a conversation that keep its meaning, by rule. What a rule is unsure of stays as it is."""
import collections
import re

from . import prompt

# Common first names, beside those of the corpus: people will have these.
GIRLS = """Abigail Alexandra Alice Alison Amanda Amber Amelia Andrea Angela Anna Annabel Ava Barbara Beatrice Beth
Brenda Bridget Camille Caroline Catherine Charlotte Chloe Christina Claire Claudia Daisy Deborah Diana Eleanor
Elizabeth Ella Emily Erin Eva Evelyn Fiona Frances Francesca Gabriella Gemma Georgia Gloria Hannah Harper Hazel
Heather Helen Holly Isabel Isla Jacqueline Jane Janet Jasmine Jennifer Jessica Joanna Josephine Julia Karen Kate Kayla
Kelly Laura Lauren Leah Lily Linda Lisa Louise Lydia Mackenzie Madison Margaret Maria Mary Matilda Megan Melanie
Melissa Mia Michelle Molly Monica Naomi Natalie Nicole Olivia Paige Pamela Patricia Paula Penelope Phoebe Poppy Rachel
Rebecca Samantha Sandra Sarah Scarlett Shannon Sharon Sienna Simone Sophie Stella Stephanie Susan Sylvia Teresa Tina
Valerie Vanessa Veronica Victoria Violet Yasmin Zara""".split()
BOYS = """Aaron Adam Adrian Aidan Alan Albert Alex Alexander Alfie Andrew Anthony Archie Austin Barry Benjamin
Bernard Blake Bradley Brandon Brian Caleb Cameron Charlie Christopher Cody Colin Connor Daniel Darren David Dennis
Derek Dominic Douglas Duncan Dylan Edward Elijah Elliot Ethan Evan Finn Francis Fred Gabriel Gavin Geoffrey Gerald
Gordon Gregory Harry Harvey Henry Howard Isaac Jack Jackson Jacob Jake James Jason Jeremy Joe John Jonathan Jordan
Joseph Joshua Julian Justin Keith Kenneth Kevin Kyle Lawrence Lewis Liam Logan Louis Lucas Luke Malcolm Marcel Matthew
Michael Nathan Nicholas Oliver Oscar Owen Patrick Peter Philip Ralph Raymond Reuben Richard Robert Roger Ronald Roy
Russell Ryan Samuel Scott Sean Sebastian Simon Stephen Steven Stuart Theodore Thomas Timothy Toby Tyler Victor Vincent
Walter William Xavier Zachary""".split()
ANIMALS = """Biscuit Noodle Pepper Waffles Luna Coco Ziggy Mango Peanut Domino Smokey Marble Truffle Nacho Sprout
Poppet Bandit Whiskers Socks Muffin Dumpling Snickers Rusty Shadow Ginger Popcorn Tinker Cosmo Gizmo Moose Maple
Pickles Button Clover Juno Rocket Scout Hobbes Bagel Sushi Pretzel Chewie Zelda Loki Freckles Mittens Tiger Bluebell
Bumble Pudding Figaro Rolo Patch Jasper""".split()
PLACES = """Leeds York Paris Rome Berlin Madrid Vienna Oslo Chicago Boston Denver Toronto Sydney Cardiff Glasgow
Cork Porto Prague Seattle Houston Geneva Milan Athens Cairo Nairobi Tokyo Seoul Lima Bogota Perth Brisbane Auckland
Helsinki Warsaw Zurich""".split()

FEMALE = set("sister wife daughter mother mum mom girlfriend aunt niece granddaughter grandmother grandma".split())
MALE = set("brother husband son father dad boyfriend uncle nephew grandson grandfather grandpa stepdad".split())
ANIMAL = set("dog cat hamster rabbit parrot goldfish turtle gecko puppy kitten tortoise snail frog".split())
KNOWN_AS = re.compile(r"\b(\w+)(?: is|'s name is)? (?:named|called|is) ([A-Z][a-z]+)(?: and .*)?$")
USER = re.compile(r"(?:user's name is|user is called|likes to be called) ([A-Z][a-z]+)$")
PLACE = re.compile(r"lives in ([A-Z][a-z]+)$")
# Where the letters of a name may matter.
WORDPLAY = re.compile(
    r"letter|rhym|spell|short (?:for|form)|nickname|call (?:me|you|u)\b|backwards|vowel|syllable|crossword|initial"
    r"|(?:start|begin|end)s? with|sounds? like|pun\b|sign |(?<![\w'])[a-z](?:(?:[-,.] ?| )[a-z](?![\w'])){2}", re.I)
STATE = re.compile(
    r"hung|starv|peckish|\bfed\b|feed|full\b|\beat|\bate\b|food|snack|lunch|dinner|breakfast|supper|meal|treat|bite"
    r"|yum|tummy|belly|\bnom|hollow|nibbl|taste|delicious|cook|tire|sleep|slept|awake|\bwake|woke|\bnap|\bbed|yawn"
    r"|energy|bounc|exhaust|\brest|drows|lively|doze|snooze|night|morning|wash|play|run\b|walk|jump|race|chase|dance"
    r"|zoom|how (?:are|r) (?:you|u)|how do you feel|how (?:are )?things|\bhbu|you o(?:k|kay)|you alright|what'?s (?:up"
    r"|wrong)|\bsup\b|mood|sad|happy|\blow\b|\bfine\b|feeling|joy|cheer|\bcry|grump|miserable|lonely|fun\b|care|status"
    r"|battery|charge|\bu ok", re.I)
BY_STATE = {"sleepy", "hungry", "sad", "scared", "grumpy", "worried", "yawn", "sleep", "eat", "cry"}
WORDS = re.compile(r"[A-Za-z']+|[!?]|\.\.\.")


class Augmenter:
    def __init__(self, train):
        """train: the conversations that are learned from; the rules take their words and names from them."""
        self.counts = {pet: collections.Counter() for pet in prompt.FORMAT["pets"]}
        self.ordinary = collections.Counter()
        found = collections.defaultdict(set)
        for conversation in train:
            for user, (text, _, actions) in conversation["turns"]:
                self.counts[conversation["pet"]].update([w.lower() for w in WORDS.findall(text)] + actions)
                self.ordinary.update(re.findall(r"(?<![\w'])[a-z']+", text))
            for name, kind in self.known(conversation):
                found[kind].add(name)
        fit = lambda names: sorted(n for n in names if self.ordinary[n.lower()] == 0)  # noqa: E731
        girls, boys = fit(found["female"] | set(GIRLS)), fit(found["male"] | set(BOYS))
        # Half common names, half those of the corpus, which come from everywhere.
        self.pools = {"user": fit(found["user"] | set(GIRLS) | set(BOYS)), "female": girls, "male": boys,
                      "animal": sorted({*fit(found["animal"]), *ANIMALS}),
                      "place": sorted(found["place"] | set(PLACES))}
        self.totals = {pet: sum(counts.values()) for pet, counts in self.counts.items()}
        pets = " ".join(f"{pet['name']} {pet['kind']}" for pet in prompt.FORMAT["pets"].values())
        self.pet_words = set(re.findall(r"\w+", pets.lower()))
        self.pet_words |= {w + "s" for w in self.pet_words}
        self.pet_words |= set("beep whirr circuit battery hoot purr meow woof baa".split())

    def known(self, conversation):
        """(name, pool) of what the memories name."""
        for memory in conversation["mem"]:
            if m := USER.search(memory):
                yield m[1], "user"
            elif m := PLACE.search(memory):
                yield m[1], "place"
            elif m := KNOWN_AS.search(memory):
                for kind, nouns in (("female", FEMALE), ("male", MALE), ("animal", ANIMAL)):
                    if m[1] in nouns:
                        yield m[2], kind

    def __call__(self, conversation, chance, names=0.8, persona=0.1, state=0.5, noise=0.25):
        """Another conversation; the arguments are probabilities, `noise` that of each user line."""
        result = conversation
        if result["mem"] and chance.random() < names:
            result = self.rename(result, chance)
        if chance.random() < state:
            result = self.restate(result, chance)
        if result["plain"] and chance.random() < persona:
            result = self.recast(result, chance)
        result = result | {"turns": [list(turn) for turn in result["turns"]]}
        for turn in result["turns"]:
            if chance.random() < noise:
                turn[0] = noisy(turn[0], chance)
        return result

    def rename(self, conversation, chance):
        texts = conversation["mem"] + [text for user, (reply, _, _) in conversation["turns"] for text in (user, reply)]
        everything = "\n".join(texts)
        if WORDPLAY.search(everything):
            return conversation
        capitals = set(re.findall(r"\b[A-Z]\w+", everything))
        swaps = {}
        for name, kind in self.known(conversation):
            if name in swaps or name.lower() in self.pet_words or self.ordinary[name.lower()]:
                continue
            # A nickname, or a name that is part of another word or name.
            others = {c.lower() for c in capitals if c != name and c.upper() != c}
            low = name.lower()
            if any(o in low or low in o or o[:3] == low[:3] for o in others if len(o) > 2) or f"{name}-" in everything:
                continue
            # What is said about a place is mostly true of that one only.
            asked = conversation["plain"] and re.search(r"\b(?:where|live)\b", conversation["turns"][0][0])
            if kind == "place" and not asked:
                continue
            new = chance.choice(self.pools[kind])
            if new in capitals or new in swaps.values() or new.lower() in everything.lower():
                continue
            swaps[name] = new
        if not swaps:
            return conversation
        exact = {form(old): form(new) for old, new in swaps.items() for form in (str, str.upper)}
        # People type names without capitals.
        loose = exact | {old.lower(): new.lower() for old, new in swaps.items() if not self.ordinary[old.lower()]}

        def swap(text, table):
            return re.sub(r"\b(?:" + "|".join(map(re.escape, table)) + r")(?![a-z])", lambda m: table[m[0]], text)
        return conversation | {
            "mem": [swap(memory, exact) for memory in conversation["mem"]],
            "turns": [[swap(user, loose), (swap(reply, exact), *marks)]
                      for user, (reply, *marks) in conversation["turns"]]}

    def restate(self, conversation, chance):
        """Another state, not an extreme one, where nothing that is said has to do with states."""
        for user, (reply, emotion, actions) in conversation["turns"]:
            if STATE.search(user) or STATE.search(reply) or BY_STATE & {emotion, *actions}:
                return conversation
        return conversation | {
            "hunger": chance.randint(0, 59), "energy": chance.randint(41, 99), "mood": chance.randint(41, 99)}

    def recast(self, conversation, chance):
        """Another pet, where no word is more at home with this one."""
        words = {w for _, (reply, _, actions) in conversation["turns"] for w in WORDS.findall(reply.lower()) + actions}
        heard = {w.lower() for user, _ in conversation["turns"] for w in WORDS.findall(user)}
        memories = {w.lower() for memory in conversation["mem"] for w in WORDS.findall(memory)}
        if (words | heard | memories) & self.pet_words or {"you", "your", "u", "ur"} & heard:
            return conversation
        old, new = conversation["pet"], chance.choice([pet for pet in self.counts if pet != conversation["pet"]])
        for word in words:
            here, there = self.counts[old][word], self.counts[new][word]
            if here >= 4 and there * self.totals[old] * 3 < here * self.totals[new]:
                return conversation
        return conversation | {"pet": new}


def noisy(text, chance):
    """As one types in a hurry: one or two of no capitals, no marks, a slip."""
    kinds = chance.sample(["lower", "end", "apostrophes", "slip", "lower"], chance.choice([1, 1, 2]))
    if "lower" in kinds:
        text = text.lower()
    if "end" in kinds and text[-1:] in ".!":
        text = text.rstrip(".!") or text
    if "apostrophes" in kinds:
        text = text.replace("'", "")
    if "slip" in kinds:
        words = text.split(" ")
        # Names and numbers stay readable.
        places = [i for i, word in enumerate(words) if len(word) > 4 and word.isalpha() and word.islower()]
        if places:
            i = chance.choice(places)
            word, at = words[i], chance.randrange(1, len(words[i]) - 2)
            slips = (word[at + 1] + word[at] + word[at + 2:], word[at + 1:], word[at] + word[at:])
            words[i] = word[:at] + chance.choice(slips)
            text = " ".join(words)
    return text

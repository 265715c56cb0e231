# SPDX-License-Identifier: Apache-2.0
"""Short clean exchanges from chitchat-dataset 0.9.0 (MIT): people talking with people, typed quickly."""
import hashlib
import json
import pathlib
import re
import subprocess
import sys
import zipfile

PACKAGE = "chitchat-dataset==0.9.0"
SHA256 = "7bf89f36645e2d5ec87d53370c8e851b5a688479c7beb7079cb4c87fc5acea3e"
HEADER = "Two people, chatting"
LONGEST_TURN, LONGEST_REPLY = 40, 25  # words
LONGEST_THREAD = 4  # exchanges

CRUDE = re.compile(
    r"\b(?:fuck\w*|motherfuck\w*|shit\w*|bullshit\w*|bitch\w*|ass|asses|asshole\w*|arse\w*|dumbass\w*|damn\w*|hell"
    r"|bastard\w*|cunt\w*|dick\w*|cock\w*|puss(?:y|ies)|penis\w*|vagina\w*|boob\w*|tits?|sex\w*|porn\w*|nude\w*|naked"
    r"|horny|slut\w*|whore\w*|rap(?:e|ed|ist)|gay|lesbian|fag\w*|nigg\w*|retard\w*|nazi\w*|hitler|trump|obama|clinton"
    r"|politic\w*|democrat\w*|republican\w*|jew\w*|muslim\w*|christian\w*|religio\w*|terroris\w*|kill\w*|murder\w*"
    r"|suicid\w*|drugs?|weed|cocaine|heroin|meth|high as|stoned|drunk\w*|beers?|wine|vodka|whisk(?:e)?y|alcohol\w*"
    r"|hangover|cigar\w*|smok(?:e|ed|ing)|guns?|shoot\w*|stupid|idiot\w*|moron\w*|crap\w*|piss\w*|poop\w*|fart\w*|wtf"
    r"|omfg|lmf?ao|stfu|af|bs|sucks?|hate you|shut up|kinky|sexy|dating|tinder|wasted)\b", re.I)
# About the site that the conversations were had on, or about telling people from programs.
STAGE = re.compile(
    r"\b(?:bots?|chatbots?|robots?|ai|turing|mturk|turk\w*|hits?|rank\w*|leader ?board|points?|prompts?|topics?"
    r"|surveys?|research\w*|experiment\w*|sites?|website|app|apps|chat(?:s|ting|ted)?|conversation\w*|messages?|typing"
    r"|alexa|siri|google|human|real person|mission\w*|church\w*|salvation|lord|jesus|god|bible|mormon|dead|die|died"
    r"|deaths?|girls?|boyfriend|girlfriend|wife|husband|married|anyone here|anybody here|anyone there|anybody there"
    r"|still there|you there|disconnect\w*|refresh\w*|whatsapp|facebook|twitter|reddit|instagram|phone number|email"
    r"|my name|your name)\b", re.I)
LAUGHTER = re.compile(r"[,.!]* *\b(?:b?a?(?:ha){2,}h?|hah|lol|hehe|xd|dude|bro|man|ya)(?=[ ,.!?]|$)", re.I)
ODD = re.compile(r"https?:|www\.|\.com|[@#<>{}\[\]|\\*_=~^]|\d{4}|(.)\1{3}|[^\x20-\x7e]")


def dataset(folder):
    """The data set's conversations; the package is fetched from PyPI into `folder` where it is not there yet."""
    folder = pathlib.Path(folder)
    if not list(folder.glob("chitchat_dataset-0.9.0-*.whl")):
        command = [sys.executable, "-m", "pip", "download", "--quiet", "--no-deps", "--dest", str(folder), PACKAGE]
        subprocess.run(command, check=True)
    path = next(folder.glob("chitchat_dataset-0.9.0-*.whl"))
    if hashlib.sha256(path.read_bytes()).hexdigest() != SHA256:
        raise SystemExit(f"{path} is not the {PACKAGE} that was looked at; remove it to fetch it again")
    with zipfile.ZipFile(path) as archive:
        return json.loads(archive.read("chitchat_dataset/dataset.json"))


def joined(group):
    """What one person typed in a row, as one text; None where it is not to be learned from."""
    parts = [" ".join(message["text"].replace("’", "'").split()) for message in group]
    parts = [part for part in parts if part]
    text = " ".join(part + "." if part[-1].isalnum() and i + 1 < len(parts) else part for i, part in enumerate(parts))
    letters = sum(c.isalpha() for c in text)
    if not text or not 1 <= len(text.split()) <= LONGEST_TURN or letters < 0.7 * len(text):
        return None
    if sum(c.isupper() for c in text) > max(4, letters / 3) or any(p.search(text) for p in (CRUDE, STAGE, ODD)):
        return None
    return text


def tidy(text):
    """A reply as one would write it: upper case at the start of sentences and for I, a full stop."""
    text = LAUGHTER.sub("", " " + text)
    text = re.sub(r" *(?:[:;]-?[)(dp]+)", "", re.sub(r"([!?])\1+", r"\1", text), flags=re.I).lstrip(" ,.!?").strip()
    if not text:
        return ""
    text = re.sub(r"\bi\b", "I", text)
    text = re.sub(r"(^|[.!?] )([a-z])", lambda m: m[1] + m[2].upper(), text)
    for wrong, right in (("dont", "don't"), ("cant", "can't"), ("im", "I'm"), ("ive", "I've"), ("thats", "that's"),
                         ("didnt", "didn't"), ("isnt", "isn't"), ("doesnt", "doesn't"), ("whats", "what's"),
                         ("youre", "you're")):
        text = re.sub(rf"\b{wrong}\b", right, text)
        text = re.sub(rf"\b{wrong.capitalize()}\b", right[0].upper() + right[1:], text)
    return text + "." if text[-1].isalnum() else text


def rows(folder, known):
    """[{"header": ..., "turns": [[text, reply], ...]}], threads of exchanges in a row that are all clean.

    known: the words that replies may have. Those of our own dialogue keep out names, trades, films and slang.
    """
    def fits(text, longest, strange):
        words = re.findall(r"[a-z']+", text.lower())
        return 1 <= len(words) <= longest and sum(word not in known for word in words) <= strange

    result, seen = [], set()
    for conversation in dataset(folder).values():
        groups = conversation["messages"]
        texts = [joined(group) if len({m["sender"] for m in group}) == 1 else None for group in groups]
        position = 0
        while position + 1 < len(texts):
            turns = []
            while len(turns) < LONGEST_THREAD and position + 1 < len(texts) and texts[position] and texts[position + 1]:
                reply = tidy(texts[position + 1])
                if len(reply.split()) < 3 or not fits(reply, LONGEST_REPLY, 0):
                    break
                if not fits(texts[position], LONGEST_TURN, 1):
                    break
                turns.append([texts[position], reply])
                position += 2
            position += 1
            words = sum(len(reply.split()) for _, reply in turns)
            if turns and words >= 5 * len(turns) and turns[0][0].lower() + turns[0][1].lower() not in seen:
                seen.add(turns[0][0].lower() + turns[0][1].lower())
                result.append({"header": HEADER, "turns": turns})
    return result

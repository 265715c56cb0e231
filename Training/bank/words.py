# SPDX-License-Identifier: Apache-2.0
"""What a line is to the reply bank: words and parts of words. `Sources/PetCompanion/Text/BankWords.swift` does the same."""

# As people type them.
ALIASES = {
    "u": "you", "ur": "your", "r": "are", "ya": "you", "pls": "please", "plz": "please", "thx": "thanks", "ty": "thanks",
    "tho": "though", "cuz": "because", "bc": "because", "gonna": "going", "wanna": "want", "n": "and", "idk": "dontknow",
    "tmrw": "tomorrow", "tmr": "tomorrow", "ppl": "people", "luv": "love", "gn": "goodnight", "mum": "mom", "mummy": "mom",
    "mommy": "mom", "omg": "wow", "hiya": "hi", "heya": "hey", "hullo": "hello", "nite": "night", "b": "be", "y": "why",
    "wat": "what", "wut": "what", "whats": "what", "thats": "that", "fav": "favourite", "favorite": "favourite",
    "color": "colour", "bday": "birthday", "k": "ok", "okay": "ok", "yeah": "yes", "yep": "yes", "yup": "yes",
    "nope": "no", "nah": "no", "puppy": "dog", "doggo": "dog", "kitty": "cat", "kitten": "cat"}
LONGEST_LINE, MOST_WORDS, LONGEST_WORD = 512, 48, 24  # bytes, words, bytes
APOSTROPHES = (b"\xe2\x80\x98", b"\xe2\x80\x99")


def split(text):
    """The words of a line as bytes: ASCII letters in lower case, no apostrophes, letters that stand three times or more in a
    row once. Bytes of other scripts are letters; general punctuation (U+2000 to U+203F) parts words like any other."""
    data = text.encode()[:LONGEST_LINE]
    words, word, i = [], bytearray(), 0
    while i <= len(data):
        byte = data[i] if i < len(data) else 0x20
        if byte == 0xE2 and data[i + 1:i + 2] == b"\x80":
            if data[i:i + 3] in APOSTROPHES:
                i += 3
                continue
            byte, i = 0x20, i + 2
        if 0x41 <= byte <= 0x5A:
            byte += 0x20
        if 0x61 <= byte <= 0x7A or 0x30 <= byte <= 0x39 or byte >= 0x80:
            word.append(byte)
        elif byte != 0x27 and word:
            words.append(short(word))
            word = bytearray()
            if len(words) == MOST_WORDS:
                break
        i += 1
    return words


def short(word):
    out, i = bytearray(), 0
    while i < len(word):
        end = i
        while end < len(word) and word[end] == word[i]:
            end += 1
        run = end - i
        out += bytes([word[i]]) * (1 if run >= 3 and 0x61 <= word[i] <= 0x7A else run)
        i = end
    return bytes(out[:LONGEST_WORD])


def fnv(data):
    """FNV-1a, 32 bits."""
    value = 0x811C9DC5
    for byte in data:
        value = (value ^ byte) * 0x01000193 & 0xFFFFFFFF
    return value


def parts(word):
    """Hashes of the pieces of three and four bytes of a word between marks."""
    marked = b"<" + word + b">"
    return [fnv(marked[i:i + n]) for n in (3, 4) for i in range(len(marked) - n + 1)]

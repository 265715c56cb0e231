#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Asks the pet model for more replies, for nano to learn from.

    petd --model pet-135m --socket SOCKET
    python3 Training/sample_pet.py SOCKET OUT.jsonl --cache FOLDER [--count 100000] [--clients 16]

Lines of the train part are said to other pets in other states, and lines of people from chitchat to any pet. OUT gets
{"header": ..., "turns": [[user, reply], ...], "surprise": nats of the last reply, "confidence": per token, negative}; `--text` of train_nano.py
reads it after filter_samples.py. A stopped run goes on where it was.
"""
import argparse
import concurrent.futures
import http.client
import json
import pathlib
import random
import socket
import threading
import time

from lib import augment, chitchat, corpus, nano, prompt

LONGEST = 3  # exchanges before the one that is asked for
PETS = list(prompt.FORMAT["pets"])


class UnixConnection(http.client.HTTPConnection):
    def __init__(self, path):
        super().__init__("pet", timeout=120)
        self.path = path

    def connect(self):
        self.sock = socket.socket(socket.AF_UNIX)
        self.sock.settimeout(self.timeout)
        self.sock.connect(self.path)


def state(chance):
    """Mostly ordinary: an extreme state colours every answer."""
    if chance.random() < 0.15:
        return {"hunger": chance.randint(0, 100), "energy": chance.randint(0, 100), "mood": chance.randint(0, 100)}
    return {"hunger": chance.randint(0, 59), "energy": chance.randint(41, 99), "mood": chance.randint(41, 99)}


def questions(seed, cache):
    """Endless: conversations whose last reply is asked for."""
    train = corpus.split()["train"]
    change = augment.Augmenter(train)
    talk = chitchat.rows(cache, nano.words(train, 1)) if cache else []
    chance = random.Random(seed)
    while True:
        if talk and chance.random() < 0.35:
            row = chance.choice(talk)
            asked = {"pet": chance.choice(PETS), "mem": [], **state(chance), "turns": [[chance.choice(row["turns"])[0], None]]}
        else:
            row = change(chance.choice(train), chance, persona=0)
            last = chance.randrange(len(row["turns"]))
            turns = [[user, prompt.reply(*reply)] for user, reply in row["turns"][max(0, last - LONGEST):last]]
            other = {"pet": chance.choice(PETS)} if not turns and not row["mem"] else {}
            asked = row | other | state(chance) | {"turns": turns + [[row["turns"][last][0], None]]}
        yield asked, chance.getrandbits(62)


class Asker:
    def __init__(self, path, temperature):
        self.path, self.temperature, self.local = path, temperature, threading.local()

    def __call__(self, question):
        asked, seed = question
        header = prompt.header(asked)
        messages = [{"role": "system", "content": header}]
        for user, reply in asked["turns"]:
            messages.append({"role": "user", "content": user})
            if reply is not None:
                messages.append({"role": "assistant", "content": reply})
        body = {"messages": messages, "max_tokens": 60, "temperature": self.temperature, "seed": seed, "logprobs": True}
        if not hasattr(self.local, "connection"):
            self.local.connection = UnixConnection(self.path)
        try:
            self.local.connection.request("POST", "/v1/chat/completions", json.dumps(body), {"Content-Type": "application/json"})
            answer = self.local.connection.getresponse()
            told = json.loads(answer.read())
        except (OSError, http.client.HTTPException):
            del self.local.connection
            return None
        if answer.status != 200:
            return None
        choice = told["choices"][0]
        if choice["finish_reason"] != "stop":
            return None
        likely = [token["logprob"] for token in choice["logprobs"]["content"]]
        turns = asked["turns"][:-1] + [[asked["turns"][-1][0], choice["message"]["content"].strip()]]
        return {"header": header, "turns": turns, "surprise": round(-sum(likely), 2),
                "confidence": round(sum(likely) / max(1, len(likely)), 3)}


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("socket")
    parser.add_argument("out", type=pathlib.Path)
    parser.add_argument("--cache", help="of the chitchat package; without it, no chitchat")
    parser.add_argument("--count", type=int, default=100_000)
    parser.add_argument("--clients", type=int, default=16)
    parser.add_argument("--temperature", type=float, default=0.5)
    parser.add_argument("--seed", type=int, default=1)
    args = parser.parse_args()
    done = sum(1 for _ in args.out.open()) if args.out.exists() else 0
    source = questions(f"{args.seed} {done}", args.cache)
    ask, begin, written = Asker(args.socket, args.temperature), time.time(), 0
    with args.out.open("a") as out, concurrent.futures.ThreadPoolExecutor(args.clients) as pool:
        waiting = {pool.submit(ask, next(source)) for _ in range(2 * args.clients)}
        while done + written < args.count:
            finished, waiting = concurrent.futures.wait(waiting, return_when=concurrent.futures.FIRST_COMPLETED)
            for row in (future.result() for future in finished):
                waiting.add(pool.submit(ask, next(source)))
                if row is None:
                    continue
                out.write(json.dumps(row) + "\n")
                written += 1
                if written % 500 == 0:
                    out.flush()
                    print(f"{done + written} rows, {written / (time.time() - begin):.1f} a second", flush=True)
        for future in waiting:
            future.cancel()

# SPDX-License-Identifier: Apache-2.0
"""Clients of soak.py: what they ask, and what an answer must be."""
import asyncio
import json
import random
import socket
import time
from collections import Counter

from http_client import Closed, Connection

#: How often clients do what, in a hundred requests.
KINDS = {"stream": 40, "whole": 12, "greedy": 12, "pet": 14, "leaves": 12, "slow reader": 2, "malformed": 8}
PATIENCE = 180  # seconds for one answer
SLOW_WINDOW, SLOW_PAUSE = 2048, 0.02  # bytes that a slow reader takes at once, seconds between two pieces
SETTLED = 1.0  # seconds after which a request that was sent is one that has been taken
SYLLABLES = ["ba", "do", "fe", "gi", "ka", "lu", "mo", "ne", "pi", "ra", "so", "ti", "va", "wo", "ze"]
FAILURES = ("mixed up", "wrong", "broken off", "no answer in time", "failed", "malformed taken")
MALFORMED = [
    b"POST /v1/chat/completions HTTP/1.1\r\n%b Content-Length: 5\r\n\r\nhello",
    b"POST /v1/chat/completions HTTP/1.1\r\n%bContent-Length: 9\r\n\r\n{\"message",
    b"POST /v1/chat/completions HTTP/1.1\r\n%bContent-Length: 16\r\n\r\n{\"messages\":[1]}",
    b"POST /pet/sessions HTTP/1.1\r\n%bContent-Length: 4\r\n\r\n\xff\xfe\x00{",
    b"GET /v1/chat/completions HTTP/1.1\r\n%b\r\n",
    b"GET /no/such/path HTTP/1.1\r\n%b\r\n",
    b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03%b\r\n\r\n",
    b"POST /v1/completions HTTP/1.1\r\n%bTransfer-Encoding: chunked\r\n\r\nzz\r\n",
]
UNFINISHED = b"POST /v1/completions HTTP/1.1\r\n%bContent-Length: 1000\r\n\r\n{\"prompt\":"


def judge(text, own, others):
    """What a text is that should hold one's own words: `whole`, `mixed up` where it has another's, else `wrong`."""
    if any(word in text for word in others):
        return "mixed up"
    return "whole" if own in text else "wrong"


def identities(count, seed):
    """A secret word and a name for each client, all of one length, so that none is part of another."""
    draw, found = random.Random(seed), set()
    while len(found) < 2 * count:
        found.add("".join(draw.choice(SYLLABLES) for _ in range(5)))
    found = sorted(found)
    draw.shuffle(found)
    return list(zip(found[:count], (name.capitalize() for name in found[count:])))


def repeated(text, times):
    """The form of a reply that is so many times that text, and nothing else."""
    value = {"type": "array", "items": {"const": text}, "minItems": times, "maxItems": times}
    return {"type": "json_schema", "json_schema": {"name": "words", "strict": True, "schema": value}}


class Request:
    def __init__(self, kind):
        self.kind, self.start, self.sent, self.first = kind, time.monotonic(), None, None
        self.must_end = False  # it was under way when TERM came

    def saw_piece(self):
        if self.first is None:
            self.first = time.monotonic() - self.start

    @property
    def is_taken(self):
        """Whether the server has begun with it, as far as a client can know."""
        return self.first is not None or (self.sent is not None and time.monotonic() - self.sent > SETTLED)


class Tally:
    """What came of all requests."""

    def __init__(self):
        self.ends = Counter()  # of (kind, end)
        self.seconds, self.first = {}, {}  # by kind, of whole answers: to the end, to the first piece
        self.notes, self.after_term = [], Counter()
        self.is_stopping = False

    def end(self, request, how, note=""):
        if self.is_stopping:
            # What was not taken yet may be given up.
            if how in ("broken off", "failed") and not request.must_end:
                how = "not taken"
            self.after_term[how] += 1
        self.ends[request.kind, how] += 1
        if how in FAILURES and len(self.notes) < 20:
            self.notes.append(f"{request.kind}: {how}: {note}")
        if how == "whole":
            self.seconds.setdefault(request.kind, []).append(time.monotonic() - request.start)
            if request.first is not None:
                self.first.setdefault(request.kind, []).append(request.first)

    def count(self, *hows):
        return sum(n for (_, how), n in self.ends.items() if how in hows)

    @property
    def failures(self):
        return self.count(*FAILURES)


class Client:
    def __init__(self, index, everybody, daemon, tally, seed, kinds=KINDS):
        self.kinds = kinds
        self.index, self.daemon, self.tally, self.draw = index, daemon, tally, random.Random(f"{seed} {index}")
        self.port, self.token = daemon.port, daemon.token
        self.word, self.name = everybody[index]
        self.other_words = [w for w, _ in everybody if w != self.word]
        self.other_names = [n for _, n in everybody if n != self.name]
        self.question = f"My {self.word} is {index} years old. Tell me a story of it."
        self.reference = None  # the greedy answer to it
        self.session, self.connection, self.count, self.request = None, None, 0, None

    async def run(self):
        while not self.tally.is_stopping:
            self.count += 1
            self.request = Request(self.draw.choices(list(self.kinds), self.kinds.values())[0])
            try:
                async with asyncio.timeout(PATIENCE):
                    await self.do(self.request.kind)
            except TimeoutError:
                self.drop()
                self.end("no answer in time")
            except (Closed, OSError):
                self.drop()
                self.end("broken off", f"request {self.count} of client {self.index}")
            except (ValueError, LookupError, TypeError) as error:
                self.drop()
                self.end("wrong", f"not of the form that was promised: {error!r}")
        self.drop()

    def end(self, how, note=""):
        self.tally.end(self.request, how, note)

    async def connect(self, is_slow=False):
        if is_slow:
            # A window so small that the server feels how slowly it is read.
            s = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
            s.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, SLOW_WINDOW)
            s.setblocking(False)
            await asyncio.get_running_loop().sock_connect(s, ("127.0.0.1", self.port))
            return await Connection.loopback(self.port, self.token, sock=s, limit=SLOW_WINDOW)
        if self.index % 2:
            return await Connection.loopback(self.port, self.token)
        return await Connection.unix(self.daemon.socket)

    def drop(self):
        if self.connection:
            self.connection.abort()
            self.connection = None

    async def do(self, kind):
        if kind == "malformed":
            return await self.malformed()
        if kind == "slow reader" or self.connection is None:
            self.drop()
            self.connection = await self.connect(kind == "slow reader")
        await {"pet": self.pet, "greedy": self.greedy}.get(kind, self.words)()
        # Some keep their connection, some do not.
        if kind == "slow reader" or self.draw.random() < 0.3:
            self.drop()

    async def words(self):
        """A reply of words that are one's own; another each time, so that an answer to an earlier question is none."""
        kind, own = self.request.kind, f"{self.word} {self.count}"
        times = 60 if kind == "slow reader" else self.draw.randint(3, 12)
        answer = await self.ask("/v1/chat/completions", {
            "messages": [{"role": "user", "content": f"Please say {own} a few times."}], "max_tokens": 1500, "temperature": 0,
            "stream": kind != "whole", "response_format": repeated(own, times)})
        if answer is None:
            return
        text = await self.whole_text(answer) if kind == "whole" else await self.streamed_text(answer)
        if text is None:
            return
        end = judge(text, own, self.other_words)
        self.end("wrong" if end == "whole" and json.loads(text) != [own] * times else end, text[:200])

    def greedy_body(self, is_streaming):
        return {"messages": [{"role": "user", "content": self.question}], "max_tokens": 40, "temperature": 0, "stream": is_streaming}

    async def note_reference(self):
        """What it is answered while it is alone."""
        self.request = Request("alone")
        self.connection = await self.connect()
        answer = await self.ask("/v1/chat/completions", self.greedy_body(False))
        if answer is None:
            raise SystemExit(f"soak: no answer to a client alone: {self.tally.notes}")
        self.reference = await self.whole_text(answer)
        self.drop()

    async def greedy(self):
        """The likeliest reply is the same whoever else is answered meanwhile."""
        answer = await self.ask("/v1/chat/completions", self.greedy_body(True))
        text = answer and await self.streamed_text(answer)
        if text is not None:
            self.end("mixed up" if any(w in text for w in self.other_words) else "whole" if text == self.reference else "wrong",
                     f"{text!r}, alone {self.reference!r}")

    async def whole_text(self, answer):
        return json.loads(await answer.body())["choices"][0]["message"]["content"]

    async def streamed_text(self, answer):
        """None where the client left, or was told of an error."""
        leaves_at = self.draw.randint(1, 20) if self.request.kind == "leaves" else None
        text, count, is_done = "", 0, False
        async for _, data in answer.events():
            if data == "[DONE]":
                is_done = True
                continue
            chunk, count = json.loads(data), count + 1
            if "error" in chunk:
                self.end("failed", f"in a stream: {chunk['error']}")
                return None
            text += "".join(choice["delta"].get("content") or "" for choice in chunk["choices"])
            if text:
                self.request.saw_piece()
            # When everything stops, nobody leaves and nobody dawdles: each wants its answer.
            if leaves_at is not None and count >= leaves_at and not self.tally.is_stopping:
                self.drop()
                self.end("mixed up" if any(w in text for w in self.other_words) else "left")
                return None
            if self.request.kind == "slow reader" and not self.tally.is_stopping:
                await asyncio.sleep(SLOW_PAUSE)
        if not is_done:
            raise Closed
        return text

    async def pet(self):
        """Tells its pet its name once, then asks for it."""
        if self.session is None:
            answer = await self.ask("/pet/sessions", {"pet": f"mochi-{self.word}", "name": "soak"})
            if answer is None:
                return
            session = json.loads(await answer.body())["id"]
            answer = await self.ask(f"/pet/sessions/{session}/messages", {"text": f"My name is {self.name}."})
            if answer is None:
                return
            await answer.body()
            self.session = session
        answer = await self.ask(f"/pet/sessions/{self.session}/messages", {"text": "What is my name?"}, Accept="text/event-stream")
        if answer is None:
            return
        told, whole = "", None
        async for name, data in answer.events():
            self.request.saw_piece()
            if name == "token":
                told += json.loads(data)["text"]
            elif name == "done":
                whole = json.loads(data)["text"]
            elif name == "error":
                return self.end("failed", f"in a stream: {data[:200]}")
        if whole is None:
            raise Closed
        self.end(judge(told + " " + whole, self.name, self.other_names), f"{told} | {whole}, not {self.name}")

    async def ask(self, path, body, **headers):
        """The answer; None where it is a refusal, which is then noted."""
        await self.connection.send("POST", path, body, **headers)
        self.request.sent = time.monotonic()
        answer = await self.connection.answer()
        if answer.status < 300:
            return answer
        refusal = (await answer.body()).decode(errors="replace")
        if answer.headers.get("connection") == "close":
            self.drop()
        if answer.status == 429 and "retry-after" in answer.headers:
            self.end("429")
            await asyncio.sleep(min(1, int(answer.headers["retry-after"])))
        else:
            self.end("failed", f"{answer.status} {refusal[:200]}")
        return None

    async def malformed(self):
        connection = await self.connect()
        shape = self.draw.choice([*MALFORMED, UNFINISHED])
        try:
            await connection.send_bytes(shape.replace(b"%b", connection.head()))
            if shape == UNFINISHED:
                return self.end("left")
            answer = await connection.answer()
            self.end("refused" if 400 <= answer.status < 500 else "malformed taken", f"{answer.status} to {shape[:60]}")
        except Closed:
            self.end("refused")
        finally:
            connection.abort()

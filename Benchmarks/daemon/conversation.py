# SPDX-License-Identifier: Apache-2.0
"""A conversation with a pet of a petd, over its Unix socket, as a person holds it: one line after the other."""
import asyncio
import json
import time
from dataclasses import dataclass, field

from petd import PATIENCE

import turns
from http_client import Closed, Connection


def lines(count, seed):
    """Lines that no hand-written reply fits, with facts that are told and asked for among them."""
    return turns.lines(count, seed, with_facts=True)


@dataclass
class Held:
    seconds: list = field(default_factory=list)  # of every turn
    sources: list = field(default_factory=list)
    problems: list = field(default_factory=list)

    @property
    def failures(self):
        return len(self.problems)

    @property
    def by_model(self):
        return self.sources.count("model")


async def hold(daemon, said, pause, persona="mochi", until=None, each=lambda held: None):
    """Says each line, with so many seconds between an answer and the next one; not beyond `until` (time.monotonic())."""
    held = Held()
    connection = await Connection.unix(daemon.socket)
    session = json.loads(await exchange(connection, "/pet/sessions", {"pet": persona, "name": "bench"}))["id"]
    for line in said:
        if until is not None and time.monotonic() >= until:
            break
        start = time.monotonic()
        try:
            if connection is None:
                connection = await Connection.unix(daemon.socket)
            async with asyncio.timeout(PATIENCE):
                answer = json.loads(await exchange(connection, f"/pet/sessions/{session}/messages", {"text": line}))
            if not answer["text"].strip():
                held.problems.append("an empty answer")
            held.sources.append(answer["source"])
            held.seconds.append(time.monotonic() - start)
        except (Closed, OSError, TimeoutError, ValueError, KeyError) as error:
            held.problems.append(f"{type(error).__name__}: {error}")
            connection = None
            if not daemon.is_running:
                break
        each(held)
        await asyncio.sleep(pause)
    if connection:
        connection.close()
    return held


async def exchange(connection, path, body):
    await connection.send("POST", path, body)
    answer = await connection.answer()
    text = await answer.body()
    if answer.status >= 300:
        raise ValueError(f"{answer.status} {text.decode(errors='replace')[:300]}")
    return text

# SPDX-License-Identifier: Apache-2.0
"""HTTP/1.1 for a client that does as it likes: reads slowly, leaves in the middle, or sends what is no HTTP."""
import asyncio
import json


class Closed(Exception):
    """The other end has closed before the answer was whole."""


class Answer:
    """A head, and a body that comes piece by piece."""

    def __init__(self, reader, head):
        lines = head.decode("latin-1").split("\r\n")
        self.reader, self.status = reader, int(lines[0].split()[1])
        self.headers = {k.strip().lower(): v.strip() for k, _, v in (line.partition(":") for line in lines[1:] if line)}

    async def pieces(self):
        """Raises Closed where the body breaks off."""
        try:
            if self.headers.get("transfer-encoding", "").lower() == "chunked":
                while size := int((await self.reader.readuntil(b"\r\n")).split(b";")[0], 16):
                    yield (await self.reader.readexactly(size + 2))[:-2]
                await self.reader.readuntil(b"\r\n")
            elif length := int(self.headers.get("content-length", 0)):
                yield await self.reader.readexactly(length)
        except (asyncio.IncompleteReadError, ConnectionError) as error:
            raise Closed from error

    async def body(self):
        return b"".join([piece async for piece in self.pieces()])

    async def events(self):
        """(name, data) of server-sent events."""
        pending = b""
        async for piece in self.pieces():
            pending += piece
            while b"\n\n" in pending:
                block, _, pending = pending.partition(b"\n\n")
                fields = dict(line.split(": ", 1) for line in block.decode().split("\n") if ": " in line and not line.startswith(":"))
                if "data" in fields:
                    yield fields.get("event", "message"), fields["data"]


class Connection:
    def __init__(self, reader, writer, headers):
        self.reader, self.writer, self.headers = reader, writer, headers

    @classmethod
    async def unix(cls, path):
        return cls(*await asyncio.open_unix_connection(path), {"Host": "pet"})

    @classmethod
    async def loopback(cls, port, token=None, sock=None, **options):
        """`sock`: one that is connected already."""
        headers = {"Host": f"127.0.0.1:{port}"} | ({"Authorization": f"Bearer {token}"} if token else {})
        where = {"sock": sock} if sock else {"host": "127.0.0.1", "port": port}
        return cls(*await asyncio.open_connection(**where, **options), headers)

    def head(self, **more):
        """The fields that every request of it has, and more."""
        return "".join(f"{name}: {text}\r\n" for name, text in (self.headers | more).items()).encode()

    async def send(self, method, path, value=None, **headers):
        body = b"" if value is None else json.dumps(value).encode()
        if value is not None:
            headers |= {"Content-Type": "application/json", "Content-Length": len(body)}
        await self.send_bytes(f"{method} {path} HTTP/1.1\r\n".encode() + self.head(**headers) + b"\r\n" + body)

    async def send_bytes(self, data):
        self.writer.write(data)
        try:
            await self.writer.drain()
        except ConnectionError as error:
            raise Closed from error

    async def answer(self):
        """Raises Closed where there is none."""
        try:
            return Answer(self.reader, await self.reader.readuntil(b"\r\n\r\n"))
        except (asyncio.IncompleteReadError, ConnectionError) as error:
            raise Closed from error

    def close(self):
        self.writer.close()

    def abort(self):
        """Leaves without a word."""
        self.writer.transport.abort()

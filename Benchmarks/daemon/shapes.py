# SPDX-License-Identifier: Apache-2.0
"""What should be refused: requests that are sound but for one thing. Each holds a secret that no log may repeat, and hardly an answer."""
import json
from dataclasses import dataclass

CHUNK = 1 << 16
MEGABYTE = 1 << 20
LIMIT = 9 * MEGABYTE + (32 << 10)  # bytes that petd reads of a request, whatever they are: HTTPPipeline.swift
SMALL = b'{"prompt": "Hi", "max_tokens": 1, "temperature": 0}'
SMUGGLED = b"GET /metrics HTTP/1.1\r\nHost: %b\r\nAuthorization: Bearer %b\r\n\r\n"


@dataclass
class Facts:
    """What a client knows of the server that it attacks."""
    port: int
    token: str
    secret: str

    @property
    def host(self):
        return f"127.0.0.1:{self.port}"

    @property
    def smuggled(self):
        return SMUGGLED % (self.host.encode(), self.token.encode())


@dataclass
class Shape:
    group: str
    name: str
    pieces: object  # of bytes, in the order in which they are sent
    tells: bool = False  # whether its answer may name what the request itself asked for


def request(facts, method="POST", target="/v1/completions", body=SMALL, version="HTTP/1.1", extra=(), **fields):
    """A sound request, but for what is given; None leaves a field out. Names and values are bytes or text."""
    known = {"Host": facts.host, "Authorization": f"Bearer {facts.token}", "X-Note": facts.secret, "Content-Length": len(body)}
    known |= {name.replace("_", "-"): value for name, value in fields.items()}
    lines = [encoded(f"{method} ") + encoded(target) + encoded(f" {version}")]
    lines += [encoded(name) + b": " + encoded(value) for name, value in known.items() if value is not None]
    return b"\r\n".join(lines + [encoded(line) for line in extra]) + b"\r\n\r\n" + body


def encoded(text):
    return text if isinstance(text, bytes) else str(text).encode()


def chunked(body):
    return b"%x\r\n%b\r\n0\r\n\r\n" % (len(body), body)


def shapes(facts):
    return [Shape(group, name, [pieces] if isinstance(pieces, bytes) else pieces, name in TELLING)
            for group, make in GROUPS.items() for name, pieces in make(facts)]


def access(f):
    wrong = ("0" if f.token[0] != "0" else "1") + f.token[1:]
    yield "no token", request(f, Authorization=None)
    yield "a wrong token of the right length", request(f, Authorization=f"Bearer {wrong}")
    yield "a token that begins rightly", request(f, Authorization=f"Bearer {f.token[:-1]}")
    yield "the secret as the token", request(f, Authorization=f"Bearer {f.secret}")
    yield "the token as a password", request(f, Authorization=f"Basic {f.token}")
    yield "two tokens, a wrong one first", request(f, Authorization=f"Bearer {wrong}", extra=[f"Authorization: Bearer {f.token}"])
    yield "Host of another site (DNS rebinding)", request(f, Host=f"evil.example:{f.port}")
    yield "Host of another site that begins as ours", request(f, Host=f"127.0.0.1.evil.example:{f.port}")
    yield "Host with a user", request(f, Host=f"{f.host}@{f.secret}.example")
    yield "Host with another port", request(f, Host=f"127.0.0.1:{f.port ^ 1}")
    yield "no Host", request(f, Host=None)
    yield "two Hosts, the first is ours", request(f, extra=["Host: evil.example"])
    yield "Origin of another site", request(f, Origin=f"https://{f.secret}.example")
    yield "Origin null", request(f, Origin="null")
    yield "Origin of another port", request(f, Origin=f"http://127.0.0.1:{f.port ^ 1}")


def targets(f):
    for target in ("/pet/../health", "/pet/%2e%2e/health", "/..%2f..%2f..%2fetc/passwd", "/dashboard/..%5c..%5cetc", "/dashboard/../../etc/passwd",
                   "//etc/passwd", "/%00", "/health%00.html", "/%c0%ae%c0%ae/etc/passwd", "/%zz", "/health/.", "/./health"):
        yield f"path {target}", request(f, "GET", f"{target}?{f.secret}", body=b"")
    yield "path with the secret", request(f, "GET", f"/{f.secret}/{f.secret}", body=b"")
    yield "path of bytes that are no UTF-8", request(f, "GET", b"/\xff\xfe" + f.secret.encode(), body=b"")
    yield "path of 100,000 bytes", request(f, "GET", "/" + f.secret * (100_000 // len(f.secret)), body=b"")
    yield "session that leaves its folder", request(f, "GET", "/pet/sessions/mochi...%2f..%2fstate", body=b"")
    yield "pet that leaves its folder", request(f, target="/pet/sessions", body=json.dumps({"pet": f"mochi-../../{f.secret}"}).encode())
    yield "conversation that leaves its folder", request(f, target="/pet/sessions", body=json.dumps({"name": f"../../../{f.secret}"}).encode())
    yield "absolute form, another site", request(f, target=f"http://{f.secret}.example/v1/completions")
    yield "CONNECT", request(f, "CONNECT", f"{f.secret}.example:443", body=b"")
    yield "OPTIONS *", request(f, "OPTIONS", "*", body=b"")
    yield "TRACE", request(f, "TRACE", "/health", body=b"")
    yield "a method that is none", request(f, f.secret.upper().replace("-", ""), "/health", body=b"")
    yield "HTTP/2 without asking", b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n" + f.secret.encode()
    yield "HTTP/9.9", request(f, version="HTTP/9.9")
    yield "TLS", b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03" + f.secret.encode() + b"\r\n\r\n"


def bodies(f):
    filler = b" " * CHUNK
    much = 100 * MEGABYTE // CHUNK
    yield "100 MB, declared", [request(f, Content_Length=100 * MEGABYTE, body=b""), *[filler] * much]
    yield "100 MB, declared, asking first", request(f, Content_Length=100 * MEGABYTE, body=b"", Expect="100-continue")
    yield "100 MB in chunks", [request(f, Content_Length=None, Transfer_Encoding="chunked", body=b""),
                               *[b"%x\r\n" % CHUNK + filler + b"\r\n"] * much, b"0\r\n\r\n"]
    secret = f.secret.encode()
    yield "no JSON", request(f, body=secret)
    yield "no UTF-8", request(f, body=b'{"prompt": "' + secret + b'\xff\xfe\xc3"}')
    yield "UTF-16", request(f, body=('{"prompt": "%s", "max_tokens": -1}' % f.secret).encode("utf-16"))
    yield "100,000 lists in each other", request(f, body=b'{"prompt": ' + b"[" * 100_000 + b"]" * 100_000 + b"}")
    yield "100,000 objects in each other", request(f, body=b'{"a":' * 100_000 + b"1" + b"}" * 100_000)
    deep = b'{"a":' * 100_000 + b"1" + b"}" * 100_000
    yield "a schema 100,000 deep", request(f, target="/v1/chat/completions", body=b'{"messages": [{"role": "user", "content": "Hi"}], "response_format": '
                                           b'{"type": "json_schema", "json_schema": {"name": "a", "schema": ' + deep + b"}}}")
    yield "a number beyond all", request(f, body=b'{"prompt": "Hi", "max_tokens": 1e999999}')
    yield "a text of 7 MB", request(f, body=json.dumps({"prompt": f.secret + "a " * (7 * MEGABYTE // 2), "max_tokens": 1}).encode())
    yield "another model", chat(f, model=f.secret)
    yield "a role that is none", chat(f, messages=[{"role": f.secret, "content": "Hi"}])
    yield "a field of the wrong kind", chat(f, messages=[{"role": "user", "content": {f.secret: f.secret}}])
    yield "a sampling value of the wrong kind", chat(f, temperature=f.secret)
    yield "a stop of the wrong kind", chat(f, stop={f.secret: 1})
    yield "a schema of an unknown kind", chat(f, **form({"type": f.secret}))
    yield "a schema that leads nowhere", chat(f, **form({"$ref": f"#/{f.secret}"}))
    yield "a schema that cannot be enforced", chat(f, **form({"type": "object", "properties": {f.secret: {"not": {}}}}))
    yield "a schema with no end", chat(f, **form({"type": "array", "items": {"type": "string", "maxLength": 10**9}, "minItems": 10**9}))
    yield "a pattern that grows", chat(f, **form({"type": "string", "pattern": "^(" + f.secret + "|(a{1,999}){1,999}){1,999}$"}))
    yield "a tool of a wrong name", chat(f, tools=[{"type": "function", "function": {"name": f"{f.secret} /\n", "parameters": {"type": "object"}}}])
    yield "a tool of a wrong form", chat(f, tools=[{"type": "function", "function": {"name": "a", "parameters": {"type": f.secret}}}])
    yield "a result of no call", chat(f, messages=[{"role": "tool", "tool_call_id": f.secret, "content": f.secret}])
    yield "a pet that is none", request(f, target="/pet/sessions", body=json.dumps({"pet": f.secret}).encode())
    yield "a care that is none", request(f, target="/pet/pets/mochi/care", body=json.dumps({"action": f.secret}).encode())
    yield "a memory that is none", request(f, "DELETE", f"/pet/pets/mochi/memories/{f.secret}", body=b"")
    yield "a model to load that is none", request(f, target="/pet/models/swap", body=json.dumps({"model": f"/etc/{f.secret}"}).encode())


def chat(f, **fields):
    return request(f, target="/v1/chat/completions", body=json.dumps(
        {"messages": [{"role": "user", "content": f.secret}], "max_tokens": 1} | fields).encode())


def form(schema):
    return {"response_format": {"type": "json_schema", "json_schema": {"name": "form", "schema": schema}}}


def smuggling(f):
    """Where two servers could see different ends of a request; a second request stands behind each."""
    both = {"Transfer_Encoding": "chunked"}
    yield "length and chunks", request(f, **both, body=chunked(SMALL)) + f.smuggled
    yield "length and chunks, the length is short", request(f, **both, Content_Length=4, body=chunked(SMALL)) + f.smuggled
    yield "two lengths", request(f, extra=["Content-Length: 3"]) + f.smuggled
    yield "a list of lengths", request(f, Content_Length=f"{len(SMALL)}, {len(SMALL)}") + f.smuggled
    for value in ("+51", "-1", "0x33", "5 1", "51;", "9" * 30):
        yield f"length {value[:8]}", request(f, Content_Length=value) + f.smuggled
    yield "a space before the colon", request(f, extra=["Transfer-Encoding : chunked"]) + f.smuggled
    yield "a folded field", request(f, extra=["X-Folded: a", " Transfer-Encoding: chunked"]) + f.smuggled
    yield "lines that end in LF only", request(f).replace(b"\r\n", b"\n") + f.smuggled
    yield "a lone CR in a field", request(f, extra=["X-A: b\rTransfer-Encoding: chunked"]) + f.smuggled
    yield "a NUL in a field", request(f, extra=["X-A: b\0c"]) + f.smuggled
    yield "a field without a name", request(f, extra=[": chunked"]) + f.smuggled
    yield "a field with a space in its name", request(f, extra=["Content Length: 3"]) + f.smuggled
    yield "a space before the first field", request(f).replace(b"Host:", b" Host:", 1) + f.smuggled
    for coding in ("xchunked", "chunked, identity", "identity", "chunked, chunked", "gzip, chunked", "\x0bchunked", "chunked\x00"):
        yield f"coding {coding!r}", request(f, Content_Length=None, Transfer_Encoding=coding, body=chunked(SMALL)) + f.smuggled
    yield "two codings", request(f, Content_Length=None, **both, extra=["Transfer-Encoding: identity"], body=chunked(SMALL)) + f.smuggled
    yield "chunks in HTTP/1.0", request(f, version="HTTP/1.0", Content_Length=None, **both, body=chunked(SMALL)) + f.smuggled
    body = b"%x" % len(SMALL)
    for name, chunks in (("0x before a chunk's size", b"0x" + body + b"\r\n" + SMALL + b"\r\n0\r\n\r\n"),
                         ("a chunk of a negative size", b"-" + body + b"\r\n" + SMALL + b"\r\n0\r\n\r\n"),
                         ("a chunk's size beyond 64 bits", b"1" + b"0" * 16 + body + b"\r\n" + SMALL + b"\r\n0\r\n\r\n"),
                         ("a chunk's size that ends in LF", body + b"\n" + SMALL + b"\r\n0\r\n\r\n"),
                         ("a chunk that is longer than it says", body + b"\r\n" + SMALL + b"XX\r\n0\r\n\r\n"),
                         ("an extension of 9 MB", body + b";a=" + f.secret.encode() + b"b" * (LIMIT + 1) + b"\r\n" + SMALL + b"\r\n0\r\n\r\n"),
                         ("a trailer of 1 MB", body + b"\r\n" + SMALL + b"\r\n0\r\nX-A: " + b"b" * MEGABYTE + b"\r\n\r\n"),
                         ("10,000 trailers", body + b"\r\n" + SMALL + b"\r\n0\r\n" + b"X-A: b\r\n" * 10_000 + b"\r\n")):
        yield name, request(f, Content_Length=None, **both, body=chunks) + f.smuggled


def sizes(f):
    yield "a field of 1 MB", request(f, extra=["X-A: " + f.secret + "a" * MEGABYTE])
    yield "a name of 1 MB", request(f, extra=["X-" + "a" * MEGABYTE + ": a"])
    yield "10,000 fields", request(f, extra=[f"X-{i}: {f.secret}" for i in range(10_000)])
    yield "a request line of 1 MB", request(f, "GET", "/" + "a" * MEGABYTE, body=b"")
    yield "a method of 1 MB", request(f, "A" * MEGABYTE, body=b"")


# Who asks for a schema or a tool is told which part of it cannot be had.
TELLING = {"a schema that leads nowhere", "a schema that cannot be enforced", "a tool of a wrong name"}
GROUPS = {"access": access, "target": targets, "body": bodies, "smuggling": smuggling, "size": sizes}

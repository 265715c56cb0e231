# SPDX-License-Identifier: Apache-2.0
"""Three daemons and the proxy in front of them, as processes of this machine."""

import http.client
import json
import os
import secrets
import signal
import socket
import subprocess
import tempfile
import time
from pathlib import Path

FOLDER = Path(__file__).resolve().parent
PETD = os.environ.get("PETD", str(FOLDER.parents[1] / ".build/release/petd"))
DAEMONS = ("a", "b", "c")


class UnixConnection(http.client.HTTPConnection):
    def __init__(self, path, timeout):
        super().__init__("pet", timeout=timeout)
        self.path = path

    def connect(self):
        self.sock = socket.socket(socket.AF_UNIX)
        self.sock.settimeout(self.timeout)
        self.sock.connect(str(self.path))


class Answer:
    def __init__(self, response):
        self.status = response.status
        self.headers = response.headers
        self.body = response.read()

    @property
    def json(self):
        return json.loads(self.body)


def ask(connection, method, path, body=None, headers=None):
    """One request on a connection of its own."""
    try:
        connection.request(method, path, json.dumps(body) if body is not None else None, headers or {})
        return Answer(connection.getresponse())
    finally:
        connection.close()


class Fleet:
    """Sockets and what is kept in a folder that goes with it; use as a context."""

    def __enter__(self):
        # Short: a socket's path has 107 bytes at most.
        self.folder = tempfile.TemporaryDirectory(prefix="fleet-")
        self.path = Path(self.folder.name)
        self.token = secrets.token_hex(32)
        token_file = self.path / "petd.token"
        token_file.touch(mode=0o600)
        token_file.write_text(self.token + "\n")
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            self.port = free.getsockname()[1]
        self.environment = os.environ | {
            "FLEET": str(self.path), "PET_HOME": str(self.path), "PORT": str(self.port)}
        self.daemons = {}
        self.proxy = None
        try:
            for name in DAEMONS:
                self.start(name)
            self.proxy = self.spawn("haproxy", ["haproxy", "-db", "-f", str(FOLDER / "haproxy.cfg")])
            self.wait(lambda: self.ask("GET", "/health").status == 200, "the proxy to be ready")
        except BaseException:
            self.__exit__()
            raise
        return self

    def __exit__(self, *_):
        for process in [*self.daemons.values(), self.proxy]:
            if process:
                process.kill()
                process.wait()
        self.folder.cleanup()

    def start(self, name):
        socket_path = str(self.path / f"{name}.sock")
        self.daemons[name] = self.spawn(
            name, [PETD, "--profile", "watch", "--lease", "30", "--socket", socket_path, "--log-level", "warning"])
        self.wait(lambda: self.ask_daemon(name, "GET", "/health").status == 200, f"{name} to be ready")

    def spawn(self, name, command):
        with (self.path / f"{name}.log").open("ab") as log:
            return subprocess.Popen(command, env=self.environment, stderr=log)

    def stop(self, name, how=signal.SIGTERM):
        """The exit status; minus the signal where it was killed."""
        self.daemons[name].send_signal(how)
        return self.daemons[name].wait(timeout=30)

    def ask(self, method, path, body=None, headers=None, token=True):
        """Through the proxy, as clients do."""
        own = {"Authorization": f"Bearer {self.token}"} if token else {}
        return ask(http.client.HTTPConnection("127.0.0.1", self.port, timeout=30), method, path, body, own | (headers or {}))

    def ask_daemon(self, name, method, path, body=None):
        return ask(UnixConnection(self.path / f"{name}.sock", timeout=30), method, path, body)

    def command(self, text):
        """What HAProxy answers to an administrator."""
        with socket.socket(socket.AF_UNIX) as admin:
            admin.connect(str(self.path / "admin.sock"))
            admin.sendall(text.encode() + b"\n")
            return b"".join(iter(lambda: admin.recv(65536), b"")).decode()

    def statistics(self, backend, server):
        lines = self.command("show stat").removeprefix("# ").splitlines()
        names = lines[0].split(",")
        rows = (dict(zip(names, line.split(","))) for line in lines[1:] if line)
        return next(row for row in rows if (row["pxname"], row["svname"]) == (backend, server))

    def wait(self, condition, what, seconds=20):
        end = time.monotonic() + seconds
        while True:
            try:
                if condition():
                    return
            except (OSError, http.client.HTTPException):
                pass
            if time.monotonic() > end:
                raise TimeoutError(f"waited {seconds} s for {what}\n" + self.logs())
            time.sleep(0.05)

    def logs(self):
        return "\n".join(f"{path.name}: {path.read_text()}" for path in sorted(self.path.glob("*.log")))

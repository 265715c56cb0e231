# SPDX-License-Identifier: Apache-2.0
"""petd under a service manager, as systemd would be: sockets opened for it, and told by it how it fares."""

import fcntl
import os
import queue
import socket
import subprocess
import tempfile
import threading
from pathlib import Path

# The first descriptor that is handed over: sd_listen_fds(3).
FIRST = 3
# LISTEN_PID is the daemon's own, which is known once it is a process: it passes through a shell.
LAUNCH = 'export LISTEN_PID=$$; exec "$@"'


class Supervised:
    """Use as a context; what is kept goes with it."""

    def __init__(self, petd, watchdog_seconds=None):
        self.petd, self.watchdog_seconds = petd, watchdog_seconds

    def __enter__(self):
        self.folder = tempfile.TemporaryDirectory(prefix="petd-")
        self.home = Path(self.folder.name)
        self.log = self.home / "log"
        self.told = queue.Queue()
        self.listeners = [self.listen(socket.AF_UNIX, str(self.socket)), self.listen(socket.AF_INET, ("127.0.0.1", 0))]
        self.process = None
        self.ear = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
        self.ear.bind(str(self.home / "notify.sock"))
        threading.Thread(target=self.hear, daemon=True).start()
        return self

    def __exit__(self, *_):
        if self.process:
            self.process.kill()
            self.process.wait()
        for listener in self.listeners:
            listener.close()
        self.folder.cleanup()

    @property
    def socket(self):
        return self.home / "petd.sock"

    @property
    def port(self):
        return self.listeners[1].getsockname()[1]

    @staticmethod
    def listen(family, address):
        listener = socket.socket(family)
        listener.bind(address)
        listener.listen(128)
        return listener

    def hear(self):
        while True:
            for line in self.ear.recv(4096).decode().splitlines():
                self.told.put(line)

    def start(self):
        environment = os.environ | {
            "PET_HOME": str(self.home), "PET_PROFILE": "watch", "LISTEN_FDS": str(len(self.listeners)),
            "NOTIFY_SOCKET": str(self.home / "notify.sock")}
        if self.watchdog_seconds:
            environment["WATCHDOG_USEC"] = str(int(self.watchdog_seconds * 1e6))
        with self.log.open("ab") as log:
            self.process = subprocess.Popen(
                ["sh", "-c", LAUNCH, "sh", self.petd], env=environment, stderr=log,
                preexec_fn=self.hand_over, pass_fds=range(FIRST, FIRST + len(self.listeners)))

    def hand_over(self):
        # Copies out of the way of the places that they are to take.
        past = FIRST + len(self.listeners)
        copies = [fcntl.fcntl(listener, fcntl.F_DUPFD, past) for listener in self.listeners]
        for place, copy in enumerate(copies, FIRST):
            os.dup2(copy, place)

    def wait_for(self, text, seconds=20):
        """What is told until a line begins so, that line too."""
        lines = []
        try:
            while not lines or not lines[-1].startswith(text):
                lines.append(self.told.get(timeout=seconds))
        except queue.Empty:
            raise AssertionError(f"petd did not tell {text}, but {lines}\n{self.log.read_text()}") from None
        return lines

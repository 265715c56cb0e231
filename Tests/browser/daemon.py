# SPDX-License-Identifier: Apache-2.0
"""A petd of its own, in a home of its own, at one port for as long as it is started again and again."""
import http.client
import json
import os
import re
import signal
import subprocess
import tempfile
import threading
import time
from pathlib import Path


class Daemon:
    def __init__(self, program, profile="watch"):
        self._program = program
        self._profile = profile
        self._home = tempfile.TemporaryDirectory(prefix="petd-")
        self._process = self._reading = None
        self.port = 0

    @property
    def home(self):
        return Path(self._home.name)

    @property
    def address(self):
        return f"http://127.0.0.1:{self.port}"

    @property
    def token(self):
        return (self.home / "petd.token").read_text().split()[0]

    def start(self):
        self._process = subprocess.Popen(
            [self._program, "--profile", self._profile, "--port", str(self.port)],
            # At noon, so that no pet minds quiet hours.
            env={**os.environ, "PET_HOME": self._home.name, "TZ": f"NOON{time.gmtime().tm_hour - 12:+}"},
            stdin=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
        said = []
        for line in self._process.stderr:
            said.append(line)
            if found := re.search(r"127\.0\.0\.1:(\d+).* ready$", line):
                self.port = int(found[1])
                break
        else:
            raise RuntimeError("petd did not start: " + "".join(said))
        # Else it would wait for somebody to read its log.
        self._reading = threading.Thread(target=self._process.stderr.read)
        self._reading.start()

    def pause(self):
        """It takes what is sent to it and answers nothing."""
        self._process.send_signal(signal.SIGSTOP)

    def go_on(self):
        self._process.send_signal(signal.SIGCONT)

    def starve(self, pet):
        """Makes a pet hungry, and whoever spoke to it gone for two hours. While no daemon runs."""
        path = self.home / "pets" / pet / "state.json"
        state = json.loads(path.read_text())
        state["life"]["levels"]["hunger"] = 95
        state["initiative"]["lastMessage"] -= 7200
        path.write_text(json.dumps(state))

    def kill(self):
        self._process.send_signal(signal.SIGKILL)
        self._process.wait()
        self._reading.join()
        self._process.stderr.close()

    def close(self):
        self.kill()
        self._home.cleanup()

    def get(self, path):
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=10)
        try:
            connection.request("GET", path, headers={"Authorization": f"Bearer {self.token}"})
            return json.load(connection.getresponse())
        finally:
            connection.close()

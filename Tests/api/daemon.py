# SPDX-License-Identifier: Apache-2.0
"""A running petd with a home of its own."""

import os
import re
import shutil
import subprocess
import tempfile
import time
from pathlib import Path

import httpx2

ROOT = Path(__file__).resolve().parents[2]


class Daemon:
    """Listens on a Unix socket and on a free port; the built-in model answers."""

    def __init__(self, *arguments: str):
        self._folder = tempfile.TemporaryDirectory(prefix="petd-")
        home = Path(self._folder.name)
        self.socket = str(home / "petd.sock")
        # No program contains these weights.
        shutil.copytree(ROOT / "Models/parent-stress", home / "models/parent-stress")
        self._log = open(home / "log", "w+")
        program = os.environ.get("PETD", ROOT / ".build/release/petd")
        self._process = subprocess.Popen(
            [program, "--profile", "watch", "--port", "0", *arguments],
            stdin=subprocess.DEVNULL, stdout=self._log, stderr=self._log,
            env={"PATH": os.environ["PATH"], "HOME": str(home), "PET_HOME": str(home)})
        try:
            self.port = self._wait_for_port()
        except BaseException:
            self.stop()
            raise
        self.token = (home / "petd.token").read_text().split()[0]

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    def tcp(self) -> httpx2.Client:
        return httpx2.Client(base_url=self.url, headers={"Authorization": f"Bearer {self.token}"}, timeout=60)

    def unix(self) -> httpx2.Client:
        return httpx2.Client(base_url="http://pet", transport=httpx2.HTTPTransport(uds=self.socket), timeout=60)

    def stop(self) -> int:
        """Ends it as a service manager does; what it then ends with."""
        self._process.terminate()
        try:
            return self._process.wait(timeout=20)
        finally:
            self._process.kill()
            self._process.wait()
            self._log.close()
            self._folder.cleanup()

    def _wait_for_port(self) -> int:
        end = time.monotonic() + 30
        while True:
            self._log.seek(0)
            log = self._log.read()
            if found := re.search(r"127\.0\.0\.1:(\d+)", log):
                return int(found[1])
            if self._process.poll() is not None or time.monotonic() > end:
                raise RuntimeError(f"petd does not listen:\n{log}")
            time.sleep(0.02)

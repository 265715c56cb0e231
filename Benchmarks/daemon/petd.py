# SPDX-License-Identifier: Apache-2.0
"""A `petd` of its own for each measurement, looked at from outside."""
import contextlib
import os
import re
import signal
import socket
import subprocess
import sys
import threading
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path[1:1] = [str(ROOT / "Benchmarks" / folder) for folder in ("compare", "companion", "batched")]

from chats import Home  # noqa: E402

PROGRAM = Path(os.environ.get("PETD", ROOT / ".build" / "release" / "petd"))
NANO = next(iter(sorted((ROOT / "Models").glob("nano-*.gguf"))), None)
PATIENCE = 60  # seconds for a start or an end, on the busiest of machines
MB = 1_000_000


class Daemon:
    """From its start to its end; its log is kept."""

    def __init__(self, home, *options, program=PROGRAM, prefix=(), before=None):
        """`prefix`: a command that runs it; `before`: called in the new process before the program runs."""
        self.home, self.socket, self.log = home, str(home.path / "petd.sock"), []
        self.started = time.perf_counter()
        self.process = subprocess.Popen([*prefix, str(program), *map(str, options)], stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                                        stderr=subprocess.PIPE, env=home.environment(), preexec_fn=before)
        self.reader = threading.Thread(target=self._read, daemon=True)
        self.reader.start()

    @classmethod
    @contextlib.contextmanager
    def running(cls, *options, wait=True, **more):
        """In a home of its own, ready unless it is not to be waited for; killed at the end where it still runs."""
        with Home.temporary() as home:
            daemon = cls(home, *options, **more)
            try:
                if wait:
                    daemon.wait_until_ready()
                yield daemon
            finally:
                daemon.kill()

    def _read(self):
        for line in self.process.stderr:
            self.log.append(line.decode(errors="replace").rstrip("\n"))

    @property
    def pid(self):
        return self.process.pid

    @property
    def is_running(self):
        return self.process.poll() is None

    def wait_until_ready(self):
        """Seconds from its start until GET /health/ready was answered with 200."""
        end = self.started + PATIENCE
        while time.perf_counter() < end:
            if not self.is_running:
                self.reader.join(1)
                raise SystemExit(f"petd ended with {self.process.returncode}: {' / '.join(self.log[-3:])}")
            with contextlib.suppress(OSError):
                if self.ask_health() == 200:
                    return time.perf_counter() - self.started
            time.sleep(0.0005)
        raise SystemExit(f"petd: not ready within {PATIENCE} s: {' / '.join(self.log[-3:])}")

    def ask_health(self, path="/health/ready", seconds=PATIENCE):
        """The status of an answer over the Unix socket, on a connection of its own; 0 where there was none."""
        with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as s:
            s.settimeout(seconds)
            s.connect(self.socket)
            s.sendall(f"GET {path} HTTP/1.1\r\nHost: pet\r\nConnection: close\r\n\r\n".encode())
            answer = b""
            while piece := s.recv(65536):
                answer += piece
        found = re.match(rb"HTTP/1\.1 (\d{3})", answer)
        return int(found[1]) if found else 0

    @property
    def port(self):
        """Of 127.0.0.1, where it was started with --port."""
        end = time.monotonic() + PATIENCE
        while time.monotonic() < end:
            for line in self.log:
                if found := re.search(r"127\.0\.0\.1:(\d+)", line):
                    return int(found[1])
            time.sleep(0.01)
        raise SystemExit("petd did not say at which port it listens")

    @property
    def token(self):
        return (self.home.path / "petd.token").read_text().split()[0]

    def terminate(self):
        self.process.send_signal(signal.SIGTERM)

    def wait(self, seconds=PATIENCE):
        """Its exit status; None where it does not end."""
        try:
            status = self.process.wait(seconds)
        except subprocess.TimeoutExpired:
            return None
        self.reader.join(PATIENCE)
        return status

    def kill(self):
        with contextlib.suppress(ProcessLookupError):
            self.process.kill()
        self.process.wait()
        self.reader.join(PATIENCE)


def memory(pid):
    """Bytes: resident (RSS), of that not of files, shared pages counted in part (PSS), private, and resident at most; None where the process is gone."""
    try:
        rollup = Path(f"/proc/{pid}/smaps_rollup").read_text()
        status = Path(f"/proc/{pid}/status").read_text()
    except OSError:
        return None
    found = {name: 1024 * int(size) for name, size in re.findall(r"^(\w+):\s+(\d+) kB", rollup + status, re.MULTILINE)}
    if "Rss" not in found:
        return None
    return {"rss": found["Rss"], "pss": found["Pss"], "private": found["Private_Clean"] + found["Private_Dirty"],
            "anonymous": found["RssAnon"], "most": found["VmHWM"]}


def reset_peak(pid):
    """From here on VmHWM counts anew: proc(5), clear_refs."""
    try:
        Path(f"/proc/{pid}/clear_refs").write_text("5")
    except OSError:
        pass  # then the peak is that of all before


class WakeUps:
    """How often the threads of a process are woken, from here on: each wait that ends is one voluntary switch. Threads come and go, so that they
    are looked at one by one, and again and again; one that has ended had been woken for it."""

    def __init__(self, pid):
        self.pid, self.count = pid, 0
        self._known = self._read()

    def _read(self):
        found = {}
        for path in Path(f"/proc/{self.pid}/task").glob("*/status"):
            with contextlib.suppress(OSError):
                found[path.parent.name] = int(re.search(r"^voluntary_ctxt_switches:\s+(\d+)", path.read_text(), re.MULTILINE)[1])
        return found

    def look(self):
        now = self._read()
        self.count += woken(self._known, now)
        self._known = now


def woken(before, now):
    """Wake-ups between two looks at {thread: switches}."""
    return sum(n - before.get(thread, 0) for thread, n in now.items()) + len(before.keys() - now.keys())


def sockets(pid):
    """Kind and address of every socket that the process has open, as `unix /path` or `tcp 0100007F:1F90`."""
    inodes = set()
    for link in Path(f"/proc/{pid}/fd").iterdir():
        with contextlib.suppress(OSError):
            if found := re.fullmatch(r"socket:\[(\d+)\]", os.readlink(link)):
                inodes.add(found[1])
    known = {}
    for kind in ("tcp", "tcp6", "udp", "udp6", "udplite", "udplite6", "raw", "raw6"):
        known |= {row[9]: f"{kind} {row[1]}" for row in rows(pid, kind)}
    known |= {row[6]: "unix " + (row[7] if len(row) > 7 else "(unnamed)") for row in rows(pid, "unix")}
    return sorted(known.get(inode, "other") for inode in inodes)


def rows(pid, kind):
    try:
        return [line.split() for line in Path(f"/proc/{pid}/net/{kind}").read_text().splitlines()[1:]]
    except OSError:
        return []


class Watch:
    """Resident memory once a second, from here to `stop()`."""

    def __init__(self, pid, interval=1.0):
        self.samples, self.start = [], time.monotonic()
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self._run, args=(pid, interval), daemon=True)
        self._thread.start()

    def _run(self, pid, interval):
        while not self._stop.wait(interval):
            found = memory(pid)
            if found is None:
                return
            self.samples.append((round(time.monotonic() - self.start, 1), found["rss"]))

    def stop(self):
        self._stop.set()
        self._thread.join()
        return self.samples

# SPDX-License-Identifier: Apache-2.0
"""Conversations with the built `pet`, as a program holds them through a pipe and as a person does at a terminal."""
import contextlib
import fcntl
import json
import math
import os
import pty
import re
import select
import shutil
import signal
import struct
import subprocess
import tempfile
import termios
import threading
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
LINES = ROOT / "Training" / "evaluate" / "conversations" / "lines.json"
FACTS = ROOT / "Tests" / "PetMemoryTests" / "Fixtures" / "recall.json"
PATIENCE = 300  # seconds for one reply, on the busiest of machines
ESCAPES = re.compile(rb"\x1b\[[0-9;?]*[A-Za-z]|\x1b[()][A-Z0-9]|\x1b[=>]")


def store():
    """Where `pet` keeps its models for whoever runs this."""
    home = os.environ.get("PET_HOME")
    data = Path(os.environ.get("XDG_DATA_HOME") or Path.home() / ".local" / "share")
    return (Path(home) if home else data / "pet") / "models"


def percentile(values, percent):
    """The smallest value that `percent` of them do not exceed (nearest rank); None of none."""
    ordered = sorted(values)
    return ordered[max(1, math.ceil(len(ordered) * percent / 100)) - 1] if ordered else None


class Home:
    """A PET_HOME of its own, with the models of the one who runs this."""

    def __init__(self, path, models=None):
        self.path = Path(path)
        self.path.mkdir(parents=True, exist_ok=True)
        link, models = self.path / "models", models or store()
        if models.is_dir() and not link.exists():
            link.symlink_to(models)

    @classmethod
    @contextlib.contextmanager
    def temporary(cls):
        with tempfile.TemporaryDirectory(prefix="pet-home-") as folder:
            yield cls(folder)

    def copy(self, path):
        """Another one, in which the same has happened."""
        shutil.copytree(self.path, path, symlinks=True)
        return Home(path)

    def folder(self, persona):
        return self.path / "pets" / persona

    def environment(self, **more):
        return {"PATH": "/usr/bin:/bin", "HOME": str(self.path), "PET_HOME": str(self.path), "LC_ALL": "C.UTF-8", **more}


class PipeChat:
    """`pet chat`, a line at a time through a pipe."""

    def __init__(self, pet, home, arguments):
        self.process = subprocess.Popen([str(pet), "chat", *map(str, arguments)], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                        stderr=subprocess.PIPE, env=home.environment(), bufsize=0)
        self.errors = b""
        self.pending = b""
        # Somebody must read them, or the program waits.
        self.reader = threading.Thread(target=self._read_errors, daemon=True)
        self.reader.start()

    def _read_errors(self):
        while piece := self.process.stderr.read(65536):
            self.errors += piece

    def write(self, text):
        self.process.stdin.write(text.encode())

    def read_line(self):
        """A line and how long it took until its first byte; None at the end of the output."""
        start, first = time.perf_counter(), None
        while b"\n" not in self.pending:
            ready, _, _ = select.select([self.process.stdout], [], [], PATIENCE)
            if not ready:
                raise SystemExit(f"pet chat: no reply within {PATIENCE} s; {self.errors.decode(errors='replace')}")
            first = first if first is not None else time.perf_counter() - start
            piece = os.read(self.process.stdout.fileno(), 65536)
            if not piece:
                return None
            self.pending += piece
        line, _, self.pending = self.pending.partition(b"\n")
        return line.decode(), first or 0.0

    def ask(self, line):
        """The answer to a line with --json, and the seconds from writing it to having read its answer."""
        start = time.perf_counter()
        self.write(line + "\n")
        found = self.read_line()
        seconds = time.perf_counter() - start
        if found is None:
            raise SystemExit(f"pet chat ended: {self.errors.decode(errors='replace').strip() or self.process.wait()}")
        return json.loads(found[0]), seconds

    def close(self):
        """Ends the conversation; its exit status."""
        self.process.stdin.close()
        self.process.stdout.read()
        status = self.process.wait(PATIENCE)
        self.reader.join(PATIENCE)
        return status


class TerminalChat:
    """`pet chat` on a terminal, wide enough that no line is drawn twice."""

    def __init__(self, pet, home, arguments):
        self.master, line = pty.openpty()
        fcntl.ioctl(line, termios.TIOCSWINSZ, struct.pack("HHHH", 50, 200, 0, 0))
        self.process = subprocess.Popen([str(pet), "chat", *map(str, arguments)], stdin=line, stdout=line, stderr=line,
                                        env=home.environment(TERM="xterm", NO_COLOR="1"), start_new_session=True)
        os.close(line)

    def read(self, seconds):
        """What is shown within so many seconds; empty where that is nothing, None where the program has ended."""
        if not select.select([self.master], [], [], seconds)[0]:
            return b""
        try:
            return os.read(self.master, 65536) or None
        except OSError:
            return None

    def read_to_prompt(self, shown=b""):
        """All that is shown, with what was before, until the program waits for a line; None where it ended first."""
        end = time.monotonic() + PATIENCE
        while time.monotonic() < end:
            piece = self.read(0.02)
            if piece is None:
                return None
            shown += piece
            # Nothing more came: this is the prompt, and not a reply that looks like it.
            if not piece and ESCAPES.sub(b"", shown).endswith(b"\n> "):
                return ESCAPES.sub(b"", shown).decode(errors="replace").replace("\r", "")
        raise SystemExit(f"pet chat: no prompt within {PATIENCE} s")

    def type(self, line):
        """Types a line without ending it, and waits until it stands there."""
        os.write(self.master, line.encode())
        while piece := self.read(0.05):
            pass
        return piece is not None

    def ask(self, line):
        """The seconds from Return to the first visible character, and what was shown; None where the program ended."""
        if not self.type(line):
            return None
        os.write(self.master, b"\r")
        start, shown = time.perf_counter(), b""
        while not ESCAPES.sub(b"", shown).strip():
            piece = self.read(PATIENCE)
            if not piece:
                return None
            shown += piece
        first = time.perf_counter() - start
        whole = self.read_to_prompt(shown)
        return None if whole is None else (first, whole)

    def close(self):
        try:
            os.write(self.master, b"/quit\r")
        except OSError:
            pass
        while self.process.poll() is None and self.read(0.05) is not None:
            pass
        os.close(self.master)
        return self.process.wait(PATIENCE)


def busy_ms(pid):
    """What its threads have computed so far, in ms: a busy machine does not change that as it changes the time on the clock."""
    total = 0
    for path in Path(f"/proc/{pid}/task").glob("*/schedstat"):
        # A thread may end meanwhile.
        with contextlib.suppress(OSError):
            total += int(path.read_text().split()[0])
    return total / 1e6


def memory_mb(pid):
    """Resident memory now and at most, in MB; None where the process is gone."""
    try:
        text = Path(f"/proc/{pid}/status").read_text()
    except OSError:
        return None
    found = dict(re.findall(r"(VmRSS|VmHWM):\s+(\d+)", text))
    return round(int(found["VmRSS"]) * 1024 / 1e6, 1), round(int(found["VmHWM"]) * 1024 / 1e6, 1)


def kill(process):
    """SIGKILL, at once; whether it was still running."""
    ran = process.poll() is None
    with contextlib.suppress(ProcessLookupError):
        os.kill(process.pid, signal.SIGKILL)
    process.wait()
    return ran and process.returncode == -signal.SIGKILL

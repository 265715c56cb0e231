# SPDX-License-Identifier: Apache-2.0
"""What must be true of a pet's folder after its program was killed. Reads copies only: to open a database may change it."""
import hashlib
import json
import math
import shutil
import sqlite3
import stat
import tempfile
from pathlib import Path

LEVELS = {"hunger", "energy", "mood", "affection", "health"}
DAY, PATIENCE = 86_400, 14 * 86_400
#: What lies in a pet's folder. Drafts have one name each, so that there is never more than one of them.
KNOWN = {"memory.sqlite", "memory.sqlite-wal", "memory.sqlite-shm", "memory.sqlite-journal", "state.json", "answers.cache", "met", "lock"}
DRAFTS = {".state.json.new", ".answers.cache.new"}
CACHE_HEAD = b"PETPC\0\0\1"


def facts(folder):
    """All facts, also what holds no longer, and what SQLite says of the file; ([], "none") before there is a file."""
    if not (folder / "memory.sqlite").exists() or (folder / "memory.sqlite").stat().st_size == 0:
        return [], "none"
    with tempfile.TemporaryDirectory() as copy:
        for end in ("", "-wal"):
            if (folder / f"memory.sqlite{end}").exists():
                shutil.copy(folder / f"memory.sqlite{end}", copy)
        try:
            with sqlite3.connect(Path(copy) / "memory.sqlite") as db:
                said = db.execute("PRAGMA integrity_check").fetchone()[0]
                has = db.execute("SELECT count(*) FROM sqlite_master WHERE name = 'fact'").fetchone()[0]
                rows = db.execute("SELECT body FROM fact ORDER BY id").fetchall() if has else []
                return [json.loads(row[0]) for row in rows], said
        except (sqlite3.Error, ValueError) as error:
            return [], f"{type(error).__name__}: {error}"


def state(folder):
    """The pet's life; None before there is one."""
    path = folder / "state.json"
    return json.loads(path.read_text())["life"] if path.exists() else None


def state_problems(life):
    def within(name, value, low, high):
        if not isinstance(value, (int, float)) or not math.isfinite(value) or not low <= value <= high:
            yield f"state: {name} is {value!r}, not from {low} to {high}"

    if set(life["levels"]) != LEVELS:
        yield f"state: levels are {sorted(life['levels'])}"
    for name, value in life["levels"].items():
        yield from within(name, value, 0, 100)
    if len(life["effects"]) > 32:
        yield f"state: {len(life['effects'])} effects"
    for effect in life["effects"]:
        yield from within("an effect's rest", effect["left"], 0, DAY)
        yield from within("an effect", effect["per_hour"], -1000, 1000)
    yield from within("rest_left", life["rest_left"], 0, DAY)
    yield from within("since_contact", life["since_contact"], 0, PATIENCE)
    yield from within("since_notice", life["since_notice"], 0, PATIENCE)
    for action, count in life["repetitions"].items():
        yield from within(action, count, 0, 16)


def file_problems(home):
    """Modes, and names that nobody knows."""
    for path in [*home.path.rglob("*")]:
        if path.is_symlink() or (home.path / "models") in path.parents:
            continue
        status = path.lstat()
        wanted = 0o700 if stat.S_ISDIR(status.st_mode) else 0o600
        if stat.S_IMODE(status.st_mode) != wanted:
            yield f"files: {path.relative_to(home.path)} has mode {stat.S_IMODE(status.st_mode):04o}"
        if path.parent.parent == home.path / "pets" and path.name not in KNOWN | DRAFTS:
            yield f"files: {path.name} was left behind"


def cache_problems(folder):
    """After a start: the file is there with a sound head."""
    path = folder / "answers.cache"
    if not path.exists():
        return ["answers.cache is not there"]
    head = path.read_bytes()[:32]
    if head[:8] != CACHE_HEAD or head[24:32] != hashlib.sha256(head[:24]).digest()[:8]:
        return ["answers.cache has no sound head"]
    return []


def drafts(folder):
    return sum((folder / name).exists() for name in DRAFTS)

#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Makes one system call after another fail while `pet` works, and looks at what becomes of it.

    Tests/Faults/faults.py [--pet .build/release/pet] [--each 20] [--seed 1] [--only SCENARIO]

Every scenario is a command with files that are worth keeping. It is run once to count the calls that it makes (faults.c), then once for each
kind of call, each way to fail and each number of the call; --each bounds the numbers, drawn at random; 0: all of them. After each run:

- it ended by itself, with one of the documented codes (0, 2, 3, 4, 70); where not 0, with one line on standard error;
- what was there before is there still, or what the command was to make is there whole: the next run, without faults, finds no damage;
- no half-written file is left under a name of its own.

Memory that Swift takes for its own values ends the program when it is refused, whatever a program does; only what the engine takes by
posix_memalign (weights, scratch, keys and values) and maps is made to fail.

Exit code 1 where anything of that is not so, with the command to see it again. --json FILE keeps the counts.
"""
import argparse
import collections
import hashlib
import json
import os
import random
import shutil
import struct
import subprocess
import sys
import tempfile
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
MODEL = ROOT / "Tests/Fixtures/models/phi3-mha/model.gguf"
FOLDER = ROOT / "Tests/Fixtures/models/llama-gqa"
CODES = {0, 2, 3, 4, 70}
EIO, ENOMEM, EMFILE, ENOSPC = 5, 12, 24, 28
# As faults.c has them.
KINDS = ["open", "read", "write", "rename", "sync", "truncate", "map", "memory"]
WAYS = {"open": [EMFILE, EIO], "read": [EIO, "short"], "write": [ENOSPC, EIO, "short"], "rename": [EIO], "sync": [EIO],
        "truncate": [ENOSPC], "map": [ENOMEM], "memory": [ENOMEM]}


def digest(path):
    return hashlib.sha256(path.read_bytes()).hexdigest() if path.is_file() else None


class Scenario:
    """A home, prepared once and copied for every run; a command; what must hold afterwards."""
    words = []
    stdin = ""

    def __init__(self, pet):
        self.pet, self.folder = pet, Path(tempfile.mkdtemp(prefix="pet-faults-"))
        self.base = self.folder / "base"
        self.base.mkdir()
        self.prepare()

    def pet_in(self, home, *words, stdin="", fault=None):
        environment = {"PATH": os.environ["PATH"], "PET_HOME": str(home), "PET_FAULT_PROGRAM": "pet", "SWIFT_BACKTRACE": "enable=no"}
        if fault:
            environment |= {"LD_PRELOAD": str(LIBRARY), **fault}
        return subprocess.run([self.pet, *map(str, words)], input=stdin, capture_output=True, text=True, env=environment, timeout=120,
                              errors="replace")

    def sound(self, *words, home=None, stdin=""):
        run = self.pet_in(home or self.base, *words, stdin=stdin)
        assert run.returncode == 0, f"{words}: {run.returncode} {run.stderr}"
        return run.stdout

    def prepare(self): pass

    def command(self, home): return self.words

    def check(self, home, is_done):
        """What is wrong; nothing: None."""

    def left(self, home):
        names = [str(p.relative_to(home)) for p in home.rglob("*") if p.name.endswith((".partial", ".new", ".tmp"))]
        return f"left behind: {names}" if names else None


class Complete(Scenario):
    """Load and generate."""
    def command(self, home): return ["complete", "--model", MODEL, "--prompt", "Once there", "--max-tokens", 3, "--threads", 2]

    def prepare(self): self.expected = self.sound(*self.command(self.base))


class Quantize(Scenario):
    def command(self, home): return ["models", "quantize", MODEL, home / "out.gguf", "--type", "q8_0"]

    def prepare(self):
        self.sound(*self.command(self.base))
        self.whole = digest(self.base / "out.gguf")
        (self.base / "out.gguf").write_text("older")
        self.older = digest(self.base / "out.gguf")

    def check(self, home, is_done):
        found = digest(home / "out.gguf")
        if found != (self.whole if is_done else self.older) and not (found == self.whole):
            return "neither the older file nor the whole new one"


class Convert(Quantize):
    def command(self, home): return ["models", "convert", FOLDER, "--output", home / "out.gguf"]


class Install(Scenario):
    """A newer version in the place of an installed one."""
    def prepare(self):
        self.newer = self.folder / "newer.gguf"
        self.older = self.folder / "older.gguf"
        shutil.copy(MODEL, self.older)
        shutil.copy(FOLDER / "model.gguf", self.newer)
        self.sound("models", "install", self.older, "--name", "own")

    def command(self, home): return ["models", "install", self.newer, "--name", "own", "--replace"]

    def check(self, home, is_done):
        run = self.pet_in(home, "models", "verify", "own")
        if run.returncode != 0:
            return f"the model is damaged: {run.stderr.strip()}"
        run = self.pet_in(home, "complete", "--model", "own", "--prompt", "a", "--max-tokens", 1)
        if run.returncode != 0:
            return f"the model does not load: {run.stderr.strip()}"


class Chat(Scenario):
    """A conversation that is gone on with: state, memory, kept answers, the conversation itself."""
    words = ["chat", "--profile", "watch", "--session", "kept", "--clock", "1800014400", "--seed", "7", "--plain"]
    stdin = "my favourite film is Alien\nwhat is my name?\n"

    def prepare(self): self.sound(*self.words, stdin="My name is Ada.\nGood morning!\n")

    def check(self, home, is_done):
        run = self.pet_in(home, *self.words, stdin="what is my name?\n")
        if run.returncode != 0:
            return f"the pet does not come back: {run.stderr.strip()}"
        if "Ada" not in run.stdout:
            return f"its memory is gone: {run.stdout.strip()}"
        if "damaged" in run.stderr + run.stdout:
            return f"found damage: {run.stderr.strip()}"

    def left(self, home): return None  # SQLite's own files go with the next run.


SCENARIOS = {"complete": Complete, "quantize": Quantize, "convert": Convert, "install": Install, "chat": Chat}


def runs(counts, each, chance):
    """(kind, number, way) of every fault, or of some of each."""
    for kind, ways in WAYS.items():
        for way in ways:
            numbers = range(1, counts.get(kind, 0) + 1)
            if each and len(numbers) > each:
                numbers = sorted(chance.sample(numbers, each))
            yield from ((kind, number, way) for number in numbers)


def try_one(scenario, kind, number, way):
    """What is wrong, and the exit code."""
    home = scenario.folder / "home"
    shutil.rmtree(home, ignore_errors=True)
    shutil.copytree(scenario.base, home, symlinks=True)
    try:
        run = scenario.pet_in(home, *scenario.command(home), stdin=scenario.stdin, fault={"PET_FAULT": f"{kind}:{number}:{way}"})
    except subprocess.TimeoutExpired:
        return "hangs", None
    if run.returncode not in CODES:
        return f"ended with {run.returncode}: {run.stderr.strip()[-300:]}", run.returncode
    lines = [line for line in run.stderr.splitlines() if line.strip()]
    if run.returncode != 0 and len(lines) != 1:
        return f"{len(lines)} lines on standard error: {run.stderr.strip()[:300]}", run.returncode
    if way == "short" and run.returncode != 0:
        return f"half a read or write is no failure: {run.stderr.strip()}", run.returncode
    return scenario.check(home, run.returncode == 0) or scenario.left(home), run.returncode


def main():
    global LIBRARY
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("--pet", type=Path, default=ROOT / ".build/release/pet")
    p.add_argument("--each", type=int, default=20)
    p.add_argument("--seed", type=int, default=1)
    p.add_argument("--only", choices=SCENARIOS)
    p.add_argument("--json", type=Path)
    args = p.parse_args()
    pet, chance = str(args.pet.resolve()), random.Random(args.seed)
    with tempfile.TemporaryDirectory() as folder:
        LIBRARY = Path(folder) / "faults.so"
        clang = shutil.which("clang") or Path(shutil.which("swift")).resolve().parent / "clang"
        subprocess.run([clang, "-shared", "-fPIC", "-O1", "-o", LIBRARY, Path(__file__).parent / "faults.c", "-ldl"], check=True)
        failures, table = 0, {}
        for name, kind_of in SCENARIOS.items():
            if args.only not in (None, name):
                continue
            scenario, start = kind_of(pet), time.monotonic()
            home = scenario.folder / "home"
            shutil.copytree(scenario.base, home, symlinks=True)
            # Where a confined program may write.
            counted = home / "counts-of-calls"
            scenario.pet_in(home, *scenario.command(home), stdin=scenario.stdin, fault={"PET_FAULT_COUNTS": str(counted)})
            counts = dict(zip(KINDS, struct.unpack(f"{len(KINDS)}l", counted.read_bytes())))
            codes = collections.Counter()
            for kind, number, way in runs(counts, args.each, chance):
                wrong, code = try_one(scenario, kind, number, way)
                codes[code] += 1
                if wrong:
                    failures += 1
                    print(f"{name}: PET_FAULT={kind}:{number}:{way}: {wrong}", flush=True)
            shutil.rmtree(scenario.folder)
            table[name] = {"calls": counts, "faults": codes.total(), "codes": {str(code): n for code, n in codes.items()}}
            print(f"{name}: {codes.total()} faults in {time.monotonic() - start:.0f} s, exit codes {dict(codes)}; calls {counts}", flush=True)
        if args.json:
            args.json.write_text(json.dumps(table, indent=1) + "\n")
    sys.exit(1 if failures else 0)


if __name__ == "__main__":
    main()

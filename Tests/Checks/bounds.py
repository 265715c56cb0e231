#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""How large the programs are, and what is resident when they start: compares them with bounds.toml.

    python3 Tests/Checks/bounds.py FOLDER     the folder that has pet and petd: .build/release

Sizes are those after stripping, with and without the files that are built in. Ends with 1 where a bound is exceeded.
"""
import contextlib
import os
import pathlib
import re
import socket
import subprocess
import sys
import tempfile
import time
import tomllib

HERE = pathlib.Path(__file__).resolve().parent
MB = 1_000_000
PATIENCE = 60  # seconds for a start
SETTLE = 1  # seconds after which petd has given back what only its start needed, and pet takes no more


def run(*words):
    return subprocess.run(words, check=True, capture_output=True, text=True, env={"PATH": "/usr/bin:/bin", "LC_ALL": "C"}).stdout


def built_in(sections):
    """Bytes of the section pet_files, by the output of `readelf -SW`."""
    match = re.search(r"\]\s+pet_files\s+\w+\s+[0-9a-f]+\s+[0-9a-f]+\s+([0-9a-f]+)", sections)
    if not match:
        raise SystemExit("there is no section pet_files: no program of Pet, or one that was linked otherwise")
    return int(match[1], 16)


def sizes(program):
    """MB: the files that are built in, all else of the stripped program; whether Swift's libraries are shared."""
    with tempfile.NamedTemporaryFile() as stripped:
        run("strip", "-o", stripped.name, program)
        size, files = os.stat(stripped.name).st_size, built_in(run("readelf", "-SW", stripped.name))
    return files / MB, (size - files) / MB, "[libswiftCore.so]" in run("readelf", "-dW", program)


def environment(home):
    return {"PATH": "/usr/bin:/bin", "PET_HOME": home}


def most_resident(program, *words):
    """MB that it took at most until it waits for a line of its input.

    Not by what wait4(2) says of it when it has ended: that counts what forked it, too.
    """
    with tempfile.TemporaryDirectory() as home, tempfile.TemporaryFile() as log:
        process = subprocess.Popen([program, *words], stdin=subprocess.PIPE, stdout=subprocess.DEVNULL, stderr=log, env=environment(home))
        try:
            most, since = 0, time.monotonic()
            while time.monotonic() < since + SETTLE:
                if process.poll() is not None:
                    log.seek(0)
                    raise SystemExit(f"{program} {' '.join(words)} ended: {log.read().decode(errors='replace').strip()[-300:]}")
                now = megabytes("VmHWM", process.pid)
                if now > most:
                    most, since = now, time.monotonic()
                time.sleep(0.01)
        finally:
            process.kill()
            process.communicate()
    return most


def megabytes(name, pid):
    """A line of /proc/PID/status: VmRSS is what is resident, VmHWM what was at most."""
    return int(re.search(rf"{name}:\s+(\d+) kB", pathlib.Path(f"/proc/{pid}/status").read_text())[1]) * 1024 / MB


def is_ready(path):
    with contextlib.suppress(OSError), socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as s:
        s.settimeout(PATIENCE)
        s.connect(path)
        s.sendall(b"GET /health/ready HTTP/1.1\r\nHost: pet\r\nConnection: close\r\n\r\n")
        return s.recv(64).startswith(b"HTTP/1.1 200")
    return False


def resident_when_ready(program, *words):
    """MB that are resident once it answers and has settled."""
    with tempfile.TemporaryDirectory() as home, tempfile.TemporaryFile() as log:
        process = subprocess.Popen([program, *words], stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=log, env=environment(home))
        try:
            end = time.monotonic() + PATIENCE
            while not is_ready(f"{home}/petd.sock"):
                if process.poll() is not None or time.monotonic() > end:
                    log.seek(0)
                    raise SystemExit(f"{program} is not ready: {log.read().decode(errors='replace').strip()[-300:]}")
                time.sleep(0.01)
            time.sleep(SETTLE)
            return megabytes("VmRSS", process.pid)
        finally:
            process.kill()
            process.wait()


def measure(folder):
    """{name in bounds.toml: MB}"""
    found = {}
    for program in ("pet", "petd"):
        path = f"{folder}/{program}"
        if not os.access(path, os.X_OK):
            raise SystemExit(f"{path} is not there; build it: swift build -c release")
        files, code, is_shared = sizes(path)
        found["files.built_in"] = max(files, found.get("files.built_in", 0))
        found[f"code.{program}.{'shared' if is_shared else 'static'}"] = code
    for profile in ("watch", "phone"):
        found[f"resident.petd_{profile}"] = resident_when_ready(f"{folder}/petd", "--profile", profile, "--model", "pet-nano", "--threads", "1")
    found["resident.pet_chat"] = most_resident(f"{folder}/pet", "chat", "--profile", "watch", "--incognito", "--no-initiative")
    return found


def bound(name, bounds):
    for part in name.split("."):
        bounds = bounds[part]
    return bounds


def judge(found, bounds):
    """[(name, MB, bound, whether it holds)]"""
    return [(name, value, bound(name, bounds), value <= bound(name, bounds)) for name, value in found.items()]


def main(folders):
    if len(folders) != 1:
        sys.exit(__doc__)
    rows = judge(measure(folders[0]), tomllib.loads((HERE / "bounds.toml").read_text()))
    for name, value, most, holds in rows:
        print(f"{name:24} {value:8.1f} MB, at most {most}{'' if holds else ': EXCEEDED'}")
    broken = [name for name, _, _, holds in rows if not holds]
    if broken:
        print(f"bounds.toml: {', '.join(broken)} exceeded; make it smaller, or raise the bound with its reason", file=sys.stderr)
    sys.exit(1 if broken else 0)


if __name__ == "__main__":
    main(sys.argv[1:])

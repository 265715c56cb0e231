#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Whether a program contains what it must not: Foundation (the whole of it, not FoundationEssentials), or weights that are kept separate
because of their licence.

    python3 Tests/Checks/linked.py PROGRAM...

A program with Swift's libraries shared names what it needs (`readelf -d`); one that contains them has symbols of the module (`nm`), and
cannot be judged once it is stripped. Ends with 1 where one of both is in it, with 2 where nobody can tell.
"""
import pathlib
import re
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
SEPARATE = ROOT / "Models/parent-stress/parent-stress.gguf"
PIECE = 1024

# Foundation itself, and what only it brings: internationalization with its 30 MB of ICU, XML, HTTP.
LIBRARY = re.compile(r"\(NEEDED\).*\[(lib_?Foundation(?:Internationalization|Networking|XML|ICU)?\.so[^\]]*)\]")
# A mangled name begins with the length of its module's name: FoundationEssentials has 20.
SYMBOL = re.compile(r" (\$s10Foundation\S*|\$s30FoundationInternationalization\S*|CFRunLoopRun)$", re.MULTILINE)


def shared(dynamic):
    """The libraries of Foundation that the output of `readelf -d` names."""
    return sorted(set(LIBRARY.findall(dynamic)))


def has_shared_swift(dynamic):
    return "[libswiftCore.so]" in dynamic


def contained(symbols):
    """The first symbols of Foundation in the output of `nm --defined-only`."""
    return [match[1] for match in SYMBOL.finditer(symbols)][:3]


def pieces(weights):
    """Parts of a file that are no padding and no table of names, so that none is in a program by chance."""
    parts = (weights[start:start + PIECE] for start in range(0, len(weights) - PIECE + 1, PIECE))
    return [part for part in parts if len(set(part)) > 100]


def run(*words):
    return subprocess.run(words, check=True, capture_output=True, text=True, env={"PATH": "/usr/bin:/bin", "LC_ALL": "C"}).stdout


def judge(program):
    """A fault and an exit status, or None and 0."""
    content = pathlib.Path(program).read_bytes()
    if any(piece in content for piece in pieces(SEPARATE.read_bytes())):
        return f"{program}: contains weights of {SEPARATE.relative_to(ROOT)}; leave the file out of Sources/CBuiltInModels", 1
    dynamic = run("readelf", "-dW", program)
    if found := shared(dynamic):
        return f"{program}: links {', '.join(found)}; import FoundationEssentials where Foundation is imported", 1
    if has_shared_swift(dynamic):
        return None, 0
    symbols = run("nm", "--defined-only", program)
    if "$s" not in symbols:
        return f"{program}: has no symbols of Swift; give the program as it was before it was stripped", 2
    if found := contained(symbols):
        return f"{program}: contains Foundation ({', '.join(found)}); import FoundationEssentials where Foundation is imported", 1
    return None, 0


def main(programs):
    if not programs:
        sys.exit(__doc__)
    worst = 0
    for program in programs:
        fault, status = judge(program)
        worst = max(worst, status)
        if fault:
            print(fault, file=sys.stderr)
    sys.exit(worst)


if __name__ == "__main__":
    main(sys.argv[1:])

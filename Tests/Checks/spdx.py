#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Whether each source file names its licence in its first line; behind `#!`, and behind the version of a package's manifest.

    python3 Tests/Checks/spdx.py             lists the files that do not
    python3 Tests/Checks/spdx.py --write     adds the line to them

Source files are those that git knows, or would know, and that end in a suffix below or begin with `#!`. Ends with 1 where a line is missing.
"""
import argparse
import pathlib
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
TEXT = "SPDX-License-Identifier: Apache-2.0"
COMMENTS = {".swift": "//", ".c": "//", ".cpp": "//", ".h": "//", ".S": "//", ".py": "#", ".sh": "#", ".R": "#"}
EXCEPTIONS = {
    # Written by scripts.
    "Sources/PetTokenizer/BytePairs/UnicodeClassRanges.swift",
    # The tutorial shows these files whole, and people copy them.
    "Examples/FirstReply/Package.swift", "Examples/FirstReply/main.swift",
}


def comment(path, first):
    """What begins a comment in this file; None where it is no source file."""
    if path.suffix in COMMENTS:
        return COMMENTS[path.suffix]
    is_script = not path.suffix and first.startswith("#!") and any(word in first for word in ("sh", "python"))
    return "#" if is_script else None


def place(path, lines):
    """The number of lines that must stay before it."""
    stays = lines and (lines[0].startswith("#!") or path.name == "Package.swift" and lines[0].startswith("// swift-tools-version"))
    return 1 if stays else 0


def sources(root):
    """[(path, mark of a comment, lines)]"""
    listed = subprocess.run(["git", "-c", f"safe.directory={root}", "ls-files", "-z", "--cached", "--others", "--exclude-standard"],
                            cwd=root, check=True, capture_output=True, text=True).stdout
    for name in sorted(set(listed.split("\0")) - {""} - EXCEPTIONS):
        path = root / name
        if path.is_symlink() or not path.is_file():
            continue
        with path.open("rb") as file:
            first = file.readline(200)
        mark = comment(path, first.decode(errors="replace"))
        if mark:
            yield path, mark, path.read_text().splitlines(keepends=True)


def missing(root):
    for path, mark, lines in sources(root):
        before = place(path, lines)
        if lines[before:before + 1] != [f"{mark} {TEXT}\n"]:
            yield path, mark, lines, before


def write(found):
    for path, mark, lines, before in found:
        path.write_text("".join(lines[:before] + [f"{mark} {TEXT}\n"] + lines[before:]))


def main():
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("--root", type=pathlib.Path, default=ROOT)
    p.add_argument("--write", action="store_true", help="add the line where it is missing")
    args = p.parse_args()
    found = list(missing(args.root))
    if args.write:
        write(found)
        print(f"{len(found)} files were given the line")
        return
    for path, mark, *_ in found:
        print(f"{path.relative_to(args.root)}: does not say '{mark} {TEXT}' first; run Tests/Checks/spdx.py --write", file=sys.stderr)
    sys.exit(1 if found else 0)


if __name__ == "__main__":
    main()

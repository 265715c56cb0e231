#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Compares the imports of Sources with the order of the modules in modules.toml.

    python3 Tests/Checks/imports.py [--root FOLDER]

Ends with 1 where a module imports against the arrows, opens a door that is not its own, or has no place in the order.
"""
import argparse
import pathlib
import re
import sys
import tomllib

HERE = pathlib.Path(__file__).resolve().parent
IMPORT = re.compile(
    r"^\s*(?:@\w+(?:\([^)]*\))?\s+)*(?:(?:public|package|internal|fileprivate|private)\s+)?import\s+"
    r"(?:(?:typealias|struct|class|enum|protocol|let|var|func)\s+)?(\w+)")


def imports(text):
    """[(line number, module)] of a Swift file; those in texts of several lines and in comments do not count."""
    found, inside = [], None
    for number, line in enumerate(text.splitlines(), 1):
        if inside is None and (match := IMPORT.match(line)):
            found.append((number, match[1]))
        for mark in re.findall(r'"""|/\*|\*/|//', line):
            if inside is None and mark == "//":
                break
            if inside is None and mark in ('"""', "/*"):
                inside = mark
            elif (inside, mark) in (('"""', '"""'), ("/*", "*/")):
                inside = None
    return found


def allowed(door, doors):
    """The modules that may import `door`; None where all may."""
    for name, modules in doors.items():
        if name == door or name.endswith("*") and door.startswith(name[:-1]):
            return modules
    return None


def check(root, order):
    """One line for each fault."""
    layers = {module: layer for layer, entry in enumerate(order["layers"]) for module in entry["modules"]}
    there = {folder.name for folder in (root / "Sources").iterdir() if folder.is_dir()}
    faults = [f"Sources/{module}: has no place in modules.toml; add it to its layer" for module in sorted(there - set(layers))]
    faults += [f"modules.toml: {module} is not in Sources; take it out" for module in sorted(set(layers) - there)]
    named = {module for modules in order["doors"].values() for module in modules}
    faults += [f"modules.toml: the doors name {module}, which has no layer" for module in sorted(named - set(layers))]
    for module in sorted(there & set(layers)):
        for file in sorted((root / "Sources" / module).rglob("*.swift")):
            for number, other in imports(file.read_text()):
                place = f"{file.relative_to(root)}:{number}"
                users = allowed(other, order["doors"])
                if users is not None and module not in users:
                    faults.append(f"{place}: imports {other}, which {' and '.join(users) or 'nobody'} may; use what is above that door")
                elif other in layers and layers[other] >= layers[module]:
                    faults.append(f"{place}: {module} imports {other} of {'its own' if layers[other] == layers[module] else 'a later'} layer;"
                                  " move what is needed to an earlier one")
    return faults


def main():
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("--root", type=pathlib.Path, default=HERE.parents[1])
    args = p.parse_args()
    faults = check(args.root, tomllib.loads((HERE / "modules.toml").read_text()))
    for fault in faults:
        print(fault, file=sys.stderr)
    sys.exit(1 if faults else 0)


if __name__ == "__main__":
    main()

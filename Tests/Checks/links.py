#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Looks up every type that the guides of PetEngine link to: ``Type`` or ``Type/member``.

    python3 Tests/Checks/links.py [--root FOLDER]

Ends with 1 where a guide links to a type that is not public: who imports PetEngine does not see it.
"""
import argparse
import pathlib
import re
import sys

HERE = pathlib.Path(__file__).resolve().parent
DECLARATION = re.compile(r"^\s*public (?:final |indirect )?(?:struct|enum|class|actor|protocol|typealias) (\w+)", re.MULTILINE)
LINK = re.compile(r"``([A-Z]\w*)(?:/[^`]+)?``")


def public_types(root):
    return {name for file in (root / "Sources").rglob("*.swift") for name in DECLARATION.findall(file.read_text())}


def check(root):
    """One line for each fault."""
    known = public_types(root) | {folder.name for folder in (root / "Sources").iterdir()}
    faults = []
    for page in sorted(root.glob("Sources/*/*.docc/*.md")):
        for number, line in enumerate(page.read_text().splitlines(), 1):
            faults += [f"{page.relative_to(root)}:{number}: {name} is not public; take out the link, or write `{name}`"
                       for name in LINK.findall(line) if name not in known]
    return faults


def main():
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("--root", type=pathlib.Path, default=HERE.parents[1])
    faults = check(p.parse_args().root)
    for fault in faults:
        print(fault, file=sys.stderr)
    sys.exit(1 if faults else 0)


if __name__ == "__main__":
    main()

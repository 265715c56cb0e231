#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Looks up what the documents link to: types in guides, ``Type`` or ``Type/member``, and files and headings in all pages.

    python3 Tests/Checks/links.py [--root FOLDER]

Ends with 1 where a guide links to a type that is not public, which who imports PetEngine does not see, or a page to a file or heading that is not
there. Addresses of others are not asked for.
"""
import argparse
import pathlib
import re
import sys

HERE = pathlib.Path(__file__).resolve().parent
DECLARATION = re.compile(r"^\s*public (?:final |indirect )?(?:struct|enum|class|actor|protocol|typealias) (\w+)", re.MULTILINE)
LINK = re.compile(r"``([A-Z]\w*)(?:/[^`]+)?``")
PAGES = ["*.md", "*/README.md", "*/*/README.md", "Models/*/*.md", "Benchmarks/results/*.md", "Sources/*/*.docc/*.md"]
TARGET = re.compile(r"\]\(([^()\s]+)\)")
CODE = re.compile(r"^```.*?^```|`[^`\n]*`", re.MULTILINE | re.DOTALL)


def public_types(root):
    return {name for file in (root / "Sources").rglob("*.swift") for name in DECLARATION.findall(file.read_text())}


def anchor(heading):
    """What a heading is called in an address, as hosts of repositories do it: `What is kept, and where` is what-is-kept-and-where."""
    return re.sub(r"[^\w\- ]", "", heading.strip().lower()).replace(" ", "-")


def anchors(text):
    return {anchor(line.lstrip("#")) for line in re.sub(r"^```.*?^```", "", text, flags=re.MULTILINE | re.DOTALL).splitlines() if line.startswith("#")}


def lost(root):
    """One line for each link of a page that leads nowhere."""
    faults = []
    for page in sorted({page for pattern in PAGES for page in root.glob(pattern)}):
        text = CODE.sub(lambda code: "\n" * code[0].count("\n"), page.read_text())
        for number, line in enumerate(text.splitlines(), 1):
            for target in TARGET.findall(line):
                path, _, heading = target.partition("#")
                file = page.parent / path if path else page
                if ":" in target:
                    continue
                place = f"{page.relative_to(root)}:{number}"
                if not file.exists():
                    faults.append(f"{place}: there is no {target}")
                elif heading and heading not in anchors(file.read_text()):
                    faults.append(f"{place}: {path or page.name} has no heading #{heading}; it has {', '.join(sorted(anchors(file.read_text())))}")
    return faults


def check(root):
    """One line for each fault."""
    known = public_types(root) | {folder.name for folder in (root / "Sources").iterdir()}
    faults = []
    for page in sorted(root.glob("Sources/*/*.docc/*.md")):
        for number, line in enumerate(page.read_text().splitlines(), 1):
            faults += [f"{page.relative_to(root)}:{number}: {name} is not public; take out the link, or write `{name}`"
                       for name in LINK.findall(line) if name not in known]
    return faults + lost(root)


def main():
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("--root", type=pathlib.Path, default=HERE.parents[1])
    faults = check(p.parse_args().root)
    for fault in faults:
        print(fault, file=sys.stderr)
    sys.exit(1 if faults else 0)


if __name__ == "__main__":
    main()

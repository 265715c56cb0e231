#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Compares what the products of Package.swift link with what modules.toml says that they leave out.

    python3 Tests/Checks/products.py [--root FOLDER]

Ends with 1 where a product depends on a target or library that it must not bring, and says by which way.
"""
import argparse
import fnmatch
import json
import pathlib
import subprocess
import sys
import tempfile
import tomllib

HERE = pathlib.Path(__file__).resolve().parent


def needs(target):
    """The names of the targets and of the products of other packages that a target of the manifest names."""
    return [dependency[kind][0] for dependency in target["dependencies"]
            for kind in ("byName", "target", "product") if kind in dependency]


def ways(manifest, product):
    """{name: the way to it from the product} of all that a product depends on."""
    targets = {target["name"]: needs(target) for target in manifest["targets"]}
    found, waiting = {}, [(name, [name]) for name in product["targets"]]
    while waiting:
        name, way = waiting.pop(0)
        if name not in found:
            found[name] = way
            waiting += [(other, way + [other]) for other in targets.get(name, [])]
    return found


def check(manifest, without):
    """One line for each fault."""
    products = {product["name"]: product for product in manifest["products"]}
    faults = [f"modules.toml: Package.swift has no product {name}; take it out" for name in sorted(set(without) - set(products))]
    for name in sorted(set(without) & set(products)):
        for other, way in ways(manifest, products[name]).items():
            if any(fnmatch.fnmatchcase(other, pattern) for pattern in without[name]):
                faults.append(f"Package.swift: the product {name} brings {other}, by {' -> '.join(way)}; take out that dependency")
    return faults


def main():
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("--root", type=pathlib.Path, default=HERE.parents[1])
    args = p.parse_args()
    # A folder of its own: a build that is under way holds the usual one.
    with tempfile.TemporaryDirectory() as scratch:
        said = subprocess.run(["swift", "package", "--package-path", args.root, "--scratch-path", scratch, "dump-package"],
                              check=True, stdout=subprocess.PIPE).stdout
    faults = check(json.loads(said), tomllib.loads((HERE / "modules.toml").read_text())["without"])
    for fault in faults:
        print(fault, file=sys.stderr)
    sys.exit(1 if faults else 0)


if __name__ == "__main__":
    main()

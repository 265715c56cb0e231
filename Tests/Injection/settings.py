#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Tries, as code of an attacker in petd could, to change what petd must not: settings, tokens, models and whose catalogs count.

    settings.py PETD

Makes the calls in the sealed daemon with ptrace(2), as inject.py does. Prints each and what the kernel said. Ends with 1 where a file could be
changed or made, or where a pet's could not; 77 where it cannot be tried (no x86_64, not root). Needs Landlock.
"""
import errno, os, platform, sys

import inject

OPENAT, RENAMEAT = 257, 264
HERE = -100 & (1 << 64) - 1
KEPT = ["config.toml", "petd.token", "trust/0123.pub", "trust/catalogs.json", "catalogs/a.json", "models/.local.json", "models/mine/a.gguf"]


def main():
    if len(sys.argv) != 2: sys.exit(__doc__)
    if platform.machine() != "x86_64" or os.geteuid() != 0:
        print("not tried: needs x86_64 and root"); return 77
    place, wrong = inject.Place(0), 0
    home = place.own
    for name in KEPT:
        os.makedirs(os.path.dirname(f"{home}/{name}"), exist_ok=True)
        with open(f"{home}/{name}", "w") as file: file.write("")
    os.chmod(f"{home}/petd.token", 0o600)
    try:
        program = inject.Program(os.path.abspath(sys.argv[1]), place, 0, False)

        def attempt(what, is_let, number, *arguments):
            nonlocal wrong
            result = program.call(number, *arguments)
            is_right = result >= 0 if is_let else result in (-errno.EACCES, -errno.EPERM, -errno.EXDEV)
            wrong += not is_right
            print(f"{what}: {'let' if result >= 0 else errno.errorcode.get(-result, result)}{'' if is_right else ', WRONG'}")

        def path(name, offset=0): return program.write(offset, os.fsencode(f"{home}/{name}") + b"\0")

        # What a pet keeps can be made, and what is there be read.
        attempt("made: pets/made", True, OPENAT, HERE, path("pets/made"), os.O_WRONLY | os.O_CREAT, 0o600)
        for name in KEPT:
            attempt(f"read: {name}", True, OPENAT, HERE, path(name), os.O_RDONLY)
            attempt(f"written: {name}", False, OPENAT, HERE, path(name), os.O_WRONLY)
            attempt(f"made: {name}.new", False, OPENAT, HERE, path(name + ".new"), os.O_WRONLY | os.O_CREAT, 0o600)
            attempt(f"replaced: {name}", False, RENAMEAT, HERE, path("pets/made"), HERE, path(name, 4096))
        program.end()
    finally:
        place.end()
    print(f"\nnot as it should be: {wrong}")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())

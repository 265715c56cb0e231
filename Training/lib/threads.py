# SPDX-License-Identifier: Apache-2.0
"""The hand-written threads, split once and for all as the other dialogue is."""
import hashlib
import importlib.util

from . import corpus

FOLDER = corpus.ROOT / "corpus" / "threads"
_spec = importlib.util.spec_from_file_location("check_threads", FOLDER / "check.py")
_check = importlib.util.module_from_spec(_spec)
_spec.loader.exec_module(_check)


def split():
    """{"train": [...], "validation": [...], "test": [...]} by the opening line: a thread is in one part as a whole."""
    parts = {"train": [], "validation": [], "test": []}
    for path in sorted(FOLDER.glob("threads_*.txt")):
        parsed, errors = _check.parse(path)
        if errors:
            raise SystemExit(f"{path}: {errors[:3]}")
        for thread in parsed:
            key = corpus.normalized(thread["turns"][0][0]) or thread["turns"][0][0]
            number = int.from_bytes(hashlib.sha256(key.encode()).digest()[:4], "big") % 1000
            part = ("validation" if number < corpus.VALIDATION else
                    "test" if number < corpus.VALIDATION + corpus.TEST else "train")
            parts[part].append(thread | {"source": path.stem})
    return parts

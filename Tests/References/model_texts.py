# SPDX-License-Identifier: Apache-2.0
"""What the comparison with llama.cpp runs on: committed text, committed prompts, and slices of the text."""
import json
from pathlib import Path

FIXTURES = Path(__file__).parent.parent / "Fixtures"
ESSAY = FIXTURES / "text" / "essay.txt"
GOLDENS = FIXTURES / "smollm2"
CONTEXT = 512
NEW_TOKENS = 64
SLICES, SLICE = 8, 64


def essay():
    return ESSAY.read_text(encoding="utf-8")


def prompts():
    return json.loads((GOLDENS / "prompts.json").read_text(encoding="utf-8"))


def slices(ids):
    """Eight runs of 64 tokens spread over the text (prose, how-to, list, figures, code, other scripts), each evaluated
    from an empty cache: 512 positions."""
    step = (len(ids) - SLICE) // (SLICES - 1)
    return [ids[i * step:i * step + SLICE] for i in range(SLICES)]

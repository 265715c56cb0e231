# SPDX-License-Identifier: Apache-2.0
"""How all of these programs keep what they found."""
import json

from petd import ROOT
from report import of_commit

FOLDER = ROOT / "Benchmarks" / "results"


def write(folder, name, found, markdown, svg=None):
    folder.mkdir(parents=True, exist_ok=True)
    (folder / f"{name}.json").write_text(json.dumps(found, indent=1) + "\n", encoding="utf-8")
    (folder / f"{name}.md").write_text(markdown, encoding="utf-8")
    if svg:
        (folder / f"{name}.svg").write_text(svg, encoding="utf-8")


def facts_line(facts):
    return (f"{facts['cpu']}, {facts['cores']} cores, {facts['memory_gb']} GB, {facts['system']}, "
            f"load {facts['load_at_start']:.1f} at the start{of_commit(facts)}.")

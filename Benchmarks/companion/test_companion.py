# SPDX-License-Identifier: Apache-2.0
"""Tests of what checks, computes and draws, without a pet: python3 -m unittest discover -s Benchmarks/companion"""
import hashlib
import json
import os
import random
import re
import sqlite3
import sys
import tempfile
import unittest
import xml.etree.ElementTree as ET
from pathlib import Path
from types import SimpleNamespace

sys.path.insert(1, str(Path(__file__).resolve().parents[1] / "compare"))

import kill  # noqa: E402
import kill_checks  # noqa: E402
import needs  # noqa: E402
import turn_chart  # noqa: E402
import turns  # noqa: E402
from chats import Home, percentile  # noqa: E402

LIFE = {"levels": dict.fromkeys(kill_checks.LEVELS, 50), "effects": [{"left": 60, "per_hour": -15, "value": "hunger"}], "rest_left": 0,
        "since_contact": 0, "since_notice": 1_209_600, "repetitions": {"pet": 2.0}, "seconds": 1000}


class Programs(unittest.TestCase):
    def test_what_the_readme_starts_can_be_started(self):
        root = Path(__file__).resolve().parents[2]
        found = re.findall(r"^(Benchmarks/\S+\.(?:py|sh))", (root / "Benchmarks/README.md").read_text(), re.MULTILINE)
        self.assertGreater(len(found), 8)
        self.assertEqual([path for path in found if not os.access(root / path, os.X_OK)], [])


class Folder(unittest.TestCase):
    """A pet's folder in which one thing after the other is broken."""

    def setUp(self):
        self.temporary = tempfile.TemporaryDirectory()
        self.addCleanup(self.temporary.cleanup)
        self.home = Home(self.temporary.name, models=Path(self.temporary.name))
        self.folder = self.home.folder(kill.PERSONA)
        self.folder.parent.mkdir(mode=0o700)
        self.folder.mkdir(mode=0o700)
        self.write("state.json", json.dumps({"version": 1, "life": LIFE}).encode())
        head = kill_checks.CACHE_HEAD + bytes(16)
        self.write("answers.cache", head + hashlib.sha256(head).digest()[:8])
        with sqlite3.connect(self.folder / "memory.sqlite") as db:
            db.execute("CREATE TABLE fact (id INTEGER PRIMARY KEY, body BLOB)")
            db.execute("INSERT INTO fact (body) VALUES (?)", [json.dumps({"text": "likes tiny maps", "value": "Tiny maps"}).encode()])
        db.close()
        os.chmod(self.folder / "memory.sqlite", 0o600)
        (self.home.path / "models").unlink(missing_ok=True)

    def write(self, name, data, mode=0o600):
        path = self.folder / name
        path.write_bytes(data)
        os.chmod(path, mode)

    def problems(self, lines=(("i love tiny maps", "tiny maps", None),), **before):
        script = SimpleNamespace(lines=list(lines))
        run = SimpleNamespace(seen=list(range(len(lines))), watched=len(lines), reported=[], start=1000.5)
        before = {"words": set(), "seconds": 1000, "repetitions": {}} | before
        return kill.examine(self.home, before, run, script)[0]

    def test_a_sound_folder_has_no_problems(self):
        self.assertEqual(self.problems(), [])
        self.assertEqual(kill_checks.cache_problems(self.folder), [])

    def test_a_fact_that_is_gone_is_found_out(self):
        self.assertIn("lost", self.problems([("i love tiny hats", "tiny hats", None)])[0])
        self.assertIn("earlier", self.problems(words={"glass clocks"})[0])

    def test_a_broken_database_is_found_out(self):
        data = bytearray((self.folder / "memory.sqlite").read_bytes())
        data[4096 + 100:] = bytes(len(data) - 4196)
        data[100:140] = b"\xff" * 40
        self.write("memory.sqlite", bytes(data))
        self.assertTrue(any(p.startswith("database") for p in self.problems([])))

    def test_time_that_went_back_values_out_of_range_and_lost_care_are_found_out(self):
        self.assertIn("went back", self.problems(seconds=1001)[0])
        self.write("state.json", json.dumps({"life": LIFE | {"levels": LIFE["levels"] | {"mood": 101}, "rest_left": -1}}).encode())
        self.assertEqual(len(self.problems()), 2)
        self.write("state.json", json.dumps({"life": LIFE}).encode())
        self.assertEqual(self.problems([("/pet", None, "pet")] * 2), [])
        self.assertIn("care", self.problems([("/pet", None, "pet")] * 3)[0])

    def test_torn_or_missing_state_is_found_out(self):
        self.write("state.json", b'{"life": {"levels"')
        self.assertIn("cannot be read", self.problems()[0])
        (self.folder / "state.json").unlink()
        self.assertIn("state: gone", self.problems())

    def test_modes_and_what_is_left_behind_are_found_out(self):
        self.write("state.json", (self.folder / "state.json").read_bytes(), mode=0o644)
        self.write("memory.sqlite.damaged-1", b"")
        self.write(".state.json.new", b"")
        self.assertEqual(sorted(p.split()[-1] for p in self.problems()), ["0644", "behind"])
        self.assertEqual(kill_checks.drafts(self.folder), 1)

    def test_a_torn_head_of_the_kept_answers_is_found_out(self):
        self.write("answers.cache", (self.folder / "answers.cache").read_bytes()[:31])
        self.assertEqual(len(kill_checks.cache_problems(self.folder)), 1)


class Figures(unittest.TestCase):
    def row(self, turn, ms, source="model"):
        return {"turn": turn, "ttft_ms": ms, "source": source, "dropped_turns": int(turn == 30)}

    def test_only_turns_of_the_model_after_the_first_count(self):
        rows = [self.row(1, 999)] + [self.row(t, 10) for t in range(2, 21)] + [self.row(t, 500, "bank") for t in range(21, 41)]
        rows += [self.row(t, 15) for t in range(41, 61)]
        found = turns.figures(rows, "ttft_ms")
        self.assertEqual((found["early"], found["late"], found["ratio"], found["p95"], found["most"]), (10, 15, 1.5, 15, 15))
        self.assertEqual(turns.drops(rows), [30])
        self.assertIsNone(turns.figures(rows[:1], "ttft_ms"))

    def test_a_prompt_read_anew_is_told_from_one_that_lost_turns(self):
        rows = [self.row(t, 10) | {"prompt_tokens": 100, "cached_tokens": 20 if t > 28 else 80} for t in range(1, 32)]
        self.assertEqual(turns.rereads(rows), [29, 31])

    def test_percentiles_are_nearest_ranks(self):
        self.assertEqual([percentile([3, 1, 2, 4], p) for p in (1, 50, 95)], [1, 2, 4])
        self.assertIsNone(percentile([], 50))

    def test_lines_follow_from_the_seed_and_facts_are_told_first(self):
        self.assertEqual(turns.lines(30, 1, True), turns.lines(30, 1, True))
        self.assertNotEqual(turns.lines(30, 1, False), turns.lines(30, 2, False))
        facts = json.loads(turns.FACTS.read_text())["facts"]
        said = turns.lines(60, 1, True)
        self.assertEqual(said[:12], [f["said"] for f in facts[:12]])
        self.assertTrue({f["asked"] for f in facts[:12]} & set(said[12:]))

    def test_a_script_tells_facts_and_cares_at_a_terminal_only(self):
        lines = json.loads(kill.LINES.read_text())
        scripts = {terminal: kill.Script(random.Random(1), 200, terminal, lines).lines for terminal in (False, True)}
        self.assertFalse(any(care for _, _, care in scripts[False]))
        self.assertTrue(any(care for _, _, care in scripts[True]))
        self.assertTrue(all(word in text for text, word, _ in scripts[True] if word))

    def test_the_chart_is_well_formed_and_marks_each_drop(self):
        panels = [("pipe", [(t, t) for t in range(1, 50)], [10, 20]), ("terminal & more", [(1, 2.0)], [])]
        root = ET.fromstring(turn_chart.svg("first <token>", panels))
        space = "{http://www.w3.org/2000/svg}"
        self.assertEqual(len(root.findall(f"{space}circle")), 50)
        self.assertEqual(len([r for r in root.findall(f"{space}rect") if r.get("class") == "theirs"]), 3)


class Needs(unittest.TestCase):
    def found(self, **machine):
        return {"machine": {"cpu": "c", "cores": 2, "memory_gb": 8, "system": "s", "load_at_start": 0.5, **machine}, "runs": 3, "files_mb": 62.54, "code_mb": 18.8,
                "shared": True, "models": {"the built-in model": {"talk_mb": [50, 52, 51], "line_mb": [35, 35, 34], "first_ms": [120, 99.6, 300]}}}

    def test_figures_are_medians_with_their_machine_and_commit(self):
        text = needs.markdown(self.found(commit="0123abcd+"))
        self.assertIn("s, load 0.5 at the start, commit 0123abcd+. `needs.py --runs 3`", text)
        self.assertRegex(text, r"\| the built-in model \| +35 \(34-35\) \| +51 \(50-52\) \| +120 \(99\.6-300\) \|")
        self.assertIn("62.5 MB of built-in files, 18.8 MB of code, beside Swift's libraries", text)

    def test_a_run_without_a_commit_names_none(self):
        self.assertNotIn("commit", needs.markdown(self.found()))
        self.assertNotIn("commit", needs.markdown(self.found(commit=None)))


if __name__ == "__main__":
    unittest.main()

# SPDX-License-Identifier: Apache-2.0
"""Tests of what computes and writes, without an engine: python3 -m unittest discover -s Benchmarks/compare"""
import os
import tempfile
import unittest
import xml.etree.ElementTree as ET
from pathlib import Path

import chart
import machine
import report
import speed
import targets
from engines import Sample


class Fixed:
    def __init__(self, name):
        self.name = name


def runs(name, test, values, bytes_per_token=None):
    return speed.Runs(Fixed(name), [Sample({test: v}, 1, 2, 3, bytes_per_token) for v in values])


class Speed(unittest.TestCase):
    plan = speed.Plan({"A": "a", "B": "b"}, [2], [], 8, 3, 1)

    def table(self):
        found = {("A", 2): ([runs("x", "tg8", [10, 20, 30]), runs("y", "tg8", [15, 5, 10])], runs("Pet", "tg8", [30, 80, 60], 10**9)),
                 ("B", 2): ([runs("x", "tg8", [40, 40, 40])], runs("Pet", "tg8", [40, 40, 50], 2 * 10**9))}
        return speed.rows(self.plan, found)

    def test_the_best_configuration_counts(self):
        first, second = self.table()
        self.assertEqual((first["engine"], first["theirs"]), ("x", {"median": 20, "min": 10, "max": 30}))
        self.assertEqual((first["ratio"], first["ratio_min"], first["ratio_max"]), (3.0, 2.0, 4.0))
        self.assertEqual((first["fastest_file"], first["fastest_ratio"]), ("B", 1.5))
        self.assertEqual((second["ratio"], second["fastest_ratio"]), (1.0, 1.0))

    def test_what_is_far_behind_everywhere_is_left_out(self):
        kept = speed.promising([runs("x", "tg8", [100]), runs("y", "tg8", [91]), runs("z", "tg8", [80])], ["tg8"])
        self.assertEqual([r.engine.name for r in kept], ["x", "y"])

    def test_share_of_bandwidth(self):
        rows = self.table()
        speed.add_bandwidth(rows, lambda size: 120 if size == 10**9 else 100)
        self.assertEqual((rows[0]["ours_gb"], rows[0]["ours_share"]), (60, 0.5))
        self.assertEqual((rows[1]["theirs_gb"], rows[1]["theirs_share"]), (80, 0.8))


class Machine(unittest.TestCase):
    peaks = [{"read_gb_per_second": {"64": 100, "512": 40, "1024": 42}}, {"read_gb_per_second": {"64": 150, "512": 60, "1024": 0}}]

    def test_bandwidth_of_what_fits(self):
        self.assertEqual(machine.read_bandwidth(self.peaks, 100 << 20), 150)  # 64 MiB is more than half of it
        self.assertEqual(machine.read_bandwidth(self.peaks, 200 << 20), 60)
        self.assertEqual(machine.read_bandwidth(self.peaks, 2 << 30), 42)
        self.assertEqual(machine.read_bandwidth(self.peaks, 9 << 30), 42)  # none is large enough: the largest

    def test_the_page_cache_is_dropped_and_seen(self):
        # Not in /tmp, which may be memory.
        with tempfile.NamedTemporaryFile(dir=Path(__file__).parent) as file:
            file.write(os.urandom(1 << 20))
            file.flush()
            self.assertEqual(machine.cached_share(file.name), 1)
            os.fsync(file.fileno())
            machine.drop_from_page_cache(file.name)
            self.assertLess(machine.cached_share(file.name), 1)


class Words(unittest.TestCase):
    def test_digits(self):
        self.assertEqual([report.number(v) for v in (1234.4, 99.96, 12.34, 0.1234, 0, None)], ["1234", "100", "12.3", "0.123", "0", "-"])

    def test_a_table_is_aligned(self):
        self.assertEqual(report.table(["a", "b"], [["long", 1], ["x", 234]]),
                         "| a    |   b |\n|------|----:|\n| long |   1 |\n| x    | 234 |")

    def test_a_chart_has_a_bar_per_engine_and_file(self):
        rows = [{"file": f, "test": t, "threads": 2, "theirs": {"median": 10}, "ours": {"median": 25}}
                for t in ("pp8", "tg8") for f in ("A<", "B")]
        root = ET.fromstring(chart.svg("title & more", chart.panels(rows, 2)))
        space = "{http://www.w3.org/2000/svg}"
        bars = [e for e in root.iter(space + "rect") if e.get("class") == "ours" and e.get("height") == str(chart.BAR)]
        self.assertEqual(len(bars), 4)
        texts = [e.text for e in root.iter(space + "text")]
        self.assertIn("A<", texts)
        self.assertEqual(texts.count("25 (2.50 x)"), 4)
        self.assertIn("prefers-color-scheme: dark", root.find(space + "style").text)


class Targets(unittest.TestCase):
    def test_the_weakest_test_decides(self):
        rows = [{"file": "Q4_1", "test": t, "threads": n, "ratio": r, "fastest_ratio": 1.0}
                for t, n, r in (("pp128", 2, 4.5), ("pp512", 2, 3.9), ("tg128", 2, 2.6), ("tg128", 1, 0.1))]
        found = {t["name"]: (t["value"], t["met"])
                 for t in targets.reached({"speed": rows, "settings": {"reply": 128}})}
        self.assertEqual(found["Q4_1, reading, same file"], (3.9, False))
        self.assertEqual(found["Q4_1, writing, same file"], (2.6, True))
        self.assertNotIn("Q8_0, writing, same file", found)


if __name__ == "__main__":
    unittest.main()

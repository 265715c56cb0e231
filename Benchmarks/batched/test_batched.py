# SPDX-License-Identifier: Apache-2.0
"""Tests of what computes and draws, without an engine: python3 -m unittest discover -s Benchmarks/batched"""
import sys
import unittest
import xml.etree.ElementTree as ET
from pathlib import Path

sys.path.insert(1, str(Path(__file__).resolve().parents[1] / "compare"))

import batched_report  # noqa: E402
import batched_rounds  # noqa: E402
import line_chart  # noqa: E402
import serving  # noqa: E402
from batched_engines import LlamaCpp, Pet, Sample, Work, percentile  # noqa: E402


class Silent:
    def step(self, label):
        pass


class Fixed:
    """An engine whose runs give what was written down, and that notes the order of all runs."""

    def __init__(self, name, samples, log):
        self.name, self.samples, self.log = name, list(samples), log

    def run(self, work):
        self.log.append(self.name)
        return self.samples.pop(0)


def samples(speeds, p95=10):
    return [Sample(s, p95 / 2, p95) for s in speeds]


class Engines(unittest.TestCase):
    def test_percentiles_are_nearest_ranks(self):
        self.assertEqual([percentile([3, 1, 2, 4], p) for p in (1, 50, 75, 95, 100)], [1, 2, 3, 4, 4])
        self.assertEqual(percentile(range(1, 101), 95), 95)

    def test_fields_of_steps_are_preferred(self):
        row = {"tokens_per_second": 100, "token_ms": {"p50": 1, "p95": 2}}
        self.assertEqual(Pet.sample(row), Sample(100, 1, 2))
        self.assertEqual(Pet.sample({**row, "step_p50_ms": 8, "step_p95_ms": 9}), Sample(100, 8, 9))

    def test_the_peers_steps_become_speed_and_percentiles(self):
        # Two runs of two steps with four sequences: 8 tokens in 20 ms and in 40 ms.
        self.assertEqual(LlamaCpp.sample([[10, 10], [10, 30]], 4), Sample(300, 10, 30))


class Rounds(unittest.TestCase):
    def measured(self, log):
        peers = [Fixed("x", samples([100, 120]), log), Fixed("y", samples([95, 90], 20), log), Fixed("z", samples([50]), log)]
        ours = Fixed("Pet", samples([200, 260], 4), log)
        works = {8: Work(Path("f"), 2, 8, 1, 1, 1)}
        return batched_rounds.measure(works, peers, ours, 2, Silent())

    def test_the_order_turns_and_what_is_far_behind_is_left_out(self):
        log = []
        self.measured(log)
        self.assertEqual(log, ["x", "y", "z", "Pet", "Pet", "y", "x"])

    def test_the_best_configuration_counts(self):
        row, = batched_rounds.rows(self.measured([]))
        self.assertEqual((row["configuration"], row["theirs"]["tokens_per_second"]), ("x", 110))
        self.assertAlmostEqual(row["ratio"], 230 / 110)
        self.assertEqual((row["ratio_min"], row["p95_ratio"]), (2.0, 2.5))

    def test_a_step_is_bound_by_reading_or_by_computing(self):
        table = [{"sequences": n, "theirs": {"step_p50_ms": 20}, "ours": {"step_p50_ms": 10}} for n in (1, 32)]
        batched_rounds.add_bounds(table, {"parameters": 10**8, "weight_bytes": 10**8}, bandwidth=20, int8_gops=1000)
        one, many = table
        self.assertEqual((one["read_ms"], one["compute_ms"], one["ours_share"]), (5, 0.2, 0.5))
        self.assertEqual((many["compute_ms"], many["ours_share"], many["theirs_share"]), (6.4, 0.64, 0.32))


class Words(unittest.TestCase):
    model = {"name": "a < b", "rows": [
        {"sequences": n, "theirs": {"tokens_per_second": 10 * n, "step_p95_ms": 3 * n},
         "ours": {"tokens_per_second": 25 * n, "step_p95_ms": n}, "ratio": 2.5, "p95_ratio": 3.0} for n in (1, 8, 32)]}

    def test_a_chart_has_a_line_per_engine_and_panel(self):
        root = ET.fromstring(line_chart.svg("t & u", batched_report.panels(self.model)))
        space = "{http://www.w3.org/2000/svg}"
        lines = [(e.get("class"), len(e.get("points").split())) for e in root.iter(space + "polyline")]
        self.assertEqual(lines, [("theirs", 3), ("ours", 3)] * 2)
        texts = [e.text for e in root.iter(space + "text")]
        self.assertEqual((texts.count("2.50 x"), texts.count("3.00 x")), (3, 3))

    def test_axes_end_on_round_numbers(self):
        self.assertEqual([line_chart.round_up(v) for v in (0.3, 1, 7.2, 85, 900, 0)], [0.4, 1, 8, 100, 1000, 1])

    def test_the_median_over_runs_that_have_a_figure(self):
        runs = [{"during": {"p95_ms": 5}}, {"during": None}, {"during": {"p95_ms": 9}}]
        self.assertEqual(serving.middle(runs, "during", "p95_ms"), 7)
        self.assertIsNone(serving.middle(runs, "after", "p95_ms"))


if __name__ == "__main__":
    unittest.main()

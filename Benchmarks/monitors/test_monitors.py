# SPDX-License-Identifier: Apache-2.0
"""What monitors.py computes and judges, without anything built."""
import sys
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))

import monitors  # noqa: E402


def found(start=5.0, sealed=100.0, observed=100.0, record=300.0, badge=260.0, look=20.0):
    return {"machine": {"cpu": "c", "cores": 2, "memory_gb": 8, "system": "s", "load_at_start": 0.5}, "states": {"sealed": "enforced"},
            "starts_ms": {"sealed": [20 + start, 21 + start, 90], "unsealed": [20, 21, 22]},
            "speeds": {"sealed": [sealed, sealed * 2, 3], "unsealed": [100.0, 200.0, 3]},
            "costs": {"observed": [observed, 50.0, 70.0], "bare": [100.0, 50.0, 70.0], "recordNanoseconds": record,
                      "recordNanosecondsOfFour": record, "briefLookMicroseconds": look, "wholeLookMicroseconds": 200.0,
                      "badgeMilliseconds": {"raw": [10.0, badge], "netlink": [5.0]}}}


class Judged(unittest.TestCase):
    def test_all_hold(self):
        self.assertTrue(all(holds for *_, holds in monitors.judged(found())))

    def test_each_bound_is_passed(self):
        for index, change in enumerate([{"start": 20.0}, {"sealed": 99.4}, {"look": 2000.0}, {"record": 1000.0}, {"badge": 1000.0}]):
            values = found(**change)
            holds = [holds for *_, holds in monitors.judged(values)]
            self.assertEqual(holds, [other != index for other in range(5)], change)

    def test_report_names_every_kind(self):
        text = monitors.markdown(type("Arguments", (), {"rounds": 3}), found())
        self.assertIn("| netlink", text)
        self.assertIn("enforced", text)


if __name__ == "__main__":
    unittest.main()

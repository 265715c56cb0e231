# SPDX-License-Identifier: Apache-2.0
"""What a picture, a voice and a table of moods show."""

import unittest

from daemon import ROOT, Daemon
from document import errors

EXAMPLES = ROOT / "Examples/classify"


class Classify(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.daemon = Daemon()
        cls.addClassCleanup(cls.daemon.stop)
        cls.http = cls.daemon.unix()
        cls.addClassCleanup(cls.http.close)

    def classify(self, kind: str, body: bytes, form: str, status: int = 200):
        """What was answered, once it is what the document says."""
        response = self.http.post(f"/pet/classify/{kind}", content=body)
        self.assertEqual(response.status_code, status, response.text)
        self.assertEqual(errors(form, response.json()), [])
        return response.json()

    def example(self, name: str) -> bytes:
        return (EXAMPLES / name).read_bytes()

    def test_pose(self):
        answer = self.classify("pose", self.example("photo.jpg"), "PoseAnswer")
        self.assertEqual((answer["model"], answer["result"]["people"]), ("PoseDetection_Low", 1))

    def test_expression(self):
        answer = self.classify("expression", self.example("photo.jpg"), "ExpressionAnswer")
        face = answer["result"]["expression"]
        self.assertEqual((face["finding"], face["label"]), ("happy", "happy"))

    def test_affect(self):
        answer = self.classify("affect", self.example("talk.wav"), "AffectAnswer")
        self.assertEqual(answer["result"]["result"], "affect")
        self.assertIsNone(answer["result"]["affect"]["finding"])

    def test_stress(self):
        answer = self.classify("stress", self.example("moods.csv"), "StressAnswer")
        self.assertEqual((answer["result"]["finding"], answer["result"]["level"]), ("high", "high"))
        self.classify("stress", b'[{"tired": 1}, {"tired": 2, "sleepy": null}]', "StressAnswer")

    def test_what_is_broken(self):
        photo = self.example("photo.jpg")
        for kind, body in [
            ("pose", photo[:9000]), ("expression", b""), ("affect", photo), ("affect", self.example("talk.wav")[:5000]),
            ("stress", b"\xff"), ("stress", b'{"tired": 9}'), ("stress", b"{}"),
        ]:
            with self.subTest(kind=kind, body=body[:20]):
                self.assertEqual(self.classify(kind, body, "Error", 400)["error"]["code"], "invalid_input")

    def test_models_go(self):
        self.classify("pose", self.example("photo.jpg"), "PoseAnswer")
        self.http.post("/pet/models/unload")
        states = {model["name"]: model["state"] for model in self.http.get("/pet/models").json()["data"]}
        self.assertEqual({states[name] for name in ["pose", "vocal-affect", "facial-expression", "parent-stress"]}, {"notLoaded"})


if __name__ == "__main__":
    unittest.main()

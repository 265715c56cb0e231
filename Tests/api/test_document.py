# SPDX-License-Identifier: Apache-2.0
"""The daemon does what its description says."""

import os
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

from daemon import Daemon
from document import DOCUMENT, errors, schema

FOLDER = Path(__file__).parent


class Document(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.daemon = Daemon()
        cls.addClassCleanup(cls.daemon.stop)
        cls.http = cls.daemon.tcp()
        cls.addClassCleanup(cls.http.close)

    def test_it_is_served_as_it_stands(self):
        response = self.http.get("/openapi.json", headers={"Authorization": ""})
        self.assertEqual(response.headers["content-type"], "application/json")
        self.assertEqual(response.json(), DOCUMENT)

    def test_numbers_have_the_bounds_it_tells(self):
        # What a model says most ends a reply soon, however many tokens are allowed.
        short = {"temperature": 0, "stop": [" ", "e", "a", "."]}
        for path, name, body in [
            ("/v1/chat/completions", "ChatRequest", {"messages": [{"role": "user", "content": "Hi"}], "logprobs": True}),
            ("/v1/completions", "TextRequest", {"prompt": "Once"}),
            ("/pet/completions", "PetCompletionRequest", {"prompt": "Once"}),
        ]:
            for field, form in schema(name)["properties"].items():
                form = schema(form["$ref"].rsplit("/", 1)[1]) if "$ref" in form else form
                if "minimum" not in form:
                    continue
                step = 1 if "integer" in form["type"] else 0.001
                for value, status in [
                    (None, 200), (form["minimum"], 200), (form["maximum"], 200),
                    (form["minimum"] - step, 400), (form["maximum"] + step, 400), ("1", 400), ([], 400),
                ]:
                    with self.subTest(path=path, field=field, value=value):
                        response = self.http.post(path, json=short | body | {field: value})
                        self.assertEqual(response.status_code, status, response.text)
                        if status == 400:
                            self.assertEqual(errors("Error", response.json()), [])
                            self.assertIn(response.json()["error"]["param"], [field, None])

    def test_no_request_breaks_it(self):
        with tempfile.TemporaryDirectory() as folder:
            result = subprocess.run(
                [
                    str(Path(sys.executable).with_name("schemathesis")),
                    "--config-file", str(FOLDER / "schemathesis.toml"), "run", self.daemon.url + "/openapi.json",
                ],
                cwd=folder, capture_output=True, text=True, timeout=300,
                env=os.environ | {
                    "PETD_TOKEN": self.daemon.token, "PYTHONPATH": str(FOLDER), "PYTHONDONTWRITEBYTECODE": "1"})
        self.assertEqual(result.returncode, 0, result.stdout + result.stderr)
        self.assertEqual(self.http.get("/health").status_code, 200)

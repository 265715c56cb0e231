# SPDX-License-Identifier: Apache-2.0
"""What curl sees."""

import json
import subprocess
import unittest

from daemon import Daemon
from document import errors
from events import events


class Curl(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.daemon = Daemon()
        cls.addClassCleanup(cls.daemon.stop)
        cls.ways = {
            "TCP": ["-H", f"Authorization: Bearer {cls.daemon.token}", cls.daemon.url],
            "Unix socket": ["--unix-socket", cls.daemon.socket, "http://pet"],
        }

    def curl(self, way: str, path: str, *arguments: str) -> tuple[int, dict[str, str], str]:
        """Status, header fields by their names in small letters, and body."""
        *options, base = self.ways[way]
        output = subprocess.run(
            ["curl", "--silent", "--show-error", "--max-time", "60", "--include", *arguments, *options, base + path],
            check=True, capture_output=True).stdout.decode()
        head, _, body = output.partition("\r\n\r\n")
        status, *fields = head.split("\r\n")
        headers = {name.lower(): value for name, value in (field.split(": ", 1) for field in fields)}
        return int(status.split()[1]), headers, body

    def test_chat(self):
        body = json.dumps({"messages": [{"role": "user", "content": "Hello"}], "max_tokens": 8})
        for way in self.ways:
            with self.subTest(way):
                status, headers, text = self.curl(way, "/v1/chat/completions", "--data", body)
                self.assertEqual((status, headers["content-type"]), (200, "application/json"))
                self.assertEqual(errors("ChatCompletion", json.loads(text)), [])
                self.assertTrue(headers["x-request-id"])

    def test_stream(self):
        body = json.dumps({"prompt": "Once upon a time", "max_tokens": 8, "stream": True})
        for way in self.ways:
            with self.subTest(way):
                status, headers, text = self.curl(way, "/v1/completions", "--no-buffer", "--data", body)
                self.assertEqual((status, headers["content-type"]), (200, "text/event-stream"))
                *chunks, last = [data for _, data in events(text.splitlines())]
                self.assertEqual(last, "[DONE]")
                self.assertTrue("".join(chunk["choices"][0]["text"] for chunk in chunks))

    def test_body_in_chunks(self):
        for way in self.ways:
            with self.subTest(way):
                status, _, text = self.curl(
                    way, "/pet/sessions", "-H", "Transfer-Encoding: chunked", "--data", '{"pet": "mochi"}')
                self.assertEqual(status, 201)
                self.assertEqual(errors("Session", json.loads(text)), [])

    def test_head(self):
        for way in self.ways:
            with self.subTest(way):
                for path in ["/v1/models", "/health", "/openapi.json", "/dashboard", "/dashboard/events"]:
                    whole = None if path.endswith("events") else self.curl(way, path)
                    status, headers, body = self.curl(way, path, "--head")
                    self.assertEqual((status, body), (200, ""), path)
                    if whole:
                        self.assertEqual(headers["content-type"], whole[1]["content-type"])
                        self.assertAlmostEqual(int(headers["content-length"]), len(whole[2].encode()), delta=8)

    def test_other_methods(self):
        for way in self.ways:
            with self.subTest(way):
                for path, method, allowed in [
                    ("/v1/models", "POST", {"GET", "HEAD"}),
                    ("/v1/chat/completions", "GET", {"POST"}),
                    ("/pet/sessions/mochi.one", "PATCH", {"DELETE", "GET", "HEAD", "PUT"}),
                ]:
                    status, headers, text = self.curl(way, path, "--request", method)
                    self.assertEqual(status, 405)
                    self.assertEqual(set(headers["allow"].split(", ")), allowed)
                    self.assertEqual(errors("Error", json.loads(text)), [])

    def test_what_is_not_there(self):
        for way in self.ways:
            with self.subTest(way):
                for path in ["/", "/v1", "/v1/models/a/b", "/pet/pets/rex/state", "/pet/sessions/mochi"]:
                    status, _, text = self.curl(way, path)
                    self.assertEqual(status, 404, path)
                    self.assertEqual(json.loads(text)["error"]["type"], "not_found_error")

    def test_token_is_needed_over_tcp_alone(self):
        for path, status in [("/v1/models", 401), ("/health", 401), ("/openapi.json", 200), ("/dashboard", 200)]:
            result = subprocess.run(
                ["curl", "--silent", "--output", "/dev/null", "--write-out", "%{http_code}", self.daemon.url + path],
                check=True, capture_output=True)
            self.assertEqual(int(result.stdout), status, path)

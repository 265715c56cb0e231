# SPDX-License-Identifier: Apache-2.0
"""Pets, their conversations and memories, and what tells how the daemon fares."""

import itertools
import unittest

from daemon import Daemon
from document import errors
from events import events

EVENTS = {"Accept": "text/event-stream"}


class Pet(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.daemon = Daemon()
        cls.addClassCleanup(cls.daemon.stop)
        cls.http = cls.daemon.unix()
        cls.addClassCleanup(cls.http.close)

    def value(self, response, form: str, status: int = 200):
        """What was answered, once it is what the document says."""
        self.assertEqual(response.status_code, status, response.text)
        self.assertEqual(errors(form, response.json()), [])
        return response.json()

    def say(self, session: str, text: str, key: str | None = None):
        headers = {} if key is None else {"Idempotency-Key": key}
        return self.http.post(f"/pet/sessions/{session}/messages", json={"text": text}, headers=headers)

    def test_conversation(self):
        session = self.value(self.http.post("/pet/sessions", json={"pet": "tofu"}), "Session", 201)
        self.assertEqual((session["pet"], session["turns"]), ("tofu", 0))
        answer = self.value(self.say(session["id"], "Good morning!"), "Answer")
        self.assertTrue(answer["text"])
        again = self.value(self.http.put(f"/pet/sessions/{session['id']}"), "Session")
        self.assertEqual((again["turns"], again["greeting"]), (1, []))
        [exchange] = again["exchanges"]
        self.assertEqual((exchange["user"], exchange["reply"]["text"]), ("Good morning!", answer["text"]))
        self.assertEqual(self.http.delete(f"/pet/sessions/{session['id']}").status_code, 204)
        self.value(self.http.get(f"/pet/sessions/{session['id']}"), "Error", 404)
        self.assertTrue(self.value(self.http.get("/pet/pets/tofu/statistics"), "PetStatistics")["answers"])

    def test_conversation_that_is_not_kept(self):
        session = self.value(self.http.post("/pet/sessions", json={"kept": False}), "Session", 201)
        self.say(session["id"], "Good morning!")
        self.assertEqual(self.http.get(f"/pet/sessions/{session['id']}").json()["turns"], 1)
        self.value(self.http.post("/pet/sessions", json={"kept": False, "name": "one"}), "Error", 400)
        self.value(self.http.get("/pet/sessions/mochi.~0123456789abcdef"), "Error", 404)

    def test_answer_in_events(self):
        with self.http.stream(
            "POST", "/pet/sessions/juniper.events/messages", headers=EVENTS, json={"text": "Tell me of the sea."}
        ) as response:
            self.assertEqual(response.headers["content-type"], "text/event-stream")
            told = list(events(response.iter_lines()))
        names = [name for name, _ in told if name != "action"]
        self.assertEqual([name for name, _ in itertools.groupby(names)], ["token", "emotion", "state", "done"])
        [done] = [data for name, data in told if name == "done"]
        self.assertEqual(errors("Answer", done), [])
        self.assertEqual("".join(data["text"] for name, data in told if name == "token").strip(), done["text"].strip())
        self.assertIn(("emotion", {"emotion": done["emotion"]}), told)
        self.assertIn(("state", done["state"]), told)
        self.assertEqual([data["action"] for name, data in told if name == "action"], done["actions"])

    def test_message_sent_twice_is_said_once(self):
        first = self.say("bramble.twice", "What do you like to eat?", key="one")
        self.assertEqual(self.say("bramble.twice", "What do you like to eat?", key="one").json(), first.json())
        self.assertEqual(self.http.get("/pet/sessions/bramble.twice").json()["turns"], 1)
        self.say("bramble.twice", "What do you like to eat?", key="two")
        self.assertEqual(self.http.get("/pet/sessions/bramble.twice").json()["turns"], 2)

    def test_key_and_message_have_limits(self):
        for key in ["", "k" * 65]:
            self.value(self.say("mochi.limits", "Hello", key=key), "Error", 400)
        for text in ["", " \n", "\u200b"]:
            self.value(self.say("mochi.limits", text), "Error", 400)
        self.value(self.say("mochi.limits", "a" * (64 << 10) + "a"), "Error", 413)
        answer = self.value(self.say("mochi.limits", "a" * (64 << 10)), "Answer")
        self.assertTrue(answer["notices"])

    def test_body_has_a_limit(self):
        response = self.http.post("/pet/sessions", content=b" " * (8 << 20) + b"{}")
        self.value(response, "Error", 413)

    def test_memories(self):
        self.say("pixel.memory", "My name is Ada.")
        memories = self.http.get("/pet/pets/pixel/memories").json()["data"]
        self.assertEqual([(memory["kind"], memory["value"]) for memory in memories], [("name", "Ada")])
        self.assertEqual(errors("Memory", memories[0]), [])
        path = f"/pet/pets/pixel/memories/{memories[0]['id']}"
        self.assertEqual(self.http.patch(path, json={"value": "Eve"}).status_code, 204)
        self.assertEqual(self.http.get("/pet/pets/pixel/memories").json()["data"][0]["value"], "Eve")
        self.assertEqual(self.http.patch(path, json={"value": "my name is Max"}).status_code, 204)
        self.assertEqual(self.http.get("/pet/pets/pixel/memories").json()["data"][0]["text"], "user's name is Max")
        self.value(self.http.patch(path, json={"value": " "}), "Error", 400)
        added = self.http.post("/pet/pets/pixel/memories", json={"text": "I love olives"})
        self.assertEqual([memory["text"] for memory in added.json()["data"]], ["likes olives"])
        self.assertEqual(self.http.delete(f"/pet/pets/pixel/memories/{added.json()['data'][0]['id']}").status_code, 204)
        self.assertEqual(self.http.delete(path).status_code, 204)
        self.assertEqual(self.http.get("/pet/pets/pixel/memories").json()["data"], [])
        self.value(self.http.delete(path), "Error", 404)

    def test_everything_is_forgotten(self):
        self.say("pixel-two.memory", "My name is Ada.")
        self.assertEqual(self.http.delete("/pet/pets/pixel-two/memories").status_code, 204)
        self.assertEqual(self.http.get("/pet/pets/pixel-two/memories").json()["data"], [])
        self.assertEqual(self.http.get("/pet/sessions/pixel-two.memory").json()["turns"], 0)

    def test_care(self):
        before = self.value(self.http.get("/pet/pets/zest/state"), "PetState")
        cared = self.http.post("/pet/pets/zest/care", json={"action": "feed"}).json()
        self.assertTrue(cared["accepted"])
        self.assertEqual(errors("Reply", cared["reply"]), [])
        self.assertLess(cared["state"]["hunger"], before["hunger"])

    def test_who_looks_makes_nothing(self):
        for path in ["pets/zest-unmet/events", "sessions/zest-unmet.one", "sessions/zest-unmet.one/events"]:
            self.value(self.http.get(f"/pet/{path}"), "Error", 404)
        self.assertEqual(self.http.get("/pet/pets/zest-unmet/memories").json()["data"], [])
        self.value(self.http.get("/pet/pets/zest-unmet/state"), "PetState")

    def test_pet_that_is_listened_to(self):
        self.value(self.http.put("/pet/sessions/zest.one"), "Session")
        for path in ["/pet/pets/zest/events", "/pet/sessions/zest.one/events?initiatives=false"]:
            with self.http.stream("GET", path) as response:
                self.assertEqual(response.headers["content-type"], "text/event-stream")
                self.assertTrue(next(response.iter_lines()).startswith(":"))

    def test_head_of_a_stream_leaves_the_connection_in_order(self):
        self.value(self.http.put("/pet/sessions/zest.one"), "Session")
        for path in ["/pet/pets/zest/events", "/dashboard/events"]:
            head = self.http.head(path)
            self.assertEqual((head.status_code, head.headers["content-type"]), (200, "text/event-stream"))
            self.assertEqual(self.http.get("/health/live").status_code, 200)

    def test_models(self):
        unloaded = self.value(self.http.post("/pet/models/unload"), "Models")
        self.assertEqual([model["bytes"] for model in unloaded["data"]], [0] * len(unloaded["data"]))
        with self.http.stream("POST", "/pet/models/load", headers=EVENTS) as response:
            states = [data["state"] for name, data in events(response.iter_lines()) if name == "model"]
        self.assertEqual(states[-1], "loaded")
        serving = self.value(self.http.get("/pet/models/serving"), "ServingModel")
        self.assertEqual(serving["name"], self.http.get("/health").json()["model"])
        loaded = self.value(self.http.post("/pet/models/load"), "Models")
        self.assertIn("loaded", [model["state"] for model in loaded["data"]])
        for event in ["background", "active", "memory-warning"]:
            self.value(self.http.post("/pet/lifecycle", json={"event": event}), "Models")
        self.value(self.http.post("/pet/models/swap", json={"model": "/etc/passwd"}), "Error", 404)

    def test_completion(self):
        body = {"prompt": "A cat called Tom:", "max_tokens": 60, "temperature": 0}
        whole = self.value(self.http.post("/pet/completions", json=body), "PetCompletion")
        self.assertEqual(len(whole["ids"]), whole["usage"]["completion_tokens"])
        with self.http.stream("POST", "/pet/completions", json=body, headers=EVENTS) as response:
            told = list(events(response.iter_lines()))
        self.assertEqual("".join(data["text"] for name, data in told if name == "token"), whole["text"])
        self.assertEqual(told[-1][0], "done")
        self.assertEqual(errors("PetCompletion", told[-1][1]), [])
        self.assertEqual(told[-1][1]["text"], whole["text"])
        for form in [{"schema": '{"enum": ["yes", "no"]}'}, {"grammar": 'root ::= "\\"yes\\"" | "\\"no\\""'}]:
            held = self.value(self.http.post("/pet/completions", json=body | form), "PetCompletion")
            self.assertIn(held["text"].strip(), ['"yes"', '"no"'])

    def test_completion_without_a_form_that_can_be_held(self):
        for form in [{"schema": '{"type": "nothing"}'}, {"grammar": "root"}, {"schema": "{}", "grammar": 'root ::= "a"'}]:
            for headers in [{}, EVENTS]:
                response = self.http.post("/pet/completions", json={"prompt": "A cat"} | form, headers=headers)
                self.value(response, "Error", 400)

    def test_figures(self):
        figures = self.value(self.http.get("/pet/figures"), "Figures")
        self.assertEqual(figures["device"]["profile"], "watch")
        with self.http.stream("GET", "/dashboard/events") as response:
            told = list(itertools.islice(events(response.iter_lines()), 2))
        for name, data in told:
            self.assertEqual((name, errors("Figures", data)), ("figures", []))
        self.assertGreater(told[1][1]["uptime_s"], told[0][1]["uptime_s"])

    def test_health_wakes_nothing(self):
        self.http.post("/pet/models/unload")
        for path in ["/health", "/health/ready"]:
            self.assertFalse(self.value(self.http.get(path), "Health")["loaded"])
        self.assertEqual(self.http.get("/health/live").json(), {"status": "live"})
        self.value(self.http.get("/pet/privacy"), "PrivacyReport")

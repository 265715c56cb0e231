# SPDX-License-Identifier: Apache-2.0
"""Conversations go on, and nothing is lost or said twice, when a daemon of the fleet is killed or stopped."""

import http.client
import itertools
import signal
import threading
import time
import unittest
import uuid

from fleet import DAEMONS, Fleet

PETS = ("mochi-ada", "bramble-ben", "pixel-cleo", "juniper-dan", "tofu-eve", "zest-finn")
SESSIONS = [f"{pet}.{name}" for pet in PETS for name in ("morning", "evening")]
# Seconds within which a conversation goes on, whatever happens.
LIMIT = 5


class Conversation(threading.Thread):
    """A person who says a message again, with its key, until it is answered."""

    PAUSE = 0.2

    def __init__(self, fleet, session):
        super().__init__(daemon=True)
        self.fleet, self.session = fleet, session
        self.said = []
        # What was said, with which key, and the answer.
        self.kept = []
        # When, and by which daemon.
        self.answers = []
        self.refusals = []
        self.failure = None
        self.is_over = threading.Event()

    @property
    def pet(self):
        return self.session.split(".")[0]

    def run(self):
        try:
            for number in itertools.count():
                self.say(f"Thing number {number} that I saw at the harbour of {self.pet}")
                if self.is_over.wait(self.PAUSE):
                    return
        except Exception as error:
            self.failure = error

    def say(self, text):
        key, start = str(uuid.uuid4()), time.monotonic()
        while True:
            answer = self.send(text, key)
            if answer is not None and answer.status == 200:
                break
            if time.monotonic() - start > 60:
                raise TimeoutError(f"{self.session}: no answer within 60 s; {self.refusals}")
            time.sleep(0.1)
        if answer.json["notices"]:
            raise AssertionError(f"{self.session}: {answer.json['notices']}")
        self.answers.append((time.monotonic(), answer.headers["X-Served-By"]))
        self.said.append(text)
        self.kept.append((text, key, answer.json["text"]))

    def send(self, text, key):
        try:
            answer = self.fleet.ask(
                "POST", f"/pet/sessions/{self.session}/messages", {"text": text}, {"Idempotency-Key": key})
        except (OSError, http.client.HTTPException) as error:
            self.refusals.append(type(error).__name__)
            return None
        if answer.status != 200:
            self.refusals.append(answer.status)
        return answer


class FleetTests(unittest.TestCase):
    def setUp(self):
        self.fleet = self.enterContext(Fleet())
        self.conversations = []

    def begin(self):
        for session in SESSIONS:
            self.assertEqual(self.fleet.ask("PUT", f"/pet/sessions/{session}").status, 200)
        self.conversations = [Conversation(self.fleet, session) for session in SESSIONS]
        for conversation in self.conversations:
            conversation.start()
            self.addCleanup(conversation.is_over.set)
        self.all_say(4)

    def all_say(self, messages):
        """Until each has so many answers more."""
        goals = [(conversation, len(conversation.said) + messages) for conversation in self.conversations]
        self.fleet.wait(
            lambda: all(conversation.failure or len(conversation.said) >= goal for conversation, goal in goals),
            f"{messages} answers for each", seconds=90)
        for conversation in self.conversations:
            self.assertIsNone(conversation.failure, self.fleet.logs())

    def end(self):
        for conversation in self.conversations:
            conversation.is_over.set()
        for conversation in self.conversations:
            conversation.join(timeout=60)
            self.assertFalse(conversation.is_alive(), conversation.session)
            self.assertIsNone(conversation.failure, self.fleet.logs())

    def check_kept(self):
        """What was answered is what is kept, each exchange once, under its key; and no word of it can be read in the files."""
        for conversation in self.conversations:
            pet, name = conversation.session.split(".")
            kept = (self.fleet.path / "pets" / pet / "conversations" / f"{name}.json").read_bytes()
            with self.subTest(session=conversation.session):
                self.assertGreater(len(conversation.said), 1)
                # So many keys are kept.
                for text, key, before in conversation.kept[-16:]:
                    again = conversation.send(text, key)
                    self.assertIsNotNone(again)
                    self.assertEqual((again.status, again.json["text"]), (200, before))
                answer = self.fleet.ask("GET", f"/pet/sessions/{conversation.session}")
                self.assertEqual(answer.json["turns"], len(conversation.said))
                for text in conversation.said:
                    self.assertNotIn(text.encode(), kept)

    def places(self):
        return {conversation.pet: conversation.answers[-1][1] for conversation in self.conversations}

    def busiest(self):
        places = list(self.places().values())
        return max(DAEMONS, key=places.count)

    def check_went_on(self, what, gone, moment):
        """Each had its next answer in time, from a daemon that is there."""
        waits = [
            next(time for time, server in conversation.answers if time > moment and server != gone) - moment
            for conversation in self.conversations]
        refusals = sum((conversation.refusals for conversation in self.conversations), [])
        print(f"\n{what}: all went on within {max(waits):.2f} s; refused and sent again: {refusals}")
        self.assertLess(max(waits), LIMIT)

    def test_conversations_of_a_killed_daemon_go_on_elsewhere(self):
        self.begin()
        before, killed = self.places(), self.busiest()
        self.assertGreater(len(set(before.values())), 1, "all pets are in one place")
        moment = time.monotonic()
        self.assertEqual(self.fleet.stop(killed, signal.SIGKILL), -signal.SIGKILL)
        self.all_say(4)
        after = self.places()
        for pet, place in before.items():
            if place == killed:
                self.assertNotEqual(after[pet], killed)
            else:
                self.assertEqual(after[pet], place, "a pet of another daemon has moved")

        # It comes back: who has moved stays, as long as it is talked to.
        self.fleet.start(killed)
        self.fleet.wait(lambda: self.fleet.statistics("pets", killed)["status"] == "UP", f"{killed} to be up")
        self.all_say(4)
        self.assertEqual(self.places(), after)
        self.end()
        self.check_went_on("killed", killed, moment)
        self.check_kept()

    def test_a_daemon_that_is_stopped_ends_its_replies_first(self):
        self.begin()
        stopped = self.busiest()
        moment = time.monotonic()
        self.assertEqual(self.fleet.stop(stopped), 0)
        self.all_say(4)
        self.assertNotIn(stopped, self.places().values())
        self.end()
        self.check_went_on("stopped", stopped, moment)
        self.check_kept()

    def test_an_answer_that_was_lost_is_given_again_by_another_daemon(self):
        path, key = "/pet/sessions/mochi-ada.morning", {"Idempotency-Key": "harbour"}
        first = self.fleet.ask("POST", f"{path}/messages", {"text": "I saw a heron at the harbour"}, key)
        self.fleet.stop(first.headers["X-Served-By"], signal.SIGKILL)
        again = self.fleet.ask("POST", f"{path}/messages", {"text": "I saw a heron at the harbour"}, key)
        self.assertEqual((again.status, again.json), (200, first.json))
        self.assertNotEqual(again.headers["X-Served-By"], first.headers["X-Served-By"])
        self.assertEqual(self.fleet.ask("GET", path).json["turns"], 1)

    def test_a_pet_that_a_daemon_has_is_not_written_by_another(self):
        answer = self.fleet.ask("PUT", "/pet/sessions/mochi-ada.morning")
        owner = answer.headers["X-Served-By"]
        other = next(name for name in DAEMONS if name != owner)
        refused = self.fleet.ask_daemon(other, "PUT", "/pet/sessions/mochi-ada.morning")
        self.assertEqual((refused.status, refused.json["error"]["code"]), (409, "pet_in_use"))
        self.assertGreater(int(refused.headers["Retry-After"]), 0)

    def test_all_that_concerns_a_pet_goes_to_its_daemon(self):
        for pet in PETS:
            opened = self.fleet.ask("POST", "/pet/sessions", {"pet": pet, "name": "new"})
            self.assertEqual(opened.status, 201)
            place = opened.headers["X-Served-By"]
            for path in (f"/pet/sessions/{pet}.new", f"/pet/pets/{pet}/state", f"/pet/sessions/{pet.replace('-', '%2D')}.new"):
                answer = self.fleet.ask("GET", path)
                self.assertEqual((answer.status, answer.headers["X-Served-By"]), (200, place), path)
        unnamed = self.fleet.ask("POST", "/pet/sessions", {"name": "new"})
        self.assertEqual(unnamed.json["id"], "mochi.new")
        named = self.fleet.ask("GET", "/pet/sessions/mochi.new")
        self.assertEqual(named.headers["X-Served-By"], unnamed.headers["X-Served-By"])

    def test_the_door_asks_what_a_daemon_asks_over_tcp(self):
        self.assertEqual(self.fleet.ask("GET", "/v1/models").status, 200)
        self.assertEqual(self.fleet.ask("GET", "/v1/models", token=False).status, 401)
        self.assertEqual(self.fleet.ask("GET", "/v1/models", headers={"Authorization": "Bearer " + "0" * 64}).status, 401)
        self.assertEqual(self.fleet.ask("GET", "/v1/models", headers={"Host": "rebound.example"}).status, 403)
        self.assertEqual(self.fleet.ask("GET", "/v1/models", headers={"Origin": "http://page.example"}).status, 403)
        own = {"Origin": f"http://127.0.0.1:{self.fleet.port}"}
        self.assertEqual(self.fleet.ask("GET", "/v1/models", headers=own).status, 200)
        self.assertIn(b"haproxy_", self.fleet.ask("GET", "/metrics").body)

    def test_the_door_is_well_while_a_daemon_is(self):
        for name in DAEMONS:
            self.assertEqual(self.fleet.ask("GET", "/health", token=False).status, 200)
            self.fleet.stop(name, signal.SIGKILL)
        self.fleet.wait(lambda: self.fleet.ask("GET", "/health").status == 503, "the proxy to see that all are gone")


if __name__ == "__main__":
    unittest.main()

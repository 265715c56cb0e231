# SPDX-License-Identifier: Apache-2.0
"""The dashboard, as a person meets it: petd with the model that is part of it, and headless Chromium.

PETD is the daemon, CHROMIUM the browser, PET_SCREENSHOTS the folder that pictures go to.
"""
import os
import time
import unittest
from pathlib import Path

from browser import Browser
from daemon import Daemon

ROOT = Path(__file__).resolve().parents[2]
SCREENSHOTS = Path(os.environ.get("PET_SCREENSHOTS", ROOT / ".build" / "screenshots"))
CONTRAST = Path(__file__).with_name("contrast.js").read_text()
#: So odd that nothing but the model answers them.
TO_THE_MODEL = ["The kettle and the ladder went to market.", "Seven blue bicycles hum beside my window.", "A lamp told the carpet about winter."]
FEELINGS = ["You are wonderful, I love you!", "I am so sad today.", "Guess what, we won the game!", "Good night!"]


def number(text):
    """As the page writes it: 1,430."""
    return float(text.replace(",", ""))


def setUpModule():
    global daemon, browser
    SCREENSHOTS.mkdir(parents=True, exist_ok=True)
    daemon = Daemon(os.environ.get("PETD", ROOT / ".build" / "release" / "petd"))
    unittest.addModuleCleanup(daemon.close)
    daemon.start()
    browser = Browser(os.environ.get("CHROMIUM", "chromium"))
    unittest.addModuleCleanup(browser.close)


class Visit(unittest.TestCase):
    """Each test has a page and a pet of its own, and a page does nothing that its own rules forbid."""

    def setUp(self):
        self.page = browser.open_page()
        self.addCleanup(self.page.close)

    def tearDown(self):
        self.page.catch_up()
        self.assertEqual(self.page.errors, [])
        self.assertEqual(self.page.violations, [])
        self.assertTrue(self.page.requests)
        self.assertEqual([url for url in self.page.requests if not url.startswith(f"{daemon.address}/")], [])

    def visit(self, pet):
        self.page.visit(f"{daemon.address}/dashboard#{pet}")
        self.page.until("!document.querySelector('#unlock').hidden")

    def enter(self, token):
        self.page.click("#token")
        self.page.type(token)
        self.page.press("Enter")

    def open(self, pet):
        self.visit(pet)
        self.enter(daemon.token)
        self.until_open()

    def until_open(self):
        self.page.until("document.querySelector('#page').checkVisibility() && document.querySelectorAll('#state meter').length === 5")
        self.page.until("document.querySelector('#connection').textContent === 'Connected'")
        self.page.until("!document.querySelector('#send').disabled")

    def write(self, text):
        self.page.click("#message")
        self.page.type(text)
        self.page.press("Enter")

    def say(self, text):
        """Until the reply is whole; who found the words."""
        count = self.page.evaluate("document.querySelectorAll('#log small').length")
        self.write(text)
        self.page.until(f"document.querySelectorAll('#log small').length > {count} && document.querySelector('#send').checkVisibility()", 20)
        return self.page.evaluate("[...document.querySelectorAll('#log small')].at(-1).textContent")

    def face(self):
        return self.page.evaluate("[document.querySelector('#stage svg').ariaLabel, document.querySelector('#stage svg').innerHTML]")

    def assert_readable(self):
        found = self.page.evaluate(CONTRAST)
        self.assertGreater(found["count"], 4)
        self.assertEqual(found["poor"], [])


class AccessTests(Visit):
    def test_token_is_asked_for_and_another_refused(self):
        self.visit("mochi")
        self.assertFalse(self.page.evaluate("document.querySelector('#page').checkVisibility()"))
        self.assertEqual(self.page.text("#privacy-label"), "Privacy unknown")
        self.assertEqual(self.page.evaluate("document.activeElement.id"), "token")

        self.enter("another-token-of-good-length")
        self.page.until("document.querySelector('#unlock-error').textContent === 'That token was not accepted.'")
        self.assertFalse(self.page.evaluate("document.querySelector('#page').checkVisibility()"))

        self.enter(daemon.token)
        self.until_open()
        # Neither in the address nor where it outlives the tab.
        self.assertNotIn(daemon.token, self.page.evaluate("location.href + document.cookie + JSON.stringify(localStorage)"))
        self.page.reload()
        self.until_open()


class PolicyTests(unittest.TestCase):
    def test_what_is_forbidden_is_refused_and_seen(self):
        page = browser.open_page()
        self.addCleanup(page.close)
        page.visit(f"{daemon.address}/dashboard")
        self.assertEqual(page.violations, [])
        page.evaluate("document.body.append(Object.assign(document.createElement('script'), { textContent: 'window.hasRun = true' }))")
        page.evaluate("document.body.insertAdjacentHTML('beforeend', '<p id=probe style=\"display: none\">')")
        self.assertEqual(page.evaluate("fetch('http://127.0.0.1:9/').then(() => 'sent', () => 'refused')"), "refused")
        self.assertFalse(page.evaluate("'hasRun' in window"))
        self.assertTrue(page.evaluate("document.querySelector('#probe').checkVisibility()"))
        page.catch_up()
        self.assertLessEqual({"script-src-elem", "style-src-attr", "connect-src"}, set(page.violations))


class FigureTests(Visit):
    def test_figures_come_and_change(self):
        self.open("mochi")
        requests = self.page.text("#requests")
        daemon.get("/health")
        self.page.until(f"document.querySelector('#requests').textContent !== '{requests}'")
        for figure in ("memory-text", "battery", "battery-use", "reply-cache", "prompt-cache", "requests", "device"):
            self.assertNotRegex(self.page.text(f"#{figure}"), r"undefined|NaN|null|^\s*$", figure)
        self.assertTrue(any(self.say(text).startswith("from the model") for text in TO_THE_MODEL))
        self.page.until("document.querySelectorAll('#sparkline path').length === 3 && document.querySelector('#latency th')")
        self.assertGreater(number(self.page.text("#speed")), 0)
        model, p50, p95, *_ = self.page.evaluate("[...document.querySelector('#latency tr').cells].map((cell) => cell.lastChild.textContent)")
        figures = daemon.get("/pet/figures")
        self.assertIn(model, [row["model"] for row in figures["latency"]])
        self.assertLessEqual(number(p50), number(p95))
        self.assertEqual(self.page.text("#memory-text").split(" of ")[1], f"{figures['memory']['budget_mb']:,.0f} MiB")

    def test_page_in_the_background_leaves_petd_alone(self):
        def hide(is_hidden):
            self.page.evaluate(f"""Object.defineProperty(document, "hidden", {{ value: {str(is_hidden).lower()}, configurable: true }});
              document.dispatchEvent(new Event("visibilitychange"))""")

        def count():
            return sum(url.endswith("/dashboard/events") for url in self.page.requests)

        self.open("mochi")
        followed = count()
        hide(True)
        requests = self.page.text("#requests")
        daemon.get("/health")
        time.sleep(2.5)
        self.assertEqual((self.page.text("#requests"), count()), (requests, followed))
        hide(False)
        self.page.until(f"document.querySelector('#requests').textContent !== '{requests}'")
        self.assertEqual(self.page.text("#connection"), "Connected")
        self.assertEqual(count(), followed + 1)

    def test_privacy_is_told_as_served(self):
        self.open("mochi")
        served = daemon.get("/pet/privacy")
        self.assertEqual(self.page.text("#privacy-label"), served["badge"])
        self.assertEqual(self.page.text("#privacy-name"), served["state"])
        self.assertFalse(self.page.evaluate("document.querySelector('#privacy-detail').checkVisibility()"))
        self.page.click("#privacy summary")
        self.assertTrue(self.page.evaluate("document.querySelector('#privacy-detail').checkVisibility()"))
        self.assertIn("open sockets", self.page.text("#privacy-detail"))


class ChatTests(Visit):
    def test_reply_comes_in_pieces(self):
        self.open("mochi")
        self.page.evaluate("""new MutationObserver((changes) => window.pieces?.push(...changes
          .filter(({ target }) => target.matches("li.pet p")).flatMap(({ addedNodes }) => [...addedNodes].map((node) => node.data))))
          .observe(document.querySelector("#log"), { childList: true, subtree: true })""")
        # A piece is a sentence; many replies have one only.
        for text in 8 * TO_THE_MODEL:
            self.page.evaluate("window.pieces = []")
            self.say(text)
            *pieces, whole = self.page.evaluate("pieces")
            if len(pieces) > 1:
                break
        self.assertGreater(len(pieces), 1)
        self.assertEqual("".join(pieces), whole)
        self.assertEqual(self.page.evaluate("document.activeElement.id"), "message")

    def test_face_follows_what_is_felt(self):
        self.open("tofu")
        faces = [self.face()]
        for text in FEELINGS:
            self.say(text)
            faces.append(self.face())
        self.assertGreater(len({label for label, _ in faces}), 2, faces)
        self.assertGreater(len({drawing for _, drawing in faces}), 2)

    def test_reply_can_be_stopped(self):
        self.open("pixel")
        daemon.pause()
        self.addCleanup(daemon.go_on)
        self.write(TO_THE_MODEL[0])
        self.page.until("document.querySelector('#stop').checkVisibility() && document.querySelector('#log li.pet:last-child p').textContent === ''")
        self.page.click("#stop")
        self.page.until("document.querySelector('#send').checkVisibility()", 2)
        self.assertEqual(self.page.evaluate("document.querySelector('#log li:last-child').className"), "you")
        daemon.go_on()
        self.say("Hello!")

    def test_pet_speaks_first(self):
        self.open("juniper")
        self.say("Hello!")
        daemon.kill()
        daemon.starve("juniper")
        count = "document.querySelectorAll('#log li.pet').length"
        before = self.page.evaluate(count)
        daemon.start()
        self.page.until(f"{count} > {before}", 30)
        self.assertTrue(self.page.text("#log li:last-child p"))
        self.assertEqual(self.page.evaluate("document.querySelector('#log li:last-child').className"), "pet")

    def test_talk_is_there_after_a_reload(self):
        self.open("zest")
        self.say("My name is Ada.")
        answer = self.page.text("#log li.pet:last-child p")
        self.page.reload()
        self.until_open()
        self.assertEqual(self.page.evaluate("[...document.querySelectorAll('#log li p')].map((words) => words.textContent)"), ["My name is Ada.", answer])

    def test_markup_stays_text(self):
        self.open("mochi")
        self.say("<img src=x onerror=alert(1)><b>bold</b>")
        self.assertEqual(self.page.evaluate("document.querySelectorAll('#log img, #log b').length"), 0)


class CareTests(Visit):
    def test_care_changes_the_state(self):
        self.open("bramble")
        energy = daemon.get("/pet/pets/bramble/state")["energy"]
        self.assertEqual(self.page.evaluate("document.querySelector('#energy').value"), energy)
        lines = self.page.evaluate("document.querySelectorAll('#log li.pet').length")
        self.page.click("#care [value=play]")
        self.page.until(f"document.querySelector('#energy').value < {energy} && document.querySelectorAll('#log li.pet').length > {lines}")
        self.assertEqual(self.page.evaluate("document.querySelector('#energy').value"), daemon.get("/pet/pets/bramble/state")["energy"])

    def test_another_pet_can_be_chosen_by_key(self):
        self.open("mochi")
        mochi = self.face()
        self.page.evaluate("document.querySelector('#pets :checked').focus()")
        self.page.press("ArrowRight")
        self.page.until("document.querySelector('#pets :checked').value !== 'mochi'")
        chosen = self.page.evaluate("document.querySelector('#pets :checked').value")
        self.page.until(f"location.hash === '#{chosen}' && document.querySelector('#chat-title').textContent === 'Chat with {chosen.title()}'")
        self.assertNotEqual(self.face()[1], mochi[1])


class ReconnectTests(Visit):
    def test_page_finds_a_petd_that_was_killed(self):
        self.open("juniper")
        daemon.kill()
        self.page.until("document.querySelector('#connection').classList.contains('problem')")
        self.assertEqual(self.page.text("#privacy-label"), "Privacy unknown")
        self.write("Are you there?")
        self.page.until("document.querySelector('#log .note')")
        self.assertEqual(self.page.evaluate("document.querySelector('#message').value"), "Are you there?")
        for scheme in ("light", "dark"):
            self.page.prefer(color_scheme=scheme)
            self.assert_readable()
        # Long enough for several attempts in vain.
        time.sleep(5)
        daemon.start()
        self.page.until("document.querySelector('#connection').textContent === 'Connected'", 15)
        self.assertEqual(self.page.text("#privacy-label"), daemon.get("/pet/privacy")["badge"])
        self.page.evaluate("document.querySelector('#message').value = ''")
        self.say("Hello again!")


class LookTests(Visit):
    def test_every_width_and_light(self):
        self.open("mochi")
        # More than the log has room for.
        for text in 4 * TO_THE_MODEL:
            self.say(text)
        self.say("W" * 120)
        for name, width, height in [("phone", 390, 844), ("narrow", 320, 640), ("tablet", 768, 1024), ("desktop", 1280, 800)]:
            for scheme in ("light", "dark"):
                with self.subTest(name, scheme=scheme):
                    self.page.resize(width, height)
                    self.page.prefer(color_scheme=scheme)
                    self.page.screenshot(SCREENSHOTS / f"dashboard-{name}-{scheme}.png")
                    self.assert_fits(width)
                    self.assert_readable()

    def test_token_form_is_readable(self):
        self.visit("mochi")
        self.enter("another-token-of-good-length")
        self.page.until("document.querySelector('#unlock-error').textContent")
        for scheme in ("light", "dark"):
            self.page.prefer(color_scheme=scheme)
            self.assert_readable()

    def assert_fits(self, width):
        self.assertEqual(self.page.evaluate("document.documentElement.scrollWidth"), width)
        # Nothing is below the cards.
        below = self.page.evaluate("document.documentElement.scrollHeight - scrollY - document.querySelector('main').getBoundingClientRect().bottom")
        self.assertLess(below, 5)
        outside = self.page.evaluate("""[...document.querySelectorAll("main *")].filter((node) => node.checkVisibility()
          && !node.closest(".unseen, svg") && node.getBoundingClientRect().right > innerWidth + 0.5).map((node) => node.outerHTML)""")
        self.assertEqual(outside, [])

    def test_nothing_moves_for_those_who_ask_so(self):
        self.open("mochi")
        self.page.prefer(reduced_motion="no-preference")
        self.page.until("document.getAnimations().length > 0")
        self.page.prefer(reduced_motion="reduce")
        self.page.until("document.getAnimations().length === 0")

    def test_everything_has_a_name(self):
        self.open("mochi")
        nodes = self.page.call("Accessibility.getFullAXTree")["nodes"]
        roles = ("button", "textbox", "radio", "meter", "image", "log", "table", "group", "region", "DisclosureTriangle")
        named = [(node["role"]["value"], node.get("name", {}).get("value", "")) for node in nodes
                 if not node["ignored"] and node["role"]["value"] in roles]
        self.assertLessEqual({"button", "textbox", "radio", "meter", "image", "log", "table"}, {role for role, _ in named})
        self.assertEqual([node for node in named if not node[1].strip()], [])


if __name__ == "__main__":
    unittest.main()

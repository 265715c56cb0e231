# SPDX-License-Identifier: Apache-2.0
"""Headless Chromium, driven through the DevTools protocol (https://chromedevtools.github.io/devtools-protocol/)."""
import base64
import json
import os
import signal
import socket
import subprocess
import tempfile
import time


class Browser:
    """Speaks with Chromium over one socket that is its descriptors 3 and 4: no port, nobody else can listen."""

    def __init__(self, program):
        self._folder = tempfile.TemporaryDirectory(prefix="chromium-", ignore_cleanup_errors=True)
        self._socket, theirs = socket.socketpair()
        self._received = b""
        self._last_id = 0
        self._results = {}
        self._listeners = {}
        command = [
            program, "--headless", "--remote-debugging-pipe", f"--user-data-dir={self._folder.name}", "--no-first-run",
            "--disable-gpu", "--disable-dev-shm-usage", "--disable-background-networking", "--disable-component-update", "--disable-sync",
            "--disable-extensions", "--hide-scrollbars", "--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1",
        ]
        if os.geteuid() == 0:
            command.append("--no-sandbox")
        descriptor = theirs.fileno()
        # Debian's /bin/sh takes descriptors of one digit only.
        shell = ["bash", "-c", f'exec "$@" 3<&{descriptor} 4>&{descriptor}', "bash"]
        self._process = subprocess.Popen(
            shell + command, pass_fds=[descriptor], stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
            start_new_session=True)
        theirs.close()

    def close(self):
        try:
            self.call("Browser.close")
            self._process.wait(10)
        except (OSError, subprocess.TimeoutExpired):
            os.killpg(self._process.pid, signal.SIGKILL)
            self._process.wait()
        self._socket.close()
        self._folder.cleanup()

    def open_page(self, width=1280, height=800):
        """A page of a context of its own: what other pages kept is not there."""
        context = self.call("Target.createBrowserContext")["browserContextId"]
        target = self.call("Target.createTarget", {"url": "about:blank", "browserContextId": context})["targetId"]
        session = self.call("Target.attachToTarget", {"targetId": target, "flatten": True})["sessionId"]
        page = Page(self, context, session)
        self._listeners[session] = page.take
        page.prepare(width, height)
        return page

    def call(self, method, parameters=None, session=None, seconds=20):
        self._last_id += 1
        message = {"id": self._last_id, "method": method, "params": parameters or {}}
        if session:
            message["sessionId"] = session
        self._socket.sendall(json.dumps(message).encode() + b"\0")
        wanted, end = self._last_id, time.monotonic() + seconds
        while wanted not in self._results:
            self._receive(end)
        answer = self._results.pop(wanted)
        if "error" in answer:
            raise RuntimeError(f"{method}: {answer['error']['message']}")
        return answer["result"]

    def _receive(self, end):
        self._socket.settimeout(max(end - time.monotonic(), 0.001))
        piece = self._socket.recv(1 << 20)
        if not piece:
            raise ConnectionError("the browser has gone")
        *messages, self._received = (self._received + piece).split(b"\0")
        for message in map(json.loads, messages):
            if "id" in message:
                self._results[message["id"]] = message
            elif listener := self._listeners.get(message.get("sessionId")):
                listener(message["method"], message["params"])


class Page:
    def __init__(self, browser, context, session):
        self._browser = browser
        self._context = context
        self._session = session
        #: Addresses of all requests.
        self.requests = []
        #: What the console says is wrong; requests that were refused or failed are in `failures`.
        self.errors = []
        self.failures = []
        self.violations = []

    def prepare(self, width, height):
        for domain in ("Page", "Runtime", "Log", "Network", "Audits"):
            self.call(f"{domain}.enable")
        self.resize(width, height)

    def close(self):
        self._browser.call("Target.disposeBrowserContext", {"browserContextId": self._context})

    def call(self, method, parameters=None):
        return self._browser.call(method, parameters, self._session)

    def take(self, method, event):
        if method == "Network.requestWillBeSent":
            self.requests.append(event["request"]["url"])
        elif method == "Runtime.exceptionThrown":
            self.errors.append(event["exceptionDetails"].get("exception", {}).get("description", event["exceptionDetails"]["text"]))
        elif method == "Runtime.consoleAPICalled" and event["type"] in ("error", "warning", "assert"):
            self.errors.append(" ".join(str(part.get("value", part.get("description"))) for part in event["args"]))
        elif method == "Log.entryAdded" and event["entry"]["level"] in ("error", "warning"):
            entry = event["entry"]
            (self.failures if entry["source"] == "network" else self.errors).append(entry["text"])
        elif method == "Audits.issueAdded" and event["issue"]["code"] == "ContentSecurityPolicyIssue":
            self.violations.append(event["issue"]["details"]["contentSecurityPolicyIssueDetails"]["violatedDirective"])

    def catch_up(self):
        """What the page is said to have done comes a moment later."""
        time.sleep(0.1)
        self.evaluate("0")

    # What a person sees and does

    def visit(self, url):
        self.call("Page.navigate", {"url": url})
        self.until("document.readyState === 'complete' && location.href !== 'about:blank'")

    def reload(self):
        self.evaluate("window.isOld = true")
        self.call("Page.reload")
        self.until("document.readyState === 'complete' && !window.isOld")

    def resize(self, width, height):
        self.call("Emulation.setDeviceMetricsOverride", {"width": width, "height": height, "deviceScaleFactor": 1, "mobile": width < 600})

    def prefer(self, **features):
        """As in prefer(color_scheme="dark", reduced_motion="reduce")."""
        media = [{"name": f"prefers-{name.replace('_', '-')}", "value": value} for name, value in features.items()]
        self.call("Emulation.setEmulatedMedia", {"features": media})

    def click(self, selector):
        """Where a finger would: what lies over the element gets it."""
        x, y = self.evaluate(f"""(() => {{
          const node = document.querySelector({json.dumps(selector)});
          node.scrollIntoView({{ block: "nearest" }});
          const box = node.getBoundingClientRect();
          return [box.x + box.width / 2, box.y + box.height / 2];
        }})()""")
        for kind in ("mousePressed", "mouseReleased"):
            self.call("Input.dispatchMouseEvent", {"type": kind, "x": x, "y": y, "button": "left", "clickCount": 1})

    def type(self, text):
        self.call("Input.insertText", {"text": text})

    def press(self, key):
        text = {"Enter": "\r", " ": " "}.get(key, "")
        codes = {"Enter": 13, "Tab": 9, " ": 32, "ArrowRight": 39}
        event = {"key": key, "code": {" ": "Space"}.get(key, key), "windowsVirtualKeyCode": codes[key]}
        self.call("Input.dispatchKeyEvent", {"type": "keyDown", "text": text, **event})
        self.call("Input.dispatchKeyEvent", {"type": "keyUp", **event})

    def evaluate(self, expression):
        answer = self.call("Runtime.evaluate", {"expression": expression, "returnByValue": True, "awaitPromise": True})
        if "exceptionDetails" in answer:
            raise RuntimeError(f"{expression}: {answer['exceptionDetails'].get('exception', {}).get('description')}")
        return answer["result"].get("value")

    def text(self, selector):
        return self.evaluate(f"document.querySelector({json.dumps(selector)}).textContent")

    def until(self, expression, seconds=10):
        end = time.monotonic() + seconds
        # Not the value itself: an element is true, and nothing of it comes over.
        while not self.evaluate(f"Boolean({expression})"):
            if time.monotonic() > end:
                raise TimeoutError(f"not within {seconds} s: {expression}")
            time.sleep(0.02)

    def screenshot(self, path):
        size = self.call("Page.getLayoutMetrics")["cssContentSize"]
        picture = self.call("Page.captureScreenshot", {
            "captureBeyondViewport": True, "clip": {"x": 0, "y": 0, "width": size["width"], "height": size["height"], "scale": 1}})
        path.write_bytes(base64.b64decode(picture["data"]))

# SPDX-License-Identifier: Apache-2.0
"""The units are what systemd takes, and petd behaves as they promise."""

import http.client
import os
import re
import signal
import socket
import subprocess
import tempfile
import unittest
from pathlib import Path

from supervised import Supervised

FOLDER = Path(__file__).resolve().parents[1]
PETD = os.environ.get("PETD", str(FOLDER.parent / ".build/release/petd"))


class UnitTests(unittest.TestCase):
    def analyze(self, *arguments):
        """What `systemd-analyze` says of the units, with the built petd in the place of the installed one."""
        with tempfile.TemporaryDirectory() as folder:
            for name in ("petd.service", "petd.socket"):
                text = (FOLDER / name).read_text()
                Path(folder, name).write_text(text.replace("/usr/local/bin/petd", PETD))
            return subprocess.run(
                ["systemd-analyze", "--user", "--no-pager", *arguments], cwd=folder, env=os.environ | {"XDG_RUNTIME_DIR": folder},
                stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)

    def test_the_units_are_without_fault(self):
        result = self.analyze("verify", "./petd.service", "./petd.socket")
        self.assertEqual((result.returncode, result.stdout), (0, ""))

    def test_the_score_is_the_recorded_one(self):
        recorded = float(re.search(r"exposure level (\d+\.\d+)", (FOLDER / "README.md").read_text())[1])
        result = self.analyze("security", "--offline=true", f"--threshold={round(recorded * 10)}", "./petd.service")
        self.assertEqual(result.returncode, 0, result.stdout)
        self.assertLess(recorded, 1.5)


class DockerfileTests(unittest.TestCase):
    def test_libraries_that_petd_needs_are_installed(self):
        final = (FOLDER / "Dockerfile").read_text().split("\nFROM ")[-1]
        listed = re.search(r"--no-install-recommends (.*?) &&", final, re.DOTALL)[1].replace("\\", " ").split()
        # In every image of Debian, or with libxnnpack0.
        present = set(listed) | {"libc6", "libcpuinfo0", "libgcc-s1", "libstdc++6", "zlib1g"}
        libraries = re.findall(r"=> (/\S+)", subprocess.run(["ldd", PETD], check=True, capture_output=True, text=True).stdout)
        self.assertTrue(libraries)
        for library in libraries:
            # Those of Swift are linked into the image's petd.
            if "/swift/" not in library:
                self.assertIn(self.owner(library), present, library)

    def owner(self, library):
        # dpkg may know it by the path before /lib became a link to /usr/lib.
        for path in (library, library.removeprefix("/usr"), os.path.realpath(library)):
            found = subprocess.run(["dpkg", "-S", path], capture_output=True, text=True)
            if found.returncode == 0:
                return found.stdout.split(":")[0]
        self.fail(f"no package has {library}")


class LinkingTests(unittest.TestCase):
    """Of programs that were built as README.md says."""

    def test_no_library_is_taken_from_beside_the_program(self):
        programs = [path for name in ("pet", "petd") if (path := FOLDER.parent / ".build/static/release" / name).exists()]
        if not programs:
            self.skipTest("README.md says how .build/static/release is made")
        for program in programs:
            dynamic = subprocess.run(["readelf", "-W", "-d", "-l", program], check=True, capture_output=True, text=True).stdout
            self.assertNotIn("$ORIGIN", dynamic, program)
            self.assertIn("GNU_RELRO", dynamic, program)
            self.assertRegex(dynamic, r"\(FLAGS(_1)?\).*(BIND_)?NOW", program)


class ServiceTests(unittest.TestCase):
    def test_it_answers_on_the_sockets_it_was_given(self):
        with Supervised(PETD) as service:
            service.start()
            service.wait_for("READY=1")
            self.assertIn(b"200 OK", self.ask(service))
            token = (service.home / "petd.token").read_text().strip()
            connection = http.client.HTTPConnection("127.0.0.1", service.port, timeout=20)
            connection.request("GET", "/v1/models", headers={"Authorization": f"Bearer {token}"})
            self.assertEqual(connection.getresponse().status, 200)
            connection.close()
            self.stop(service)

            # The socket is the manager's: whoever asks while nobody serves waits for the next.
            with socket.socket(socket.AF_UNIX) as early:
                early.settimeout(20)
                early.connect(str(service.socket))
                early.sendall(b"GET /health HTTP/1.1\r\nHost: pet\r\n\r\n")
                service.start()
                self.assertIn(b"200 OK", early.recv(4096))
            service.wait_for("READY=1")
            self.stop(service)

    def test_it_tells_that_it_is_not_stuck(self):
        with Supervised(PETD, watchdog_seconds=1) as service:
            service.start()
            service.wait_for("READY=1")
            for _ in range(3):
                service.wait_for("WATCHDOG=1")
            self.stop(service)

    def test_without_a_watchdog_it_tells_nothing(self):
        with Supervised(PETD) as service:
            service.start()
            service.wait_for("READY=1")
            self.assertEqual(self.stop(service), ["STOPPING=1"])

    def test_it_reloads_and_goes_on(self):
        with Supervised(PETD) as service:
            service.start()
            service.wait_for("READY=1")
            service.process.send_signal(signal.SIGHUP)
            told = service.wait_for("READY=1")
            self.assertEqual(told[0], "RELOADING=1")
            self.assertRegex(told[1], r"MONOTONIC_USEC=\d+")
            # To the background and back.
            for sent in (signal.SIGUSR1, signal.SIGUSR2):
                service.process.send_signal(sent)
                self.assertIn(b"200 OK", self.ask(service))
            self.stop(service)

    def ask(self, service):
        with socket.socket(socket.AF_UNIX) as client:
            client.settimeout(20)
            client.connect(str(service.socket))
            client.sendall(b"GET /health HTTP/1.1\r\nHost: pet\r\nConnection: close\r\n\r\n")
            return b"".join(iter(lambda: client.recv(4096), b""))

    def stop(self, service):
        """What it tells at its end."""
        service.process.send_signal(signal.SIGTERM)
        told = service.wait_for("STOPPING=1")
        self.assertEqual(service.process.wait(timeout=20), 0, service.log.read_text())
        return told


if __name__ == "__main__":
    unittest.main()

# SPDX-License-Identifier: Apache-2.0
"""What is being done and for how long, on standard error: one line that changes on a terminal, lines elsewhere."""
import subprocess
import sys
import time


class Progress:
    def __init__(self, steps=0, stream=sys.stderr):
        self.stream, self.steps, self.done = stream, steps, 0
        self.start = time.monotonic()
        self.shown = 0.0
        self.live = stream.isatty()

    def expect(self, steps):
        """That many more steps are to come."""
        self.steps += steps

    def step(self, label):
        """A step begins."""
        self.done += 1
        spent = time.monotonic() - self.start
        left = spent / max(1, self.done - 1) * (self.steps - self.done + 1) if self.done > 3 else 0
        text = f"{self.done} of {self.steps}, {clock(spent)}" + (f", about {clock(left)} left" if left > 0 else "")
        self.show(f"[{text}] {label}")

    def show(self, text):
        # Elsewhere a line every ten seconds says enough.
        if self.live:
            self.stream.write("\r\033[K" + text[:110])
        elif self.shown == 0 or time.monotonic() - self.shown > 10:
            self.stream.write(text + "\n")
            self.shown = time.monotonic()
        self.stream.flush()

    def say(self, text):
        """A line that stays."""
        self.stream.write(("\r\033[K" if self.live else "") + text + "\n")
        self.stream.flush()

    def run(self, command, label, **options):
        """Runs a command that may take minutes, showing how long it has been at it; its output only where it fails."""
        start = time.monotonic()
        with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, **options) as process:
            while True:
                try:
                    output, _ = process.communicate(timeout=1)
                    break
                except subprocess.TimeoutExpired:
                    self.show(f"{label}: {clock(time.monotonic() - start)}")
        if process.returncode != 0:
            raise SystemExit(f"{output}\ncompare: {label}: exit code {process.returncode}")
        return output

    def finish(self):
        if self.live:
            self.stream.write("\r\033[K")
            self.stream.flush()


def clock(seconds):
    return f"{seconds:.0f} s" if seconds < 100 else f"{seconds / 60:.0f} min"

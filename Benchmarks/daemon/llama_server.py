# SPDX-License-Identifier: Apache-2.0
"""llama-server, built here from the llama.cpp inside llama-cpp-python's source distribution (PyPI), with this machine's instructions."""
import os
import shutil
import subprocess
import sys
import tarfile
import tempfile
import time
import urllib.request
from pathlib import Path

from peer_builds import COMPILERS, VERSION, processor_key
from petd import PATIENCE


def build(cache, compiler, progress):
    """The program, made where it is not there yet: half an hour, the first time."""
    folder = cache / f"llama-server-{VERSION}-{compiler}-{processor_key()}"
    program = folder / "bin" / "llama-server"
    if program.exists():
        return program
    if not shutil.which("cmake"):
        raise SystemExit("throughput: no cmake, which builds llama-server; on Debian: apt-get install cmake")
    cache.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=cache) as draft:
        progress.run([sys.executable, "-m", "pip", "download", "--quiet", "--no-deps", "--no-binary", ":all:", "--dest", draft,
                      f"llama-cpp-python=={VERSION}"], "fetching llama.cpp")
        with tarfile.open(next(Path(draft).glob("*.tar.gz"))) as archive:
            archive.extractall(draft, filter="data")
        source = next(Path(draft).glob("*/vendor/llama.cpp"))
        made = Path(draft) / "build"
        progress.run(["cmake", "-S", str(source), "-B", str(made), "-DCMAKE_BUILD_TYPE=Release", "-DGGML_NATIVE=ON", "-DBUILD_SHARED_LIBS=OFF",
                      "-DLLAMA_BUILD_SERVER=ON", "-DLLAMA_BUILD_TESTS=OFF", "-DLLAMA_BUILD_EXAMPLES=OFF", "-DLLAMA_CURL=OFF"],
                     "configuring llama.cpp", env=dict(os.environ, CC=compiler, CXX=COMPILERS[compiler]))
        progress.run(["cmake", "--build", str(made), "--target", "llama-server", "-j", str(os.cpu_count())],
                     f"building llama-server with {compiler}")
        program.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy2(made / "bin" / "llama-server", program)
    return program


def version(program):
    done = subprocess.run([str(program), "--version"], capture_output=True, text=True)
    return next((line for line in (done.stderr + done.stdout).splitlines() if line.startswith("version")), "unknown")


class LlamaServer:
    def __init__(self, program, options):
        self.process = subprocess.Popen([str(program), *map(str, options)], stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                                        stderr=subprocess.DEVNULL)

    def wait_until_ready(self, port):
        end = time.monotonic() + PATIENCE
        while time.monotonic() < end:
            if self.process.poll() is not None:
                raise SystemExit(f"llama-server ended with {self.process.returncode}")
            try:
                with urllib.request.urlopen(f"http://127.0.0.1:{port}/health", timeout=PATIENCE) as answer:
                    if answer.status == 200:
                        return
            except OSError:
                time.sleep(0.05)
        raise SystemExit(f"llama-server: not ready within {PATIENCE} s")

    def stop(self):
        self.process.terminate()
        self.process.wait(PATIENCE)

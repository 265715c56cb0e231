# SPDX-License-Identifier: Apache-2.0
"""llama.cpp as PyPI has it: llama-cpp-python's source distribution, built here with this machine's instructions, once per
compiler, since which one is faster depends on the file. Beside each build lies a small program on its C library (peer.c)."""
import hashlib
import json
import os
import shutil
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

VERSION = "0.3.36"
GGUF_VERSION = "0.19.0"  # reads and writes model files
COMPILERS = {"gcc": "g++", "clang": "clang++"}
HERE = Path(__file__).resolve().parent


@dataclass
class Build:
    name: str  # the compiler
    python: Path  # of the environment that it is installed in
    program: Path  # peer.c
    version: str


def available_compilers():
    return [c for c, cxx in COMPILERS.items() if shutil.which(c) and shutil.which(cxx)]


def processor_key():
    """A build with native flags is of no use on another processor."""
    text = Path("/proc/cpuinfo").read_text(encoding="utf-8")
    flags = sorted({line for line in text.splitlines() if line.startswith(("flags", "Features", "model name"))})
    return hashlib.sha256("\n".join(flags).encode()).hexdigest()[:8]


def compile_c(target, sources, arguments, progress):
    """Compiles a C program with whatever compiler is there; not again where nothing has changed."""
    newest = max(Path(s).stat().st_mtime for s in sources)
    if target.exists() and target.stat().st_mtime > newest:
        return target
    compiler = next((c for c in ("cc", "gcc", "clang") if shutil.which(c)), None)
    if compiler is None:
        raise SystemExit("compare: no C compiler; install gcc or clang")
    target.parent.mkdir(parents=True, exist_ok=True)
    draft = target.with_suffix(f".{os.getpid()}")
    progress.run([compiler, "-O2", "-std=gnu11", *map(str, sources), *arguments, "-o", str(draft)],
                 f"compiling {target.name}")
    draft.rename(target)
    return target


def installed(python):
    """(folder of packages, version of llama-cpp-python or None) of an environment."""
    code = ("import sysconfig, importlib.metadata as m, json\n"
            "v = [d.version for d in m.distributions() if d.metadata['Name'].replace('_', '-') == 'llama-cpp-python']\n"
            "print(json.dumps([sysconfig.get_paths()['platlib'], v[0] if v else None]))")
    done = subprocess.run([str(python), "-c", code], capture_output=True, text=True)
    if done.returncode != 0:
        raise SystemExit(f"compare: {python}: {done.stderr.strip()}")
    packages, version = json.loads(done.stdout)
    return Path(packages), version


def with_program(name, python, cache, progress):
    packages, version = installed(python)
    library = packages / "llama_cpp" / "lib"
    if version is None or not (packages / "include" / "llama.h").exists():
        raise SystemExit(f"compare: {python} has no llama-cpp-python that was built from source")
    key = hashlib.sha256(str(packages).encode()).hexdigest()[:8]
    program = compile_c(
        cache / f"peer-{name}-{version}-{key}", [HERE / "peer.c"],
        [f"-I{packages / 'include'}", f"-L{library}", "-lllama", "-lggml", "-lggml-base", f"-Wl,-rpath,{library}"],
        progress)
    return Build(name, Path(python), program, version)


def make(compiler, cache, progress):
    """The build of one compiler, made where it is not there yet: minutes, the first time."""
    folder = cache / f"llama-cpp-python-{VERSION}-{compiler}-{processor_key()}"
    python = folder / "bin" / "python"
    if not (folder / "complete").exists():
        shutil.rmtree(folder, ignore_errors=True)
        cache.mkdir(parents=True, exist_ok=True)
        made = subprocess.run([sys.executable, "-m", "venv", str(folder)], capture_output=True, text=True)
        if made.returncode != 0:
            raise SystemExit(f"{made.stdout}{made.stderr}compare: no virtual environment; on Debian: "
                             "apt-get install python3-venv")
        environment = dict(os.environ, CC=compiler, CXX=COMPILERS[compiler],
                           CMAKE_ARGS="-DCMAKE_BUILD_TYPE=Release -DGGML_NATIVE=ON -DLLAVA_BUILD=OFF")
        # Without pip's cache: it would hand out the wheel that another compiler made.
        progress.run(
            [str(python), "-m", "pip", "install", "--quiet", "--no-cache-dir", "--no-binary", "llama-cpp-python",
             f"llama-cpp-python=={VERSION}"], f"building llama.cpp with {compiler} (about ten minutes)", env=environment)
        progress.run([str(python), "-m", "pip", "install", "--quiet", f"gguf=={GGUF_VERSION}", "numpy"],
                     "installing gguf")
        (folder / "complete").touch()
    return with_program(compiler, python, cache, progress)

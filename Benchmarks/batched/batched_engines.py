# SPDX-License-Identifier: Apache-2.0
"""Both engines writing several sequences at once: a fresh process each time, for the reasons in ../compare/engines.py."""
import json
import math
import statistics
from dataclasses import dataclass
from pathlib import Path

import peer_builds
from engines import call

HERE = Path(__file__).resolve().parent


@dataclass(frozen=True)
class Work:
    """What one process does: `reply` tokens of each sequence behind its own `prompt` tokens, `inner` times."""
    file: Path
    threads: int
    sequences: int
    prompt: int
    reply: int
    inner: int


@dataclass(frozen=True)
class Sample:
    tokens_per_second: float  # of all sequences together
    p50_ms: float  # of a step, which gives each sequence a token: the time between two tokens of a sequence
    p95_ms: float


def percentile(values, percent):
    """The smallest value that `percent` of them do not exceed (nearest rank), as `pet bench` has it."""
    ordered = sorted(values)
    return ordered[max(1, math.ceil(len(ordered) * percent / 100)) - 1]


class Pet:
    name = "Pet"

    def __init__(self, program):
        self.program = program

    def run(self, work):
        found = json.loads(call([
            self.program, "bench", "--model", work.file, "-p", 0, "-n", work.reply, "--depth", work.prompt, "--sequences",
            work.sequences, "-r", work.inner, "--threads", work.threads, "--json"]))
        return self.sample(found["rows"][0])

    @staticmethod
    def sample(row):
        # Fields of their own where a report has them; in others the tokens of a row are its steps.
        steps = row["token_ms"]
        return Sample(row["tokens_per_second"], row.get("step_p50_ms", steps["p50"]), row.get("step_p95_ms", steps["p95"]))


class LlamaCpp:
    """One build, with flash attention on or off, and one buffer of keys and values for all sequences or one for each."""

    def __init__(self, build, program, flash, unified):
        self.program, self.flash, self.unified = program, flash, unified
        self.name = f"{build.name}, flash {'on' if flash else 'off'}, {'one cache' if unified else 'a cache each'}"
        self.model = {}  # what the program said of file and machine

    def run(self, work):
        found = json.loads(call([
            self.program, work.file, work.threads, int(self.flash), int(self.unified), work.sequences, work.prompt, work.reply,
            work.inner]))
        self.model = {key: found[key] for key in ("parameters", "weight_bytes", "system")}
        return self.sample(found["runs"], work.sequences)

    @staticmethod
    def sample(runs, sequences):
        steps = [step for run in runs for step in run]
        speeds = [1000 * sequences * len(run) / sum(run) for run in runs]
        return Sample(statistics.median(speeds), percentile(steps, 50), percentile(steps, 95))


def llama_cpps(builds, cache, progress):
    """Every configuration of every build."""
    return [LlamaCpp(build, program, flash, unified)
            for build, program in [(b, compiled(b, cache, progress)) for b in builds]
            for flash in (True, False) for unified in (False, True)]


def compiled(build, cache, progress):
    packages, _ = peer_builds.installed(build.python)
    library = packages / "llama_cpp" / "lib"
    return peer_builds.compile_c(
        cache / f"{build.program.name}-batched", [HERE / "peer_batched.c"],
        [f"-I{packages / 'include'}", f"-L{library}", "-lllama", "-lggml", "-lggml-base", f"-Wl,-rpath,{library}"], progress)

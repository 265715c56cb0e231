# SPDX-License-Identifier: Apache-2.0
"""Runs our `pet` binary for the comparisons."""
import json
import os
import subprocess
import tempfile

import numpy as np


class Ours:
    def __init__(self, binary, model):
        self.binary, self.model = str(binary), str(model)

    def run(self, command, *arguments):
        call = [self.binary, command, "--model", self.model, *map(str, arguments)]
        done = subprocess.run(call, capture_output=True, text=True)
        if done.returncode != 0:
            raise SystemExit(f"{' '.join(call)}: exit code {done.returncode}: {done.stderr.strip()}")
        return done.stdout

    def logits(self, ids, n_vocab, threads):
        with tempfile.TemporaryDirectory() as scratch:
            tokens, out = os.path.join(scratch, "tokens.json"), os.path.join(scratch, "out.f32")
            with open(tokens, "w") as f:
                json.dump(ids, f)
            self.run("logits", "--tokens", tokens, "--output", out, "--threads", threads)
            rows = np.fromfile(out, "<f4")
        if rows.size != len(ids) * n_vocab:
            raise SystemExit(f"pet logits: {rows.size} numbers for {len(ids)} tokens of a vocabulary of {n_vocab}")
        return rows.reshape(len(ids), n_vocab)

    def greedy(self, prompt, count, threads):
        found = json.loads(self.run("complete", "--prompt", prompt, "--max-tokens", count, "--temperature", 0,
                                    "--threads", threads, "--json"))
        return found["ids"]

    def perplexity(self, file, context):
        return json.loads(self.run("perplexity", file, "--ctx", context, "--json"))["perplexity"]

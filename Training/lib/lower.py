# SPDX-License-Identifier: Apache-2.0
"""What the frozen lower blocks make of each sample, computed once and kept in bfloat16 on disk."""
import hashlib
import json

import numpy as np
import torch


class Lower:
    """Rows of [width] for every token of `samples`, in FOLDER/NAME.bf16; which samples are there, in NAME.have.

    A sample is computed when it is first asked for, so an interrupted training goes on with what it has. The file is of these
    samples, this base and these blocks only: NAME.json says which, and another one is begun anew.
    """

    def __init__(self, model, first, samples, folder, name, base):
        self.model, self.first, self.samples, self.width = model, first, samples, model.shape.width
        self.starts = np.cumsum([0] + [len(ids) for ids, _ in samples])
        digest = hashlib.sha256(f"{base} {first} {self.width}".encode())
        for ids, _ in samples:
            digest.update(np.array([len(ids), *ids], dtype="<i4").tobytes())
        key = folder / f"{name}.json"
        facts = {"sha256": digest.hexdigest(), "blocks": first, "tokens": int(self.starts[-1]), "width": self.width}
        fresh = not key.exists() or json.loads(key.read_text()) != facts
        if fresh:
            key.unlink(missing_ok=True)
        mode = "w+" if fresh else "r+"
        self.rows = np.memmap(folder / f"{name}.bf16", np.int16, mode, shape=(facts["tokens"], self.width))
        self.have = np.memmap(folder / f"{name}.have", np.uint8, mode, shape=len(samples))
        key.write_text(json.dumps(facts) + "\n")

    @torch.no_grad()
    def compute(self, indices, ids):
        """ids: [batch, time], padded on the right: what comes later changes nothing before it."""
        x = self.model.through(self.model.token_embd(ids), end=self.first)
        for row, i in enumerate(indices):
            own = x[row, :len(self.samples[i][0])].to(torch.bfloat16).cpu().contiguous()
            self.rows[self.starts[i]:self.starts[i + 1]] = own.view(torch.int16).numpy()
        self.rows.flush()
        self.have[indices] = 1

    def __call__(self, indices, ids):
        """[batch, time, width], float32, zeros behind the end of each sample; and how many tokens had to be computed."""
        missing = not self.have[indices].all()
        if missing:
            self.compute(indices, ids)
        x = torch.zeros(*ids.shape, self.width)
        for row, i in enumerate(indices):
            own = torch.from_numpy(np.array(self.rows[self.starts[i]:self.starts[i + 1]])).view(torch.bfloat16)
            x[row, :len(own)] = own.float()
        return x.to(ids.device), ids.numel() if missing else 0

# SPDX-License-Identifier: Apache-2.0
"""Trains what tells how somebody goes on who has told of danger: Models/dialogue-acts-v1.bin, one class for each `DialogueAct`.

    python train_dialogue_acts.py ../Models/recall-reader-v2.gguf OUT.bin

A logistic regression on what the reader of train_recall_reader.py makes of a line. Data: danger/acts/ (`danger/acts/README.md`); those of danger/acts/held_out
are by another writer. Sources/PetCompanion/Safety/DialogueActClassifier.swift computes the same.
"""
import argparse

import numpy as np
import torch
import torch.nn.functional as F

from lib import corpus, encoder

ROOT = corpus.ROOT / "danger" / "acts"
ACTS = "plan done refuse fear secret alone with shame small tired how barrier other pet bye more".split()


def cases(paths):
    """[(kind of danger, act, line)]"""
    rows = [row.split("\t") for path in paths for row in path.read_text().splitlines() if row.count("\t") == 2]
    return [(kind, ACTS.index(act.lower()), line) for kind, act, line in rows]


def outputs(files, lines):
    model, pieces = files
    return torch.tensor(encoder.outputs(model, [("", line) for line in lines], pieces))


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("reader"); parser.add_argument("out")
    parser.add_argument("--decay", type=float, default=1e-3)
    a = parser.parse_args()
    torch.manual_seed(1)
    files = encoder.stored(a.reader)
    train, held = cases(sorted(ROOT.glob("*.txt"))), cases(sorted((ROOT / "held_out").glob("*.txt")))
    x, y = outputs(files, [line for *_, line in train]), torch.tensor([act for _, act, _ in train])
    scale = x.std()
    weights, bias = torch.zeros(len(ACTS), x.shape[1], requires_grad=True), torch.zeros(len(ACTS), requires_grad=True)
    opt = torch.optim.LBFGS([weights, bias], max_iter=400, line_search_fn="strong_wolfe")

    def loss():
        opt.zero_grad()
        value = F.cross_entropy(x / scale @ weights.T + bias, y) + a.decay * weights.square().sum()
        value.backward()
        return value
    opt.step(loss)
    rows = torch.cat([bias[:, None], weights / scale], 1).detach()
    p = F.softmax(outputs(files, [line for *_, line in held]) @ rows[:, 1:].T + rows[:, 0], -1).numpy()
    acts, best, sure = np.array([act for _, act, _ in held]), p.argmax(1), p.max(1)
    more = ACTS.index("more")
    print(f"of {len(held)} lines {np.mean(best == acts):.3f} right")
    for least in (0.3, 0.4, 0.5, 0.6, 0.7, 0.8):
        said = (sure >= least) & (best != more)
        print(f"above {least}: {said.mean():.3f} taken up, {np.mean(best[said] == acts[said]):.3f} of them right")
    for act, name in enumerate(ACTS):
        said = (sure >= 0.5) & (best == act)
        print(f"{name:8} {np.mean(best[acts == act] == act):.2f} found; above 0.5 {said.sum()}, right {np.mean(acts[said] == act) if said.any() else 0:.2f};",
              "taken for it", [ACTS[i] for i in acts[said & (acts != act)]][:6])
    rows.numpy().astype("<f4").tofile(a.out)


if __name__ == "__main__":
    main()

# SPDX-License-Identifier: Apache-2.0
"""Muon (Jordan et al. 2024, kellerjordan.github.io/posts/muon), with the step size of arXiv:2502.16982."""
import torch

# Of the quintic iteration that brings singular values near 1.
A, B, C = 3.4445, -4.775, 2.0315
ITERATIONS = 5


def orthogonal(matrix):
    """The nearest matrix with orthogonal rows or columns, roughly. In the matrix's own type: bfloat16 is slow on most CPUs."""
    x = matrix / (matrix.norm() + 1e-7)
    if turned := x.shape[0] > x.shape[1]:
        x = x.T
    for _ in range(ITERATIONS):
        gram = x @ x.T
        x = A * x + (B * gram + C * gram @ gram) @ x
    return x.T if turned else x


class Muon(torch.optim.Optimizer):
    """Momentum whose steps on matrices are made orthogonal; 0.2 sqrt(longer side) makes them as large as AdamW's, so
    that rate and weight decay mean the same."""

    def __init__(self, matrices, rate, weight_decay, momentum=0.95):
        super().__init__(matrices, {"lr": rate, "weight_decay": weight_decay, "momentum": momentum})

    @torch.no_grad()
    def step(self):
        for group in self.param_groups:
            for p in group["params"]:
                if p.grad is None:
                    continue
                state = self.state[p]
                if not state:
                    state["momentum"] = torch.zeros_like(p)
                state["momentum"].lerp_(p.grad, 1 - group["momentum"])
                step = orthogonal(p.grad.lerp(state["momentum"], group["momentum"]))
                p.mul_(1 - group["lr"] * group["weight_decay"])
                p.add_(step, alpha=-group["lr"] * 0.2 * max(p.shape) ** 0.5)

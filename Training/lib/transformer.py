# SPDX-License-Identifier: Apache-2.0
"""A decoder in PyTorch whose parameters have GGUF's names: `llama` (SmolLM2), `phi3` (nano) or `qwen2`, for training."""
import dataclasses

import torch
import torch.nn.functional as F
from torch import nn


@dataclasses.dataclass(frozen=True)
class Shape:
    architecture: str
    layers: int
    width: int
    heads: int
    kv_heads: int
    ffn: int
    vocabulary: int
    context: int
    rope_base: float = 10000.0
    epsilon: float = 1e-5
    tied: bool = True  # the output is the embedding

    @property
    def head_width(self):
        return self.width // self.heads


class Linear(nn.Module):
    """y = x W' + bias (+ scale * x A' B' where a low-rank delta is trained and W is not)."""

    def __init__(self, inputs, outputs, bias=False):
        super().__init__()
        self.weight = nn.Parameter(torch.empty(outputs, inputs))  # [outputs, inputs]
        self.bias = nn.Parameter(torch.zeros(outputs)) if bias else None  # [outputs]
        self.rank = 0

    def add_delta(self, rank, scale):
        for frozen in self.parameters():
            frozen.requires_grad_(False)
        self.rank, self.scale = rank, scale
        outputs, inputs = self.weight.shape
        self.a = nn.Parameter(torch.randn(rank, inputs) / inputs**0.5)  # [rank, inputs]
        self.b = nn.Parameter(torch.zeros(outputs, rank))  # [outputs, rank]

    def delta(self):
        return self.scale * self.b @ self.a

    def forward(self, x):
        y = F.linear(x, self.weight, self.bias)
        return y if self.rank == 0 else y + F.linear(F.linear(x, self.a), self.scale * self.b)


class Norm(nn.Module):
    def __init__(self, width, epsilon):
        super().__init__()
        self.weight = nn.Parameter(torch.ones(width))
        self.epsilon = epsilon

    def forward(self, x):
        return F.rms_norm(x, (x.shape[-1],), self.weight, self.epsilon)


class Block(nn.Module):
    def __init__(self, shape):
        super().__init__()
        self.shape = shape
        kv = shape.kv_heads * shape.head_width
        self.attn_norm = Norm(shape.width, shape.epsilon)
        self.ffn_norm = Norm(shape.width, shape.epsilon)
        if shape.architecture == "phi3":
            self.attn_qkv = Linear(shape.width, shape.width + 2 * kv)
            self.ffn_up = Linear(shape.width, 2 * shape.ffn)
        else:
            self.attn_q, self.attn_k, self.attn_v = (
                Linear(shape.width, n, bias=shape.architecture == "qwen2") for n in (shape.width, kv, kv))
            self.ffn_gate, self.ffn_up = Linear(shape.width, shape.ffn), Linear(shape.width, shape.ffn)
        self.attn_output = Linear(shape.width, shape.width)
        self.ffn_down = Linear(shape.ffn, shape.width)

    def rotate(self, x, cosine, sine):
        """x: [batch, heads, time, head width]; cosine, sine: [time, head width / 2]."""
        if self.shape.architecture != "llama":  # dimension i with i + half
            a, b = x.chunk(2, -1)
            return torch.cat((a * cosine - b * sine, b * cosine + a * sine), -1)
        a, b = x[..., 0::2], x[..., 1::2]  # 2i with 2i + 1: GGUF's order for llama
        return torch.stack((a * cosine - b * sine, b * cosine + a * sine), -1).flatten(-2)

    def forward(self, x, cosine, sine, cache=None):
        batch, time, _ = x.shape
        shape, kv = self.shape, self.shape.kv_heads * self.shape.head_width
        h = self.attn_norm(x)
        if shape.architecture == "phi3":
            q, k, v = self.attn_qkv(h).split((shape.width, kv, kv), -1)
        else:
            q, k, v = self.attn_q(h), self.attn_k(h), self.attn_v(h)
        q, k, v = (t.view(batch, time, -1, shape.head_width).transpose(1, 2) for t in (q, k, v))
        q, k = self.rotate(q, cosine, sine), self.rotate(k, cosine, sine)
        mask = None
        if cache is not None:
            k, v, mask = cache.extend(self, k, v)
        h = F.scaled_dot_product_attention(
            q, k, v, attn_mask=mask, is_causal=mask is None, enable_gqa=shape.heads != shape.kv_heads)
        x = x + self.attn_output(h.transpose(1, 2).reshape(batch, time, -1))
        h = self.ffn_norm(x)
        gate, up = self.ffn_up(h).chunk(2, -1) if shape.architecture == "phi3" else (self.ffn_gate(h), self.ffn_up(h))
        return x + self.ffn_down(F.silu(gate) * up)


class Transformer(nn.Module):
    def __init__(self, shape):
        super().__init__()
        self.shape = shape
        self.token_embd = nn.Embedding(shape.vocabulary, shape.width)
        self.blk = nn.ModuleList(Block(shape) for _ in range(shape.layers))
        self.output_norm = Norm(shape.width, shape.epsilon)
        if not shape.tied:
            self.output = Linear(shape.width, shape.vocabulary)
        frequencies = shape.rope_base ** (-torch.arange(0, shape.head_width, 2) / shape.head_width)
        angles = torch.outer(torch.arange(shape.context), frequencies)  # [context, head width / 2]
        self.register_buffer("cosine", angles.cos(), persistent=False)
        self.register_buffer("sine", angles.sin(), persistent=False)

    def add_delta(self, rank, alpha, first=0):
        """Freezes everything and puts a low-rank delta (LoRA, arXiv:2106.09685) beside each matrix of blocks `first`..."""
        for parameter in self.parameters():
            parameter.requires_grad_(False)
        for block in self.blk[first:]:
            for module in block.modules():
                if isinstance(module, Linear):
                    module.add_delta(rank, alpha / rank)

    def trained(self):
        """{name: parameter} of what is trained."""
        return {name: p for name, p in self.named_parameters() if p.requires_grad}

    def through(self, x, first=0, end=None, cache=None):
        """What blocks `first` ..< `end` make of x: [batch, time, width]."""
        past = 0 if cache is None else cache.length
        cosine, sine = (t[past:past + x.shape[1]] for t in (self.cosine, self.sine))
        for block in self.blk[first:end]:
            x = block(x, cosine, sine, cache)
        return x

    def hidden(self, ids, cache=None):
        """ids: [batch, time] -> [batch, time, width], normalized."""
        return self.output_norm(self.through(self.token_embd(ids), cache=cache))

    def logits(self, hidden):
        """hidden: [..., width], normalized -> [..., vocabulary]."""
        return F.linear(hidden, self.token_embd.weight if self.shape.tied else self.output.weight)

    def losses(self, ids, labels):
        """Cross-entropy of each label that is not -100 given what stands before it; ids, labels: [batch, time]."""
        return self.losses_of(self.hidden(ids), labels)

    def losses_of(self, hidden, labels):
        """The same from the normalized outputs of the last block: [batch, time, width]."""
        targets = labels[:, 1:]
        chosen = targets != -100
        return F.cross_entropy(self.logits(hidden[:, :-1][chosen]), targets[chosen], reduction="none")

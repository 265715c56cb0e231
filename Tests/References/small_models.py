# SPDX-License-Identifier: Apache-2.0
"""The small random-weight models: their configurations, weights and prompts, as pure data from fixed seeds."""
from dataclasses import dataclass, field

import numpy as np

VOCAB = 320
BOS, EOS = 1, 2
# Pieces of the SentencePiece model; Phi-3 folders add the tokens below after it, and pad up to VOCAB.
PIECES = 304
PHI3_ADDED = ["<|endoftext|>", "<|assistant|>", "<|placeholder1|>", "<|placeholder2|>", "<|end|>", "<|user|>", "<|system|>"]
PHI3_TEMPLATE = (
    "{% for message in messages %}{{ '<|' + message['role'] + '|>' + '\\n' + message['content'] + '<|end|>\\n' }}"
    "{% endfor %}{% if add_generation_prompt %}{{ '<|assistant|>\\n' }}{% else %}{{ eos_token }}{% endif %}")
ZEPHYR_TEMPLATE = (
    "{% for message in messages %}{{ '<|' + message['role'] + '|>\\n' + message['content'] + eos_token + '\\n' }}"
    "{% endfor %}{% if add_generation_prompt %}{{ '<|assistant|>\\n' }}{% endif %}")


@dataclass
class SmallModel:
    name: str
    family: str  # llama | phi3 | qwen2
    seed: int
    width: int = 48
    heads: int = 3
    kv_heads: int = 3
    ffn: int = 64
    layers: int = 2
    tied: bool = False
    partial: float = 1.0
    rope_base: float = 10000.0
    eps: float = 1e-5
    context: int = 256
    original_context: int | None = None
    window: int | None = None
    long_factor: list = field(default_factory=list)
    short_factor: list = field(default_factory=list)
    dtype: str = "bfloat16"
    shards: int = 1
    added_tokens_file: bool = False
    prompt_lengths: dict = field(default_factory=lambda: {"prompt": 48})
    growing: range | None = None
    # Positions of which logits are kept; none: some of all.
    rows: range | None = None

    @property
    def head_dim(self):
        return self.width // self.heads

    @property
    def rope_dim(self):
        return int(self.head_dim * self.partial)

    def config(self):
        """config.json, with the keys the published Llama and Phi-3 folders have."""
        c = {
            "architectures": [{"llama": "Llama", "phi3": "Phi3", "qwen2": "Qwen2"}[self.family] + "ForCausalLM"],
            "model_type": self.family,
            "vocab_size": VOCAB, "hidden_size": self.width, "intermediate_size": self.ffn,
            "num_hidden_layers": self.layers, "num_attention_heads": self.heads, "num_key_value_heads": self.kv_heads,
            "hidden_act": "silu", "max_position_embeddings": self.context, "rms_norm_eps": self.eps,
            "rope_theta": self.rope_base, "tie_word_embeddings": self.tied, "initializer_range": 0.02,
            "attention_bias": False, "attention_dropout": 0.0,
            "bos_token_id": BOS, "eos_token_id": PIECES if self.family == "phi3" else EOS,
            "torch_dtype": self.dtype, "use_cache": True,
        }
        if self.family == "llama":
            c |= {"mlp_bias": False, "rope_scaling": None}
        elif self.family == "qwen2":
            # The published folders do not say that queries, keys and values have biases: the architecture does.
            del c["attention_bias"]
            c |= {"sliding_window": None, "use_sliding_window": False, "max_window_layers": self.layers}
        else:
            c |= {
                "pad_token_id": PIECES, "original_max_position_embeddings": self.original_context or self.context,
                "sliding_window": self.window, "resid_pdrop": 0.0, "embd_pdrop": 0.0, "rope_scaling": None,
            }
            if self.partial != 1.0:
                c["partial_rotary_factor"] = self.partial
            if self.long_factor:
                c["rope_scaling"] = {
                    "long_factor": self.long_factor, "short_factor": self.short_factor, "type": "longrope"}
        return dict(sorted(c.items()))

    def weights(self):
        """Hugging Face names to float32 arrays [rows, columns], in the order a checkpoint lists them.

        Projections keep unit variance and queries and keys are a little louder, so that attention is far from uniform
        and logits have a standard deviation near 2: a mistake anywhere shows.
        """
        rng = np.random.Generator(np.random.PCG64(self.seed))

        def matrix(rows, columns, gain=1.0):
            return (rng.standard_normal((rows, columns)) * (gain / np.sqrt(columns))).astype(np.float32)

        def norm():
            return (1 + 0.2 * rng.standard_normal(self.width)).astype(np.float32)

        kv = self.kv_heads * self.head_dim
        logit_gain = 2.0
        w = {"model.embed_tokens.weight": matrix(VOCAB, self.width, logit_gain if self.tied else np.sqrt(self.width))}
        for i in range(self.layers):
            p = f"model.layers.{i}."
            q, k, v = matrix(self.width, self.width, 1.6), matrix(kv, self.width, 1.6), matrix(kv, self.width)
            o = matrix(self.width, self.width)
            gate, up = matrix(self.ffn, self.width, 1.5), matrix(self.ffn, self.width, 1.2)
            w[p + "input_layernorm.weight"] = norm()
            w[p + "mlp.down_proj.weight"] = matrix(self.width, self.ffn)
            if self.family != "phi3":
                w[p + "mlp.gate_proj.weight"], w[p + "mlp.up_proj.weight"] = gate, up
            else:
                w[p + "mlp.gate_up_proj.weight"] = np.concatenate([gate, up])
            w[p + "post_attention_layernorm.weight"] = norm()
            w[p + "self_attn.o_proj.weight"] = o
            if self.family != "phi3":
                for key, value in (("q", q), ("k", k), ("v", v)):
                    w[p + f"self_attn.{key}_proj.weight"] = value
                    if self.family == "qwen2":
                        w[p + f"self_attn.{key}_proj.bias"] = (0.5 * rng.standard_normal(len(value))).astype(np.float32)
            else:
                w[p + "self_attn.qkv_proj.weight"] = np.concatenate([q, k, v])
        w["model.norm.weight"] = norm()
        if not self.tied:
            w["lm_head.weight"] = matrix(VOCAB, self.width, logit_gain)
        return w

    def prompts(self):
        """Case name to token ids: BOS, then ids drawn over pieces, bytes and added tokens."""
        rng = np.random.Generator(np.random.PCG64(self.seed + 1000))
        return {name: [BOS] + [int(x) for x in rng.integers(3, VOCAB, n - 1)] for name, n in self.prompt_lengths.items()}


def longrope_factors(rope_dim, seed):
    """Short factors near 1 and long ones growing with the dimension, as the published ones do."""
    rng = np.random.Generator(np.random.PCG64(seed))
    n = rope_dim // 2
    short = 1 + 0.3 * rng.random(n)
    long = 1.1 + 6 * (np.arange(n) / max(n - 1, 1)) ** 2 + 0.3 * rng.random(n)
    return [round(float(x), 4) for x in long], [round(float(x), 4) for x in short]


LONG, SHORT = longrope_factors(16, 61)
LONG_PARTIAL, SHORT_PARTIAL = longrope_factors(12, 62)

MODELS = [
    SmallModel("llama-gqa", "llama", 11, width=64, heads=4, kv_heads=2),
    SmallModel("llama-tied", "llama", 12, width=32, heads=2, kv_heads=1, tied=True, rope_base=100000.0, dtype="float32"),
    SmallModel("phi3-mha", "phi3", 13, added_tokens_file=True),
    SmallModel("phi3-gqa-partial", "phi3", 14, heads=6, kv_heads=2, ffn=48, partial=0.75, dtype="float16"),
    SmallModel("phi3-tied", "phi3", 15, width=32, heads=2, kv_heads=2, tied=True, partial=0.5),
    SmallModel("phi3-longrope", "phi3", 16, width=32, heads=2, kv_heads=2, original_context=64, long_factor=LONG,
               short_factor=SHORT, shards=2, prompt_lengths={"short": 60, "long": 120}, growing=range(61, 69)),
    # What Phi-4-mini combines: tied, grouped heads, partial rotation and long rope.
    SmallModel("phi3-longrope-partial", "phi3", 17, kv_heads=1, tied=True, partial=0.75, original_context=64,
               long_factor=LONG_PARTIAL, short_factor=SHORT_PARTIAL, prompt_lengths={"short": 64, "long": 96}),
    SmallModel("phi3-window", "phi3", 18, width=32, heads=2, kv_heads=1, window=24, prompt_lengths={"prompt": 100}),
    # The window of the published Phi-3-mini: position 2047 is the first that no longer sees the first token.
    SmallModel("phi3-edge", "phi3", 19, width=32, heads=2, kv_heads=1, context=4096, window=2047,
               prompt_lengths={"edge": 2054}, rows=range(2042, 2054)),
    SmallModel("qwen2-gqa", "qwen2", 20, width=64, heads=4, kv_heads=2, rope_base=1000000.0, eps=1e-6),
    SmallModel("qwen2-tied", "qwen2", 21, width=32, heads=2, kv_heads=1, tied=True, rope_base=1000000.0, eps=1e-6),
]

# SPDX-License-Identifier: Apache-2.0
"""llama.cpp through llama-cpp-python's C API: load, logits of a token list, greedy continuation, perplexity."""
import ctypes

import llama_cpp as L
import numpy as np


@L.llama_log_callback
def _errors_only(level, text, _):
    if level == 4:
        print(text.decode(errors="replace"), end="")


L.llama_log_set(_errors_only, ctypes.c_void_p(0))
L.llama_backend_init()


def log_softmax(rows):
    rows = rows.astype(np.float64)
    rows -= rows.max(axis=-1, keepdims=True)
    return rows - np.log(np.exp(rows).sum(axis=-1, keepdims=True))


class Peer:
    def __init__(self, path, context=2048, threads=1, flash=False, batch=512, f32_cache=False):
        mp = L.llama_model_default_params()
        mp.n_gpu_layers = 0
        self.model = L.llama_model_load_from_file(str(path).encode(), mp)
        if not self.model:
            raise SystemExit(f"llama.cpp cannot load {path}")
        cp = L.llama_context_default_params()
        cp.n_ctx, cp.n_batch, cp.n_ubatch = context, batch, batch
        cp.n_threads = cp.n_threads_batch = threads
        cp.flash_attn_type = L.LLAMA_FLASH_ATTN_TYPE_ENABLED if flash else L.LLAMA_FLASH_ATTN_TYPE_DISABLED
        if f32_cache:
            cp.type_k = cp.type_v = 0  # GGML_TYPE_F32
        self.ctx = L.llama_init_from_model(self.model, cp)
        if not self.ctx:
            raise SystemExit(f"llama.cpp cannot make a context of {context} for {path}")
        self.vocab = L.llama_model_get_vocab(self.model)
        self.n_vocab = L.llama_vocab_n_tokens(self.vocab)
        self.adds_bos = L.llama_vocab_get_add_bos(self.vocab)
        self.size = batch
        self.batch = L.llama_batch_init(batch, 0, 1)
        self.past = 0

    def close(self):
        L.llama_batch_free(self.batch)
        L.llama_free(self.ctx)
        L.llama_model_free(self.model)

    def tokenize(self, text, bos=False, special=False):
        data = text.encode()
        out = (L.llama_token * (len(data) + 8))()
        n = L.llama_tokenize(self.vocab, data, len(data), out, len(out), bos, special)
        if n < 0:
            raise SystemExit("llama.cpp cannot tokenize")
        return list(out[:n])

    def text(self, ids):
        out = b""
        for i in ids:
            buffer = ctypes.create_string_buffer(512)
            n = L.llama_token_to_piece(self.vocab, i, buffer, 512, 0, True)
            out += buffer.raw[:n]
        return out.decode(errors="replace")

    def clear(self):
        L.llama_memory_clear(L.llama_get_memory(self.ctx), True)
        self.past = 0

    def feed(self, ids, rows="last"):
        """Decodes ids after what is cached. Gives logits: the last row, all rows, or none."""
        found = []
        for start in range(0, len(ids), self.size):
            part = ids[start:start + self.size]
            b = self.batch
            b.n_tokens = len(part)
            for i, token in enumerate(part):
                b.token[i], b.pos[i], b.n_seq_id[i], b.seq_id[i][0] = token, self.past + i, 1, 0
                b.logits[i] = rows == "all" or start + i == len(ids) - 1
            if L.llama_decode(self.ctx, b) != 0:
                raise SystemExit("llama_decode failed")
            self.past += len(part)
            if rows == "all":
                p = L.llama_get_logits(self.ctx)
                found.append(np.ctypeslib.as_array(p, (len(part), self.n_vocab)).copy())
        if rows is None:
            return None
        if rows == "last":
            return np.ctypeslib.as_array(L.llama_get_logits_ith(self.ctx, -1), (self.n_vocab,)).copy()
        return np.concatenate(found)

    def logits(self, ids):
        """[positions][vocabulary] of one pass over ids."""
        self.clear()
        return self.feed(ids, "all")

    def is_end(self, token):
        return L.llama_vocab_is_eog(self.vocab, token)

    def greedy(self, ids, count):
        """Up to `count` most likely tokens after ids (first of equals), ended by an end token, which is not included;
        and for each of them, and the end, the gap in logit to the runner-up."""
        self.clear()
        out, gaps, row = [], [], self.feed(ids)
        while len(out) < count:
            token = int(row.argmax())
            top = np.partition(row, -2)[-2:]
            gaps.append(float(top.max() - top.min()))
            if self.is_end(token):
                break
            out.append(token)
            row = self.feed([token])
        return out, gaps

    def perplexity(self, text, context):
        """The method of llama.cpp's perplexity tool: whole chunks of `context` tokens, each evaluated alone, the first
        token replaced by BOS where the file asks for one, and the second half of each chunk scored.
        Gives (perplexity, chunks, tokens scored)."""
        ids = self.tokenize(text.removesuffix("\n"), bos=self.adds_bos)
        if len(ids) < 2 * context:
            raise SystemExit(f"perplexity: {len(ids)} tokens, at least {2 * context} needed")
        first, total, count = context // 2, 0.0, 0
        for start in range(0, len(ids) - context + 1, context):
            chunk = ids[start:start + context]
            targets = chunk[first + 1:]
            if self.adds_bos:
                chunk[0] = L.llama_vocab_bos(self.vocab)
            rows = self.logits(chunk)[first:context - 1]
            total -= log_softmax(rows)[np.arange(len(targets)), targets].sum()
            count += len(targets)
        return float(np.exp(total / count)), len(ids) // context, count


def logits(model, ids, adapter=None):
    """Those of every token of `ids`, with a LoRA adapter beside the model where one is given."""
    peer = Peer(model, context=256, f32_cache=True)
    if adapter:
        lora = L.llama_adapter_lora_init(peer.model, str(adapter).encode())
        assert lora, "llama.cpp refuses the adapter"
        adapters, scales = (L.llama_adapter_lora_p_ctypes * 1)(lora), (ctypes.c_float * 1)(1.0)
        assert L.llama_set_adapters_lora(peer.ctx, adapters, 1, scales) == 0, "llama.cpp does not apply the adapter"
    got = peer.logits(ids)
    peer.close()
    return got

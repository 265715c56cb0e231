// SPDX-License-Identifier: Apache-2.0
// llama.cpp writing several sequences at once, one token of each per llama_decode, as its own llama-batched-bench does:
//
//   peer_batched MODEL THREADS FLASH UNIFIED SEQUENCES PROMPT REPLY REPETITIONS
//
// Prints one JSON object. A step lasts from the batch of tokens to the logits of every sequence in memory; tokens are given, so
// that neither this nor `pet bench` samples within the time.
#include <llama.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

static double now(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static void fail(const char *what, const char *which) {
  fprintf(stderr, "peer_batched: %s: %s\n", what, which);
  exit(1);
}

static void log_errors(enum ggml_log_level level, const char *text, void *data) {
  (void)data;
  if (level == GGML_LOG_LEVEL_ERROR) {
    fputs(text, stderr);
  }
}

typedef struct plan {
  int threads;
  bool flash, unified;
  int sequences, prompt, reply, repetitions;
} plan;

static struct llama_context *context_for(struct llama_model *model, const plan *p) {
  struct llama_context_params c = llama_context_default_params();
  c.n_seq_max = (uint32_t)p->sequences;
  // Of all sequences; a cell more each, for it may not be full.
  c.n_ctx = (uint32_t)(p->sequences * (p->prompt + p->reply + 1));
  c.n_batch = c.n_ubatch = 512;
  c.n_threads = c.n_threads_batch = p->threads;
  c.flash_attn_type = p->flash ? LLAMA_FLASH_ATTN_TYPE_ENABLED : LLAMA_FLASH_ATTN_TYPE_DISABLED;
  c.kv_unified = p->unified;
  struct llama_context *context = llama_init_from_model(model, c);
  if (context == NULL) {
    fail("no context", "too large?");
  }
  return context;
}

static void add(struct llama_batch *batch, long token, int vocabulary, int position, int sequence, bool logits) {
  const int i = batch->n_tokens++;
  // Any tokens do; the same as in `pet bench`.
  batch->token[i] = (llama_token)((token * 7919 + 13) % vocabulary);
  batch->pos[i] = position;
  batch->n_seq_id[i] = 1;
  batch->seq_id[i][0] = sequence;
  batch->logits[i] = logits;
}

static void decode(struct llama_context *context, struct llama_batch batch) {
  if (llama_decode(context, batch) != 0) {
    fail("cannot decode", "a batch");
  }
  // Computing may go on behind the call; with this it has ended.
  llama_synchronize(context);
}

static void read_prompts(struct llama_context *context, struct llama_batch *batch, int vocabulary, const plan *p) {
  for (int s = 0; s < p->sequences; s++) {
    for (int done = 0; done < p->prompt; done += 512) {
      batch->n_tokens = 0;
      for (int i = done; i < p->prompt && i < done + 512; i++) {
        add(batch, i, vocabulary, i, s, i + 1 == p->prompt);
      }
      decode(context, *batch);
    }
  }
}

/// Writes the replies behind the prompts; seconds of each step to `seconds`.
static void write_replies(
  struct llama_context *context, struct llama_batch *batch, int vocabulary, const plan *p, double *seconds) {
  for (int s = 0; s < p->sequences; s++) {
    llama_memory_seq_rm(llama_get_memory(context), s, p->prompt, -1);
  }
  for (int i = 0; i < p->reply; i++) {
    const double start = now();
    batch->n_tokens = 0;
    for (int s = 0; s < p->sequences; s++) {
      add(batch, i, vocabulary, p->prompt + i, s, true);
    }
    decode(context, *batch);
    if (llama_get_logits_ith(context, p->sequences - 1) == NULL) {
      fail("no logits", "of the last sequence");
    }
    seconds[i] = now() - start;
  }
}

int main(int count, char **argument) {
  if (count != 9) {
    fail("usage", "see the top of peer_batched.c");
  }
  const plan p = {
    atoi(argument[2]), atoi(argument[3]) != 0, atoi(argument[4]) != 0, atoi(argument[5]),
    atoi(argument[6]), atoi(argument[7]),      atoi(argument[8])};
  if (p.threads < 1 || p.sequences < 1 || p.sequences > 512 || p.prompt < 0 || p.reply < 1 || p.repetitions < 1) {
    fail("numbers out of range", "see the top of peer_batched.c");
  }
  llama_log_set(log_errors, NULL);
  llama_backend_init();
  struct llama_model_params m = llama_model_default_params();
  m.n_gpu_layers = 0;
  struct llama_model *model = llama_model_load_from_file(argument[1], m);
  if (model == NULL) {
    fail("cannot load", argument[1]);
  }
  struct llama_context *context = context_for(model, &p);
  struct llama_batch batch = llama_batch_init(512, 0, 1);
  double *seconds = calloc((size_t)p.reply, sizeof *seconds);
  if (seconds == NULL) {
    fail("no memory", "for times");
  }
  const int vocabulary = llama_vocab_n_tokens(llama_model_get_vocab(model));
  read_prompts(context, &batch, vocabulary, &p);
  write_replies(context, &batch, vocabulary, &p, seconds);  // not counted
  printf("{\"parameters\": %llu, \"weight_bytes\": %llu, \"system\": \"%s\", \"runs\": [",
         (unsigned long long)llama_model_n_params(model), (unsigned long long)llama_model_size(model),
         llama_print_system_info());
  for (int r = 0; r < p.repetitions; r++) {
    write_replies(context, &batch, vocabulary, &p, seconds);
    for (int i = 0; i < p.reply; i++) {
      printf("%s%.4f", i > 0 ? ", " : r > 0 ? ", [" : "[", 1000 * seconds[i]);
    }
    printf("]");
  }
  printf("]}\n");
  free(seconds);
  llama_batch_free(batch);
  llama_free(context);
  llama_model_free(model);
  return 0;
}

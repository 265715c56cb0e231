// SPDX-License-Identifier: Apache-2.0
// llama.cpp as the comparison runs it: a small program on its C library, so that no interpreter is measured with it.
//
//   peer bench MODEL THREADS FLASH CONTEXT REPETITIONS PROMPT,PROMPT REPLY   speeds and memory as one JSON object
//   peer first MODEL THREADS FLASH CONTEXT PROMPT                            the first token that follows, as text
//   peer quantize MODEL OUTPUT TYPE                                          Q4_0, Q4_1, Q8_0 or Q4_K_M
#include <llama.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { batch_size = 512, most_tokens = 65536 };

static double now(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static void fail(const char *what, const char *which) {
  fprintf(stderr, "peer: %s: %s\n", what, which);
  exit(1);
}

static void log_errors(enum ggml_log_level level, const char *text, void *data) {
  (void)data;
  if (level == GGML_LOG_LEVEL_ERROR) {
    fputs(text, stderr);
  }
}

/// MB of 10^6 bytes that /proc/self/status has under `key`.
static double megabytes(const char *key) {
  FILE *file = fopen("/proc/self/status", "r");
  char line[256];
  long kilobytes = 0;
  while (file != NULL && fgets(line, sizeof line, file) != NULL) {
    if (strncmp(line, key, strlen(key)) == 0 && line[strlen(key)] == ':') {
      kilobytes = atol(line + strlen(key) + 1);
    }
  }
  if (file != NULL) {
    fclose(file);
  }
  return (double)kilobytes * 1024 / 1e6;
}

typedef struct engine {
  struct llama_model *model;
  struct llama_context *context;
  const struct llama_vocab *vocabulary;
} engine;

static engine load(const char *path, int threads, bool flash, int positions) {
  llama_log_set(log_errors, NULL);
  llama_backend_init();
  struct llama_model_params m = llama_model_default_params();
  m.n_gpu_layers = 0;
  engine e = {.model = llama_model_load_from_file(path, m)};
  if (e.model == NULL) {
    fail("cannot load", path);
  }
  struct llama_context_params c = llama_context_default_params();
  c.n_ctx = (uint32_t)positions;
  c.n_batch = c.n_ubatch = batch_size;
  c.n_threads = c.n_threads_batch = threads;
  c.flash_attn_type = flash ? LLAMA_FLASH_ATTN_TYPE_ENABLED : LLAMA_FLASH_ATTN_TYPE_DISABLED;
  e.context = llama_init_from_model(e.model, c);
  if (e.context == NULL) {
    fail("no context for", path);
  }
  e.vocabulary = llama_model_get_vocab(e.model);
  return e;
}

/// Appends tokens to what is cached, in batches; logits of the last one.
static void feed(engine e, llama_token *tokens, int count) {
  for (int done = 0; done < count; done += batch_size) {
    const int part = count - done < batch_size ? count - done : batch_size;
    if (llama_decode(e.context, llama_batch_get_one(tokens + done, part)) != 0) {
      fail("cannot decode", "a batch");
    }
  }
  // Computing may go on behind the call; with this it has ended.
  llama_synchronize(e.context);
}

/// Tokens per second of a prompt read in one go, or of a reply written one by one, from an empty context.
static double measure(engine e, llama_token *tokens, int prompt, int reply) {
  llama_memory_clear(llama_get_memory(e.context), false);
  const double start = now();
  if (prompt > 0) {
    feed(e, tokens, prompt);
  }
  for (int i = 0; i < reply; i++) {
    feed(e, tokens + i, 1);
  }
  return (prompt + reply) / (now() - start);
}

static void print_speeds(engine e, llama_token *tokens, const char *test, int prompt, int reply, int repetitions) {
  measure(e, tokens, prompt, reply);
  printf("\"%s%d\": [", test, prompt + reply);
  for (int i = 0; i < repetitions; i++) {
    printf("%s%.3f", i > 0 ? ", " : "", measure(e, tokens, prompt, reply));
  }
  printf("], ");
}

static void bench(char **argument) {
  const double start = now();
  const engine e = load(argument[0], atoi(argument[1]), atoi(argument[2]) != 0, atoi(argument[3]));
  const double load_seconds = now() - start;
  printf("{\"load_ms\": %.3f, \"loaded_rss_mb\": %.1f, \"anonymous_mb\": %.1f, ", 1000 * load_seconds,
         megabytes("VmRSS"), megabytes("RssAnon"));
  const int repetitions = atoi(argument[4]), vocabulary = llama_vocab_n_tokens(e.vocabulary);
  static llama_token tokens[most_tokens];
  for (int i = 0; i < most_tokens; i++) {
    tokens[i] = (llama_token)((i * 7919l + 13) % vocabulary);
  }
  for (char *size = strtok(argument[5], ","); size != NULL; size = strtok(NULL, ",")) {
    if (atoi(size) > 0) {
      print_speeds(e, tokens, "pp", atoi(size), 0, repetitions);
    }
  }
  if (atoi(argument[6]) > 0) {
    print_speeds(e, tokens, "tg", 0, atoi(argument[6]), repetitions);
  }
  printf("\"rss_mb\": %.1f, \"peak_rss_mb\": %.1f}\n", megabytes("VmRSS"), megabytes("VmHWM"));
}

static void first(char **argument) {
  const engine e = load(argument[0], atoi(argument[1]), atoi(argument[2]) != 0, atoi(argument[3]));
  const char *prompt = argument[4];
  static llama_token tokens[most_tokens];
  const int count = llama_tokenize(
    e.vocabulary, prompt, (int)strlen(prompt), tokens, most_tokens, llama_vocab_get_add_bos(e.vocabulary), false);
  if (count < 1) {
    fail("cannot tokenize", prompt);
  }
  feed(e, tokens, count);
  const float *logits = llama_get_logits_ith(e.context, -1);
  llama_token best = 0;
  for (llama_token i = 1; i < llama_vocab_n_tokens(e.vocabulary); i++) {
    best = logits[i] > logits[best] ? i : best;
  }
  char piece[256];
  const int length = llama_token_to_piece(e.vocabulary, best, piece, sizeof piece, 0, true);
  fwrite(piece, 1, length > 0 ? (size_t)length : 0, stdout);
  fflush(stdout);
  // What is behind the first token is not of interest.
  _Exit(0);
}

static void quantize(char **argument) {
  static const struct {
    const char *name;
    enum llama_ftype type;
  } types[] = {
    {"Q4_0", LLAMA_FTYPE_MOSTLY_Q4_0},
    {"Q4_1", LLAMA_FTYPE_MOSTLY_Q4_1},
    {"Q8_0", LLAMA_FTYPE_MOSTLY_Q8_0},
    {"Q4_K_M", LLAMA_FTYPE_MOSTLY_Q4_K_M},
  };
  llama_log_set(log_errors, NULL);
  llama_backend_init();
  struct llama_model_quantize_params p = llama_model_quantize_default_params();
  p.allow_requantize = true;
  for (size_t i = 0; i < sizeof types / sizeof types[0]; i++) {
    if (strcmp(types[i].name, argument[2]) == 0) {
      p.ftype = types[i].type;
      if (llama_model_quantize(argument[0], argument[1], &p) != 0) {
        fail("cannot quantize", argument[0]);
      }
      return;
    }
  }
  fail("unknown type", argument[2]);
}

int main(int count, char **argument) {
  if (count == 9 && strcmp(argument[1], "bench") == 0) {
    bench(argument + 2);
  } else if (count == 7 && strcmp(argument[1], "first") == 0) {
    first(argument + 2);
  } else if (count == 5 && strcmp(argument[1], "quantize") == 0) {
    quantize(argument + 2);
  } else {
    fail("usage", "bench, first or quantize; see the top of peer.c");
  }
  return 0;
}

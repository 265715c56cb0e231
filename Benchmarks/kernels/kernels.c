// Single-thread speed of the matrix products, per weight type, variant and shape: decode (one activation row; GB of
// weights per second, from memory: the weights cycle through 256 MiB) and prefill (64 activation rows; 2 * rows *
// columns * tokens operations per second).
//
// Build from the root of the package:
//   clang -O2 -std=gnu11 -ISources/CPetKernels/include Benchmarks/kernels/kernels.c Sources/CPetKernels/*.c -lm -o k
// Optional arguments: a variant's name (or "all") and a type's name to measure only those; the pool's MiB (256), small
// to see the speed from a cache.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "pet_kernels.h"

enum { prefill_tokens = 64, chunk_rows = 64, most_pool_bytes = 256 << 20 };

static const struct {
  pk_type type;
  const char *name;
} types[] = {
  {PK_F32, "F32"},   {PK_F16, "F16"},   {PK_BF16, "BF16"}, {PK_Q4_0, "Q4_0"}, {PK_Q4_1, "Q4_1"},
  {PK_Q5_0, "Q5_0"}, {PK_Q5_1, "Q5_1"}, {PK_Q8_0, "Q8_0"}, {PK_Q2_K, "Q2_K"}, {PK_Q3_K, "Q3_K"},
  {PK_Q4_K, "Q4_K"}, {PK_Q5_K, "Q5_K"}, {PK_Q6_K, "Q6_K"},
};

/// Seconds of CPU time, which neighbours on a busy machine disturb less than the wall clock.
static double now(void) {
  struct timespec t;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/// Best seconds of one product out of the repetitions that fit in a fifth of a second; each takes the next matrix.
static double measure(
  const pk_kernels *k, pk_type type, const char *pool, size_t matrices, size_t rows, size_t row_bytes,
  const pk_activations *x, float *out) {
  double best = 1e9, spent = 0;
  for (size_t i = 0; spent < 0.2 || i < 3; i++) {
    // At least 1 MB per measurement, so that the clock does not count.
    const size_t batch = x->rows > 1 ? 1 : 1 + (1 << 20) / (rows * row_bytes);
    const double start = now();
    for (size_t b = 0; b < batch; b++) {
      const char *weights = pool + (i * batch + b) % matrices * rows * row_bytes;
      for (size_t r = 0; r < rows; r += chunk_rows) {
        const size_t n = rows - r < chunk_rows ? rows - r : chunk_rows;
        const pk_weights w = {type, PK_INTERLEAVED, weights + r * row_bytes, row_bytes, n};
        k->matmul(&w, x, out + r, rows);
      }
    }
    const double seconds = (now() - start) / (double)batch;
    spent += seconds * (double)batch;
    best = seconds < best ? seconds : best;
  }
  return best;
}

int main(int argc, char **argv) {
  static const size_t shapes[][2] = {{4096, 4096}, {1536, 576}};  // rows, columns
  const size_t pool_bytes = argc > 3 ? (size_t)atoi(argv[3]) << 20 : most_pool_bytes;
  char *pool = malloc(most_pool_bytes);
  float *values = malloc(prefill_tokens * 4096 * sizeof(float)), *out = malloc(prefill_tokens * 4096 * sizeof(float));
  int8_t *quants = malloc(prefill_tokens * 4096);
  float *scales = malloc(prefill_tokens * 4096 / 32 * sizeof(float));
  int16_t *sums = malloc(prefill_tokens * 4096 / 16 * sizeof(int16_t));
  if (!pool || !values || !out || !quants || !scales || !sums) {
    return 1;
  }
  uint64_t state = 88172645463325252u;
  for (size_t i = 0; i < most_pool_bytes; i += 8) {
    state ^= state << 13, state ^= state >> 7, state ^= state << 17;
    const uint64_t moderate = (state & 0x87ff87ff87ff87ffu) | 0x3800380038003800u;
    memcpy(pool + i, &moderate, 8);
  }
  for (size_t i = 0; i < prefill_tokens * 4096; i++) {
    values[i] = (float)(i * 2654435761u % 2001) / 1000 - 1;
  }
  printf("%-12s %-5s %16s %16s\n", "variant", "type", "decode GB/s", "prefill GOP/s");
  printf("%-12s %-5s %8s %8s %8s %8s\n", "", "", "4096^2", "1536x576", "4096^2", "1536x576");
  for (int v = PK_SCALAR; v < PK_VARIANT_COUNT; v++) {
    const pk_kernels *k = pk_kernels_for((pk_variant)v);
    if (k == NULL || (argc > 1 && strcmp(argv[1], "all") != 0 && strcmp(argv[1], k->name) != 0)) {
      continue;
    }
    for (size_t i = 0; i < sizeof types / sizeof types[0]; i++) {
      const pk_type type = types[i].type;
      if (i == 3) {  // from floats of ordinary size to blocks with ordinary scales
        for (size_t b = 0; b < most_pool_bytes; b++) {
          pool[b] &= 0x3f;
        }
      }
      if (argc > 2 && strcmp(argv[2], "all") != 0 && strcmp(argv[2], types[i].name) != 0) {
        continue;
      }
      double figures[4] = {0};
      for (int s = 0; s < 2; s++) {
        const size_t rows = shapes[s][0], columns = shapes[s][1];
        if (columns % pk_block_elements(type) != 0) {
          continue;
        }
        const size_t row_bytes = columns / pk_block_elements(type) * pk_block_bytes(type);
        const size_t fit = pool_bytes / (rows * row_bytes), matrices = fit > 0 ? fit : 1;
        k->quantize_activations(values, columns, pk_activation_place(0, 1, columns), quants, scales, sums);
        pk_activations x = {1, columns, values, quants, scales, sums};
        figures[s] = (double)(rows * row_bytes) / measure(k, type, pool, matrices, rows, row_bytes, &x, out) / 1e9;
        x.rows = k->variant == PK_SCALAR ? 4 : prefill_tokens;
        for (size_t t = 0; t < x.rows; t++) {
          const pk_place place = pk_activation_place(t, x.rows, columns);
          k->quantize_activations(values + t * columns, columns, place, quants, scales, sums);
        }
        figures[2 + s] = 2e-9 * (double)(rows * columns * x.rows)
          / measure(k, type, pool, matrices, rows, row_bytes, &x, out);
      }
      printf("%-12s %-5s", k->name, types[i].name);
      for (int f = 0; f < 4; f++) {
        figures[f] > 0 ? printf(" %8.1f", figures[f]) : printf(" %8s", "-");
      }
      printf("\n");
      fflush(stdout);
    }
  }
  return 0;
}

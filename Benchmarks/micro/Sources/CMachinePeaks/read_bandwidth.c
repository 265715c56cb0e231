// SPDX-License-Identifier: Apache-2.0
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "machine_peaks.h"
#include "teams.h"

typedef uint64_t line __attribute__((vector_size(64)));
enum { stride = 8 * sizeof(line) };

typedef struct job {
  const char *memory;
  size_t bytes;
  size_t rounds;  // over all of it within a pass: a short one would measure how threads meet
  size_t ahead;   // bytes to prefetch ahead; 0: the hardware's own prefetching only
} job;

/// Eight lines per step into eight sums, so that no load waits for another.
static inline __attribute__((always_inline)) double sum_lines(int member, int members, const job *j) {
  const size_t share = j->bytes / (size_t)members / stride * stride;
  const char *from = j->memory + (size_t)member * share;
  line sums[8] = {{0}};
  for (size_t round = 0; round < j->rounds; round++) {
    for (size_t i = 0; i < share; i += stride) {
      const line *lines = (const line *)(from + i);
      if (j->ahead > 0) {
#pragma GCC unroll 8
        for (int k = 0; k < 8; k++) {
          __builtin_prefetch(from + i + j->ahead + (size_t)k * sizeof(line));
        }
      }
#pragma GCC unroll 8
      for (int k = 0; k < 8; k++) {
        sums[k] += lines[k];
      }
    }
    // The next round reads anew.
    __asm__ volatile("" ::: "memory");
  }
  uint64_t total = 0;
  for (int k = 0; k < 8; k++) {
    for (int e = 0; e < 8; e++) {
      total += sums[k][e];
    }
  }
  return (double)total;
}

#if defined(__x86_64__)
__attribute__((target("avx512f"))) static double wide_pass(int member, int members, const void *j) {
  return sum_lines(member, members, j);
}
__attribute__((target("avx2"))) static double middle_pass(int member, int members, const void *j) {
  return sum_lines(member, members, j);
}
#endif
static double plain_pass(int member, int members, const void *j) {
  return sum_lines(member, members, j);
}

double mp_read_bandwidth(size_t bytes, int threads, double seconds) {
  bytes = bytes / stride * stride;
  void *memory = NULL;
  if (threads < 1 || bytes < stride * (size_t)threads || posix_memalign(&memory, 2 << 20, bytes) != 0) {
    return 0;
  }
#if defined(MADV_HUGEPAGE)
  madvise(memory, bytes, MADV_HUGEPAGE);
#endif
  memset(memory, 1, bytes);
  mp_pass pass = plain_pass;
#if defined(__x86_64__)
  pass = __builtin_cpu_supports("avx512f") ? wide_pass : __builtin_cpu_supports("avx2") ? middle_pass : plain_pass;
#endif
  double fastest = 0;
  const size_t least = 32 << 20, rounds = bytes < least ? least / bytes : 1;
  static const size_t distances[] = {0, 1024, 4096};
  for (size_t d = 0; d < sizeof distances / sizeof distances[0]; d++) {
    const job j = {memory, bytes, rounds, distances[d]};
    const double pass_seconds = mp_fastest_pass(threads, seconds / 3, pass, &j);
    if (pass_seconds > 0 && (fastest == 0 || pass_seconds < fastest)) {
      fastest = pass_seconds;
    }
  }
  free(memory);
  const size_t read = bytes / (size_t)threads / stride * stride * (size_t)threads;
  return fastest > 0 ? (double)(rounds * read) / fastest / 1e9 : 0;
}

// SPDX-License-Identifier: Apache-2.0
#include <stdint.h>
#include <string.h>

#include "machine_peaks.h"
#include "teams.h"

#if defined(__x86_64__)
#include <immintrin.h>
#elif defined(__aarch64__)
#include <arm_neon.h>
#if defined(__linux__)
#include <sys/auxv.h>
#endif
#endif

// Twelve sums in flight hide the latency of every instruction measured here.
enum { sums = 12, steps = 20000 };

/// A zero that the compiler cannot know of.
static volatile int32_t nothing;

typedef struct variant {
  const char *instruction;
  mp_pass pass;
  double operations;  // of one instruction, or of the group that does its work
} variant;

#if defined(__x86_64__)

__attribute__((target("avx512f,avx512bw,avx512vnni"))) static double dot_avx512(int member, int members, const void *c) {
  (void)members, (void)c;
  const __m512i a = _mm512_set1_epi32(nothing + member), b = _mm512_set1_epi32(nothing);
  __m512i s[sums];
#pragma GCC unroll 12
  for (int k = 0; k < sums; k++) {
    s[k] = _mm512_set1_epi32(k);
  }
  for (int i = 0; i < steps; i++) {
#pragma GCC unroll 12
    for (int k = 0; k < sums; k++) {
      s[k] = _mm512_dpbusd_epi32(s[k], a, b);
    }
  }
  for (int k = 1; k < sums; k++) {
    s[0] = _mm512_xor_si512(s[0], s[k]);
  }
  return _mm512_reduce_add_epi32(s[0]);
}

__attribute__((target("avx2"))) static double dot_avx2(int member, int members, const void *c) {
  (void)members, (void)c;
  const __m256i a = _mm256_set1_epi32(nothing + member), ones = _mm256_set1_epi16(1 + (short)nothing);
  __m256i s[sums];
#pragma GCC unroll 12
  for (int k = 0; k < sums; k++) {
    s[k] = _mm256_set1_epi32(k);
  }
  for (int i = 0; i < steps; i++) {
#pragma GCC unroll 12
    for (int k = 0; k < sums; k++) {
      // The sum as an operand: the product cannot be computed once and for all.
      s[k] = _mm256_add_epi32(s[k], _mm256_madd_epi16(_mm256_maddubs_epi16(a, s[k]), ones));
    }
  }
  for (int k = 1; k < sums; k++) {
    s[0] = _mm256_xor_si256(s[0], s[k]);
  }
  return (double)_mm256_extract_epi32(s[0], 0);
}

static variant int8_variant(void) {
  if (__builtin_cpu_supports("avx512vnni")) {
    return (variant){"vpdpbusd (512 bits)", dot_avx512, 128};
  }
  if (__builtin_cpu_supports("avx2")) {
    return (variant){"vpmaddubsw, vpmaddwd, vpaddd (256 bits)", dot_avx2, 64};
  }
  return (variant){"none", NULL, 0};
}

#elif defined(__aarch64__)

__attribute__((target("arch=armv8.2-a+dotprod"))) static double dot_neon(int member, int members, const void *c) {
  (void)members, (void)c;
  const int8x16_t a = vdupq_n_s8((int8_t)(nothing + member)), b = vdupq_n_s8((int8_t)nothing);
  int32x4_t s[sums];
#pragma GCC unroll 12
  for (int k = 0; k < sums; k++) {
    s[k] = vdupq_n_s32(k);
  }
  for (int i = 0; i < steps; i++) {
#pragma GCC unroll 12
    for (int k = 0; k < sums; k++) {
      s[k] = vdotq_s32(s[k], a, b);
    }
  }
  for (int k = 1; k < sums; k++) {
    s[0] = veorq_s32(s[0], s[k]);
  }
  return (double)vaddvq_s32(s[0]);
}

static variant int8_variant(void) {
#if defined(__linux__)
  // HWCAP_ASIMDDP
  if ((getauxval(AT_HWCAP) & (1ul << 20)) == 0) {
    return (variant){"none", NULL, 0};
  }
#endif
  return (variant){"sdot (128 bits)", dot_neon, 32};
}

#else

static variant int8_variant(void) {
  return (variant){"none", NULL, 0};
}

#endif

// One function per length of vector: what fits no register would measure the stack.
#define MULTIPLY_ADD(name, bytes, attribute)                                          \
  typedef float name##_lanes __attribute__((vector_size(bytes)));          \
  attribute static double name(int member, int members, const void *c) {   \
    (void)members, (void)c;                                                \
    const float factor = (float)nothing + 0.5f, addend = (float)(nothing + member); \
    name##_lanes s[sums];                                                  \
    _Pragma("GCC unroll 12") for (int k = 0; k < sums; k++) {              \
      s[k] = (name##_lanes){0} + (float)k;                                 \
    }                                                                      \
    for (int i = 0; i < steps; i++) {                                      \
      _Pragma("GCC unroll 12") for (int k = 0; k < sums; k++) {            \
        s[k] = s[k] * factor + addend;                                     \
      }                                                                    \
    }                                                                      \
    for (int k = 1; k < sums; k++) {                                       \
      s[0] += s[k];                                                        \
    }                                                                      \
    return s[0][0];                                                        \
  }

#if defined(__x86_64__)
MULTIPLY_ADD(floats_avx512, 64, __attribute__((target("avx512f"))))
MULTIPLY_ADD(floats_avx2, 32, __attribute__((target("avx2,fma"))))
#endif
MULTIPLY_ADD(floats_plain, 16, )

static double rate(mp_pass pass, double operations, int threads, double seconds) {
  const double fastest = pass == NULL ? 0 : mp_fastest_pass(threads, seconds, pass, NULL);
  return fastest > 0 ? operations * sums * steps * threads / fastest / 1e9 : 0;
}

double mp_int8_rate(int threads, double seconds) {
  const variant v = int8_variant();
  return rate(v.pass, v.operations, threads, seconds);
}

const char *mp_int8_instruction(void) {
  return int8_variant().instruction;
}

double mp_float_rate(int threads, double seconds) {
#if defined(__x86_64__)
  if (__builtin_cpu_supports("avx512f")) {
    return rate(floats_avx512, 32, threads, seconds);
  }
  if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma")) {
    return rate(floats_avx2, 16, threads, seconds);
  }
#endif
  return rate(floats_plain, 8, threads, seconds);
}

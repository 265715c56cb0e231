// SPDX-License-Identifier: Apache-2.0
// Included before avx512.c, makes it a program for CPUs with AVX2: its functions lose their target, and the intrinsics of
// AVX-512 become functions of SIMDe, or those below where SIMDe (0.7.4, in Debian 12) has none. An intrinsic that is in neither
// is an error of the compiler, which has no AVX-512 to inline it with. For clang.
#ifndef KERNEL_VARIANTS_EMULATED_AVX512_H
#define KERNEL_VARIANTS_EMULATED_AVX512_H

#include <immintrin.h>
#include <math.h>
#include <string.h>

#define SIMDE_ENABLE_NATIVE_ALIASES
#include <simde/x86/avx512.h>

#include "../../Sources/CPetKernels/compiler.h"

#undef PK_TARGET_BEGIN
#undef PK_TARGET_END
#define PK_TARGET_BEGIN(features)
#define PK_TARGET_END

PK_INLINE __m512i emulated_srai(__m512i a, unsigned n) { return (__m512i)((__v16si)a >> (int)(n < 32 ? n : 31)); }
PK_INLINE __m512 emulated_cvtepi32_ps(__m512i a) { return __builtin_convertvector((__v16si)a, __m512); }
PK_INLINE __m512i emulated_cvtepi8_epi32(__m128i a) { return (__m512i)__builtin_convertvector((__v16qs)a, __v16si); }
PK_INLINE __m512i emulated_cvtepu16_epi32(__m256i a) { return (__m512i)__builtin_convertvector((__v16hu)a, __v16si); }
PK_INLINE __m256i emulated_cvtepi32_epi16(__m512i a) { return (__m256i)__builtin_convertvector((__v16si)a, __v16hi); }

PK_INLINE __m512i emulated_cvtps_epi32(__m512 a) {
  __v16si r;
  for (int i = 0; i < 16; i++) {
    r[i] = _mm_cvtss_si32(_mm_set_ss(a[i]));
  }
  return (__m512i)r;
}

PK_INLINE __m512 emulated_cvtph_ps(__m256i a) {
  __m512 r;
  for (int i = 0; i < 16; i++) {
    r[i] = _cvtsh_ss(((__v16hu)a)[i]);
  }
  return r;
}

/// Rounds to nearest even, the only way that is asked for.
PK_INLINE __m256i emulated_cvtps_ph(__m512 a) {
  __v16hu r;
  for (int i = 0; i < 16; i++) {
    r[i] = _cvtss_sh(a[i], _MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC);
  }
  return (__m256i)r;
}

PK_INLINE __m512i emulated_gather(__m512i offsets, const void *base, int scale) {
  __v16si r;
  for (int i = 0; i < 16; i++) {
    int word;
    memcpy(&word, (const char *)base + (ptrdiff_t)((__v16si)offsets)[i] * scale, sizeof word);
    r[i] = word;
  }
  return (__m512i)r;
}

/// Touches no memory where the mask has no bit.
PK_INLINE __m512 emulated_load(__mmask16 mask, const float *p) {
  __m512 r;
  for (int i = 0; i < 16; i++) {
    r[i] = mask >> i & 1 ? p[i] : 0;
  }
  return r;
}

PK_INLINE void emulated_store(float *p, __mmask16 mask, __m512 a) {
  for (int i = 0; i < 16; i++) {
    if (mask >> i & 1) {
      p[i] = a[i];
    }
  }
}

PK_INLINE __m512 emulated_shuffle(__m512 a, __m512 b, int parts) {
  __m512 r;
  for (int i = 0; i < 16; i++) {
    const int from = 4 * (parts >> i / 4 * 2 & 3) + i % 4;
    r[i] = i < 8 ? a[from] : b[from];
  }
  return r;
}

PK_INLINE float emulated_sum(__m512 a) {
  for (int half = 8; half > 0; half /= 2) {
    for (int i = 0; i < half; i++) {
      a[i] += a[i + half];
    }
  }
  return a[0];
}

PK_INLINE float emulated_largest(__m512 a) {
  for (int i = 1; i < 16; i++) {
    a[0] = a[i] > a[0] ? a[i] : a[0];
  }
  return a[0];
}

// A later SIMDe may have these as macros.
#undef _mm512_cvtepi32_epi16
#undef _mm512_cvtepi32_ps
#undef _mm512_cvtepi8_epi32
#undef _mm512_cvtepu16_epi32
#undef _mm512_cvtph_ps
#undef _mm512_cvtps_epi32
#undef _mm512_cvtps_ph
#undef _mm512_i32gather_epi32
#undef _mm512_mask_storeu_ps
#undef _mm512_maskz_loadu_ps
#undef _mm512_reduce_add_ps
#undef _mm512_reduce_max_ps
#undef _mm512_shuffle_f32x4
#undef _mm512_srai_epi32
#define _mm512_cvtepi32_epi16 emulated_cvtepi32_epi16
#define _mm512_cvtepi32_ps emulated_cvtepi32_ps
#define _mm512_cvtepi8_epi32 emulated_cvtepi8_epi32
#define _mm512_cvtepu16_epi32 emulated_cvtepu16_epi32
#define _mm512_cvtph_ps emulated_cvtph_ps
#define _mm512_cvtps_epi32 emulated_cvtps_epi32
#define _mm512_cvtps_ph(a, rounding) emulated_cvtps_ph(a)
#define _mm512_i32gather_epi32 emulated_gather
#define _mm512_mask_storeu_ps emulated_store
#define _mm512_maskz_loadu_ps emulated_load
#define _mm512_reduce_add_ps emulated_sum
#define _mm512_reduce_max_ps emulated_largest
#define _mm512_shuffle_f32x4 emulated_shuffle
#define _mm512_srai_epi32 emulated_srai

#endif

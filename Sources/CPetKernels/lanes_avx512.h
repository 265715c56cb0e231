// SPDX-License-Identifier: Apache-2.0
// Lanes of AVX-512 with VNNI: 16 weight rows, or 16 floats, per vector.
#ifndef PET_KERNELS_LANES_AVX512_H
#define PET_KERNELS_LANES_AVX512_H

#include <immintrin.h>

#include "unpack.h"

PK_TARGET_BEGIN("avx2,fma,f16c,avx512f,avx512bw,avx512dq,avx512vl,avx512vnni")

typedef __m512i lanes;   // 16 x 32 bits, or 16 x 4 bytes
typedef __m512 floats;

enum {
  lane_count = 16,
  signed_bias = 128,    // what `lanes_weights_from_signed` adds to every byte
  group_tiles = 4,      // weight tiles that share one packing of the activations
  float_tile_rows = 2,  // shape of the float matrix product's register tile
  float_tile_tokens = 4,
  interleaved_tokens = 12,
  shared_tiles = 2,   // tiles that share the broadcast of an activation where there are many
  reading_tiles = 1,  // the same of one row, and which share the cache lines of the weights
};

PK_INLINE lanes lanes_set(int32_t x) { return _mm512_set1_epi32(x); }
PK_INLINE lanes lanes_load(const int32_t *p) { return _mm512_loadu_si512(p); }
PK_INLINE lanes lanes_and(lanes a, lanes b) { return _mm512_and_si512(a, b); }
PK_INLINE lanes lanes_or(lanes a, lanes b) { return _mm512_or_si512(a, b); }
PK_INLINE lanes lanes_xor(lanes a, lanes b) { return _mm512_xor_si512(a, b); }
PK_INLINE lanes lanes_add(lanes a, lanes b) { return _mm512_add_epi32(a, b); }
PK_INLINE lanes lanes_sub(lanes a, lanes b) { return _mm512_sub_epi32(a, b); }
PK_INLINE lanes lanes_shift_left(lanes a, unsigned n) { return _mm512_slli_epi32(a, n); }
PK_INLINE lanes lanes_shift_right(lanes a, unsigned n) { return _mm512_srli_epi32(a, n); }
PK_INLINE lanes lanes_shift_right_signed(lanes a, unsigned n) { return _mm512_srai_epi32(a, n); }

/// The 32 bits at base + offsets[lane].
PK_INLINE lanes lanes_gather(const uint8_t *base, lanes offsets) { return _mm512_i32gather_epi32(offsets, base, 1); }

/// Bit p of the low four of each lane, moved to bit 4 of its byte p.
PK_INLINE lanes lanes_spread_fifth_bits(lanes nibbles) {
  const lanes table = _mm512_setr_epi32(
    0x00000000, 0x00000010, 0x00001000, 0x00001010, 0x00100000, 0x00100010, 0x00101000, 0x00101010, 0x10000000,
    0x10000010, 0x10001000, 0x10001010, 0x10100000, 0x10100010, 0x10101000, 0x10101010);
  return _mm512_permutexvar_epi32(nibbles, table);  // reads the low four bits of each lane
}

/// 16 bytes at base + r * stride for every lane r, transposed: out[j] holds word j of each row.
PK_INLINE void lanes_load_transposed(const uint8_t *base, size_t stride, lanes out[4]) {
  lanes a[4];
  PK_UNROLL
  for (int i = 0; i < 4; i++) {
    const uint8_t *row = base + (size_t)i * stride;
    a[i] = _mm512_castsi128_si512(_mm_loadu_si128((const __m128i *)row));
    a[i] = _mm512_inserti32x4(a[i], _mm_loadu_si128((const __m128i *)(row + 4 * stride)), 1);
    a[i] = _mm512_inserti32x4(a[i], _mm_loadu_si128((const __m128i *)(row + 8 * stride)), 2);
    a[i] = _mm512_inserti32x4(a[i], _mm_loadu_si128((const __m128i *)(row + 12 * stride)), 3);
  }
  const lanes t0 = _mm512_unpacklo_epi32(a[0], a[1]), t1 = _mm512_unpackhi_epi32(a[0], a[1]);
  const lanes t2 = _mm512_unpacklo_epi32(a[2], a[3]), t3 = _mm512_unpackhi_epi32(a[2], a[3]);
  out[0] = _mm512_unpacklo_epi64(t0, t2);
  out[1] = _mm512_unpackhi_epi64(t0, t2);
  out[2] = _mm512_unpacklo_epi64(t1, t3);
  out[3] = _mm512_unpackhi_epi64(t1, t3);
}

PK_INLINE lanes lanes_weights_from_signed(lanes x) { return _mm512_xor_si512(x, _mm512_set1_epi8(-128)); }

/// start + sum over words p < count of the dot product of bytes weights[p] with the four quants at quants + 4p.
/// Weights are unsigned below 2^bits.
PK_INLINE lanes lanes_dot(lanes start, const lanes *weights, const int8_t *quants, int count, int bits) {
  (void)bits;
  PK_UNROLL
  for (int p = 0; p < count; p++) {
    int32_t word;
    memcpy(&word, quants + 4 * p, sizeof word);
    start = _mm512_dpbusd_epi32(start, weights[p], _mm512_set1_epi32(word));
  }
  return start;
}

PK_INLINE floats floats_set(float x) { return _mm512_set1_ps(x); }
PK_INLINE floats floats_load(const float *p) { return _mm512_loadu_ps(p); }
PK_INLINE void floats_store(float *p, floats x) { _mm512_storeu_ps(p, x); }
PK_INLINE floats floats_from_lanes(lanes x) { return _mm512_cvtepi32_ps(x); }
PK_INLINE floats floats_cast(lanes bits) { return _mm512_castsi512_ps(bits); }
PK_INLINE floats floats_add(floats a, floats b) { return _mm512_add_ps(a, b); }
PK_INLINE floats floats_sub(floats a, floats b) { return _mm512_sub_ps(a, b); }
PK_INLINE floats floats_mul(floats a, floats b) { return _mm512_mul_ps(a, b); }
PK_INLINE floats floats_div(floats a, floats b) { return _mm512_div_ps(a, b); }
PK_INLINE floats floats_fma(floats a, floats b, floats c) { return _mm512_fmadd_ps(a, b, c); }
/// c - a * b
PK_INLINE floats floats_fnma(floats a, floats b, floats c) { return _mm512_fnmadd_ps(a, b, c); }
PK_INLINE floats floats_negate(floats a) { return _mm512_xor_ps(a, _mm512_set1_ps(-0.0f)); }
/// Where a or b is NaN, these give b.
PK_INLINE floats floats_max(floats a, floats b) { return _mm512_max_ps(a, b); }
PK_INLINE floats floats_min(floats a, floats b) { return _mm512_min_ps(a, b); }
PK_INLINE lanes lanes_from_floats(floats x) { return _mm512_cvtps_epi32(x); }
PK_INLINE float floats_sum(floats x) { return _mm512_reduce_add_ps(x); }
/// The sum of each of 16 vectors.
PK_INLINE floats floats_sums(const floats x[16]) {
  floats pairs[8], fours[4];
  PK_UNROLL
  for (int i = 0; i < 8; i++) {
    pairs[i] = _mm512_add_ps(_mm512_unpacklo_ps(x[2 * i], x[2 * i + 1]), _mm512_unpackhi_ps(x[2 * i], x[2 * i + 1]));
  }
  PK_UNROLL
  for (int i = 0; i < 4; i++) {  // each 128-bit part: four sums of its own quarter
    const __m512d a = _mm512_castps_pd(pairs[2 * i]), b = _mm512_castps_pd(pairs[2 * i + 1]);
    fours[i] = _mm512_add_ps(
      _mm512_castpd_ps(_mm512_unpacklo_pd(a, b)), _mm512_castpd_ps(_mm512_unpackhi_pd(a, b)));
  }
  const floats low = _mm512_add_ps(
    _mm512_shuffle_f32x4(fours[0], fours[1], 0x88), _mm512_shuffle_f32x4(fours[0], fours[1], 0xdd));
  const floats high = _mm512_add_ps(
    _mm512_shuffle_f32x4(fours[2], fours[3], 0x88), _mm512_shuffle_f32x4(fours[2], fours[3], 0xdd));
  return _mm512_add_ps(_mm512_shuffle_f32x4(low, high, 0x88), _mm512_shuffle_f32x4(low, high, 0xdd));
}
PK_INLINE float floats_largest(floats x) { return _mm512_reduce_max_ps(x); }

/// The F16 in the low, or the high, half of each lane.
PK_INLINE floats floats_from_low_halves(lanes x) { return _mm512_cvtph_ps(_mm512_cvtepi32_epi16(x)); }
PK_INLINE floats floats_from_high_halves(lanes x) { return floats_from_low_halves(_mm512_srli_epi32(x, 16)); }

PK_INLINE floats floats_load_f16(const void *p) { return _mm512_cvtph_ps(_mm256_loadu_si256((const __m256i *)p)); }
PK_INLINE floats floats_load_bf16(const void *p) {
  return _mm512_castsi512_ps(_mm512_slli_epi32(_mm512_cvtepu16_epi32(_mm256_loadu_si256((const __m256i *)p)), 16));
}
/// Of signed bytes.
PK_INLINE floats floats_load_i8(const void *p) {
  return _mm512_cvtepi32_ps(_mm512_cvtepi8_epi32(_mm_loadu_si128((const __m128i *)p)));
}
/// The F16 in every lane.
PK_INLINE floats floats_set_f16(const void *p) {
  uint16_t half;
  memcpy(&half, p, sizeof half);
  return floats_set(_cvtsh_ss(half));
}
PK_INLINE void floats_store_f16(uint16_t *p, floats x) {
  _mm256_storeu_si256((__m256i *)p, _mm512_cvtps_ph(x, _MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC));
}

// The first `count` elements (fewer than lane_count), zeros behind; nothing past them is touched.
PK_INLINE __mmask16 lanes_first(size_t count) { return (__mmask16)((1u << count) - 1); }
PK_INLINE floats floats_load_first(const float *p, size_t count) {
  return _mm512_maskz_loadu_ps(lanes_first(count), p);
}
PK_INLINE void floats_store_first(float *p, floats x, size_t count) {
  _mm512_mask_storeu_ps(p, lanes_first(count), x);
}

PK_TARGET_END

#endif

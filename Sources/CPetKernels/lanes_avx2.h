// SPDX-License-Identifier: Apache-2.0
// Lanes of AVX2 with FMA and F16C: 8 weight rows, or 8 floats, per vector. The same interface as lanes_avx512.h.
#ifndef PET_KERNELS_LANES_AVX2_H
#define PET_KERNELS_LANES_AVX2_H

#include <immintrin.h>

#include "unpack.h"

PK_TARGET_BEGIN("avx2,fma,f16c")

typedef __m256i lanes;  // 8 x 32 bits, or 8 x 4 bytes
typedef __m256 floats;

enum {
  lane_count = 8,
  signed_bias = 0,
  group_tiles = 4,
  float_tile_rows = 2,
  float_tile_tokens = 2,
  interleaved_tokens = 6,
  shared_tiles = 1,
  reading_tiles = 2,
};

PK_INLINE lanes lanes_set(int32_t x) { return _mm256_set1_epi32(x); }
PK_INLINE lanes lanes_load(const int32_t *p) { return _mm256_loadu_si256((const __m256i *)p); }
PK_INLINE lanes lanes_and(lanes a, lanes b) { return _mm256_and_si256(a, b); }
PK_INLINE lanes lanes_or(lanes a, lanes b) { return _mm256_or_si256(a, b); }
PK_INLINE lanes lanes_xor(lanes a, lanes b) { return _mm256_xor_si256(a, b); }
PK_INLINE lanes lanes_add(lanes a, lanes b) { return _mm256_add_epi32(a, b); }
PK_INLINE lanes lanes_sub(lanes a, lanes b) { return _mm256_sub_epi32(a, b); }
PK_INLINE lanes lanes_shift_left(lanes a, unsigned n) { return _mm256_slli_epi32(a, (int)n); }
PK_INLINE lanes lanes_shift_right(lanes a, unsigned n) { return _mm256_srli_epi32(a, (int)n); }
PK_INLINE lanes lanes_shift_right_signed(lanes a, unsigned n) { return _mm256_srai_epi32(a, (int)n); }

/// The 32 bits at base + offsets[lane].
PK_INLINE lanes lanes_gather(const uint8_t *base, lanes offsets) {
  return _mm256_i32gather_epi32((const int *)base, offsets, 1);
}

/// Bit p of the low four of each lane, moved to bit 4 of its byte p.
PK_INLINE lanes lanes_spread_fifth_bits(lanes nibbles) {
  // Copies the low byte over its lane, keeps bit p of byte p, and turns what is left into 16.
  const lanes copies = _mm256_shuffle_epi8(
    nibbles, _mm256_setr_epi8(
               0, 0, 0, 0, 4, 4, 4, 4, 8, 8, 8, 8, 12, 12, 12, 12, 0, 0, 0, 0, 4, 4, 4, 4, 8, 8, 8, 8, 12, 12, 12, 12));
  const lanes bits = _mm256_set1_epi32(0x08040201);
  const lanes set = _mm256_cmpeq_epi8(_mm256_and_si256(copies, bits), bits);
  return _mm256_and_si256(set, _mm256_set1_epi8(16));
}

/// 16 bytes at base + r * stride for every lane r, transposed: out[j] holds word j of each row.
PK_INLINE void lanes_load_transposed(const uint8_t *base, size_t stride, lanes out[4]) {
  lanes a[4];
  PK_UNROLL
  for (int i = 0; i < 4; i++) {
    const uint8_t *row = base + (size_t)i * stride;
    a[i] = _mm256_castsi128_si256(_mm_loadu_si128((const __m128i *)row));
    a[i] = _mm256_inserti128_si256(a[i], _mm_loadu_si128((const __m128i *)(row + 4 * stride)), 1);
  }
  const lanes t0 = _mm256_unpacklo_epi32(a[0], a[1]), t1 = _mm256_unpackhi_epi32(a[0], a[1]);
  const lanes t2 = _mm256_unpacklo_epi32(a[2], a[3]), t3 = _mm256_unpackhi_epi32(a[2], a[3]);
  out[0] = _mm256_unpacklo_epi64(t0, t2);
  out[1] = _mm256_unpackhi_epi64(t0, t2);
  out[2] = _mm256_unpacklo_epi64(t1, t3);
  out[3] = _mm256_unpackhi_epi64(t1, t3);
}

PK_INLINE lanes lanes_weights_from_signed(lanes x) { return x; }

/// Words whose products with quants (|quant| <= 127) have room in sums of 16 bits: 8 of 4-bit weights (8 * 2 * 15 * 127 = 30480),
/// 4 of 5 bits (31496), 2 of 6 bits (32004), 1 of 8 bits (2 * 128 * 127 = 32512).
PK_INLINE int lanes_narrow_room(int bits) { return bits <= 4 ? 8 : bits == 5 ? 4 : bits == 6 ? 2 : 1; }

/// Four quants in every lane.
PK_INLINE lanes lanes_set_quants(const int8_t *quants) {
  int32_t word;
  memcpy(&word, quants, sizeof word);
  return lanes_set(word);
}

/// start + sum over words p < count of the dot product of bytes weights[p] with the four quants at quants + 4p.
/// Weights are unsigned below 2^bits, or signed when `bits` is 8. Pairs of products are summed in 16 bits.
PK_INLINE lanes lanes_dot(lanes start, const lanes *weights, const int8_t *quants, int count, int bits) {
  const int room = lanes_narrow_room(bits), pairs = room < count ? room : count;
  const lanes ones = _mm256_set1_epi16(1);
  PK_UNROLL
  for (int group = 0; group < count / pairs; group++) {
    lanes narrow = _mm256_setzero_si256();
    PK_UNROLL
    for (int i = 0; i < pairs; i++) {
      const int p = group * pairs + i;
      const lanes x = lanes_set_quants(quants + 4 * p);
      // maddubs wants its first operand unsigned: for signed weights the sign moves to the quants.
      const lanes products = bits == 8
        ? _mm256_maddubs_epi16(_mm256_abs_epi8(weights[p]), _mm256_sign_epi8(x, weights[p]))
        : _mm256_maddubs_epi16(weights[p], x);
      narrow = i == 0 ? products : _mm256_add_epi16(narrow, products);
    }
    start = _mm256_add_epi32(start, _mm256_madd_epi16(narrow, ones));
  }
  return start;
}

PK_INLINE floats floats_set(float x) { return _mm256_set1_ps(x); }
PK_INLINE floats floats_load(const float *p) { return _mm256_loadu_ps(p); }
PK_INLINE void floats_store(float *p, floats x) { _mm256_storeu_ps(p, x); }
PK_INLINE floats floats_from_lanes(lanes x) { return _mm256_cvtepi32_ps(x); }
PK_INLINE floats floats_cast(lanes bits) { return _mm256_castsi256_ps(bits); }
PK_INLINE floats floats_add(floats a, floats b) { return _mm256_add_ps(a, b); }
PK_INLINE floats floats_sub(floats a, floats b) { return _mm256_sub_ps(a, b); }
PK_INLINE floats floats_mul(floats a, floats b) { return _mm256_mul_ps(a, b); }
PK_INLINE floats floats_div(floats a, floats b) { return _mm256_div_ps(a, b); }
PK_INLINE floats floats_fma(floats a, floats b, floats c) { return _mm256_fmadd_ps(a, b, c); }
/// c - a * b
PK_INLINE floats floats_fnma(floats a, floats b, floats c) { return _mm256_fnmadd_ps(a, b, c); }
PK_INLINE floats floats_negate(floats a) { return _mm256_xor_ps(a, _mm256_set1_ps(-0.0f)); }
/// Where a or b is NaN, these give b.
PK_INLINE floats floats_max(floats a, floats b) { return _mm256_max_ps(a, b); }
PK_INLINE floats floats_min(floats a, floats b) { return _mm256_min_ps(a, b); }
PK_INLINE lanes lanes_from_floats(floats x) { return _mm256_cvtps_epi32(x); }

/// The sum of each of 8 vectors.
PK_INLINE floats floats_sums(const floats x[8]) {
  const floats low = _mm256_hadd_ps(_mm256_hadd_ps(x[0], x[1]), _mm256_hadd_ps(x[2], x[3]));
  const floats high = _mm256_hadd_ps(_mm256_hadd_ps(x[4], x[5]), _mm256_hadd_ps(x[6], x[7]));
  return _mm256_add_ps(_mm256_permute2f128_ps(low, high, 0x20), _mm256_permute2f128_ps(low, high, 0x31));
}

PK_INLINE float floats_sum(floats x) {
  __m128 h = _mm_add_ps(_mm256_castps256_ps128(x), _mm256_extractf128_ps(x, 1));
  h = _mm_add_ps(h, _mm_movehl_ps(h, h));
  return _mm_cvtss_f32(_mm_add_ss(h, _mm_movehdup_ps(h)));
}

PK_INLINE float floats_largest(floats x) {
  __m128 h = _mm_max_ps(_mm256_castps256_ps128(x), _mm256_extractf128_ps(x, 1));
  h = _mm_max_ps(h, _mm_movehl_ps(h, h));
  return _mm_cvtss_f32(_mm_max_ss(h, _mm_movehdup_ps(h)));
}

/// The F16 in the low, or the high, half of each lane.
PK_INLINE floats floats_from_low_halves(lanes x) {
  const __m256i packed = _mm256_packus_epi32(_mm256_and_si256(x, _mm256_set1_epi32(0xffff)), _mm256_setzero_si256());
  return _mm256_cvtph_ps(_mm256_castsi256_si128(_mm256_permute4x64_epi64(packed, 0x08)));
}
PK_INLINE floats floats_from_high_halves(lanes x) { return floats_from_low_halves(_mm256_srli_epi32(x, 16)); }

PK_INLINE floats floats_load_f16(const void *p) { return _mm256_cvtph_ps(_mm_loadu_si128((const __m128i *)p)); }
PK_INLINE floats floats_load_bf16(const void *p) {
  return _mm256_castsi256_ps(_mm256_slli_epi32(_mm256_cvtepu16_epi32(_mm_loadu_si128((const __m128i *)p)), 16));
}
/// Of signed bytes.
PK_INLINE floats floats_load_i8(const void *p) {
  return _mm256_cvtepi32_ps(_mm256_cvtepi8_epi32(_mm_loadl_epi64((const __m128i *)p)));
}
/// The F16 in every lane.
PK_INLINE floats floats_set_f16(const void *p) {
  uint16_t half;
  memcpy(&half, p, sizeof half);
  return floats_set(_cvtsh_ss(half));
}
PK_INLINE void floats_store_f16(uint16_t *p, floats x) {
  _mm_storeu_si128((__m128i *)p, _mm256_cvtps_ph(x, _MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC));
}

// The first `count` elements (fewer than lane_count), zeros behind; nothing past them is touched.
PK_INLINE lanes lanes_first(size_t count) {
  return _mm256_cmpgt_epi32(_mm256_set1_epi32((int)count), _mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7));
}
PK_INLINE floats floats_load_first(const float *p, size_t count) { return _mm256_maskload_ps(p, lanes_first(count)); }
PK_INLINE void floats_store_first(float *p, floats x, size_t count) { _mm256_maskstore_ps(p, lanes_first(count), x); }

PK_TARGET_END

#endif

// SPDX-License-Identifier: Apache-2.0
// Lanes of NEON: 4 weight rows, or 4 floats, per vector. The same interface as lanes_avx512.h, but for `lanes_dot`, which
// each of neon*.c has for itself. Armv8.0 is enough, and no pointer needs alignment.
#ifndef PET_KERNELS_LANES_NEON_H
#define PET_KERNELS_LANES_NEON_H

#include <arm_neon.h>

#include "unpack.h"

typedef int32x4_t lanes;  // 4 x 32 bits, or 4 x 4 bytes
typedef float32x4_t floats;

enum {
  lane_count = 4,
  signed_bias = 0,
  group_tiles = 16,
  // 24 accumulators, three activation vectors and a weight vector: 28 of 32 registers.
  float_tile_rows = 4,
  float_tile_tokens = 3,
  interleaved_tokens = 12,  // likewise 24 accumulators
  shared_tiles = 2,
  reading_tiles = 1,
};

PK_INLINE lanes lanes_set(int32_t x) { return vdupq_n_s32(x); }
PK_INLINE lanes lanes_load(const int32_t *p) { return vreinterpretq_s32_u8(vld1q_u8((const uint8_t *)p)); }
PK_INLINE lanes lanes_and(lanes a, lanes b) { return vandq_s32(a, b); }
PK_INLINE lanes lanes_or(lanes a, lanes b) { return vorrq_s32(a, b); }
PK_INLINE lanes lanes_xor(lanes a, lanes b) { return veorq_s32(a, b); }
PK_INLINE lanes lanes_add(lanes a, lanes b) { return vaddq_s32(a, b); }
PK_INLINE lanes lanes_sub(lanes a, lanes b) { return vsubq_s32(a, b); }
// Operators, since the intrinsics take literals only.
PK_INLINE lanes lanes_shift_left(lanes a, unsigned n) {
  return vreinterpretq_s32_u32(vreinterpretq_u32_s32(a) << n);
}
PK_INLINE lanes lanes_shift_right(lanes a, unsigned n) {
  return vreinterpretq_s32_u32(vreinterpretq_u32_s32(a) >> n);
}
PK_INLINE lanes lanes_shift_right_signed(lanes a, unsigned n) { return a >> (int)n; }

/// The 32 bits at base + offsets[lane]. NEON has no gather: these are four loads.
PK_INLINE lanes lanes_gather(const uint8_t *base, lanes offsets) {
  int32_t words[lane_count];
  memcpy(&words[0], base + vgetq_lane_s32(offsets, 0), sizeof words[0]);
  memcpy(&words[1], base + vgetq_lane_s32(offsets, 1), sizeof words[0]);
  memcpy(&words[2], base + vgetq_lane_s32(offsets, 2), sizeof words[0]);
  memcpy(&words[3], base + vgetq_lane_s32(offsets, 3), sizeof words[0]);
  return (lanes){words[0], words[1], words[2], words[3]};
}

/// Bit p of the low four of each lane, moved to bit 4 of its byte p.
PK_INLINE lanes lanes_spread_fifth_bits(lanes nibbles) {
  // Copies the low byte over its lane, looks whether bit p of byte p is set, and turns what is into 16.
  const uint8x16_t first_bytes = {0, 0, 0, 0, 4, 4, 4, 4, 8, 8, 8, 8, 12, 12, 12, 12};
  const uint8x16_t copies = vqtbl1q_u8(vreinterpretq_u8_s32(nibbles), first_bytes);
  const uint8x16_t set = vtstq_u8(copies, vreinterpretq_u8_u32(vdupq_n_u32(0x08040201)));
  return vreinterpretq_s32_u8(vandq_u8(set, vdupq_n_u8(16)));
}

/// 16 bytes at base + r * stride for every lane r, transposed: out[j] holds word j of each row.
PK_INLINE void lanes_load_transposed(const uint8_t *base, size_t stride, lanes out[4]) {
  lanes a[4];
  PK_UNROLL
  for (int i = 0; i < 4; i++) {
    a[i] = vreinterpretq_s32_u8(vld1q_u8(base + (size_t)i * stride));
  }
  const int64x2_t t0 = vreinterpretq_s64_s32(vtrn1q_s32(a[0], a[1])), t1 = vreinterpretq_s64_s32(vtrn2q_s32(a[0], a[1]));
  const int64x2_t t2 = vreinterpretq_s64_s32(vtrn1q_s32(a[2], a[3])), t3 = vreinterpretq_s64_s32(vtrn2q_s32(a[2], a[3]));
  out[0] = vreinterpretq_s32_s64(vtrn1q_s64(t0, t2));
  out[1] = vreinterpretq_s32_s64(vtrn1q_s64(t1, t3));
  out[2] = vreinterpretq_s32_s64(vtrn2q_s64(t0, t2));
  out[3] = vreinterpretq_s32_s64(vtrn2q_s64(t1, t3));
}

PK_INLINE lanes lanes_weights_from_signed(lanes x) { return x; }

PK_INLINE floats floats_set(float x) { return vdupq_n_f32(x); }
PK_INLINE floats floats_load(const float *p) { return vld1q_f32(p); }
PK_INLINE void floats_store(float *p, floats x) { vst1q_f32(p, x); }
PK_INLINE floats floats_from_lanes(lanes x) { return vcvtq_f32_s32(x); }
PK_INLINE floats floats_cast(lanes bits) { return vreinterpretq_f32_s32(bits); }
PK_INLINE floats floats_add(floats a, floats b) { return vaddq_f32(a, b); }
PK_INLINE floats floats_sub(floats a, floats b) { return vsubq_f32(a, b); }
PK_INLINE floats floats_mul(floats a, floats b) { return vmulq_f32(a, b); }
PK_INLINE floats floats_div(floats a, floats b) { return vdivq_f32(a, b); }
PK_INLINE floats floats_fma(floats a, floats b, floats c) { return vfmaq_f32(c, a, b); }
/// c - a * b
PK_INLINE floats floats_fnma(floats a, floats b, floats c) { return vfmsq_f32(c, a, b); }
PK_INLINE floats floats_negate(floats a) { return vnegq_f32(a); }
/// Where a or b is NaN, these give b, as on x86; NEON's own minimum and maximum would give NaN.
PK_INLINE floats floats_max(floats a, floats b) { return vbslq_f32(vcgtq_f32(a, b), a, b); }
PK_INLINE floats floats_min(floats a, floats b) { return vbslq_f32(vcltq_f32(a, b), a, b); }
PK_INLINE lanes lanes_from_floats(floats x) { return vcvtnq_s32_f32(x); }
PK_INLINE float floats_sum(floats x) { return vaddvq_f32(x); }
/// The sum of each of 4 vectors.
PK_INLINE floats floats_sums(const floats x[4]) { return vpaddq_f32(vpaddq_f32(x[0], x[1]), vpaddq_f32(x[2], x[3])); }
PK_INLINE float floats_largest(floats x) { return vmaxvq_f32(x); }

/// The F16 in the low, or the high, half of each lane.
PK_INLINE floats floats_from_low_halves(lanes x) { return vcvt_f32_f16(vreinterpret_f16_s16(vmovn_s32(x))); }
PK_INLINE floats floats_from_high_halves(lanes x) { return vcvt_f32_f16(vreinterpret_f16_s16(vshrn_n_s32(x, 16))); }

PK_INLINE floats floats_load_f16(const void *p) { return vcvt_f32_f16(vreinterpret_f16_u8(vld1_u8(p))); }
PK_INLINE floats floats_load_bf16(const void *p) {
  return vreinterpretq_f32_u32(vshll_n_u16(vreinterpret_u16_u8(vld1_u8(p)), 16));
}
/// Of signed bytes.
PK_INLINE floats floats_load_i8(const void *p) {
  int32_t word;
  memcpy(&word, p, sizeof word);
  return vcvtq_f32_s32(vmovl_s16(vget_low_s16(vmovl_s8(vreinterpret_s8_s32(vdup_n_s32(word))))));
}
/// The F16 in every lane.
PK_INLINE floats floats_set_f16(const void *p) {
  uint16_t half;
  memcpy(&half, p, sizeof half);
  return vcvt_f32_f16(vreinterpret_f16_u16(vdup_n_u16(half)));
}
PK_INLINE void floats_store_f16(uint16_t *p, floats x) { vst1_u16(p, vreinterpret_u16_f16(vcvt_f16_f32(x))); }

// The first `count` elements (fewer than lane_count), zeros behind; nothing past them is touched.
PK_INLINE floats floats_load_first(const float *p, size_t count) {
  float padded[lane_count] = {0};
  memcpy(padded, p, count * sizeof *p);
  return floats_load(padded);
}
PK_INLINE void floats_store_first(float *p, floats x, size_t count) {
  float all[lane_count];
  floats_store(all, x);
  memcpy(p, all, count * sizeof *p);
}

#endif

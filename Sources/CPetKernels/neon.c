// SPDX-License-Identifier: Apache-2.0
// The table of base NEON (Armv8.0): the kernels of lanes_*.h over the vectors of lanes_neon.h, integers by widening
// multiplies.
#if defined(__aarch64__)
#include <math.h>

#include "cache.h"
#include "elementwise.h"
#include "interleave.h"
#include "lanes_neon.h"
#include "tables.h"

/// Adds to sums[h][i] the product of byte i of half h of `weights` with the four quants of `word`, repeated.
PK_INLINE void multiply_bytes(int16x8_t sums[2], lanes weights, lanes word) {
  const int8x16_t w = vreinterpretq_s8_s32(weights), x = vreinterpretq_s8_s32(word);
  sums[0] = vmlal_s8(sums[0], vget_low_s8(w), vget_low_s8(x));
  sums[1] = vmlal_high_s8(sums[1], w, x);
}

/// start + sum over words p < count of the dot product of bytes weights[p] with the four quants at quants + 4p.
/// `count` is a multiple of 4; weights are unsigned below 2^bits, or signed when `bits` is 8.
///
/// Products are summed in 16 bits, where |quant| <= 127 leaves room for 8 of weights of up to 5 bits (8 * 31 * 127 = 31496),
/// 4 of 6 bits (32004), 2 of 8 bits (2 * 128 * 127 = 32512).
PK_INLINE lanes lanes_dot(lanes start, const lanes *weights, const int8_t *quants, int count, int bits) {
  const int room = bits <= 5 ? 8 : bits == 6 ? 4 : 2;
  const int16x8_t none = vdupq_n_s16(0);
  int16x8_t narrow[2] = {none, none};
  int32x4_t wide[2] = {vdupq_n_s32(0), vdupq_n_s32(0)};
  PK_UNROLL
  for (int p = 0; p < count; p += 2) {
    // Lane numbers must be literals: the pair of words is read as a unit.
    const int32x2_t pair = vreinterpret_s32_s8(vld1_s8(quants + 4 * p));
    multiply_bytes(narrow, weights[p], vdupq_lane_s32(pair, 0));
    multiply_bytes(narrow, weights[p + 1], vdupq_lane_s32(pair, 1));
    if ((p + 2) % room == 0 || p + 2 == count) {
      wide[0] = vpadalq_s16(wide[0], narrow[0]);
      wide[1] = vpadalq_s16(wide[1], narrow[1]);
      narrow[0] = narrow[1] = none;
    }
  }
  return vaddq_s32(start, vpaddq_s32(wide[0], wide[1]));
}

#include "lanes_kernels.h"

const pk_kernels pk_neon_kernels = PK_LANES_TABLE("neon", PK_NEON);
#endif

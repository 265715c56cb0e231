// SPDX-License-Identifier: Apache-2.0
// The table of NEON with matrix products of bytes (FEAT_I8MM, optional from Armv8.1 on): SMMLA for two activation rows at
// a time, SDOT for one.
#if defined(__aarch64__)
#include <math.h>

#include "cache.h"
#include "elementwise.h"
#include "interleave.h"
#include "lanes_neon.h"
#include "tables.h"

PK_TARGET_BEGIN("arch=armv8.2-a+dotprod+i8mm")

#include "lanes_neon_sdot.h"

#define LANES_DOT_PAIR

/// `lanes_dot` of two activation rows at once: sums[i] grows by the products with the quants at first or second.
///
/// SMMLA takes two rows of 8 bytes on either side and adds their four dot products: weight rows 0 and 1 make one such
/// operand, rows 2 and 3 another, the two activation rows the third.
PK_INLINE void lanes_dot_pair(
  lanes sums[2], const lanes *weights, const int8_t *first, const int8_t *second, int count) {
  lanes low = vzip1q_s32(sums[0], sums[1]), high = vzip2q_s32(sums[0], sums[1]);
  PK_UNROLL
  for (int p = 0; p < count; p += 4) {
    const int64x2_t a = vreinterpretq_s64_s8(vld1q_s8(first + 4 * p));
    const int64x2_t b = vreinterpretq_s64_s8(vld1q_s8(second + 4 * p));
    const int8x16_t x[2] = {vreinterpretq_s8_s64(vzip1q_s64(a, b)), vreinterpretq_s8_s64(vzip2q_s64(a, b))};
    PK_UNROLL
    for (int i = 0; i < 2; i++) {
      const lanes w0 = weights[p + 2 * i], w1 = weights[p + 2 * i + 1];
      low = vmmlaq_s32(low, vreinterpretq_s8_s32(vzip1q_s32(w0, w1)), x[i]);
      high = vmmlaq_s32(high, vreinterpretq_s8_s32(vzip2q_s32(w0, w1)), x[i]);
    }
  }
  sums[0] = vuzp1q_s32(low, high);
  sums[1] = vuzp2q_s32(low, high);
}

#include "lanes_kernels.h"

PK_TARGET_END

const pk_kernels pk_neon_i8mm_kernels = PK_LANES_TABLE("neon-i8mm", PK_NEON_I8MM);
#endif

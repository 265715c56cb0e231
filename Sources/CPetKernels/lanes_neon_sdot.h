// SPDX-License-Identifier: Apache-2.0
// The dot products of NEON lanes by SDOT, four per lane, the quants' word chosen by lane: broadcasting costs nothing.

/// start + sum over words p < count of the dot product of bytes weights[p] with the four quants at quants + 4p.
/// `count` is a multiple of 4; weights are signed, or unsigned below 2^7.
PK_INLINE lanes lanes_dot(lanes start, const lanes *weights, const int8_t *quants, int count, int bits) {
  (void)bits;
  PK_UNROLL
  for (int p = 0; p < count; p += 4) {
    const int8x16_t x = vld1q_s8(quants + 4 * p);
    start = vdotq_laneq_s32(start, vreinterpretq_s8_s32(weights[p]), x, 0);
    start = vdotq_laneq_s32(start, vreinterpretq_s8_s32(weights[p + 1]), x, 1);
    start = vdotq_laneq_s32(start, vreinterpretq_s8_s32(weights[p + 2]), x, 2);
    start = vdotq_laneq_s32(start, vreinterpretq_s8_s32(weights[p + 3]), x, 3);
  }
  return start;
}

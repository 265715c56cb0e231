// SPDX-License-Identifier: Apache-2.0
// Sub-blocks of the types with blocks of 32 (layouts in blocks.h).
#pragma STDC FP_CONTRACT OFF

/// 16 packed bytes per row as weights: the low nibbles are elements 0-15, the high ones 16-31.
PK_INLINE void tile_nibbles(const weight_tile *w, size_t at, lanes weights[8]) {
  const lanes mask = lanes_set(0x0f0f0f0f);
  lanes packed[4];
  tile_four_words(w, at, packed);
  PK_UNROLL
  for (int p = 0; p < 4; p++) {
    weights[p] = lanes_and(packed[p], mask);
    weights[4 + p] = lanes_and(lanes_shift_right(packed[p], 4), mask);
  }
}

PK_INLINE void tile_fifth_bits(lanes bits, lanes weights[8]) {
  PK_UNROLL
  for (int p = 0; p < 8; p++) {
    weights[p] = lanes_or(weights[p], lanes_spread_fifth_bits(lanes_shift_right(bits, 4 * (unsigned)p)));
  }
}

PK_INLINE int small_bias(pk_type type) {
  return type == PK_Q4_0 ? 8 : type == PK_Q5_0 ? 16 : type == PK_Q8_0 ? signed_bias : 0;
}

PK_INLINE int small_bits(pk_type type) {
  return type == PK_Q4_0 || type == PK_Q4_1 ? 4 : type == PK_Q5_0 || type == PK_Q5_1 ? 5 : 8;
}

/// The block at byte `at` of the rows.
PK_INLINE void tile_small_block(pk_type type, const weight_tile *w, size_t at, sub_block *out) {
  switch (type) {
  case PK_Q4_0:
    out->scale = tile_half(w, at);
    tile_nibbles(w, at + offsetof(pk_block_q4_0, qs), out->weights);
    break;
  case PK_Q4_1:
    tile_two_halves(w, at, &out->scale, &out->offset);
    tile_nibbles(w, at + offsetof(pk_block_q4_1, qs), out->weights);
    break;
  case PK_Q5_0:
    out->scale = tile_half(w, at);
    tile_nibbles(w, at + offsetof(pk_block_q5_0, qs), out->weights);
    tile_fifth_bits(tile_word(w, at + offsetof(pk_block_q5_0, qh)), out->weights);
    break;
  case PK_Q5_1:
    tile_two_halves(w, at, &out->scale, &out->offset);
    tile_nibbles(w, at + offsetof(pk_block_q5_1, qs), out->weights);
    tile_fifth_bits(tile_word(w, at + offsetof(pk_block_q5_1, qh)), out->weights);
    break;
  default:
    out->scale = tile_half(w, at);
    tile_four_words(w, at + offsetof(pk_block_q8_0, qs), out->weights);
    tile_four_words(w, at + offsetof(pk_block_q8_0, qs) + 16, out->weights + 4);
    PK_UNROLL
    for (int p = 0; p < 8; p++) {
      out->weights[p] = lanes_weights_from_signed(out->weights[p]);
    }
    break;
  }
}

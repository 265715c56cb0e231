// Tiles of the types with blocks of 32 (layouts in blocks.h).
#pragma STDC FP_CONTRACT OFF

/// 16 packed bytes per row as weights: the low nibbles are elements 0-15, the high ones 16-31.
PK_INLINE void tile_nibbles(const weight_tile *w, size_t at, lanes weights[8]) {
  const lanes mask = lanes_set(0x0f0f0f0f);
  lanes packed[4];
  lanes_load_transposed(w->base + at, w->stride, packed);
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

PK_INLINE void tile_small_block(
  pk_type type, const weight_tile *w, size_t at, int j, const token_tile *x, totals_tile *totals) {
  lanes weights[8];
  const lanes head = tile_words(w, at);  // d, and m where there is one
  floats offset = floats_set(0);
  int bits = 8;
  switch (type) {
  case PK_Q4_0:
    bits = 4;
    tile_nibbles(w, at + offsetof(pk_block_q4_0, qs), weights);
    break;
  case PK_Q4_1:
    bits = 4;
    offset = floats_from_high_halves(head);
    tile_nibbles(w, at + offsetof(pk_block_q4_1, qs), weights);
    break;
  case PK_Q5_0:
    bits = 5;
    tile_nibbles(w, at + offsetof(pk_block_q5_0, qs), weights);
    tile_fifth_bits(tile_words(w, at + offsetof(pk_block_q5_0, qh)), weights);
    break;
  case PK_Q5_1:
    bits = 5;
    offset = floats_from_high_halves(head);
    tile_nibbles(w, at + offsetof(pk_block_q5_1, qs), weights);
    tile_fifth_bits(tile_words(w, at + offsetof(pk_block_q5_1, qh)), weights);
    break;
  default:
    lanes_load_transposed(w->base + at + offsetof(pk_block_q8_0, qs), w->stride, weights);
    lanes_load_transposed(w->base + at + offsetof(pk_block_q8_0, qs) + 16, w->stride, weights + 4);
    PK_UNROLL
    for (int p = 0; p < 8; p++) {
      weights[p] = lanes_weights_from_signed(weights[p]);
    }
    break;
  }
  tile_accumulate(
    x, totals, j, 32, weights, bits, floats_from_low_halves(head), offset, small_bias(type) != 0, pk_has_offset(type));
}

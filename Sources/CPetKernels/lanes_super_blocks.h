// Tiles of the K types: one super-block of 256 per row, at the start of the rows (layouts in blocks.h).
#pragma STDC FP_CONTRACT OFF

/// `count` times 16 bytes of every row from `at` on.
PK_INLINE void tile_bytes(const weight_tile *w, size_t at, int count, lanes *out) {
  PK_UNROLL
  for (int i = 0; i < count; i++) {
    lanes_load_transposed(w->base + at + 16 * (size_t)i, w->stride, out + 4 * i);
  }
}

/// Bits first..<first + width of every byte.
PK_INLINE lanes byte_field(lanes x, unsigned first, unsigned width) {
  return lanes_and(lanes_shift_right(x, first), lanes_set((int32_t)(0x01010101u * ((1u << width) - 1))));
}

/// Bits first..<first + width of every lane, as floats.
PK_INLINE floats lane_field(lanes x, unsigned first, unsigned width) {
  return floats_from_lanes(lanes_and(lanes_shift_right(x, first), lanes_set((1 << width) - 1)));
}

/// d * scale and -(dmin * min) of the eight sub-blocks of Q4_K and Q5_K, from the first 16 bytes of the block.
PK_INLINE void tile_scales_k(const weight_tile *w, floats scales[8], floats offsets[8]) {
  lanes head[4];
  lanes_load_transposed(w->base, w->stride, head);
  const floats d = floats_from_low_halves(head[0]), dmin = floats_from_high_halves(head[0]);
  const lanes low_four = lanes_set(0x0f0f0f0f), top_two = lanes_set(0x30303030);
  // The upper sub-blocks: four bits of word 3 under two bits of words 1 and 2.
  const lanes upper_scales =
    lanes_or(lanes_and(head[3], low_four), lanes_and(lanes_shift_right(head[1], 2), top_two));
  const lanes upper_mins =
    lanes_or(lanes_and(lanes_shift_right(head[3], 4), low_four), lanes_and(lanes_shift_right(head[2], 2), top_two));
  PK_UNROLL
  for (int j = 0; j < 4; j++) {
    const unsigned bit = 8 * (unsigned)j;
    scales[j] = floats_mul(d, lane_field(head[1], bit, 6));
    offsets[j] = floats_negate(floats_mul(dmin, lane_field(head[2], bit, 6)));
    scales[4 + j] = floats_mul(d, lane_field(upper_scales, bit, 6));
    offsets[4 + j] = floats_negate(floats_mul(dmin, lane_field(upper_mins, bit, 6)));
  }
}

PK_INLINE void tile_q4_k(const weight_tile *w, const token_tile *x, totals_tile *totals) {
  floats scales[8], offsets[8];
  tile_scales_k(w, scales, offsets);
  PK_UNROLL
  for (int run = 0; run < 4; run++) {
    lanes packed[8], weights[8];
    tile_bytes(w, offsetof(pk_block_q4_k, qs) + 32 * (size_t)run, 2, packed);
    PK_UNROLL
    for (int half = 0; half < 2; half++) {
      const int j = 2 * run + half;
      PK_UNROLL
      for (int p = 0; p < 8; p++) {
        weights[p] = byte_field(packed[p], 4 * (unsigned)half, 4);
      }
      tile_accumulate(x, totals, j, 32, weights, 4, scales[j], offsets[j], false, true);
    }
  }
}

PK_INLINE void tile_q5_k(const weight_tile *w, const token_tile *x, totals_tile *totals) {
  floats scales[8], offsets[8];
  lanes fifth[8];
  tile_scales_k(w, scales, offsets);
  tile_bytes(w, offsetof(pk_block_q5_k, qh), 2, fifth);
  PK_UNROLL
  for (int run = 0; run < 4; run++) {
    lanes packed[8], weights[8];
    tile_bytes(w, offsetof(pk_block_q5_k, qs) + 32 * (size_t)run, 2, packed);
    PK_UNROLL
    for (int half = 0; half < 2; half++) {
      const int j = 2 * run + half;
      PK_UNROLL
      for (int p = 0; p < 8; p++) {
        const lanes bit = lanes_shift_left(byte_field(fifth[p], (unsigned)j, 1), 4);
        weights[p] = lanes_or(byte_field(packed[p], 4 * (unsigned)half, 4), bit);
      }
      tile_accumulate(x, totals, j, 32, weights, 5, scales[j], offsets[j], false, true);
    }
  }
}

/// Two neighbouring sub-blocks of 16, 2 * run and 2 * run + 1.
PK_INLINE void tile_accumulate_halves(
  const token_tile *x, totals_tile *totals, int run, const lanes weights[8], int bits, const floats *scales,
  const floats *offsets) {
  const bool has_offset = offsets != NULL;
  PK_UNROLL
  for (int j = 2 * run; j < 2 * run + 2; j++) {
    const floats offset = has_offset ? offsets[j] : floats_set(0);
    tile_accumulate(x, totals, j, 16, weights + 4 * (j % 2), bits, scales[j], offset, !has_offset, has_offset);
  }
}

PK_INLINE void tile_q2_k(const weight_tile *w, const token_tile *x, totals_tile *totals) {
  floats scales[16], offsets[16];
  lanes packed_scales[4];
  tile_bytes(w, 0, 1, packed_scales);
  const lanes tail = tile_words(w, offsetof(pk_block_q2_k, d));
  const floats d = floats_from_low_halves(tail), dmin = floats_from_high_halves(tail);
  PK_UNROLL
  for (int j = 0; j < 16; j++) {
    const unsigned bit = 8 * ((unsigned)j % 4);
    scales[j] = floats_mul(d, lane_field(packed_scales[j / 4], bit, 4));
    offsets[j] = floats_negate(floats_mul(dmin, lane_field(packed_scales[j / 4], bit + 4, 4)));
  }
  PK_UNROLL
  for (int half = 0; half < 2; half++) {
    lanes packed[8], weights[8];
    tile_bytes(w, offsetof(pk_block_q2_k, qs) + 32 * (size_t)half, 2, packed);
    PK_UNROLL
    for (int quarter = 0; quarter < 4; quarter++) {
      PK_UNROLL
      for (int p = 0; p < 8; p++) {
        weights[p] = byte_field(packed[p], 2 * (unsigned)quarter, 2);
      }
      tile_accumulate_halves(x, totals, 4 * half + quarter, weights, 2, scales, offsets);
    }
  }
}

PK_INLINE void tile_q3_k(const weight_tile *w, const token_tile *x, totals_tile *totals) {
  floats scales[16];
  lanes tail[4], third[8];
  // The 16 bytes that end with the scales; d is the upper half of the last word of the block.
  tile_bytes(w, offsetof(pk_block_q3_k, scales) - 4, 1, tail);
  const floats d = floats_from_high_halves(tile_words(w, offsetof(pk_block_q3_k, d) - 2));
  PK_UNROLL
  for (int j = 0; j < 16; j++) {
    const unsigned group = (unsigned)j / 4, bit = 8 * ((unsigned)j % 4);
    const lanes low = lanes_shift_right(tail[1 + group % 2], bit + 4 * (group / 2));
    const lanes high = lanes_shift_right(tail[3], bit + 2 * group);
    const lanes scale =
      lanes_or(lanes_and(low, lanes_set(15)), lanes_shift_left(lanes_and(high, lanes_set(3)), 4));
    scales[j] = floats_mul(d, floats_from_lanes(lanes_sub(scale, lanes_set(32))));
  }
  tile_bytes(w, offsetof(pk_block_q3_k, hmask), 2, third);
  PK_UNROLL
  for (int half = 0; half < 2; half++) {
    lanes packed[8], weights[8];
    tile_bytes(w, offsetof(pk_block_q3_k, qs) + 32 * (size_t)half, 2, packed);
    PK_UNROLL
    for (int quarter = 0; quarter < 4; quarter++) {
      const int run = 4 * half + quarter;
      PK_UNROLL
      for (int p = 0; p < 8; p++) {
        const lanes bit = lanes_shift_left(byte_field(third[p], (unsigned)run, 1), 2);
        weights[p] = lanes_or(byte_field(packed[p], 2 * (unsigned)quarter, 2), bit);
      }
      tile_accumulate_halves(x, totals, run, weights, 3, scales, NULL);
    }
  }
}

PK_INLINE void tile_q6_k(const weight_tile *w, const token_tile *x, totals_tile *totals) {
  floats scales[16];
  lanes packed_scales[4];
  tile_bytes(w, offsetof(pk_block_q6_k, scales), 1, packed_scales);
  const floats d = floats_from_high_halves(tile_words(w, offsetof(pk_block_q6_k, d) - 2));
  PK_UNROLL
  for (int j = 0; j < 16; j++) {
    const lanes at_top = lanes_shift_left(packed_scales[j / 4], 24 - 8 * ((unsigned)j % 4));
    scales[j] = floats_mul(d, floats_from_lanes(lanes_shift_right_signed(at_top, 24)));
  }
  PK_UNROLL
  for (int half = 0; half < 2; half++) {
    lanes low[16], high[8], weights[8];
    tile_bytes(w, offsetof(pk_block_q6_k, ql) + 64 * (size_t)half, 4, low);
    tile_bytes(w, offsetof(pk_block_q6_k, qh) + 32 * (size_t)half, 2, high);
    PK_UNROLL
    for (int quarter = 0; quarter < 4; quarter++) {
      PK_UNROLL
      for (int p = 0; p < 8; p++) {
        const lanes nibble = byte_field(low[8 * (quarter % 2) + p], 4 * ((unsigned)quarter / 2), 4);
        weights[p] = lanes_or(nibble, lanes_shift_left(byte_field(high[p], 2 * (unsigned)quarter, 2), 4));
      }
      tile_accumulate_halves(x, totals, 4 * half + quarter, weights, 6, scales, NULL);
    }
  }
}

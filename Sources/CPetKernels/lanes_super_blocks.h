// SPDX-License-Identifier: Apache-2.0
// Sub-blocks of the K types, whose blocks have 256 elements (layouts in blocks.h).
#pragma STDC FP_CONTRACT OFF

PK_INLINE int super_bias(pk_type type) { return type == PK_Q3_K ? 4 : type == PK_Q6_K ? 32 : 0; }

PK_INLINE int super_bits(pk_type type) {
  return type == PK_Q2_K ? 2 : type == PK_Q3_K ? 3 : type == PK_Q4_K ? 4 : type == PK_Q5_K ? 5 : 6;
}

/// The scales of one super-block: those of its parts, four bytes a word, and what multiplies them.
typedef struct {
  floats d, dmin;
  lanes factors[4], minimums[4];
} super_scales;

/// `count` times 16 bytes of every row from `at` on.
PK_INLINE void tile_words(const weight_tile *w, size_t at, int count, lanes *out) {
  PK_UNROLL
  for (int i = 0; i < count; i++) {
    tile_four_words(w, at + 16 * (size_t)i, out + 4 * i);
  }
}

/// Bits first..<first + width of every byte.
PK_INLINE lanes byte_field(lanes x, unsigned first, unsigned width) {
  return lanes_and(lanes_shift_right(x, first), lanes_set((int32_t)(0x01010101u * ((1u << width) - 1))));
}

/// Byte i of every lane.
PK_INLINE floats lane_byte(lanes x, int i, bool has_sign) {
  const lanes at_top = lanes_shift_left(x, 24 - 8 * (unsigned)i);
  return floats_from_lanes(has_sign ? lanes_shift_right_signed(at_top, 24) : lanes_shift_right(at_top, 24));
}

/// The 16 bytes that Q4_K and Q5_K begin with: d, dmin, and the words of the scales.
PK_INLINE void super_head_k(const weight_tile *w, size_t at, floats *d, floats *dmin, lanes scales[3]) {
  lanes head[4];
  if (w->interleaved) {
    tile_two_halves(w, at, d, dmin);
    PK_UNROLL
    for (int i = 0; i < 3; i++) {
      scales[i] = tile_word(w, at + offsetof(pk_block_q4_k, scales) + 4 * (size_t)i);
    }
    return;
  }
  tile_four_words(w, at, head);
  *d = floats_from_low_halves(head[0]);
  *dmin = floats_from_high_halves(head[0]);
  memcpy(scales, head + 1, 3 * sizeof head[0]);
}

PK_INLINE void super_scales_k(const weight_tile *w, size_t at, super_scales *out) {
  lanes head[3];
  super_head_k(w, at, &out->d, &out->dmin, head);
  const lanes low_four = lanes_set(0x0f0f0f0f), top_two = lanes_set(0x30303030);
  out->factors[0] = byte_field(head[0], 0, 6);
  out->minimums[0] = byte_field(head[1], 0, 6);
  // The upper sub-blocks: four bits of the last word under two bits of the others.
  out->factors[1] = lanes_or(lanes_and(head[2], low_four), lanes_and(lanes_shift_right(head[0], 2), top_two));
  out->minimums[1] =
    lanes_or(lanes_and(lanes_shift_right(head[2], 4), low_four), lanes_and(lanes_shift_right(head[1], 2), top_two));
}

PK_INLINE void super_scales_q2_k(const weight_tile *w, size_t at, super_scales *out) {
  lanes packed[4];
  tile_words(w, at, 1, packed);
  tile_two_halves(w, at + offsetof(pk_block_q2_k, d), &out->d, &out->dmin);
  PK_UNROLL
  for (int i = 0; i < 4; i++) {
    out->factors[i] = byte_field(packed[i], 0, 4);
    out->minimums[i] = byte_field(packed[i], 4, 4);
  }
}

PK_INLINE void super_scales_q3_k(const weight_tile *w, size_t at, super_scales *out) {
  lanes packed[4];
  tile_words(w, at + offsetof(pk_block_q3_k, scales) - 4, 1, packed);  // the last three are the scales
  out->d = tile_last_half(w, at + offsetof(pk_block_q3_k, d));
  PK_UNROLL
  for (unsigned i = 0; i < 4; i++) {
    const lanes low = byte_field(packed[1 + i % 2], 4 * (i / 2), 4), high = byte_field(packed[3], 2 * i, 2);
    const lanes scale = lanes_or(low, lanes_shift_left(high, 4));
    // 32 less: with its top bit set a byte borrows nothing from the next.
    const lanes tops = lanes_set((int32_t)0x80808080);
    out->factors[i] = lanes_xor(lanes_sub(lanes_or(scale, tops), lanes_set(0x20202020)), tops);
  }
}

PK_INLINE void super_scales_q6_k(const weight_tile *w, size_t at, super_scales *out) {
  tile_words(w, at + offsetof(pk_block_q6_k, scales), 1, out->factors);
  out->d = tile_last_half(w, at + offsetof(pk_block_q6_k, d));
}

/// The scales of the super-block at byte `at` of the rows.
PK_INLINE void tile_super_scales(pk_type type, const weight_tile *w, size_t at, super_scales *out) {
  switch (type) {
  case PK_Q2_K:
    super_scales_q2_k(w, at, out);
    break;
  case PK_Q3_K:
    super_scales_q3_k(w, at, out);
    break;
  case PK_Q6_K:
    super_scales_q6_k(w, at, out);
    break;
  default:
    super_scales_k(w, at, out);
    break;
  }
}

/// 2-bit weights of Q2_K and Q3_K: sub-block j of 32.
PK_INLINE void tile_two_bits(const weight_tile *w, size_t at, int j, lanes weights[8]) {
  tile_words(w, at + 32 * (size_t)(j / 4), 2, weights);
  PK_UNROLL
  for (int p = 0; p < 8; p++) {
    weights[p] = byte_field(weights[p], 2 * (unsigned)(j % 4), 2);
  }
}

/// Bit j of every byte from `at` on joins the weights at bit `to`.
PK_INLINE void tile_join_bits(const weight_tile *w, size_t at, int j, unsigned to, lanes weights[8]) {
  lanes bits[8];
  tile_words(w, at, 2, bits);
  PK_UNROLL
  for (int p = 0; p < 8; p++) {
    weights[p] = lanes_or(weights[p], lanes_shift_left(byte_field(bits[p], (unsigned)j, 1), to));
  }
}

/// 4-bit weights of Q4_K and Q5_K: sub-block j of 32.
PK_INLINE void tile_four_bits(const weight_tile *w, size_t at, int j, lanes weights[8]) {
  tile_words(w, at + 32 * (size_t)(j / 2), 2, weights);
  PK_UNROLL
  for (int p = 0; p < 8; p++) {
    weights[p] = byte_field(weights[p], 4 * (unsigned)(j % 2), 4);
  }
}

PK_INLINE void tile_six_bits(const weight_tile *w, size_t at, int j, lanes weights[8]) {
  const size_t half = (size_t)(j / 4);
  const unsigned quarter = (unsigned)(j % 4);
  lanes high[8];
  tile_words(w, at + offsetof(pk_block_q6_k, ql) + 64 * half + 32 * (quarter % 2), 2, weights);
  tile_words(w, at + offsetof(pk_block_q6_k, qh) + 32 * half, 2, high);
  PK_UNROLL
  for (int p = 0; p < 8; p++) {
    const lanes nibble = byte_field(weights[p], 4 * (quarter / 2), 4);
    weights[p] = lanes_or(nibble, lanes_shift_left(byte_field(high[p], 2 * quarter, 2), 4));
  }
}

/// The weights of sub-block j of 32 elements of the super-block at byte `at` of the rows.
PK_INLINE void tile_super_block(pk_type type, const weight_tile *w, size_t at, int j, lanes weights[8]) {
  switch (type) {
  case PK_Q2_K:
    tile_two_bits(w, at + offsetof(pk_block_q2_k, qs), j, weights);
    break;
  case PK_Q3_K:
    tile_two_bits(w, at + offsetof(pk_block_q3_k, qs), j, weights);
    tile_join_bits(w, at + offsetof(pk_block_q3_k, hmask), j, 2, weights);
    break;
  case PK_Q4_K:
    tile_four_bits(w, at + offsetof(pk_block_q4_k, qs), j, weights);
    break;
  case PK_Q5_K:
    tile_four_bits(w, at + offsetof(pk_block_q5_k, qs), j, weights);
    tile_join_bits(w, at + offsetof(pk_block_q5_k, qh), j, 4, weights);
    break;
  default:
    tile_six_bits(w, at, j, weights);
    break;
  }
}

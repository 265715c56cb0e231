// SPDX-License-Identifier: Apache-2.0
// Sub-blocks of the K types, whose blocks have 256 elements (layouts in blocks.h).
#pragma STDC FP_CONTRACT OFF

/// Scale and offset of each sub-block of one super-block.
typedef struct {
  floats scale[16], offset[16];
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

/// Bits first..<first + width of every lane, as floats.
PK_INLINE floats lane_field(lanes x, unsigned first, unsigned width) {
  return floats_from_lanes(lanes_and(lanes_shift_right(x, first), lanes_set((1 << width) - 1)));
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

/// d * scale and -(dmin * min) of the eight sub-blocks of Q4_K and Q5_K.
PK_INLINE void super_scales_k(const weight_tile *w, size_t at, super_scales *out) {
  floats d, dmin;
  lanes head[3];
  super_head_k(w, at, &d, &dmin, head);
  const lanes low_four = lanes_set(0x0f0f0f0f), top_two = lanes_set(0x30303030);
  // The upper sub-blocks: four bits of the last word under two bits of the others.
  const lanes upper_scales =
    lanes_or(lanes_and(head[2], low_four), lanes_and(lanes_shift_right(head[0], 2), top_two));
  const lanes upper_mins =
    lanes_or(lanes_and(lanes_shift_right(head[2], 4), low_four), lanes_and(lanes_shift_right(head[1], 2), top_two));
  PK_UNROLL
  for (int j = 0; j < 4; j++) {
    const unsigned bit = 8 * (unsigned)j;
    out->scale[j] = floats_mul(d, lane_field(head[0], bit, 6));
    out->offset[j] = floats_negate(floats_mul(dmin, lane_field(head[1], bit, 6)));
    out->scale[4 + j] = floats_mul(d, lane_field(upper_scales, bit, 6));
    out->offset[4 + j] = floats_negate(floats_mul(dmin, lane_field(upper_mins, bit, 6)));
  }
}

PK_INLINE void super_scales_q2_k(const weight_tile *w, size_t at, super_scales *out) {
  lanes packed[4];
  tile_words(w, at, 1, packed);
  floats d, dmin;
  tile_two_halves(w, at + offsetof(pk_block_q2_k, d), &d, &dmin);
  PK_UNROLL
  for (int j = 0; j < 16; j++) {
    const unsigned bit = 8 * ((unsigned)j % 4);
    out->scale[j] = floats_mul(d, lane_field(packed[j / 4], bit, 4));
    out->offset[j] = floats_negate(floats_mul(dmin, lane_field(packed[j / 4], bit + 4, 4)));
  }
}

PK_INLINE void super_scales_q3_k(const weight_tile *w, size_t at, super_scales *out) {
  lanes packed[4];
  tile_words(w, at + offsetof(pk_block_q3_k, scales) - 4, 1, packed);  // the last three are the scales
  const floats d = tile_last_half(w, at + offsetof(pk_block_q3_k, d));
  PK_UNROLL
  for (int j = 0; j < 16; j++) {
    const unsigned group = (unsigned)j / 4, bit = 8 * ((unsigned)j % 4);
    const lanes low = lanes_shift_right(packed[1 + group % 2], bit + 4 * (group / 2));
    const lanes high = lanes_shift_right(packed[3], bit + 2 * group);
    const lanes scale =
      lanes_or(lanes_and(low, lanes_set(15)), lanes_shift_left(lanes_and(high, lanes_set(3)), 4));
    out->scale[j] = floats_mul(d, floats_from_lanes(lanes_sub(scale, lanes_set(32))));
  }
}

PK_INLINE void super_scales_q6_k(const weight_tile *w, size_t at, super_scales *out) {
  lanes packed[4];
  tile_words(w, at + offsetof(pk_block_q6_k, scales), 1, packed);
  const floats d = tile_last_half(w, at + offsetof(pk_block_q6_k, d));
  PK_UNROLL
  for (int j = 0; j < 16; j++) {
    const lanes at_top = lanes_shift_left(packed[j / 4], 24 - 8 * ((unsigned)j % 4));
    out->scale[j] = floats_mul(d, floats_from_lanes(lanes_shift_right_signed(at_top, 24)));
  }
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

/// Sub-block j of 32 elements of the super-block at byte `at` of the rows.
PK_INLINE void tile_super_block(
  pk_type type, const weight_tile *w, size_t at, int j, const super_scales *scales, sub_block *out) {
  const int parts = 32 / pk_step(type);
  PK_UNROLL
  for (int part = 0; part < parts; part++) {
    out->scale[part] = scales->scale[parts * j + part];
    out->offset[part] = pk_has_offset(type) ? scales->offset[parts * j + part] : floats_set(0);
  }
  switch (type) {
  case PK_Q2_K:
    tile_two_bits(w, at + offsetof(pk_block_q2_k, qs), j, out->weights);
    break;
  case PK_Q3_K:
    tile_two_bits(w, at + offsetof(pk_block_q3_k, qs), j, out->weights);
    tile_join_bits(w, at + offsetof(pk_block_q3_k, hmask), j, 2, out->weights);
    break;
  case PK_Q4_K:
    tile_four_bits(w, at + offsetof(pk_block_q4_k, qs), j, out->weights);
    break;
  case PK_Q5_K:
    tile_four_bits(w, at + offsetof(pk_block_q5_k, qs), j, out->weights);
    tile_join_bits(w, at + offsetof(pk_block_q5_k, qh), j, 4, out->weights);
    break;
  default:
    tile_six_bits(w, at, j, out->weights);
    break;
  }
}

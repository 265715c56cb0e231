// SPDX-License-Identifier: Apache-2.0
// Dot products times the integer scales of a K type, for lanes whose dot products have 32 bits. All that happens here is exact:
// the numbers are integers below 2^24.
#pragma STDC FP_CONTRACT OFF

/// The scales of 32 columns, which have one part or two.
typedef struct {
  floats of[2];
} super_factors;

/// The factors in bytes first..<first + parts of each lane.
PK_INLINE super_factors factors_from_bytes(pk_type type, lanes bytes, int first) {
  super_factors f;
  PK_UNROLL
  for (int i = 0; i < 32 / pk_step(type); i++) {
    f.of[i] = lane_byte(bytes, first + i, super_bias(type) != 0);
  }
  return f;
}

PK_INLINE void add_part(floats *out, floats factor, lanes dot, int part) {
  const floats x = floats_from_lanes(dot);
  *out = part == 0 ? floats_mul(x, factor) : floats_fma(x, factor, *out);
}

/// out[i] = what tile i has in block `at` of the activations.
PK_INLINE void super_dots(
  pk_type type, const lanes weights[][8], const super_factors *factors, int tiles, const token_tile *x, size_t at,
  floats out[2]) {
  const int parts = 32 / pk_step(type), count = 8 / parts;
  PK_UNROLL
  for (int part = 0; part < parts; part++) {
    const lanes start = lanes_set(super_bias(type) != 0 ? x->biases[at * (size_t)parts + (size_t)part] : 0);
    const int8_t *quants = x->quants + 32 * at + 4 * part * count;
    PK_UNROLL
    for (int i = 0; i < tiles; i++) {
      const lanes dot = lanes_dot(start, weights[i] + part * count, quants, count, super_bits(type));
      add_part(&out[i], factors[i].of[part], dot, part);
    }
  }
}

#if defined(LANES_DOT_PAIR)
/// The same of blocks `at` and `at` + 1: out[i][0] and out[i][1].
PK_INLINE void super_dot_pairs(
  pk_type type, const lanes weights[][8], const super_factors *factors, int tiles, const token_tile *x, size_t at,
  floats out[2][2]) {
  const int parts = 32 / pk_step(type), count = 8 / parts;
  const int32_t *biases = x->biases + at * (size_t)parts;
  PK_UNROLL
  for (int part = 0; part < parts; part++) {
    const int8_t *quants = x->quants + 32 * at + 4 * part * count;
    PK_UNROLL
    for (int i = 0; i < tiles; i++) {
      const bool has_bias = super_bias(type) != 0;
      lanes dots[2] = {lanes_set(has_bias ? biases[part] : 0), lanes_set(has_bias ? biases[parts + part] : 0)};
      lanes_dot_pair(dots, weights[i] + part * count, quants, quants + 32, count);
      add_part(&out[i][0], factors[i].of[part], dots[0], part);
      add_part(&out[i][1], factors[i].of[part], dots[1], part);
    }
  }
}
#endif

// SPDX-License-Identifier: Apache-2.0
// Super-blocks of tiles against the activation rows: the arithmetic that scalar_matmul.c defines for the K types.
#pragma STDC FP_CONTRACT OFF

/// Adds 32 columns, sub-block j of the chunk, to the sums of a super-block, [tile][token]. The first of them are `fresh`.
PK_INLINE void super_accumulate(
  pk_type type, const lanes weights[][8], const super_factors *factors, int tiles, const token_tile *x, size_t tokens,
  size_t j, bool fresh, floats *sums) {
  const float *scales = x->scales + j * tokens;
  size_t t = 0;
#if defined(LANES_DOT_PAIR)
  for (; t + 2 <= tokens; t += 2) {
    floats dots[2][2];
    super_dot_pairs(type, weights, factors, tiles, x, j * tokens + t, dots);
    PK_UNROLL
    for (int i = 0; i < tiles; i++) {
      floats *sum = &sums[(size_t)i * tokens + t];
      sum[0] = floats_fma(dots[i][0], floats_set(scales[t]), fresh ? floats_set(0) : sum[0]);
      sum[1] = floats_fma(dots[i][1], floats_set(scales[t + 1]), fresh ? floats_set(0) : sum[1]);
    }
  }
#endif
  for (; t < tokens; t++) {
    floats dots[2];
    super_dots(type, weights, factors, tiles, x, j * tokens + t, dots);
    PK_UNROLL
    for (int i = 0; i < tiles; i++) {
      floats *sum = &sums[(size_t)i * tokens + t];
      *sum = floats_fma(dots[i], floats_set(scales[t]), fresh ? floats_set(0) : *sum);
    }
  }
}

/// The sum of a super-block's minimums times the activations of one row, whose scaled sums begin at `sums`.
PK_INLINE floats super_minimums(pk_type type, const floats minimums[16], const float *sums, size_t tokens) {
  const size_t parts = 32 / (size_t)pk_step(type);
  floats total = floats_set(0);
  PK_UNROLL
  for (size_t i = 0; i < 8 * parts; i++) {
    total = floats_fma(minimums[i], floats_set(sums[i / parts * parts * tokens + i % parts]), total);
  }
  return total;
}

/// Adds the sums of a super-block, and its minimums, to the totals of one tile. It begins with sub-block `first` of the chunk.
PK_INLINE void super_add(
  pk_type type, const super_scales *scales, const floats *sums, const token_tile *x, size_t tokens, size_t first,
  floats *totals) {
  const size_t parts = 32 / (size_t)pk_step(type);
  const float *scaled_sums = x->scaled_sums + first * tokens * parts;
  floats minimums[16];
  if (pk_has_offset(type)) {
    PK_UNROLL
    for (int i = 0; i < 8 * (int)parts; i++) {
      minimums[i] = lane_byte(scales->minimums[i / 4], i % 4, false);
    }
  }
  for (size_t t = 0; t < tokens; t++) {
    totals[t] = floats_fma(scales->d, sums[t], totals[t]);
    if (pk_has_offset(type)) {
      const floats sum = super_minimums(type, minimums, scaled_sums + t * parts, tokens);
      totals[t] = floats_fnma(scales->dmin, sum, totals[t]);
    }
  }
}

/// Adds one super-block to the totals of `tiles` tiles that share the activations, [tile][token]. It begins at byte `at` of the
/// rows, and with sub-block `first` of the chunk.
PK_INLINE void super_step(
  pk_type type, const weight_tile *w, int tiles, size_t at, const token_tile *x, size_t tokens, size_t first,
  floats *totals) {
  const int parts = 32 / pk_step(type);
  super_scales scales[2];
  lanes weights[2][8];
  super_factors factors[2];
  floats sums[2 * PK_TILE_TOKENS];
  prefetch_rows(w, at, pk_bytes(type));
  PK_UNROLL
  for (int i = 0; i < tiles; i++) {
    tile_super_scales(type, &w[i], at, &scales[i]);
  }
  PK_UNROLL
  for (int j = 0; j < 8; j++) {
    prefetch_group(w, at, pk_bytes(type), (size_t)j, 8);
    PK_UNROLL
    for (int i = 0; i < tiles; i++) {
      tile_super_block(type, &w[i], at, j, weights[i]);
      factors[i] = factors_from_bytes(type, scales[i].factors[j * parts / 4], j * parts % 4);
    }
    super_accumulate(type, weights, factors, tiles, x, tokens, first + (size_t)j, j == 0, sums);
  }
  PK_UNROLL
  for (int i = 0; i < tiles; i++) {
    super_add(type, &scales[i], sums + (size_t)i * tokens, x, tokens, first, totals + (size_t)i * tokens);
  }
}

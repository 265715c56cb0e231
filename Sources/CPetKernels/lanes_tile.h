// SPDX-License-Identifier: Apache-2.0
// A tile of the quantized matrix product: lane_count weight rows, one per lane, against up to PK_TILE_TOKENS activation
// rows. A sub-block has the same word of every row's weights side by side, so that one integer multiply-add serves all
// rows, its other operand being four quants of an activation row broadcast from memory. The accumulators hold one output
// per lane: sums across lanes never happen, and the arithmetic of an output is that of scalar_matmul.c.
//
// Included by the tables' files after their lanes.
#pragma STDC FP_CONTRACT OFF

enum {
  chunk_columns = 256,  // one super-block
  // Columns times activation rows whose sums are prepared at a time.
  chunk_capacity = chunk_columns * PK_TILE_TOKENS,
};

/// The place of the weights of lane_count rows.
typedef struct {
  bool interleaved;
  const uint8_t *base;  // the first row; interleaved: its group
  size_t stride;        // between rows
  lanes offsets;        // of the rows from the base
  size_t first;         // interleaved: the tile's first row within its group
} weight_tile;

/// 16 bytes of every row from `at` on: out[j] holds word j of each row.
PK_INLINE void tile_four_words(const weight_tile *w, size_t at, lanes out[4]) {
  if (!w->interleaved) {
    lanes_load_transposed(w->base + at, w->stride, out);
    return;
  }
  const uint8_t *from = w->base + PK_GROUP_ROWS * at + 4 * w->first;
  PK_UNROLL
  for (int j = 0; j < 4; j++) {
    out[j] = lanes_load((const int32_t *)(const void *)(from + 4 * PK_GROUP_ROWS * j));
  }
}

/// The 32 bits at `at` in each row.
PK_INLINE lanes tile_word(const weight_tile *w, size_t at) {
  return w->interleaved
    ? lanes_load((const int32_t *)(const void *)(w->base + PK_GROUP_ROWS * at + 4 * w->first))
    : lanes_gather(w->base + at, w->offsets);
}

PK_INLINE floats tile_interleaved_half(const weight_tile *w, size_t at) {
  return floats_load_f16(w->base + PK_GROUP_ROWS * at + 2 * w->first);
}

/// The F16 at `at` in each row; two more bytes of the row must follow.
PK_INLINE floats tile_half(const weight_tile *w, size_t at) {
  return w->interleaved ? tile_interleaved_half(w, at) : floats_from_low_halves(lanes_gather(w->base + at, w->offsets));
}

/// The F16 at `at` in each row, which may be its last two bytes.
PK_INLINE floats tile_last_half(const weight_tile *w, size_t at) {
  return w->interleaved
    ? tile_interleaved_half(w, at)
    : floats_from_high_halves(lanes_gather(w->base + at - 2, w->offsets));
}

/// The two neighbouring F16 at `at` in each row.
PK_INLINE void tile_two_halves(const weight_tile *w, size_t at, floats *first, floats *second) {
  if (w->interleaved) {
    *first = tile_interleaved_half(w, at);
    *second = tile_interleaved_half(w, at + 2);
  } else {
    const lanes both = lanes_gather(w->base + at, w->offsets);
    *first = floats_from_low_halves(both);
    *second = floats_from_high_halves(both);
  }
}

/// Bytes that a product prefetches ahead: hardware prefetchers stop at the end of a 4 KiB page. 4 and 8 KiB are equal, 2 KiB is
/// too little.
enum { prefetch_distance = 8192 };

PK_INLINE void prefetch_lines(const uint8_t *from, size_t first, size_t end) {
  PK_UNROLL
  for (size_t i = first; i < end; i++) {
    __builtin_prefetch(from + 64 * i, 0, 2);
  }
}

/// Prefetches what a group of interleaved rows will read `prefetch_distance` bytes later: as much as the block at `at` has, in
/// `parts` parts, since at once it is more than a CPU waits for at a time. Prefetching past the end of the weights is harmless,
/// here and below.
PK_INLINE void prefetch_group(const weight_tile *w, size_t at, size_t block_bytes, size_t part, size_t parts) {
  const size_t lines = (PK_GROUP_ROWS * block_bytes + 63) / 64;
  if (w->interleaved && w->first == 0) {  // the others read the same lines
    prefetch_lines(w->base + PK_GROUP_ROWS * at + prefetch_distance, lines * part / parts, lines * (part + 1) / parts);
  }
}

/// Prefetches as much of the rows after those of a tile that is not interleaved.
PK_INLINE void prefetch_rows(const weight_tile *w, size_t at, size_t block_bytes) {
  if (!w->interleaved) {
    prefetch_lines(w->base + lane_count * (at + w->stride), 0, (lane_count * block_bytes + 63) / 64);
  }
}

/// 32 columns of a tile of a type with small blocks.
typedef struct {
  lanes weights[8];
  floats scale, offset;
} sub_block;

/// One chunk of columns of the activation rows of a tile.
typedef struct {
  size_t tokens;
  // Block j of token t at j * tokens + t.
  const int8_t *quants;
  const float *scales;
  const int16_t *sums;
  // Of step j (of 32, or 16) of token t: minus bias times the sum of the quants, and the scale times that sum.
  int32_t biases[chunk_capacity / 16];
  float scaled_sums[chunk_capacity / 16];
} token_tile;

/// Points the tile at `columns` columns from `column` on of the x->tokens activation rows from `first` on.
PK_INLINE void prepare_chunk(
  token_tile *x, const pk_activations *a, size_t first, size_t column, size_t columns, int step, int bias,
  bool has_offset) {
  const size_t start = first * a->columns + column * x->tokens, count = columns / 32 * x->tokens;
  const int16_t *sums = a->sums + start / 16;
  x->sums = sums;
  x->quants = a->quants + start;
  x->scales = a->scales + start / 32;
  if (step == 16) {
    for (size_t i = 0; i < 2 * count; i++) {
      x->biases[i] = -bias * sums[i];
    }
    for (size_t i = 0; has_offset && i < count; i++) {
      x->scaled_sums[2 * i] = x->scales[i] * (float)sums[2 * i];
      x->scaled_sums[2 * i + 1] = x->scales[i] * (float)sums[2 * i + 1];
    }
  } else if (bias != 0 || has_offset) {
    for (size_t i = 0; i < count; i++) {
      const int32_t sum = sums[2 * i] + sums[2 * i + 1];
      x->biases[i] = -bias * sum;
      x->scaled_sums[i] = x->scales[i] * (float)sum;
    }
  }
}

/// Adds the scaled dot products of a block to the total of one activation row.
PK_INLINE void tile_add(
  pk_type type, const sub_block *block, lanes dot, float scale, float scaled_sum, floats *total) {
  *total = floats_fma(floats_from_lanes(dot), floats_mul(block->scale, floats_set(scale)), *total);
  if (pk_has_offset(type)) {
    *total = floats_fma(block->offset, floats_set(scaled_sum), *total);
  }
}

/// Adds block j of the chunk of `tokens` activation rows to the totals of `tiles` tiles, [tile][token].
PK_INLINE void tile_accumulate(
  pk_type type, const token_tile *x, size_t tokens, size_t j, const sub_block *blocks, int tiles, int bits, bool has_bias,
  floats *totals) {
  const int8_t *quants = x->quants + j * tokens * 32;
  const float *scales = x->scales + j * tokens;
  const int32_t *biases = x->biases + j * tokens;
  const float *scaled_sums = x->scaled_sums + j * tokens;
  size_t t = 0;
#if defined(LANES_DOT_PAIR)
  for (; t + 2 <= tokens; t += 2, quants += 64) {
    PK_UNROLL
    for (int i = 0; i < tiles; i++) {
      lanes dots[2] = {lanes_set(has_bias ? biases[t] : 0), lanes_set(has_bias ? biases[t + 1] : 0)};
      lanes_dot_pair(dots, blocks[i].weights, quants, quants + 32, 8);
      floats *total = &totals[(size_t)i * tokens + t];
      tile_add(type, &blocks[i], dots[0], scales[t], scaled_sums[t], &total[0]);
      tile_add(type, &blocks[i], dots[1], scales[t + 1], scaled_sums[t + 1], &total[1]);
    }
  }
#endif
  for (; t < tokens; t++, quants += 32) {
    const lanes start = lanes_set(has_bias ? biases[t] : 0);
    lanes dots[2];
    PK_UNROLL
    for (int i = 0; i < tiles; i++) {
      dots[i] = lanes_dot(start, blocks[i].weights, quants, 8, bits);
    }
    PK_UNROLL
    for (int i = 0; i < tiles; i++) {
      tile_add(type, &blocks[i], dots[i], scales[t], scaled_sums[t], &totals[(size_t)i * tokens + t]);
    }
  }
}

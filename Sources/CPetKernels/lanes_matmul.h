// SPDX-License-Identifier: Apache-2.0
// The quantized matrix product over tiles.
#pragma STDC FP_CONTRACT OFF

PK_INLINE int type_bias(pk_type type) {
  return pk_elements(type) == pk_small_block ? small_bias(type) : super_bias(type);
}

/// Adds one block of `tiles` tiles that share the activations to the totals, [tile][token].
PK_INLINE void block_step(
  pk_type type, const weight_tile *w, int tiles, size_t at, const token_tile *x, size_t tokens, size_t j,
  floats *totals) {
  sub_block blocks[2];
  if (pk_elements(type) == pk_super_block) {
    super_step(type, w, tiles, at, x, tokens, j, totals);
    return;
  }
  prefetch_rows(w, at, pk_bytes(type));
  prefetch_group(w, at, pk_bytes(type), 0, 1);
  PK_UNROLL
  for (int i = 0; i < tiles; i++) {
    tile_small_block(type, &w[i], at, &blocks[i]);
  }
  tile_accumulate(type, x, tokens, j, blocks, tiles, small_bits(type), type_bias(type) != 0, totals);
}

/// Adds `columns` columns from byte `at` of the rows on to the totals of `tiles` tiles, [tile][token].
PK_INLINE void tile_span(
  pk_type type, const weight_tile *w, int tiles, size_t at, size_t columns, const token_tile *x, size_t tokens,
  floats *totals) {
  const size_t parts = pk_elements(type) / 32;
  const int shared = tokens == 1 ? reading_tiles : shared_tiles, together = shared < tiles ? shared : tiles;
  for (size_t j = 0; j < columns / 32; j += parts, at += pk_bytes(type)) {
    PK_UNROLL
    for (int i = 0; i < tiles; i += together) {
      block_step(type, &w[i], together, at, x, tokens, j, totals + (size_t)i * tokens);
    }
  }
}

/// Where the tile at `row` starts: a short last one moves back over rows already done; they come out the same.
PK_INLINE size_t tile_start(const pk_weights *w, size_t row) {
  return w->layout == PK_INTERLEAVED || row + lane_count <= w->rows ? row : w->rows - lane_count;
}

PK_INLINE weight_tile weight_tile_at(const pk_weights *w, bool interleaved, size_t row) {
  const size_t start = interleaved ? row / PK_GROUP_ROWS * PK_GROUP_ROWS : row;
  weight_tile tile = {
    .interleaved = interleaved,
    .base = (const uint8_t *)w->bytes + start * w->row_bytes,
    .stride = w->row_bytes,
    .first = row - start,
  };
  if (!interleaved) {
    int32_t offsets[lane_count];
    for (size_t i = 0; i < lane_count; i++) {
      offsets[i] = (int32_t)(i * w->row_bytes);
    }
    tile.offsets = lanes_load(offsets);
  }
  return tile;
}

/// `tiles` tiles from row `row` on, over one chunk of columns.
PK_INLINE void tiles_span(
  pk_type type, bool interleaved, const pk_weights *w, size_t row, int tiles, size_t column, size_t columns,
  const token_tile *x, floats *totals) {
  const size_t at = column / pk_elements(type) * pk_bytes(type);
  weight_tile parts[2];
  PK_UNROLL
  for (int i = 0; i < tiles; i++) {
    parts[i] = weight_tile_at(w, interleaved, tile_start(w, row + (size_t)i * lane_count));
  }
  if (x->tokens > 1) {
    tile_span(type, parts, tiles, at, columns, x, x->tokens, totals);
    return;
  }
  floats total[2];  // in registers, the number of tokens being constant
  memcpy(total, totals, (size_t)tiles * sizeof total[0]);
  tile_span(type, parts, tiles, at, columns, x, 1, total);
  memcpy(totals, total, (size_t)tiles * sizeof total[0]);
}

PK_INLINE void store_totals(
  const pk_weights *w, size_t row, size_t tokens, const floats *totals, float *out, size_t out_stride) {
  const size_t start = tile_start(w, row), count = w->rows - start;
  out += start;
  for (size_t t = 0; t < tokens; t++, out += out_stride) {
    if (count < lane_count) {
      floats_store_first(out, totals[t], count);
    } else {
      floats_store((float *)out, totals[t]);
    }
  }
}

PK_INLINE void quantized_matmul(
  pk_type type, bool interleaved, const pk_weights *w, const pk_activations *a, float *out, size_t out_stride) {
  floats totals[group_tiles * PK_TILE_TOKENS];
  token_tile x;
  for (size_t token = 0; token < a->rows; token += PK_TILE_TOKENS) {
    x.tokens = a->rows - token < PK_TILE_TOKENS ? a->rows - token : PK_TILE_TOKENS;
    const size_t room = chunk_capacity / x.tokens / chunk_columns * chunk_columns;
    const size_t chunk = a->columns < room ? a->columns : room;
    const bool once = chunk == a->columns;
    for (size_t first = 0; first < w->rows; first += group_tiles * lane_count) {
      const size_t left = (w->rows - first + lane_count - 1) / lane_count;
      const size_t tiles = left < group_tiles ? left : group_tiles;
      memset(totals, 0, tiles * x.tokens * sizeof totals[0]);
      for (size_t column = 0; column < a->columns; column += chunk) {
        const size_t rest = a->columns - column, columns = rest < chunk ? rest : chunk;
        if (!once || first == 0) {
          prepare_chunk(&x, a, token, column, columns, pk_step(type), type_bias(type), pk_has_offset(type));
        }
        size_t i = 0;
        for (; interleaved && (x.tokens > 1 || reading_tiles == 2) && i + 2 <= tiles; i += 2) {
          const size_t row = first + i * lane_count;
          tiles_span(type, interleaved, w, row, 2, column, columns, &x, totals + i * x.tokens);
        }
        for (; i < tiles; i++) {
          const size_t row = first + i * lane_count;
          tiles_span(type, interleaved, w, row, 1, column, columns, &x, totals + i * x.tokens);
        }
      }
      for (size_t i = 0; i < tiles; i++) {
        store_totals(
          w, first + i * lane_count, x.tokens, totals + i * x.tokens, out + token * out_stride, out_stride);
      }
    }
  }
}

/// The product in the layout of the weights, which is then a constant.
PK_INLINE void quantized_product(
  pk_type type, const pk_weights *w, const pk_activations *a, float *out, size_t out_stride) {
  if (w->layout == PK_INTERLEAVED) {
    quantized_matmul(type, true, w, a, out, out_stride);
  } else {
    quantized_matmul(type, false, w, a, out, out_stride);
  }
}

static void matmul(const pk_weights *w, const pk_activations *a, float *out, size_t out_stride) {
  // Tiles of rows as in a file address them by 32-bit offsets; too few rows do not make a tile.
  if (w->layout == PK_ROW_MAJOR && pk_elements(w->type) > 1 && (w->row_bytes > INT32_MAX / lane_count || w->rows < lane_count)) {
    pk_scalar_matmul(w, a, out, out_stride);
    return;
  }
  switch (w->type) {
  case PK_F32:
    float_product(PK_F32, w, a, out, out_stride);
    break;
  case PK_F16:
    float_product(PK_F16, w, a, out, out_stride);
    break;
  case PK_BF16:
    float_product(PK_BF16, w, a, out, out_stride);
    break;
  case PK_Q4_0:
    quantized_product(PK_Q4_0, w, a, out, out_stride);
    break;
  case PK_Q4_1:
    quantized_product(PK_Q4_1, w, a, out, out_stride);
    break;
  case PK_Q5_0:
    quantized_product(PK_Q5_0, w, a, out, out_stride);
    break;
  case PK_Q5_1:
    quantized_product(PK_Q5_1, w, a, out, out_stride);
    break;
  case PK_Q8_0:
    quantized_product(PK_Q8_0, w, a, out, out_stride);
    break;
  case PK_Q2_K:
    quantized_product(PK_Q2_K, w, a, out, out_stride);
    break;
  case PK_Q3_K:
    quantized_product(PK_Q3_K, w, a, out, out_stride);
    break;
  case PK_Q4_K:
    quantized_product(PK_Q4_K, w, a, out, out_stride);
    break;
  case PK_Q5_K:
    quantized_product(PK_Q5_K, w, a, out, out_stride);
    break;
  case PK_Q6_K:
    quantized_product(PK_Q6_K, w, a, out, out_stride);
    break;
  }
}

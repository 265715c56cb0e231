// The quantized matrix product over tiles.
#pragma STDC FP_CONTRACT OFF

PK_INLINE int type_bias(pk_type type) {
  return type == PK_Q3_K ? 4 : type == PK_Q6_K ? 32 : small_bias(type);
}

/// The first `columns` columns of a weight tile.
PK_INLINE void tile_chunk(
  pk_type type, const weight_tile *w, size_t columns, const token_tile *x, totals_tile *totals) {
  switch (type) {
  case PK_Q2_K:
    tile_q2_k(w, x, totals);
    break;
  case PK_Q3_K:
    tile_q3_k(w, x, totals);
    break;
  case PK_Q4_K:
    tile_q4_k(w, x, totals);
    break;
  case PK_Q5_K:
    tile_q5_k(w, x, totals);
    break;
  case PK_Q6_K:
    tile_q6_k(w, x, totals);
    break;
  default:
    for (size_t j = 0; j < columns / pk_small_block; j++) {
      tile_small_block(type, w, j * pk_bytes(type), (int)j, x, totals);
    }
    break;
  }
}

enum { most_chunk_bytes = chunk_columns / pk_small_block * sizeof(pk_block_q8_0) };

/// A tile over lane_count rows.
PK_INLINE weight_tile weight_tile_at(const uint8_t *base, size_t stride) {
  int32_t offsets[lane_count];
  for (size_t i = 0; i < lane_count; i++) {
    offsets[i] = (int32_t)(i * stride);
  }
  return (weight_tile){base, stride, lanes_load(offsets)};
}

/// Where tile `i` of the group at `first` starts: a short last tile moves back over rows already done, where there are
/// any; they come out the same.
PK_INLINE size_t tile_first_row(size_t first, size_t i, size_t row_count) {
  const size_t row = first + i * lane_count;
  return row + lane_count <= row_count || row_count < lane_count ? row : row_count - lane_count;
}

/// Asks for bytes that the next tile will read, in order of address rather than row by row. Asking past the end of
/// the weights is harmless.
PK_INLINE void prefetch(const uint8_t *from, size_t bytes) {
  for (size_t i = 0; i < bytes; i += 64) {
    __builtin_prefetch(from + i, 0, 2);
  }
}

PK_INLINE void quantized_matmul(
  pk_type type, const uint8_t *weights, size_t row_bytes, size_t row_count, const pk_activations *a, float *out,
  size_t out_stride) {
  totals_tile totals[group_tiles];
  token_tile x;
  // A matrix of fewer rows than a tile is copied, chunk by chunk, in front of rows of zeros.
  uint8_t padded[lane_count * most_chunk_bytes];
  const bool few = row_count < lane_count;
  if (few) {
    memset(padded, 0, sizeof padded);
  }
  for (size_t token = 0; token < a->rows; token += tile_tokens) {
    x.tokens = a->rows - token < tile_tokens ? a->rows - token : tile_tokens;
    const size_t most_tiles = x.tokens > 1 ? group_tiles : 1;
    for (size_t first = 0; first < row_count; first += most_tiles * lane_count) {
      const size_t left = (row_count - first + lane_count - 1) / lane_count;
      const size_t tiles = left < most_tiles ? left : most_tiles;
      for (size_t i = 0; i < tiles; i++) {
        memset(totals[i].lane, 0, x.tokens * sizeof totals[i].lane[0]);
      }
      for (size_t column = 0; column < a->columns; column += chunk_columns) {
        const size_t rest = a->columns - column, columns = rest < chunk_columns ? rest : chunk_columns;
        const size_t at = column / pk_elements(type) * pk_bytes(type);
        const size_t chunk_bytes = columns / pk_elements(type) * pk_bytes(type);
        prepare_chunk(&x, a, token, column, columns, pk_step(type), type_bias(type), pk_has_offset(type));
        for (size_t i = 0; i < tiles; i++) {
          const uint8_t *base = weights + tile_first_row(first, i, row_count) * row_bytes + at;
          for (size_t r = 0; few && r < row_count; r++) {
            memcpy(padded + r * most_chunk_bytes, base + r * row_bytes, chunk_bytes);
          }
          const weight_tile w = few ? weight_tile_at(padded, most_chunk_bytes) : weight_tile_at(base, row_bytes);
          if (x.tokens <= 4) {
            prefetch(base + (lane_count - 1) * at + lane_count * row_bytes, lane_count * chunk_bytes);
          }
          tile_chunk(type, &w, columns, &x, &totals[i]);
        }
      }
      for (size_t i = 0; i < tiles; i++) {
        float *to = out + token * out_stride + tile_first_row(first, i, row_count);
        for (size_t t = 0; t < x.tokens; t++, to += out_stride) {
          if (few) {
            floats_store_first(to, floats_load(totals[i].lane[t]), row_count);
          } else {
            floats_store(to, floats_load(totals[i].lane[t]));
          }
        }
      }
    }
  }
}

static void matmul(
  pk_type type, const void *weights, size_t row_bytes, size_t row_count, const pk_activations *activations, float *out,
  size_t out_stride) {
  // Quantized tiles address their rows by 32-bit offsets.
  if (row_bytes > INT32_MAX / lane_count) {
    pk_scalar_matmul(type, weights, row_bytes, row_count, activations, out, out_stride);
    return;
  }
  switch (type) {
  case PK_F32:
    float_matmul(PK_F32, weights, row_bytes, row_count, activations, out, out_stride);
    break;
  case PK_F16:
    float_matmul(PK_F16, weights, row_bytes, row_count, activations, out, out_stride);
    break;
  case PK_BF16:
    float_matmul(PK_BF16, weights, row_bytes, row_count, activations, out, out_stride);
    break;
  case PK_Q4_0:
    quantized_matmul(PK_Q4_0, weights, row_bytes, row_count, activations, out, out_stride);
    break;
  case PK_Q4_1:
    quantized_matmul(PK_Q4_1, weights, row_bytes, row_count, activations, out, out_stride);
    break;
  case PK_Q5_0:
    quantized_matmul(PK_Q5_0, weights, row_bytes, row_count, activations, out, out_stride);
    break;
  case PK_Q5_1:
    quantized_matmul(PK_Q5_1, weights, row_bytes, row_count, activations, out, out_stride);
    break;
  case PK_Q8_0:
    quantized_matmul(PK_Q8_0, weights, row_bytes, row_count, activations, out, out_stride);
    break;
  case PK_Q2_K:
    quantized_matmul(PK_Q2_K, weights, row_bytes, row_count, activations, out, out_stride);
    break;
  case PK_Q3_K:
    quantized_matmul(PK_Q3_K, weights, row_bytes, row_count, activations, out, out_stride);
    break;
  case PK_Q4_K:
    quantized_matmul(PK_Q4_K, weights, row_bytes, row_count, activations, out, out_stride);
    break;
  case PK_Q5_K:
    quantized_matmul(PK_Q5_K, weights, row_bytes, row_count, activations, out, out_stride);
    break;
  case PK_Q6_K:
    quantized_matmul(PK_Q6_K, weights, row_bytes, row_count, activations, out, out_stride);
    break;
  }
}

// The quantized matrix product over tiles.
#pragma STDC FP_CONTRACT OFF

PK_INLINE int type_bias(pk_type type) {
  return type == PK_Q3_K ? 4 : type == PK_Q6_K ? 32 : small_bias(type);
}

/// One tile of weight rows against one tile of activation rows; the results are left in x->totals.
PK_INLINE void tile_product(
  pk_type type, const weight_tile *w, const pk_activations *a, size_t first_token, token_tile *x) {
  const size_t block_bytes = pk_block_bytes(type);
  const bool small = pk_block_elements(type) == pk_small_block;
  const bool needs_sums = type_bias(type) != 0 || pk_has_offset(type);
  for (size_t t = 0; t < x->tokens; t++) {
    floats_store(x->totals[t], floats_set(0));
  }
  size_t at = 0;
  for (size_t column = 0; column < a->columns; column += chunk_columns) {
    const size_t left = a->columns - column, columns = left < chunk_columns ? left : chunk_columns;
    x->quants = a->quants + first_token * a->columns + column;
    x->scales = a->scales + (first_token * a->columns + column) / 32;
    if (needs_sums) {
      prepare_sums(x, a, first_token, column, columns, pk_step(type), type_bias(type), pk_has_offset(type));
    }
    if (small) {
      for (size_t j = 0; j < columns / 32; j++, at += block_bytes) {
        tile_small_block(type, w, at, (int)j, x);
      }
      continue;
    }
    switch (type) {
    case PK_Q2_K:
      tile_q2_k(w, at, x);
      break;
    case PK_Q3_K:
      tile_q3_k(w, at, x);
      break;
    case PK_Q4_K:
      tile_q4_k(w, at, x);
      break;
    case PK_Q5_K:
      tile_q5_k(w, at, x);
      break;
    default:
      tile_q6_k(w, at, x);
      break;
    }
    at += block_bytes;
  }
}

/// Rows first..<first + lane_count of the weights; those past the end repeat the last one.
PK_INLINE void weight_tile_set(
  weight_tile *w, const uint8_t *weights, size_t row_bytes, size_t first, size_t row_count) {
  int32_t offsets[lane_count];
  for (size_t i = 0; i < lane_count; i++) {
    const size_t row = first + i < row_count ? first + i : row_count - 1;
    w->rows[i] = weights + row * row_bytes;
    offsets[i] = (int32_t)((row - first) * row_bytes);
  }
  w->offsets = lanes_load(offsets);
}

PK_INLINE void quantized_matmul(
  pk_type type, const uint8_t *weights, size_t row_bytes, size_t row_count, const pk_activations *a, float *out,
  size_t out_stride) {
  weight_tile w;
  token_tile x;
  x.columns = a->columns;
  for (size_t token = 0; token < a->rows; token += tile_tokens) {
    x.tokens = a->rows - token < tile_tokens ? a->rows - token : tile_tokens;
    for (size_t done = 0; done < row_count; done += lane_count) {
      // A short last tile moves back over rows already done, where there are any: they come out the same.
      const size_t first = done + lane_count <= row_count || row_count < lane_count ? done : row_count - lane_count;
      weight_tile_set(&w, weights, row_bytes, first, row_count);
      tile_product(type, &w, a, token, &x);
      for (size_t t = 0; t < x.tokens; t++) {
        float *to = out + (token + t) * out_stride + first;
        if (row_count >= lane_count) {
          floats_store(to, floats_load(x.totals[t]));
        } else {
          floats_store_first(to, floats_load(x.totals[t]), row_count);
        }
      }
    }
  }
}

static void matmul(
  pk_type type, const void *weights, size_t row_bytes, size_t row_count, const pk_activations *activations, float *out,
  size_t out_stride) {
  // Tiles address their rows by 32-bit offsets.
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

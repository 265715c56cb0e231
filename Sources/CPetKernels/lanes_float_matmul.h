// The matrix product for F32, F16 and BF16 weights. Every output has two accumulators of its own, fed alternately and
// summed at the end, whatever the shape of the register tile around it.
#pragma STDC FP_CONTRACT OFF

PK_INLINE size_t float_bytes(pk_type type) { return type == PK_F32 ? 4 : 2; }

/// lane_count elements of `type` at `p`.
PK_INLINE floats load_elements(pk_type type, const uint8_t *p) {
  return type == PK_F32 ? floats_load((const float *)(const void *)p)
    : type == PK_F16    ? floats_load_f16(p)
                        : floats_load_bf16(p);
}

/// The first `count` of them, fewer than lane_count, and zeros.
PK_INLINE floats load_first_elements(pk_type type, const uint8_t *p, size_t count) {
  uint8_t padded[lane_count * sizeof(float)] = {0};
  memcpy(padded, p, count * float_bytes(type));
  return load_elements(type, padded);
}

PK_INLINE void float_tile(
  pk_type type, const uint8_t *weights, size_t row_bytes, int row_count, const float *values, size_t columns,
  int token_count, float *out, size_t out_stride) {
  floats totals[float_tile_rows * 2][float_tile_tokens][2];
  for (int r = 0; r < row_count; r++) {
    for (int t = 0; t < token_count; t++) {
      totals[r][t][0] = totals[r][t][1] = floats_set(0);
    }
  }
  size_t i = 0;
  for (; i + 2 * lane_count <= columns; i += 2 * lane_count) {
    for (int part = 0; part < 2; part++) {
      const size_t at = i + (size_t)part * lane_count;
      floats x[float_tile_tokens];
      for (int t = 0; t < token_count; t++) {
        x[t] = floats_load(values + (size_t)t * columns + at);
      }
      for (int r = 0; r < row_count; r++) {
        const floats w = load_elements(type, weights + (size_t)r * row_bytes + at * float_bytes(type));
        for (int t = 0; t < token_count; t++) {
          totals[r][t][part] = floats_fma(w, x[t], totals[r][t][part]);
        }
      }
    }
  }
  for (int part = 0; i < columns; i += lane_count, part++) {
    const size_t count = columns - i < lane_count ? columns - i : lane_count;
    for (int r = 0; r < row_count; r++) {
      const floats w = load_first_elements(type, weights + (size_t)r * row_bytes + i * float_bytes(type), count);
      for (int t = 0; t < token_count; t++) {
        const float *from = values + (size_t)t * columns + i;
        const floats x = count == lane_count ? floats_load(from) : floats_load_first(from, count);
        totals[r][t][part] = floats_fma(w, x, totals[r][t][part]);
      }
    }
  }
  for (int r = 0; r < row_count; r++) {
    for (int t = 0; t < token_count; t++) {
      out[(size_t)t * out_stride + (size_t)r] = floats_sum(floats_add(totals[r][t][0], totals[r][t][1]));
    }
  }
}

PK_INLINE void float_matmul(
  pk_type type, const uint8_t *weights, size_t row_bytes, size_t row_count, const pk_activations *a, float *out,
  size_t out_stride) {
  enum { rows = float_tile_rows, tokens = float_tile_tokens };
  size_t token = 0;
  for (; token + tokens <= a->rows; token += tokens) {
    const float *values = a->values + token * a->columns;
    float *to = out + token * out_stride;
    size_t r = 0;
    for (; r + rows <= row_count; r += rows) {
      float_tile(type, weights + r * row_bytes, row_bytes, rows, values, a->columns, tokens, to + r, out_stride);
    }
    for (; r < row_count; r++) {
      float_tile(type, weights + r * row_bytes, row_bytes, 1, values, a->columns, tokens, to + r, out_stride);
    }
  }
  for (; token < a->rows; token++) {
    const float *values = a->values + token * a->columns;
    float *to = out + token * out_stride;
    size_t r = 0;
    for (; r + 2 * rows <= row_count; r += 2 * rows) {
      float_tile(type, weights + r * row_bytes, row_bytes, 2 * rows, values, a->columns, 1, to + r, out_stride);
    }
    for (; r < row_count; r++) {
      float_tile(type, weights + r * row_bytes, row_bytes, 1, values, a->columns, 1, to + r, out_stride);
    }
  }
}

// SPDX-License-Identifier: Apache-2.0
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

/// Rows and activation rows of one register tile. Counts are constants at every use.
typedef struct {
  const uint8_t *weights;
  size_t row_bytes;
  const float *values;
  size_t columns;
} float_operands;

/// Adds `count` columns (lane_count or fewer) from column `at` on to accumulator `part` of every output.
PK_INLINE void float_step(
  pk_type type, const float_operands *o, size_t at, size_t count, int part, int row_count, int token_count,
  floats totals[2][float_tile_rows * 2][float_tile_tokens]) {
  floats x[float_tile_tokens];
  PK_UNROLL
  for (int t = 0; t < token_count; t++) {
    const float *from = o->values + (size_t)t * o->columns + at;
    x[t] = count == lane_count ? floats_load(from) : floats_load_first(from, count);
  }
  PK_UNROLL
  for (int r = 0; r < row_count; r++) {
    const uint8_t *from = o->weights + (size_t)r * o->row_bytes + at * float_bytes(type);
    const floats w = count == lane_count ? load_elements(type, from) : load_first_elements(type, from, count);
    PK_UNROLL
    for (int t = 0; t < token_count; t++) {
      totals[part][r][t] = floats_fma(w, x[t], totals[part][r][t]);
    }
  }
}

PK_INLINE void float_tile(
  pk_type type, const float_operands *o, int row_count, int token_count, float *out, size_t out_stride) {
  floats totals[2][float_tile_rows * 2][float_tile_tokens];
  PK_UNROLL
  for (int r = 0; r < row_count; r++) {
    PK_UNROLL
    for (int t = 0; t < token_count; t++) {
      totals[0][r][t] = totals[1][r][t] = floats_set(0);
    }
  }
  size_t i = 0;
  for (; i + 2 * lane_count <= o->columns; i += 2 * lane_count) {
    float_step(type, o, i, lane_count, 0, row_count, token_count, totals);
    float_step(type, o, i + lane_count, lane_count, 1, row_count, token_count, totals);
  }
  if (i + lane_count <= o->columns) {
    float_step(type, o, i, lane_count, 0, row_count, token_count, totals);
    i += lane_count;
  }
  if (i < o->columns) {
    float_step(type, o, i, o->columns - i, 1, row_count, token_count, totals);
  }
  PK_UNROLL
  for (int r = 0; r < row_count; r++) {
    PK_UNROLL
    for (int t = 0; t < token_count; t++) {
      out[(size_t)t * out_stride + (size_t)r] = floats_sum(floats_add(totals[0][r][t], totals[1][r][t]));
    }
  }
}

/// All weight rows against `token_count` activation rows, `row_step` weight rows at a time.
PK_INLINE void float_rows(
  pk_type type, float_operands o, size_t row_count, int row_step, int token_count, float *out, size_t out_stride) {
  size_t r = 0;
  for (; r + (size_t)row_step <= row_count; r += (size_t)row_step) {
    float_tile(type, &o, row_step, token_count, out + r, out_stride);
    o.weights += (size_t)row_step * o.row_bytes;
  }
  for (; r < row_count; r++) {
    float_tile(type, &o, 1, token_count, out + r, out_stride);
    o.weights += o.row_bytes;
  }
}

PK_INLINE void float_matmul(pk_type type, const pk_weights *w, const pk_activations *a, float *out, size_t out_stride) {
  float_operands o = {w->bytes, w->row_bytes, a->values, a->columns};
  size_t token = 0;
  for (; token + float_tile_tokens <= a->rows; token += float_tile_tokens) {
    float_rows(type, o, w->rows, float_tile_rows, float_tile_tokens, out + token * out_stride, out_stride);
    o.values += float_tile_tokens * a->columns;
  }
  for (; token < a->rows; token++) {
    float_rows(type, o, w->rows, 2 * float_tile_rows, 1, out + token * out_stride, out_stride);
    o.values += a->columns;
  }
}

/// One tile of interleaved rows against `tokens` activation rows: every column's weights lie side by side, so sums
/// across lanes never happen. Even and odd columns have accumulators of their own.
PK_INLINE void float_columns(
  pk_type type, const uint8_t *column, const float *values, size_t columns, int tokens, floats *out) {
  const size_t step = PK_GROUP_ROWS * float_bytes(type);
  floats totals[2][interleaved_tokens];
  PK_UNROLL
  for (int t = 0; t < tokens; t++) {
    totals[0][t] = totals[1][t] = floats_set(0);
  }
  size_t i = 0;
  for (; i + 2 <= columns; i += 2, column += 2 * step) {
    const floats even = load_elements(type, column), odd = load_elements(type, column + step);
    PK_UNROLL
    for (int t = 0; t < tokens; t++) {
      totals[0][t] = floats_fma(even, floats_set(values[(size_t)t * columns + i]), totals[0][t]);
      totals[1][t] = floats_fma(odd, floats_set(values[(size_t)t * columns + i + 1]), totals[1][t]);
    }
  }
  for (int t = 0; i < columns && t < tokens; t++) {
    totals[0][t] = floats_fma(load_elements(type, column), floats_set(values[(size_t)t * columns + i]), totals[0][t]);
  }
  PK_UNROLL
  for (int t = 0; t < tokens; t++) {
    out[t] = floats_add(totals[0][t], totals[1][t]);
  }
}

PK_INLINE void interleaved_float_matmul(
  pk_type type, const pk_weights *w, const pk_activations *a, float *out, size_t out_stride) {
  floats totals[interleaved_tokens];
  for (size_t row = 0; row < w->rows; row += lane_count) {
    const size_t group = row / PK_GROUP_ROWS * PK_GROUP_ROWS, count = w->rows - row;
    const uint8_t *from = (const uint8_t *)w->bytes + group * w->row_bytes + (row - group) * float_bytes(type);
    for (size_t token = 0; token < a->rows;) {
      const float *values = a->values + token * a->columns;
      size_t tokens = 1;
      if (token + interleaved_tokens <= a->rows) {
        tokens = interleaved_tokens;
        float_columns(type, from, values, a->columns, interleaved_tokens, totals);
      } else {
        float_columns(type, from, values, a->columns, 1, totals);
      }
      for (size_t t = 0; t < tokens; t++, token++) {
        if (count < lane_count) {
          floats_store_first(out + token * out_stride + row, totals[t], count);
        } else {
          floats_store(out + token * out_stride + row, totals[t]);
        }
      }
    }
  }
}

PK_INLINE void float_product(pk_type type, const pk_weights *w, const pk_activations *a, float *out, size_t out_stride) {
  if (w->layout == PK_INTERLEAVED) {
    interleaved_float_matmul(type, w, a, out, out_stride);
  } else {
    float_matmul(type, w, a, out, out_stride);
  }
}

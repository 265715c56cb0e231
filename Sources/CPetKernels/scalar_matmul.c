// The matrix product as its definition. For quantized weights the arithmetic below is the contract of all variants:
// per sub-block, in order, an exact integer dot product enters one float accumulator by a fused multiply-add.
#include <math.h>

#include "tables.h"
#include "unpack.h"

#pragma STDC FP_CONTRACT OFF

static void quantized_row(pk_type type, const uint8_t *row, const pk_activations *x, float *out, size_t out_stride) {
  const size_t bytes = pk_bytes(type), elements = pk_elements(type), step = (size_t)pk_step(type);
  const bool has_offset = pk_has_offset(type);
  pk_unpacked u;
  for (size_t t = 0; t < x->rows; t++) {
    out[t * out_stride] = 0;
  }
  for (size_t column = 0; column < x->columns; column += elements, row += bytes) {
    pk_unpack(type, row, &u);
    for (size_t t = 0; t < x->rows; t++) {
      const int8_t *quants = x->quants + t * x->columns + column;
      const float *scales = x->scales + (t * x->columns + column) / 32;
      const int16_t *sums = x->sums + (t * x->columns + column) / 16;
      float total = out[t * out_stride];
      for (size_t j = 0; j < elements / step; j++) {
        int32_t dot = 0;
        for (size_t i = j * step; i < (j + 1) * step; i++) {
          dot += (int32_t)u.q[i] * quants[i];
        }
        const float scale = scales[j * step / 32];
        total = fmaf((float)dot, u.scale[j] * scale, total);
        if (has_offset) {
          const int32_t sum = step == 16 ? sums[j] : sums[2 * j] + sums[2 * j + 1];
          total = fmaf(u.offset[j], scale * (float)sum, total);
        }
      }
      out[t * out_stride] = total;
    }
  }
}

static float weight(pk_type type, const uint8_t *row, size_t i) {
  float value;
  uint16_t half;
  switch (type) {
  case PK_F32:
    memcpy(&value, row + 4 * i, sizeof value);
    return value;
  case PK_F16:
    memcpy(&half, row + 2 * i, sizeof half);
    return pk_f16_to_float(half);
  default:
    memcpy(&half, row + 2 * i, sizeof half);
    return pk_bf16_to_float(half);
  }
}

static void float_row(pk_type type, const uint8_t *row, const pk_activations *x, float *out, size_t out_stride) {
  for (size_t t = 0; t < x->rows; t++) {
    const float *values = x->values + t * x->columns;
    double total = 0;
    for (size_t i = 0; i < x->columns; i++) {
      total += (double)weight(type, row, i) * (double)values[i];
    }
    out[t * out_stride] = (float)total;
  }
}

void pk_scalar_matmul(
  pk_type type, const void *weights, size_t row_bytes, size_t row_count, const pk_activations *activations, float *out,
  size_t out_stride) {
  const uint8_t *row = weights;
  const bool quantized = pk_elements(type) > 1;
  for (size_t r = 0; r < row_count; r++, row += row_bytes) {
    if (quantized) {
      quantized_row(type, row, activations, out + r, out_stride);
    } else {
      float_row(type, row, activations, out + r, out_stride);
    }
  }
}

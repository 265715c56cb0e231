// SPDX-License-Identifier: Apache-2.0
// The matrix product as its definition. For quantized weights the arithmetic below is the contract of all variants:
// per sub-block, in order, an exact integer dot product enters one float accumulator by a fused multiply-add.
#include <math.h>

#include "interleave.h"
#include "tables.h"
#include "unpack.h"

#pragma STDC FP_CONTRACT OFF

/// Block `index` of a row, copied to `copy` where its fields are scattered.
static const uint8_t *block(const pk_weights *w, size_t row, size_t index, uint8_t *copy) {
  const size_t bytes = pk_bytes(w->type);
  if (w->layout == PK_ROW_MAJOR) {
    return (const uint8_t *)w->bytes + row * w->row_bytes + index * bytes;
  }
  const uint8_t *group = (const uint8_t *)w->bytes + row / PK_GROUP_ROWS * PK_GROUP_ROWS * w->row_bytes;
  pk_interleaved_block(w->type, group + PK_GROUP_ROWS * index * bytes, row % PK_GROUP_ROWS, copy);
  return copy;
}

static void quantized_row(const pk_weights *w, size_t row, const pk_activations *x, float *out, size_t out_stride) {
  const size_t elements = pk_elements(w->type), step = (size_t)pk_step(w->type);
  const bool has_offset = pk_has_offset(w->type);
  uint8_t copy[sizeof(pk_block_q6_k)];
  pk_unpacked u;
  for (size_t t = 0; t < x->rows; t++) {
    out[t * out_stride] = 0;
  }
  for (size_t b = 0; b < x->columns / elements; b++) {
    pk_unpack(w->type, block(w, row, b, copy), &u);
    for (size_t t = 0; t < x->rows; t++) {
      const pk_place place = pk_activation_place(t, x->rows, x->columns);
      float total = out[t * out_stride];
      for (size_t j = 0; j < elements / step; j++) {
        const size_t column = b * elements + j * step, at = place.first + column / 32 * place.stride;
        const int8_t *quants = x->quants + 32 * at + column % 32;
        const int16_t *sums = x->sums + 2 * at;
        int32_t dot = 0;
        for (size_t i = 0; i < step; i++) {
          dot += (int32_t)u.q[j * step + i] * quants[i];
        }
        const float scale = x->scales[at];
        total = fmaf((float)dot, u.scale[j] * scale, total);
        if (has_offset) {
          const int32_t sum = step == 16 ? sums[column / 16 % 2] : sums[0] + sums[1];
          total = fmaf(u.offset[j], scale * (float)sum, total);
        }
      }
      out[t * out_stride] = total;
    }
  }
}

static float weight(const pk_weights *w, size_t row, size_t i) {
  uint8_t copy[sizeof(float)];
  const uint8_t *from = block(w, row, i, copy);
  float value;
  uint16_t half;
  if (w->type == PK_F32) {
    memcpy(&value, from, sizeof value);
    return value;
  }
  memcpy(&half, from, sizeof half);
  return w->type == PK_F16 ? pk_f16_to_float(half) : pk_bf16_to_float(half);
}

static void float_row(const pk_weights *w, size_t row, const pk_activations *x, float *out, size_t out_stride) {
  for (size_t t = 0; t < x->rows; t++) {
    const float *values = x->values + t * x->columns;
    double total = 0;
    for (size_t i = 0; i < x->columns; i++) {
      total += (double)weight(w, row, i) * (double)values[i];
    }
    out[t * out_stride] = (float)total;
  }
}

void pk_scalar_matmul(const pk_weights *weights, const pk_activations *activations, float *out, size_t out_stride) {
  for (size_t r = 0; r < weights->rows; r++) {
    if (pk_elements(weights->type) > 1) {
      quantized_row(weights, r, activations, out + r, out_stride);
    } else {
      float_row(weights, r, activations, out + r, out_stride);
    }
  }
}

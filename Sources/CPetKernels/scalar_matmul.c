// SPDX-License-Identifier: Apache-2.0
// The matrix product as its definition. For quantized weights the arithmetic below is the contract of all variants: every 32
// columns, in order, an exact integer enters a float accumulator by a fused multiply-add. For the K types that is the dot
// product with their integer scales in it, and the accumulator is one of the super-block, which enters the total likewise.
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

/// One activation row where a block of the weights begins.
typedef struct {
  const int8_t *quants;  // of 32 columns; the next are 32 * stride further
  const float *scales;
  const int16_t *sums;
  size_t stride;
} activation_row;

static activation_row activations_at(const pk_activations *x, size_t row, size_t column) {
  const pk_place place = pk_activation_place(row, x->rows, x->columns);
  const size_t at = place.first + column / 32 * place.stride;
  return (activation_row){x->quants + 32 * at, x->scales + at, x->sums + 2 * at, place.stride};
}

static float add_small_block(pk_type type, const pk_unpacked *u, activation_row x, float total) {
  int32_t dot = 0;
  for (int i = 0; i < 32; i++) {
    dot += (int32_t)u->q[i] * x.quants[i];
  }
  total = fmaf((float)dot, u->scale[0] * x.scales[0], total);
  return pk_has_offset(type) ? fmaf(u->offset[0], x.scales[0] * (float)(x.sums[0] + x.sums[1]), total) : total;
}

static float add_super_block(pk_type type, const pk_unpacked *u, activation_row x, float total) {
  const int step = pk_step(type), parts = 32 / step;
  float dots = 0, minimums = 0;
  for (int j = 0; j < 8; j++) {
    int32_t dot = 0;
    for (int part = 0; part < parts; part++) {
      const int at = parts * j + part;
      int32_t part_dot = 0;
      for (int i = 0; i < step; i++) {
        part_dot += (int32_t)u->q[step * at + i] * x.quants[step * part + i];
      }
      dot += u->factor[at] * part_dot;
      if (pk_has_offset(type)) {
        const int32_t sum = parts == 2 ? x.sums[part] : x.sums[0] + x.sums[1];
        minimums = fmaf((float)u->minimum[at], x.scales[0] * (float)sum, minimums);
      }
    }
    dots = fmaf((float)dot, x.scales[0], dots);
    x.quants += 32 * x.stride, x.scales += x.stride, x.sums += 2 * x.stride;
  }
  total = fmaf(u->d, dots, total);
  return pk_has_offset(type) ? fmaf(-u->dmin, minimums, total) : total;
}

static void quantized_row(const pk_weights *w, size_t row, const pk_activations *x, float *out, size_t out_stride) {
  const size_t elements = pk_elements(w->type);
  uint8_t copy[sizeof(pk_block_q6_k)];
  pk_unpacked u;
  for (size_t t = 0; t < x->rows; t++) {
    out[t * out_stride] = 0;
  }
  for (size_t b = 0; b < x->columns / elements; b++) {
    pk_unpack(w->type, block(w, row, b, copy), &u);
    for (size_t t = 0; t < x->rows; t++) {
      const activation_row a = activations_at(x, t, b * elements);
      float *total = out + t * out_stride;
      *total = elements == 32 ? add_small_block(w->type, &u, a, *total) : add_super_block(w->type, &u, a, *total);
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

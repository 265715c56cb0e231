// SPDX-License-Identifier: Apache-2.0
// The scalar table: the oracle of the others and the fallback on every CPU. Reductions run in double precision.
#include <math.h>

#include "cache.h"
#include "elementwise.h"
#include "interleave.h"
#include "tables.h"

#pragma STDC FP_CONTRACT OFF

static void dequantize(pk_type type, const void *source, float *destination, size_t count) {
  if (type != PK_F16) {
    pk_dequantize_body(type, source, destination, count);
    return;
  }
  const uint8_t *bytes = source;
  for (size_t i = 0; i < count; i++) {
    destination[i] = pk_half(bytes + 2 * i);
  }
}

static void narrow_to_f16(const float *source, uint16_t *destination, size_t count) {
  for (size_t i = 0; i < count; i++) {
    destination[i] = pk_float_to_f16(source[i]);
  }
}

static void interleave(
  pk_type type, const void *source, size_t row_bytes, size_t rows, size_t columns, void *destination) {
  pk_interleave_body(type, source, row_bytes, rows, columns, destination);
}

static void quantize_activations(
  const float *values, size_t columns, pk_place place, int8_t *quants, float *scales, int16_t *sums) {
  pk_quantize_body(values, columns, place, quants, scales, sums);
}

static void softmax(float *x, size_t count) {
  float largest = x[0];
  for (size_t i = 1; i < count; i++) {
    largest = x[i] > largest ? x[i] : largest;
  }
  double total = 0;
  for (size_t i = 0; i < count; i++) {
    x[i] = expf(x[i] - largest);
    total += (double)x[i];
  }
  const float inverse = (float)(1 / total);
  for (size_t i = 0; i < count; i++) {
    x[i] *= inverse;
  }
}

static float element(const uint8_t *from, pk_type type, size_t i) {
  float value;
  if (type == PK_F16) {
    return pk_half(from + 2 * i);
  }
  memcpy(&value, from + i * sizeof value, sizeof value);
  return value;
}

static float key_element(const uint8_t *keys, pk_type type, size_t head_size, size_t position, size_t i) {
  const size_t lane = position % PK_GROUP_ROWS;
  const uint8_t *group = keys + (position - lane) * pk_cached_row_bytes(type, head_size);
  if (type == PK_Q8_0) {
    const uint8_t *block = group + PK_GROUP_ROWS * pk_cached_scale(i);
    const size_t quant = 2 * PK_GROUP_ROWS + PK_GROUP_ROWS * (i % pk_cache_block) + lane;
    return pk_half(block + 2 * lane) * (float)(int8_t)block[quant];
  }
  return element(group, type, PK_GROUP_ROWS * i + lane);
}

static float value_element(const uint8_t *row, pk_type type, size_t i) {
  return type == PK_Q8_0 ? pk_half(row + pk_cached_scale(i)) * (float)(int8_t)row[pk_cached_quant(i)]
                         : element(row, type, i);
}

static void attend_one(const pk_query *query, const pk_cached_head *c, float scale) {
  const size_t count = query->end - query->begin, row_bytes = pk_cached_row_bytes(c->type, c->head_size);
  for (size_t p = 0; p < count; p++) {
    const size_t position = query->begin + p, place = position % PK_BLOCK_POSITIONS;
    const uint8_t *keys = (const uint8_t *)c->blocks[position / PK_BLOCK_POSITIONS] + c->keys;
    double dot = 0;
    for (size_t i = 0; i < c->head_size; i++) {
      dot += (double)query->vector[i] * (double)key_element(keys, c->type, c->head_size, place, i);
    }
    query->scores[p] = scale * (float)dot;
  }
  softmax(query->scores, count);
  for (size_t i = 0; i < c->head_size; i++) {
    double total = 0;
    for (size_t p = 0; p < count; p++) {
      const size_t position = query->begin + p, place = position % PK_BLOCK_POSITIONS;
      const uint8_t *values = (const uint8_t *)c->blocks[position / PK_BLOCK_POSITIONS] + c->values;
      total += (double)query->scores[p] * (double)value_element(values + place * row_bytes, c->type, i);
    }
    query->out[i] = (float)total;
  }
}

#include "cache_store.h"

static void attend(const pk_query *queries, size_t query_count, const pk_cached_head *cached, float scale) {
  for (size_t q = 0; q < query_count; q++) {
    attend_one(&queries[q], cached, scale);
  }
}

static void rms_norm(const float *x, const float *weight, float epsilon, float *out, size_t count) {
  double squares = 0;
  for (size_t i = 0; i < count; i++) {
    squares += (double)x[i] * (double)x[i];
  }
  const float scale = (float)(1 / sqrt(squares / (double)count + (double)epsilon));
  for (size_t i = 0; i < count; i++) {
    out[i] = x[i] * scale * weight[i];
  }
}

static void swiglu(const float *gate, const float *up, float *out, size_t count) {
  for (size_t i = 0; i < count; i++) {
    out[i] = gate[i] / (1 + expf(-gate[i])) * up[i];
  }
}

static void rope_halves(float *head, const float *cosines, const float *sines, size_t rotary) {
  pk_rope_halves_body(head, cosines, sines, rotary);
}

static void rope_pairs(float *head, const float *cosines, const float *sines, size_t rotary) {
  pk_rope_pairs_body(head, cosines, sines, rotary);
}

static void add(float *x, const float *y, size_t count) { pk_add_body(x, y, count); }

const pk_kernels pk_scalar_kernels = {
  .name = "scalar",
  .variant = PK_SCALAR,
  .dequantize = dequantize,
  .narrow_to_f16 = narrow_to_f16,
  .interleave = interleave,
  .quantize_activations = quantize_activations,
  .matmul = pk_scalar_matmul,
  .attend = attend,
  .store_key = store_key,
  .store_value = store_value,
  .rms_norm = rms_norm,
  .swiglu = swiglu,
  .rope_halves = rope_halves,
  .rope_pairs = rope_pairs,
  .add = add,
  .softmax = softmax,
};

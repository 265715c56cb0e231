// Attention of one query head over cached positions.
#pragma STDC FP_CONTRACT OFF

/// dot(query, key) of one position.
PK_INLINE float attend_score(pk_type type, const float *query, const uint8_t *key, size_t head_size) {
  floats even = floats_set(0), odd = floats_set(0);
  const size_t bytes = float_bytes(type);
  size_t i = 0;
  for (; i + 2 * lane_count <= head_size; i += 2 * lane_count) {
    even = floats_fma(floats_load(query + i), load_elements(type, key + i * bytes), even);
    odd = floats_fma(floats_load(query + i + lane_count), load_elements(type, key + (i + lane_count) * bytes), odd);
  }
  for (; i + lane_count <= head_size; i += lane_count) {
    even = floats_fma(floats_load(query + i), load_elements(type, key + i * bytes), even);
  }
  if (i < head_size) {
    const size_t rest = head_size - i;
    even = floats_fma(floats_load_first(query + i, rest), load_first_elements(type, key + i * bytes, rest), even);
  }
  return floats_sum(floats_add(even, odd));
}

/// `vectors` neighbouring vectors of the output, kept in registers over all positions.
PK_INLINE void attend_mix(
  pk_type type, const float *weights, const uint8_t *value, size_t stride, size_t position_count, int vectors,
  float *out) {
  floats totals[4];
  PK_UNROLL
  for (int v = 0; v < vectors; v++) {
    totals[v] = floats_set(0);
  }
  for (size_t p = 0; p < position_count; p++, value += stride) {
    const floats weight = floats_set(weights[p]);
    PK_UNROLL
    for (int v = 0; v < vectors; v++) {
      const uint8_t *from = value + (size_t)v * lane_count * float_bytes(type);
      totals[v] = floats_fma(weight, load_elements(type, from), totals[v]);
    }
  }
  PK_UNROLL
  for (int v = 0; v < vectors; v++) {
    floats_store(out + v * lane_count, totals[v]);
  }
}

PK_INLINE void attend_typed(
  pk_type type, const float *query, const uint8_t *key, const uint8_t *value, size_t stride, size_t position_count,
  size_t head_size, float scale, float *scores, float *out) {
  for (size_t p = 0; p < position_count; p++) {
    scores[p] = scale * attend_score(type, query, key + p * stride, head_size);
  }
  softmax(scores, position_count);
  const size_t bytes = float_bytes(type);
  size_t i = 0;
  for (; i + 4 * lane_count <= head_size; i += 4 * lane_count) {
    attend_mix(type, scores, value + i * bytes, stride, position_count, 4, out + i);
  }
  for (; i + lane_count <= head_size; i += lane_count) {
    attend_mix(type, scores, value + i * bytes, stride, position_count, 1, out + i);
  }
  if (i < head_size) {
    const size_t rest = head_size - i;
    floats total = floats_set(0);
    for (size_t p = 0; p < position_count; p++) {
      const floats elements = load_first_elements(type, value + p * stride + i * bytes, rest);
      total = floats_fma(floats_set(scores[p]), elements, total);
    }
    floats_store_first(out + i, total, rest);
  }
}

static void attend(
  const float *query, const void *keys, const void *values, pk_type cache_type, size_t stride, size_t position_count,
  size_t head_size, float scale, float *scores, float *out) {
  if (cache_type == PK_F16) {
    attend_typed(PK_F16, query, keys, values, stride, position_count, head_size, scale, scores, out);
  } else {
    attend_typed(PK_F32, query, keys, values, stride, position_count, head_size, scale, scores, out);
  }
}

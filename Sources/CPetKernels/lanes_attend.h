// Attention of several query heads over the cached positions of the key-value head that they share.
#pragma STDC FP_CONTRACT OFF

/// `count` cached rows as floats, `padded` apart, zeros behind each row's end; rows from `count` to lane_count are zero.
PK_INLINE void attend_widen(
  pk_type type, const uint8_t *from, size_t stride, size_t count, size_t head_size, size_t padded, float *rows) {
  const size_t bytes = float_bytes(type), full = head_size / lane_count * lane_count;
  for (size_t r = 0; r < count; r++, from += stride, rows += padded) {
    for (size_t i = 0; i < full; i += lane_count) {
      floats_store(rows + i, load_elements(type, from + i * bytes));
    }
    if (full < head_size) {
      floats_store(rows + full, load_first_elements(type, from + full * bytes, head_size - full));
    }
  }
  memset(rows, 0, (lane_count - count) * padded * sizeof(float));
}

/// scale * dot(query, row) for lane_count rows; both padded with zeros.
PK_INLINE floats attend_scores(const float *query, const float *rows, size_t padded, float scale) {
  floats totals[lane_count];
  PK_UNROLL
  for (int r = 0; r < lane_count; r++) {
    totals[r] = floats_set(0);
  }
  for (size_t i = 0; i < padded; i += lane_count) {
    const floats part = floats_load(query + i);
    PK_UNROLL
    for (int r = 0; r < lane_count; r++) {
      totals[r] = floats_fma(part, floats_load(rows + (size_t)r * padded + i), totals[r]);
    }
  }
  return floats_mul(floats_set(scale), floats_sums(totals));
}

/// out += sum of weights[r] * rows[r] over `count` rows, `vectors` vectors of it at a time in registers.
PK_INLINE void attend_mix(
  const float *weights, const float *rows, size_t padded, size_t count, int vectors, float *out) {
  floats totals[4];
  PK_UNROLL
  for (int v = 0; v < vectors; v++) {
    totals[v] = floats_load(out + v * lane_count);
  }
  for (size_t r = 0; r < count; r++, rows += padded) {
    const floats weight = floats_set(weights[r]);
    PK_UNROLL
    for (int v = 0; v < vectors; v++) {
      totals[v] = floats_fma(weight, floats_load(rows + v * lane_count), totals[v]);
    }
  }
  PK_UNROLL
  for (int v = 0; v < vectors; v++) {
    floats_store(out + v * lane_count, totals[v]);
  }
}

/// The stretch of cached positions that a query sees within the block at `start`.
typedef struct attend_overlap {
  size_t begin, end;
} attend_overlap;

PK_INLINE attend_overlap attend_visible(const pk_query *query, size_t start, size_t count) {
  const size_t end = start + count;
  return (attend_overlap){query->begin > start ? query->begin : start, query->end < end ? query->end : end};
}

PK_INLINE void attend_typed(
  pk_type type, const pk_query *queries, size_t query_count, const uint8_t *keys, const uint8_t *values, size_t stride,
  size_t head_size, float scale) {
  const size_t padded = (head_size + lane_count - 1) / lane_count * lane_count;
  float rows[lane_count * PK_LONGEST_HEAD], vector[PK_LONGEST_HEAD];
  size_t begin = SIZE_MAX, end = 0;
  for (size_t q = 0; q < query_count; q++) {
    begin = queries[q].begin < begin ? queries[q].begin : begin;
    end = queries[q].end > end ? queries[q].end : end;
  }

  for (size_t start = begin; start < end; start += lane_count) {
    const size_t count = end - start < lane_count ? end - start : lane_count;
    attend_widen(type, keys + start * stride, stride, count, head_size, padded, rows);
    for (size_t q = 0; q < query_count; q++) {
      const attend_overlap seen = attend_visible(&queries[q], start, count);
      if (seen.begin >= seen.end) {
        continue;
      }
      memset(vector + head_size, 0, (padded - head_size) * sizeof(float));
      memcpy(vector, queries[q].vector, head_size * sizeof(float));
      float scores[lane_count];
      floats_store(scores, attend_scores(vector, rows, padded, scale));
      memcpy(
        queries[q].scores + (seen.begin - queries[q].begin), scores + (seen.begin - start),
        (seen.end - seen.begin) * sizeof(float));
    }
  }

  for (size_t q = 0; q < query_count; q++) {
    softmax(queries[q].scores, queries[q].end - queries[q].begin);
    memset(queries[q].out, 0, head_size * sizeof(float));
  }

  for (size_t start = begin; start < end; start += lane_count) {
    const size_t count = end - start < lane_count ? end - start : lane_count;
    attend_widen(type, values + start * stride, stride, count, head_size, padded, rows);
    for (size_t q = 0; q < query_count; q++) {
      const attend_overlap seen = attend_visible(&queries[q], start, count);
      if (seen.begin >= seen.end) {
        continue;
      }
      const float *weights = queries[q].scores + (seen.begin - queries[q].begin);
      const float *from = rows + (seen.begin - start) * padded;
      const size_t visible = seen.end - seen.begin;
      float *out = head_size == padded ? queries[q].out : vector;
      if (out == vector) {
        memcpy(vector, queries[q].out, head_size * sizeof(float));
      }
      size_t i = 0;
      for (; i + 4 * lane_count <= padded; i += 4 * lane_count) {
        attend_mix(weights, from + i, padded, visible, 4, out + i);
      }
      for (; i < padded; i += lane_count) {
        attend_mix(weights, from + i, padded, visible, 1, out + i);
      }
      if (out == vector) {
        memcpy(queries[q].out, vector, head_size * sizeof(float));
      }
    }
  }
}

static void attend(
  const pk_query *queries, size_t query_count, const void *keys, const void *values, pk_type cache_type, size_t stride,
  size_t head_size, float scale) {
  if (cache_type == PK_F16) {
    attend_typed(PK_F16, queries, query_count, keys, values, stride, head_size, scale);
  } else {
    attend_typed(PK_F32, queries, query_count, keys, values, stride, head_size, scale);
  }
}

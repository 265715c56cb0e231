// Attention of several query heads over the cached positions of the key-value head that they share. Keys lie with the same
// element of sixteen positions side by side, so that scores need no sum across lanes; values lie position after position.
#pragma STDC FP_CONTRACT OFF

enum { score_queries = 8 };

/// lane_count keys' or values' elements of a cache, whose scales, where it is quantized, are `scale`.
PK_INLINE floats load_cached(pk_type type, const uint8_t *p, floats scale) {
  return type == PK_Q8_0 ? floats_mul(scale, floats_load_i8(p)) : load_elements(type, p);
}

/// Bytes of one element.
PK_INLINE size_t cached_bytes(pk_type type) { return type == PK_Q8_0 ? 1 : float_bytes(type); }

PK_INLINE void prefetch_bytes(const uint8_t *from, size_t bytes) {
  for (size_t i = 0; i < bytes; i += 64) {
    __builtin_prefetch(from + i, 0, 2);
  }
}

/// Asks for the `bytes` that lie prefetch_distance behind `from`, as far as they begin before `end`.
PK_INLINE void prefetch_ahead(const uint8_t *from, size_t bytes, const uint8_t *end) {
  if (end - from > prefetch_distance) {
    prefetch_bytes(from + prefetch_distance, bytes);
  }
}

/// scale * dot(query, key) for PK_GROUP_ROWS positions and `count` queries, [query][position]. Even and odd elements have
/// accumulators of their own, in any company.
PK_INLINE void attend_scores(
  pk_type type, const pk_query *queries, int count, const uint8_t *keys, size_t head_size, float scale, float *scores) {
  const size_t bytes = cached_bytes(type), step = PK_GROUP_ROWS * bytes;
  const size_t block = type == PK_Q8_0 ? pk_cache_block : head_size;  // elements that share a scale; an even number
  for (size_t first = 0; first < PK_GROUP_ROWS; first += lane_count) {
    floats totals[2][score_queries];
    PK_UNROLL
    for (int q = 0; q < count; q++) {
      totals[0][q] = totals[1][q] = floats_set(0);
    }
    const uint8_t *from = keys + first * bytes;
    for (size_t i = 0; i < head_size;) {
      const size_t end = i + block < head_size ? i + block : head_size;
      floats shared = floats_set(1);
      if (type == PK_Q8_0) {
        shared = floats_load_f16(from + first);  // `from` counts bytes, scales have two
        from += 2 * PK_GROUP_ROWS;
      }
      for (; i + 2 <= end; i += 2, from += 2 * step) {
        const floats even = load_cached(type, from, shared), odd = load_cached(type, from + step, shared);
        PK_UNROLL
        for (int q = 0; q < count; q++) {
          totals[0][q] = floats_fma(even, floats_set(queries[q].vector[i]), totals[0][q]);
          totals[1][q] = floats_fma(odd, floats_set(queries[q].vector[i + 1]), totals[1][q]);
        }
      }
      if (i < end) {
        const floats last = load_cached(type, from, shared);
        PK_UNROLL
        for (int q = 0; q < count; q++) {
          totals[0][q] = floats_fma(last, floats_set(queries[q].vector[i]), totals[0][q]);
        }
        i++;
      }
    }
    PK_UNROLL
    for (int q = 0; q < count; q++) {
      const floats total = floats_mul(floats_set(scale), floats_add(totals[0][q], totals[1][q]));
      floats_store(scores + (size_t)q * PK_GROUP_ROWS + first, total);
    }
  }
}

enum { mix_queries = 4, mix_vectors = 4 };

/// `count` elements (a vector's worth or fewer) of a value row from element `at` on, zeros behind. A vector's elements
/// share a scale.
PK_INLINE floats load_value(pk_type type, const uint8_t *row, size_t at, size_t count) {
  const bool quantized = type == PK_Q8_0;
  const uint8_t *p = row + (quantized ? pk_cached_quant(at) : at * float_bytes(type));
  const floats scale = quantized ? floats_set_f16(row + pk_cached_scale(at)) : floats_set(1);
  if (count == lane_count) {
    return load_cached(type, p, scale);
  }
  uint8_t padded[lane_count * sizeof(float)] = {0};
  memcpy(padded, p, count * cached_bytes(type));
  return load_cached(type, padded, scale);
}

/// Adds scores times values over positions begin..<end to elements of the outputs of `count` queries: `vectors` vectors,
/// or one of which `width` elements count. Each output adds up position by position, in any company.
PK_INLINE void attend_mix(
  pk_type type, const pk_query *queries, int count, const uint8_t *values, size_t stride, size_t begin, size_t end,
  size_t at, int vectors, size_t width, bool prefetches) {
  floats totals[mix_queries][mix_vectors];
  PK_UNROLL
  for (int q = 0; q < count; q++) {
    PK_UNROLL
    for (int v = 0; v < vectors; v++) {
      const float *from = queries[q].out + at + v * lane_count;
      totals[q][v] = width == lane_count ? floats_load(from) : floats_load_first(from, width);
    }
  }
  const uint8_t *row = values + begin * stride;
  const uint8_t *last = values + (prefetches && at == 0 ? end : 0) * stride;
  for (size_t p = begin; p < end; p++, row += stride) {
    prefetch_ahead(row, stride, last);
    floats value[mix_vectors];
    PK_UNROLL
    for (int v = 0; v < vectors; v++) {
      value[v] = load_value(type, row, at + (size_t)v * lane_count, width);
    }
    PK_UNROLL
    for (int q = 0; q < count; q++) {
      const floats weight = floats_set(queries[q].scores[p - queries[q].begin]);
      PK_UNROLL
      for (int v = 0; v < vectors; v++) {
        totals[q][v] = floats_fma(weight, value[v], totals[q][v]);
      }
    }
  }
  PK_UNROLL
  for (int q = 0; q < count; q++) {
    PK_UNROLL
    for (int v = 0; v < vectors; v++) {
      float *to = queries[q].out + at + v * lane_count;
      if (width == lane_count) {
        floats_store(to, totals[q][v]);
      } else {
        floats_store_first(to, totals[q][v], width);
      }
    }
  }
}

/// The same over all elements of a head.
PK_INLINE void attend_mix_head(
  pk_type type, const pk_query *queries, int count, const uint8_t *values, size_t stride, size_t begin, size_t end,
  size_t head_size, bool prefetches) {
  enum { most = mix_vectors * lane_count };
  size_t at = 0;
  if (begin >= end) {
    return;
  }
  for (; at + most <= head_size; at += most) {
    attend_mix(type, queries, count, values, stride, begin, end, at, mix_vectors, lane_count, prefetches);
  }
  for (; at + lane_count <= head_size; at += lane_count) {
    attend_mix(type, queries, count, values, stride, begin, end, at, 1, lane_count, prefetches);
  }
  if (at < head_size) {
    attend_mix(type, queries, count, values, stride, begin, end, at, 1, head_size - at, prefetches);
  }
}

/// Outputs of `count` queries: together over the positions that all of them see, one by one before and after.
PK_INLINE void attend_outputs(
  pk_type type, const pk_query *queries, int count, const uint8_t *values, size_t stride, size_t head_size,
  bool prefetches) {
  size_t begin = 0, end = SIZE_MAX;
  for (int q = 0; q < count; q++) {
    begin = queries[q].begin > begin ? queries[q].begin : begin;
    end = queries[q].end < end ? queries[q].end : end;
  }
  const bool together = count > 1 && begin < end;
  for (int q = 0; q < count; q++) {
    memset(queries[q].out, 0, head_size * sizeof(float));
    const size_t until = together ? begin : queries[q].end;
    attend_mix_head(type, &queries[q], 1, values, stride, queries[q].begin, until, head_size, prefetches);
  }
  if (together) {
    attend_mix_head(type, queries, count, values, stride, begin, end, head_size, prefetches);
    for (int q = 0; q < count; q++) {
      attend_mix_head(type, &queries[q], 1, values, stride, end, queries[q].end, head_size, prefetches);
    }
  }
}

/// The scores that queries give the positions that they see among the PK_GROUP_ROWS at `start`.
PK_INLINE void attend_group(
  pk_type type, const pk_query *queries, int count, const uint8_t *keys, size_t start, size_t head_size, float scale) {
  float scores[score_queries * PK_GROUP_ROWS];
  attend_scores(type, queries, count, keys + start * pk_cached_row_bytes(type, head_size), head_size, scale, scores);
  for (int q = 0; q < count; q++) {
    const pk_query *query = &queries[q];
    const size_t begin = query->begin > start ? query->begin : start;
    const size_t end = query->end < start + PK_GROUP_ROWS ? query->end : start + PK_GROUP_ROWS;
    if (begin < end) {
      memcpy(
        query->scores + (begin - query->begin), scores + q * PK_GROUP_ROWS + (begin - start),
        (end - begin) * sizeof(float));
    }
  }
}

PK_INLINE void attend_typed(
  pk_type type, const pk_query *queries, size_t query_count, const uint8_t *keys, const uint8_t *values, size_t stride,
  size_t head_size, float scale) {
  size_t begin = SIZE_MAX, end = 0;
  for (size_t q = 0; q < query_count; q++) {
    begin = queries[q].begin < begin ? queries[q].begin : begin;
    end = queries[q].end > end ? queries[q].end : end;
  }
  // One token's queries read keys and values from memory; those of a prompt find most of them in a cache.
  const bool prefetches = query_count <= score_queries;
  const size_t row = pk_cached_row_bytes(type, head_size);
  const uint8_t *last = keys + (prefetches ? end : 0) * row;
  for (size_t start = begin / PK_GROUP_ROWS * PK_GROUP_ROWS; start < end; start += PK_GROUP_ROWS) {
    prefetch_ahead(keys + start * row, PK_GROUP_ROWS * row, last);
    size_t q = 0;
    for (; q + score_queries <= query_count; q += score_queries) {
      attend_group(type, queries + q, score_queries, keys, start, head_size, scale);
    }
    for (; q + 3 <= query_count; q += 3) {
      attend_group(type, queries + q, 3, keys, start, head_size, scale);
    }
    for (; q < query_count; q++) {
      attend_group(type, queries + q, 1, keys, start, head_size, scale);
    }
  }
  if (prefetches) {
    const size_t seen = (end - begin) * stride;
    prefetch_bytes(values + begin * stride, seen < prefetch_distance ? seen : prefetch_distance);
  }
  size_t q = 0;
  for (size_t i = 0; i < query_count; i++) {
    softmax(queries[i].scores, queries[i].end - queries[i].begin);
  }
  for (; q + mix_queries <= query_count; q += mix_queries) {
    attend_outputs(type, queries + q, mix_queries, values, stride, head_size, prefetches);
  }
  for (; q + 3 <= query_count; q += 3) {
    attend_outputs(type, queries + q, 3, values, stride, head_size, prefetches);
  }
  for (; q < query_count; q++) {
    attend_outputs(type, queries + q, 1, values, stride, head_size, prefetches);
  }
}

static void attend(
  const pk_query *queries, size_t query_count, const void *keys, const void *values, pk_type cache_type, size_t stride,
  size_t head_size, float scale) {
  if (cache_type == PK_F16) {
    attend_typed(PK_F16, queries, query_count, keys, values, stride, head_size, scale);
  } else if (cache_type == PK_Q8_0) {
    attend_typed(PK_Q8_0, queries, query_count, keys, values, stride, head_size, scale);
  } else {
    attend_typed(PK_F32, queries, query_count, keys, values, stride, head_size, scale);
  }
}

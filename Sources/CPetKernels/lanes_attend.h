// SPDX-License-Identifier: Apache-2.0
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

/// The keys (a group, where `position` begins one) or the value at a position.
PK_INLINE const uint8_t *cached_row(const pk_cached_head *c, size_t offset, size_t row_bytes, size_t position) {
  const uint8_t *block = c->blocks[position / PK_BLOCK_POSITIONS];
  return block + offset + position % PK_BLOCK_POSITIONS * row_bytes;
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

/// Adds scores times values over positions begin..<end, all of one block, to elements of the outputs of `count` queries:
/// `vectors` vectors, or one of which `width` elements count. Each output adds up position by position, in any company.
PK_INLINE void attend_mix(
  pk_type type, const pk_query *queries, int count, const uint8_t *row, size_t row_bytes, size_t begin, size_t end,
  size_t at, int vectors, size_t width) {
  floats totals[mix_queries][mix_vectors];
  PK_UNROLL
  for (int q = 0; q < count; q++) {
    PK_UNROLL
    for (int v = 0; v < vectors; v++) {
      const float *from = queries[q].out + at + v * lane_count;
      totals[q][v] = width == lane_count ? floats_load(from) : floats_load_first(from, width);
    }
  }
  for (size_t p = begin; p < end; p++, row += row_bytes) {
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

/// The same over all elements of a head and the positions of any blocks.
PK_INLINE void attend_mix_head(
  pk_type type, const pk_query *queries, int count, const pk_cached_head *c, size_t begin, size_t end,
  bool prefetches) {
  enum { most = mix_vectors * lane_count };
  const size_t head_size = c->head_size, row_bytes = pk_cached_row_bytes(type, head_size);
  for (size_t from = begin; from < end;) {
    const size_t next = from - from % PK_BLOCK_POSITIONS + PK_BLOCK_POSITIONS, until = next < end ? next : end;
    if (prefetches && next < end) {
      const size_t rest = end - next < PK_BLOCK_POSITIONS ? end - next : PK_BLOCK_POSITIONS;
      prefetch_bytes(cached_row(c, c->values, row_bytes, next), rest * row_bytes);
    }
    const uint8_t *row = cached_row(c, c->values, row_bytes, from);
    size_t at = 0;
    for (; at + most <= head_size; at += most) {
      attend_mix(type, queries, count, row, row_bytes, from, until, at, mix_vectors, lane_count);
    }
    for (; at + lane_count <= head_size; at += lane_count) {
      attend_mix(type, queries, count, row, row_bytes, from, until, at, 1, lane_count);
    }
    if (at < head_size) {
      attend_mix(type, queries, count, row, row_bytes, from, until, at, 1, head_size - at);
    }
    from = until;
  }
}

/// Outputs of `count` queries: together over the positions that all of them see, one by one before and after.
PK_INLINE void attend_outputs(
  pk_type type, const pk_query *queries, int count, const pk_cached_head *c, bool prefetches) {
  size_t begin = 0, end = SIZE_MAX;
  for (int q = 0; q < count; q++) {
    begin = queries[q].begin > begin ? queries[q].begin : begin;
    end = queries[q].end < end ? queries[q].end : end;
  }
  const bool together = count > 1 && begin < end;
  for (int q = 0; q < count; q++) {
    memset(queries[q].out, 0, c->head_size * sizeof(float));
    const size_t until = together ? begin : queries[q].end;
    attend_mix_head(type, &queries[q], 1, c, queries[q].begin, until, prefetches);
  }
  if (together) {
    attend_mix_head(type, queries, count, c, begin, end, prefetches);
    for (int q = 0; q < count; q++) {
      attend_mix_head(type, &queries[q], 1, c, end, queries[q].end, prefetches);
    }
  }
}

/// The scores that queries give the positions that they see among the PK_GROUP_ROWS at `start`.
PK_INLINE void attend_group(
  pk_type type, const pk_query *queries, int count, const uint8_t *keys, size_t start, size_t head_size, float scale) {
  float scores[score_queries * PK_GROUP_ROWS];
  attend_scores(type, queries, count, keys, head_size, scale, scores);
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
  pk_type type, const pk_query *queries, size_t query_count, const pk_cached_head *c, float scale) {
  size_t begin = SIZE_MAX, end = 0;
  for (size_t q = 0; q < query_count; q++) {
    begin = queries[q].begin < begin ? queries[q].begin : begin;
    end = queries[q].end > end ? queries[q].end : end;
  }
  // One token's queries read keys and values from memory; those of a prompt find most of them in a cache.
  const bool prefetches = query_count <= score_queries;
  const size_t head_size = c->head_size, row_bytes = pk_cached_row_bytes(type, head_size);
  for (size_t start = begin / PK_GROUP_ROWS * PK_GROUP_ROWS; start < end; start += PK_GROUP_ROWS) {
    const uint8_t *keys = cached_row(c, c->keys, row_bytes, start);
    if (prefetches && start + PK_BLOCK_POSITIONS < end) {
      prefetch_bytes(cached_row(c, c->keys, row_bytes, start + PK_BLOCK_POSITIONS), PK_GROUP_ROWS * row_bytes);
    }
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
    const size_t left = PK_BLOCK_POSITIONS - begin % PK_BLOCK_POSITIONS, seen = end - begin < left ? end - begin : left;
    prefetch_bytes(cached_row(c, c->values, row_bytes, begin), seen * row_bytes);
  }
  size_t q = 0;
  for (size_t i = 0; i < query_count; i++) {
    softmax(queries[i].scores, queries[i].end - queries[i].begin);
  }
  for (; q + mix_queries <= query_count; q += mix_queries) {
    attend_outputs(type, queries + q, mix_queries, c, prefetches);
  }
  for (; q + 3 <= query_count; q += 3) {
    attend_outputs(type, queries + q, 3, c, prefetches);
  }
  for (; q < query_count; q++) {
    attend_outputs(type, queries + q, 1, c, prefetches);
  }
}

static void attend(const pk_query *queries, size_t query_count, const pk_cached_head *cached, float scale) {
  if (cached->type == PK_F16) {
    attend_typed(PK_F16, queries, query_count, cached, scale);
  } else if (cached->type == PK_Q8_0) {
    attend_typed(PK_Q8_0, queries, query_count, cached, scale);
  } else {
    attend_typed(PK_F32, queries, query_count, cached, scale);
  }
}

// SPDX-License-Identifier: Apache-2.0
// Attention is the scalar one, which sums in double precision, within rounding; a query gets the same bits in any company.
#include <math.h>
#include <string.h>

#include "checks.h"
#include "operands.h"

enum { query_count = 11, most_positions = 67, most_blocks = 3 };

/// The outputs of `count` queries over c, query i reading vectors[i] and seeing begin[i]..<end[i].
static void attend(
  const pk_kernels *k, const pk_cached_head *c, size_t count, const float *vectors, const size_t *begin, const size_t *end,
  float *out) {
  static float scores[query_count][most_positions];
  pk_query queries[query_count];
  for (size_t q = 0; q < count; q++) {
    queries[q] = (pk_query){vectors + q * c->head_size, out + q * c->head_size, scores[q], begin[q], end[q]};
  }
  k->attend(queries, count, c, 1 / sqrtf((float)c->head_size));
}

static void check_shape(const tables *all, generator *random, named_type type, size_t head, size_t positions) {
  const size_t row_bytes = pk_cached_row_bytes(type.type, head), key_bytes = PK_BLOCK_POSITIONS * row_bytes;
  const void *blocks[most_blocks];
  const pk_cached_head c = {blocks, 0, key_bytes, type.type, head};
  uint8_t *stored = guarded(slot_first, key_bytes), *stored_value = guarded(slot_first + 1, row_bytes);
  uint8_t *keys = NULL;
  for (size_t p = 0; p < positions; p++) {
    const size_t place = p % PK_BLOCK_POSITIONS;
    if (place == 0) {
      // No block is longer than its last value.
      const size_t rest = positions - p < PK_BLOCK_POSITIONS ? positions - p : PK_BLOCK_POSITIONS;
      keys = guarded((int)(slot_first + 2 + p / PK_BLOCK_POSITIONS), key_bytes + rest * row_bytes);
      blocks[p / PK_BLOCK_POSITIONS] = keys;
      memset(keys, 0xff, key_bytes);  // NaN where there is no position
      memset(stored, 0xff, key_bytes);
    }
    float key[PK_LONGEST_HEAD], value[PK_LONGEST_HEAD];
    random_floats(random, key, head, -1, 1);
    random_floats(random, value, head, -1, 1);
    uint8_t *to = keys + key_bytes + place * row_bytes;
    all->scalar->store_key(key, type.type, head, place, keys);
    all->scalar->store_value(value, type.type, head, to);
    for (size_t k = 0; k < all->count; k++) {
      const char *name = all->tested[k]->name;
      all->tested[k]->store_key(key, type.type, head, place, stored);
      expect(memcmp(stored, keys, key_bytes) == 0, "%s, store_key %s, head %zu", name, type.name, head);
      all->tested[k]->store_value(value, type.type, head, stored_value);
      const bool equal = memcmp(stored_value, to, row_bytes) == 0;
      expect(equal, "%s, store_value %s, head %zu", name, type.name, head);
    }
  }
  // Neighbours see other stretches, as rows of a batch under a sliding window do.
  const size_t begins[4] = {0, 0, positions / 2, positions - 1}, fewer = positions > 3 ? positions - 3 : 1;
  size_t begin[query_count], end[query_count];
  for (size_t q = 0; q < query_count; q++) {
    begin[q] = begins[q % 4];
    end[q] = q % 4 == 1 ? fewer : positions;
  }
  float *vectors = guarded(slot_values, query_count * head * sizeof(float));
  random_floats(random, vectors, query_count * head, -3, 3);
  float *expected = guarded(slot_expected, query_count * head * sizeof(float));
  attend(all->scalar, &c, query_count, vectors, begin, end, expected);
  for (size_t k = 0; k < all->count; k++) {
    const char *name = all->tested[k]->name;
    float *out = guarded(slot_out, query_count * head * sizeof(float)), alone[PK_LONGEST_HEAD];
    memset(out, 0xaa, query_count * head * sizeof(float));
    attend(all->tested[k], &c, query_count, vectors, begin, end, out);
    const size_t at = first_distance(out, expected, query_count * head, 3e-6, 0);
    expect(
      at == query_count * head, "%s, attend %s, head %zu, %zu positions: %zu is %g, not %g", name, type.name, head,
      positions, at, (double)out[at % (query_count * head)], (double)expected[at % (query_count * head)]);
    for (size_t q = 0; q < query_count; q++) {
      attend(all->tested[k], &c, 1, vectors + q * head, begin + q, end + q, alone);
      expect(
        first_difference(alone, out + q * head, head) == head, "%s, attend %s, head %zu: query %zu alone", name,
        type.name, head, q);
    }
  }
}

static void check_huge_scores(const tables *all) {
  enum { head = 64 };
  static float query[head], block[2][PK_BLOCK_POSITIONS * head];
  for (size_t i = 0; i < 3 * head; i++) {
    query[i % head] = 1e18f;
    block[0][i % head * PK_GROUP_ROWS + i / head] = (float)(i / head + 1) * 1e18f;
    block[1][i] = (float)(i / head);
  }
  const void *const blocks[] = {block};
  const pk_cached_head c = {blocks, 0, sizeof block[0], PK_F32, head};
  const size_t begin = 0, end = 3;
  for (size_t k = 0; k < all->count; k++) {
    float out[head];
    attend(all->tested[k], &c, 1, query, &begin, &end, out);
    for (size_t i = 0; i < head; i++) {
      expect(out[i] == 2, "%s, attend with huge scores: %g", all->tested[k]->name, (double)out[i]);
    }
  }
}

void check_attend(const tables *all) {
  static const size_t heads[] = {2, 6, 14, 16, 30, 64, 80, 130, 256}, positions[] = {1, 2, 5, 16, 33, most_positions};
  static const named_type types[] = {{PK_F32, "F32"}, {PK_F16, "F16"}, {PK_Q8_0, "Q8_0"}};
  generator random = {43};
  for (size_t t = 0; t < sizeof types / sizeof types[0]; t++) {
    for (size_t h = 0; h < sizeof heads / sizeof heads[0]; h++) {
      for (size_t p = 0; p < sizeof positions / sizeof positions[0]; p++) {
        guarded_edge = p % 2 == 0 ? edge_end : edge_start;
        check_shape(all, &random, types[t], heads[h], positions[p]);
      }
    }
  }
  guarded_edge = edge_end;
  check_huge_scores(all);
}

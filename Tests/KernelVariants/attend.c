// Attention is the scalar one, which sums in double precision, within rounding; a query gets the same bits in any company.
#include <math.h>
#include <string.h>

#include "checks.h"
#include "operands.h"

enum { query_count = 11, most_positions = 67 };

typedef struct cache {
  const void *keys, *values;
  pk_type type;
  size_t stride, head_size;
} cache;

/// The outputs of `count` queries over c, query i reading vectors[i] and seeing begin[i]..<end[i].
static void attend(
  const pk_kernels *k, const cache *c, size_t count, const float *vectors, const size_t *begin, const size_t *end,
  float *out) {
  static float scores[query_count][most_positions];
  pk_query queries[query_count];
  for (size_t q = 0; q < count; q++) {
    queries[q] = (pk_query){vectors + q * c->head_size, out + q * c->head_size, scores[q], begin[q], end[q]};
  }
  k->attend(queries, count, c->keys, c->values, c->type, c->stride, c->head_size, 1 / sqrtf((float)c->head_size));
}

static void check_shape(const tables *all, generator *random, named_type type, size_t head, size_t positions) {
  const size_t row_bytes = pk_cached_row_bytes(type.type, head), stride = row_bytes + 8 * (head % 3);  // rows may be apart
  const size_t bytes = (positions - 1) * stride + row_bytes;
  const size_t key_bytes = (positions + PK_GROUP_ROWS - 1) / PK_GROUP_ROWS * PK_GROUP_ROWS * row_bytes;
  cache c = {.type = type.type, .stride = stride, .head_size = head};
  uint8_t *keys = guarded(slot_weights, key_bytes), *values = guarded(slot_first, bytes);
  uint8_t *stored = guarded(slot_first + 1, key_bytes), *stored_value = guarded(slot_first + 2, row_bytes);
  memset(keys, 0xff, key_bytes);  // NaN where there is no position
  memset(stored, 0xff, key_bytes);
  for (size_t p = 0; p < positions; p++) {
    float key[PK_LONGEST_HEAD], value[PK_LONGEST_HEAD];
    random_floats(random, key, head, -1, 1);
    random_floats(random, value, head, -1, 1);
    all->scalar->store_key(key, type.type, head, p, keys);
    all->scalar->store_value(value, type.type, head, values + p * stride);
    for (size_t k = 0; k < all->count; k++) {
      const char *name = all->tested[k]->name;
      all->tested[k]->store_key(key, type.type, head, p, stored);
      expect(memcmp(stored, keys, key_bytes) == 0, "%s, store_key %s, head %zu", name, type.name, head);
      all->tested[k]->store_value(value, type.type, head, stored_value);
      const bool equal = memcmp(stored_value, values + p * stride, row_bytes) == 0;
      expect(equal, "%s, store_value %s, head %zu", name, type.name, head);
    }
  }
  c.keys = keys;
  c.values = values;
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
  static float query[head], keys[PK_GROUP_ROWS * head], values[3 * head];
  for (size_t i = 0; i < 3 * head; i++) {
    query[i % head] = 1e18f;
    keys[i % head * PK_GROUP_ROWS + i / head] = (float)(i / head + 1) * 1e18f;
    values[i] = (float)(i / head);
  }
  const cache c = {keys, values, PK_F32, head * sizeof(float), head};
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

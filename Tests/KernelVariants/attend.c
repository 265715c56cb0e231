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
  const size_t element = pk_block_bytes(type.type), row = head + 2 * (head % 3);  // rows may be apart
  const size_t bytes = ((positions - 1) * row + head) * element;
  const size_t key_bytes = (positions + PK_GROUP_ROWS - 1) / PK_GROUP_ROWS * PK_GROUP_ROWS * head * element;
  cache c = {.type = type.type, .stride = row * element, .head_size = head};
  void *keys = guarded(slot_weights, key_bytes), *values = guarded(slot_first, bytes);
  void *stored = guarded(slot_first + 1, key_bytes);
  memset(keys, 0xff, key_bytes);  // NaN where there is no position
  memset(stored, 0xff, key_bytes);
  for (size_t p = 0; p < positions; p++) {
    float key[PK_LONGEST_HEAD];
    random_floats(random, key, head, -1, 1);
    all->scalar->store_key(key, type.type, head, p, keys);
    for (size_t k = 0; k < all->count; k++) {
      all->tested[k]->store_key(key, type.type, head, p, stored);
      expect(memcmp(stored, keys, key_bytes) == 0, "%s, store_key %s, head %zu", all->tested[k]->name, type.name, head);
    }
  }
  random_weights(random, type.type, values, bytes / element, false);
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
  generator random = {43};
  for (size_t t = 0; t < 2; t++) {
    for (size_t h = 0; h < sizeof heads / sizeof heads[0]; h++) {
      for (size_t p = 0; p < sizeof positions / sizeof positions[0]; p++) {
        guarded_edge = p % 2 == 0 ? edge_end : edge_start;
        check_shape(all, &random, float_types[t], heads[h], positions[p]);
      }
    }
  }
  guarded_edge = edge_end;
  check_huge_scores(all);
}

// SPDX-License-Identifier: Apache-2.0
// Products of F32, F16 and BF16 weights are the scalar ones within rounding, and the same in any company.
#include <string.h>

#include "checks.h"
#include "operands.h"

static const size_t all_columns[] = {1, 2, 3, 4, 5, 7, 8, 9, 15, 16, 17, 31, 33, 48, 100, 576};
enum { columns_count = sizeof all_columns / sizeof all_columns[0] };

static void check_shapes(const tables *all, named_type type, generator *random) {
  static const size_t shapes[][2] = {{1, 1}, {2, 3}, {3, 2}, {4, 4}, {5, 7}, {7, 1}, {8, 1}, {9, 5}, {17, 2}, {23, 1}};
  for (size_t c = 0; c < columns_count; c++) {
    for (size_t s = 0; s < sizeof shapes / sizeof shapes[0]; s++) {
      guarded_edge = s % 2 == 0 ? edge_end : edge_start;
      const size_t rows = shapes[s][0], tokens = shapes[s][1], columns = all_columns[c], count = rows * tokens;
      const size_t bytes = row_bytes(type.type, columns);
      void *weights = guarded(slot_weights, rows * bytes);
      random_weights(random, type.type, weights, rows * columns, false);
      const pk_activations x = random_activations(random, tokens, columns, false);
      float *expected = guarded(slot_expected, count * sizeof(float));
      const pk_weights w = {type.type, PK_ROW_MAJOR, weights, bytes, rows}, groups = interleaved(&w, columns);
      all->scalar->matmul(&w, &x, expected, rows);
      for (size_t k = 0; k < 2 * all->count; k++) {
        float *out = guarded(slot_out, count * sizeof(float));
        memset(out, 0xaa, count * sizeof(float));
        all->tested[k / 2]->matmul(k % 2 == 0 ? &w : &groups, &x, out, rows);
        // Weights and activations lie within -1...1; the order of the sums differs.
        const size_t at = first_distance(out, expected, count, (double)columns * 0x1p-23, 0);
        expect(
          at == count, "%s, matmul %s %s, %zu rows of %zu, %zu tokens: output %zu", all->tested[k / 2]->name, type.name,
          k % 2 == 0 ? "row-major" : "interleaved", rows, columns, tokens, at);
      }
    }
  }
  guarded_edge = edge_end;
}

/// An output is the same to the bit whichever rows and tokens are computed by the same call.
static void check_company(const tables *all, named_type type, generator *random) {
  enum { rows = 23, tokens = 7 };
  for (size_t c = 0; c < columns_count; c++) {
    const size_t columns = all_columns[c], bytes = row_bytes(type.type, columns);
    uint8_t *weights = guarded(slot_weights, rows * bytes);
    random_weights(random, type.type, weights, rows * columns, false);
    const pk_activations x = random_activations(random, tokens, columns, false);
    const pk_weights w = {type.type, PK_ROW_MAJOR, weights, bytes, rows}, groups = interleaved(&w, columns);
    for (size_t k = 0; k < 2 * all->count; k++) {
      const bool row_major = k % 2 == 0;
      float whole[tokens * rows];
      all->tested[k / 2]->matmul(row_major ? &w : &groups, &x, whole, rows);
      for (size_t t = 0; t < tokens; t++) {
        pk_activations alone = x;
        alone.rows = 1;
        alone.values += t * columns;
        for (size_t first = 0, count = row_major ? 1 : PK_GROUP_ROWS; first < rows;
             first += count, count = row_major ? count % 6 + 1 : count) {
          const size_t some = first + count <= rows ? count : rows - first;
          float out[rows];
          pk_weights part = row_major ? w : groups;
          part.bytes = (const uint8_t *)part.bytes + first * bytes;
          part.rows = some;
          all->tested[k / 2]->matmul(&part, &alone, out, rows);
          expect(
            first_difference(out, whole + t * rows + first, some) == some,
            "%s, matmul %s %s, columns %zu: rows from %zu, token %zu alone differ", all->tested[k / 2]->name, type.name,
            row_major ? "row-major" : "interleaved", columns, first, t);
        }
      }
    }
  }
}

void check_float_matmul(const tables *all) {
  generator random = {23};
  for (size_t t = 0; t < float_count; t++) {
    check_shapes(all, float_types[t], &random);
    check_company(all, float_types[t], &random);
  }
}

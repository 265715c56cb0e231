// SPDX-License-Identifier: Apache-2.0
// Quantized products are the scalar ones to the bit, in every shape and whatever the bytes.
#include <stdlib.h>
#include <string.h>

#include "checks.h"
#include "operands.h"

typedef struct shape {
  size_t rows, tokens;
} shape;

/// Around the numbers of rows of a tile (4, 8, 16) and of a group of tiles (32, 64), and of tokens of a tile (32).
static const shape shapes[] = {
  {1, 1}, {2, 3}, {3, 2}, {4, 1}, {5, 2}, {7, 1}, {8, 2}, {9, 5}, {15, 8},
  {16, 1}, {17, 9}, {33, 4}, {21, 33}, {70, 3}, {67, 10}, {12, 66},
};
enum { shape_count = sizeof shapes / sizeof shapes[0] };

static void compare(
  const tables *all, named_type type, const void *weights, size_t stride, size_t rows, const pk_activations *x,
  const char *what) {
  float *expected = guarded(slot_expected, x->rows * rows * sizeof(float));
  const pk_weights w = {type.type, PK_ROW_MAJOR, weights, stride, rows}, groups = interleaved(&w, x->columns);
  all->scalar->matmul(&w, x, expected, rows);
  record_floats(expected, x->rows * rows);
  for (size_t k = 0; k < 2 * all->count; k++) {
    const pk_kernels *table = all->tested[k / 2];
    float *out = guarded(slot_out, x->rows * rows * sizeof(float));
    memset(out, 0xaa, x->rows * rows * sizeof(float));
    table->matmul(k % 2 == 0 ? &w : &groups, x, out, rows);
    const size_t at = first_difference(out, expected, x->rows * rows);
    expect(
      at == x->rows * rows, "%s, matmul %s %s, %zu rows of %zu, %zu tokens, %s: output %zu is %a, not %a", table->name,
      type.name, k % 2 == 0 ? "row-major" : "interleaved", rows, x->columns, x->rows, what, at,
      (double)out[at % (x->rows * rows)], (double)expected[at % (x->rows * rows)]);
  }
}

/// Single blocks, odd numbers of them, more than one chunk of columns with a rest.
static void check_shapes(const tables *all, named_type type, generator *random) {
  static const size_t small[] = {32, 64, 96, 256, 288, 576}, super[] = {256, 512, 768};
  const bool is_small = pk_block_elements(type.type) == 32;
  const size_t *columns = is_small ? small : super, count = is_small ? 6 : 3;
  for (size_t c = 0; c < count; c++) {
    for (size_t s = 0; s < shape_count; s++) {
      for (int hostile = 0; hostile < 2; hostile++) {
        guarded_edge = hostile ? edge_start : edge_end;
        const size_t rows = shapes[s].rows, bytes = row_bytes(type.type, columns[c]);
        void *weights = guarded(slot_weights, rows * bytes);
        random_weights(random, type.type, weights, rows * columns[c], hostile);
        const pk_activations x = random_activations(random, shapes[s].tokens, columns[c], hostile);
        compare(all, type, weights, bytes, rows, &x, hostile ? "any bytes" : "ordinary weights");
      }
    }
  }
  guarded_edge = edge_end;
}

/// Where a block has its F16 scale, and a second one after it, and the integer scales of the K types.
static const struct {
  size_t half, halves, scales, scale_count;
} fields[PK_Q6_K + 1] = {
  [PK_Q4_0] = {0, 1, 0, 0},     [PK_Q4_1] = {0, 2, 0, 0},      [PK_Q5_0] = {0, 1, 0, 0},
  [PK_Q5_1] = {0, 2, 0, 0},     [PK_Q8_0] = {0, 1, 0, 0},      [PK_Q2_K] = {80, 2, 0, 16},
  [PK_Q3_K] = {108, 1, 96, 12}, [PK_Q4_K] = {0, 2, 4, 12},     [PK_Q5_K] = {0, 2, 4, 12},
  [PK_Q6_K] = {208, 1, 192, 16},
};

/// Blocks of one byte, and another where there are integer scales, times a number that is neither zero nor infinite.
static void fill_blocks(pk_type type, uint8_t *to, size_t bytes, uint8_t fill, uint8_t scale) {
  memset(to, fill, bytes);
  for (const uint8_t *end = to + bytes; to < end; to += pk_block_bytes(type)) {
    memset(to + fields[type].scales, scale, fields[type].scale_count);
    memcpy(to + fields[type].half, (const uint8_t[]){0x01, 0xbc, 0x01, 0x3c}, 2 * fields[type].halves);
  }
}

/// The largest integers of either sign on both sides: nothing saturates, nothing wraps.
static void check_extremes(const tables *all, named_type type) {
  static const uint8_t fills[] = {0x00, 0x80, 0xff, 0x7f, 0x88, 0x0f, 0xf0, 0x3c};
  const size_t columns = 512, rows = 17, bytes = row_bytes(type.type, columns);
  const size_t scales = fields[type.type].scale_count > 0 ? sizeof fills : 1;
  for (size_t f = 0; f < sizeof fills * scales; f++) {
    void *weights = guarded(slot_weights, rows * bytes);
    fill_blocks(type.type, weights, rows * bytes, fills[f / scales], fills[f % scales]);
    for (int pattern = 0; pattern < 3; pattern++) {
      float values[3 * 512];
      for (size_t i = 0; i < 3 * columns; i++) {
        values[i] = pattern == 0 ? 1 : pattern == 1 ? -1 : i % 2 == 0 ? 1 : -1;
      }
      const pk_activations x = quantized_activations(values, 3, columns);
      compare(all, type, weights, bytes, rows, &x, "two bytes throughout");
    }
  }
}

/// -128 has no counterpart of the other sign.
static void check_least_bytes(const tables *all) {
  uint8_t weights[16 * 34];
  float values[2 * 32];
  for (size_t r = 0; r < 16; r++) {
    memcpy(weights + 34 * r, (const uint8_t[]){0x00, 0x3c}, 2);  // a scale of 1
    memset(weights + 34 * r + 2, 0x80, 32);
  }
  for (size_t i = 0; i < 64; i++) {
    values[i] = 127;
  }
  const pk_activations x = quantized_activations(values, 2, 32);
  const pk_weights w = {PK_Q8_0, PK_ROW_MAJOR, weights, 34, 16};
  for (size_t k = 0; k < all->count; k++) {
    float out[2 * 16];
    all->tested[k]->matmul(&w, &x, out, 16);
    for (size_t i = 0; i < 32; i++) {
      expect(
        out[i] == -128.0f * 127 * 32, "%s, matmul Q8_0 of -128: output %zu is %a", all->tested[k]->name, i,
        (double)out[i]);
    }
  }
}

/// Rows may be further apart than they are long, and so may outputs: what lies between is left alone.
static void check_strides(const tables *all, named_type type, generator *random) {
  enum { columns = 256, rows = 21, tokens = 3, out_stride = 24, gap = 36 };
  const size_t bytes = row_bytes(type.type, columns), stride = bytes + gap;
  uint8_t *weights = guarded(slot_weights, rows * stride - gap);
  random_weights(random, type.type, weights, columns, false);
  for (size_t r = 1; r < rows; r++) {
    memset(weights + r * stride - gap, 0xff, gap);
    random_weights(random, type.type, weights + r * stride, columns, false);
  }
  const pk_activations x = random_activations(random, tokens, columns, false);
  compare(all, type, weights, stride, rows, &x, "rows apart");
  compare(all, type, weights, INT32_MAX, 1, &x, "the next row out of reach");
  float expected[tokens * out_stride], out[tokens * out_stride];
  for (size_t i = 0; i < tokens * out_stride; i++) {
    expected[i] = 77;
  }
  const pk_weights w = {type.type, PK_ROW_MAJOR, weights, stride, rows}, groups = interleaved(&w, columns);
  all->scalar->matmul(&w, &x, expected, out_stride);
  for (size_t k = 0; k < 2 * all->count; k++) {
    for (size_t i = 0; i < tokens * out_stride; i++) {
      out[i] = 77;
    }
    all->tested[k / 2]->matmul(k % 2 == 0 ? &w : &groups, &x, out, out_stride);
    const size_t at = first_difference(out, expected, tokens * out_stride);
    expect(at == tokens * out_stride, "%s, matmul %s, outputs apart: %zu", all->tested[k / 2]->name, type.name, at);
  }
}

void check_matmul(const tables *all) {
  generator random = {19};
  for (size_t t = 0; t < quantized_count; t++) {
    check_shapes(all, quantized_types[t], &random);
    check_extremes(all, quantized_types[t]);
    check_strides(all, quantized_types[t], &random);
  }
  check_least_bytes(all);
}

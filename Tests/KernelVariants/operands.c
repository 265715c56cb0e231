// SPDX-License-Identifier: Apache-2.0
#include "operands.h"

#include <math.h>
#include <stdlib.h>

pk_activations quantized_activations(const float *values, size_t rows, size_t columns) {
  const size_t count = rows * columns;
  pk_activations x = {.rows = rows, .columns = columns, .values = guarded_copy(slot_values, values, count * sizeof *values)};
  if (columns % 32 == 0) {
    int8_t *quants = guarded(slot_quants, count);
    float *scales = guarded(slot_scales, count / 32 * sizeof *scales);
    int16_t *sums = guarded(slot_sums, count / 16 * sizeof *sums);
    for (size_t t = 0; t < rows; t++) {
      const pk_place place = pk_activation_place(t, rows, columns);
      pk_kernels_for(PK_SCALAR)->quantize_activations(values + t * columns, columns, place, quants, scales, sums);
    }
    x.quants = quants;
    x.scales = scales;
    x.sums = sums;
  }
  return x;
}

pk_weights interleaved(const pk_weights *w, size_t columns) {
  const size_t groups = (w->rows + PK_GROUP_ROWS - 1) / PK_GROUP_ROWS, bytes = row_bytes(w->type, columns);
  void *to = guarded(slot_interleaved, groups * PK_GROUP_ROWS * bytes);
  pk_kernels_for(PK_SCALAR)->interleave(w->type, w->bytes, w->row_bytes, w->rows, columns, to);
  return (pk_weights){w->type, PK_INTERLEAVED, to, bytes, w->rows};
}

pk_activations random_activations(generator *random, size_t rows, size_t columns, bool hostile) {
  static const float odd[] = {INFINITY, -INFINITY, NAN, 3e38f, -3e38f, 1e-40f, 0x1p-121f};
  static float values[guarded_capacity / sizeof(float)];
  random_floats(random, values, rows * columns, -1, 1);
  for (size_t i = 0; hostile && i < rows * columns; i++) {
    const uint64_t bits = next_bits(random);
    if (bits % 50 == 0) {
      values[i] = odd[bits / 50 % (sizeof odd / sizeof odd[0])];
    }
  }
  return quantized_activations(values, rows, columns);
}

// SPDX-License-Identifier: Apache-2.0
// Conversions are the scalar ones to the bit: dequantize, narrow_to_f16, quantize_activations.
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "checks.h"
#include "operands.h"

static void compare_dequantized(const tables *all, named_type type, const void *source, size_t count) {
  float *expected = guarded(slot_expected, count * sizeof(float));
  all->scalar->dequantize(type.type, source, expected, count);
  record_floats(expected, count);
  for (size_t k = 0; k < all->count; k++) {
    float *out = guarded(slot_out, count * sizeof(float));
    memset(out, 0xaa, count * sizeof(float));
    all->tested[k]->dequantize(type.type, source, out, count);
    expect(
      first_difference(out, expected, count) == count, "%s, dequantize %s, %zu elements", all->tested[k]->name, type.name,
      count);
  }
}

static void check_dequantize(const tables *all) {
  static const size_t some[] = {1, 2, 3, 4, 5, 7, 15, 17, 31, 33};
  generator random = {7};
  for (size_t t = 0; t < quantized_count + float_count; t++) {
    const named_type type = t < quantized_count ? quantized_types[t] : float_types[t - quantized_count];
    for (size_t i = 0; i < sizeof some / sizeof some[0]; i++) {
      for (int hostile = 0; hostile < 2; hostile++) {
        guarded_edge = hostile ? edge_start : edge_end;
        const size_t count = some[i] * pk_block_elements(type.type);
        void *source = guarded(slot_weights, row_bytes(type.type, count));
        random_weights(&random, type.type, source, count, hostile);
        compare_dequantized(all, type, source, count);
      }
    }
  }
  guarded_edge = edge_end;
  uint16_t *halves = guarded(slot_weights, 65536 * sizeof *halves);
  for (size_t i = 0; i < 65536; i++) {
    halves[i] = (uint16_t)i;
  }
  compare_dequantized(all, (named_type){PK_F16, "F16"}, halves, 65536);
}

static void compare_narrowed(const tables *all, const float *values, size_t count, const char *what) {
  const float *source = guarded_copy(slot_values, values, count * sizeof *values);
  uint16_t *expected = guarded(slot_expected, count * sizeof *expected);
  all->scalar->narrow_to_f16(source, expected, count);
  record(expected, count * sizeof *expected);
  for (size_t k = 0; k < all->count; k++) {
    uint16_t *out = guarded(slot_out, count * sizeof *out);
    memset(out, 0xaa, count * sizeof *out);
    all->tested[k]->narrow_to_f16(source, out, count);
    expect(
      memcmp(out, expected, count * sizeof *out) == 0, "%s, narrow_to_f16, %zu of %s", all->tested[k]->name, count, what);
  }
}

static void check_narrow(const tables *all) {
  enum { halves = 0x7c00 };
  // Around every F16: the value, the midpoint to the next one, the floats beside the midpoint, and all of them negative.
  static float values[8 * halves];
  for (size_t i = 0; i < halves; i++) {
    const uint16_t bits[2] = {(uint16_t)i, (uint16_t)(i + 1)};
    float pair[2];
    all->scalar->dequantize(PK_F16, bits, pair, 2);
    const float next = isinf(pair[1]) ? 65536 : pair[1], middle = (pair[0] + next) / 2;
    const float around[4] = {pair[0], middle, nextafterf(middle, INFINITY), nextafterf(middle, 0)};
    for (size_t j = 0; j < 4; j++) {
      values[8 * i + j] = around[j];
      values[8 * i + 4 + j] = -around[j];
    }
  }
  compare_narrowed(all, values, 8 * halves, "values around every F16");

  generator random = {11};
  for (size_t count = 1; count <= 35; count++) {
    random_bytes(&random, values, count * sizeof(float), 0xff);
    compare_narrowed(all, values, count, "any floats");
    for (size_t i = 0; i < count; i++) {
      const uint32_t nan = 0x7f800001u | (uint32_t)next_bits(&random);
      memcpy(&values[i], &nan, sizeof nan);
    }
    compare_narrowed(all, values, count, "NaN");
  }
}

static void compare_quantized(const tables *all, const float *values, size_t count, const char *what) {
  const pk_activations x = quantized_activations(values, 1, count);
  record(x.quants, count);
  record(x.sums, count / 16 * sizeof *x.sums);
  record_floats(x.scales, count / 32);
  for (size_t k = 0; k < all->count; k++) {
    int8_t *quants = guarded(slot_first, count);
    float *scales = guarded(slot_first + 1, count / 32 * sizeof *scales);
    int16_t *sums = guarded(slot_first + 2, count / 16 * sizeof *sums);
    all->tested[k]->quantize_activations(x.values, count, pk_activation_place(0, 1, count), quants, scales, sums);
    const char *name = all->tested[k]->name;
    expect(memcmp(quants, x.quants, count) == 0, "%s, quants of %zu of %s", name, count, what);
    expect(memcmp(sums, x.sums, count / 16 * sizeof *sums) == 0, "%s, sums of %zu of %s", name, count, what);
    expect(
      first_difference(scales, x.scales, count / 32) == count / 32, "%s, scales of %zu of %s", name, count, what);
  }
}

static void check_quantize(const tables *all) {
  static const float peaks[] = {1, 127, 3e38f, 1e-45f, 0x1p-126f, 0x1p-121f, 0x1p-120f, INFINITY, NAN, 0};
  static float values[32 * 512];
  generator random = {13};
  for (size_t count = 32; count <= 32 * 512; count *= 2) {
    random_floats(&random, values, count, -3, 3);
    compare_quantized(all, values, count, "ordinary values");
    random_bytes(&random, values, count * sizeof(float), 0xff);
    compare_quantized(all, values, count, "any floats");
  }
  for (size_t p = 0; p < sizeof peaks / sizeof peaks[0]; p++) {
    for (size_t at = 0; at < 32; at += 5) {
      random_floats(&random, values, 96, -1, 1);
      for (size_t i = 32; i < 64; i++) {
        values[i] *= isfinite(peaks[p]) ? peaks[p] : 1;
      }
      values[32 + at] = peaks[p];
      compare_quantized(all, values, 96, "blocks with a peak of their own");
    }
  }
  // A scale of 1: halves go to the even neighbour.
  for (size_t i = 0; i < 32; i++) {
    values[i] = (float)i - 15.5f;
  }
  values[0] = 127;
  compare_quantized(all, values, 32, "ties");
}

/// The same bytes in every variant, and every row comes back.
static void check_interleave(const tables *all) {
  static const size_t some_rows[] = {1, 3, 4, 15, 16, 17, 33}, some_blocks[] = {1, 2, 5};
  generator random = {17};
  for (size_t t = 0; t < quantized_count + float_count; t++) {
    const named_type type = t < quantized_count ? quantized_types[t] : float_types[t - quantized_count];
    for (size_t i = 0; i < 7 * 3; i++) {
      guarded_edge = i % 2 == 0 ? edge_end : edge_start;
      const size_t rows = some_rows[i / 3], columns = some_blocks[i % 3] * pk_block_elements(type.type);
      const size_t bytes = row_bytes(type.type, columns), all_bytes = (rows + 15) / 16 * 16 * bytes;
      void *source = guarded(slot_weights, rows * bytes);
      random_weights(&random, type.type, source, rows * columns, true);
      const pk_weights w = {type.type, PK_ROW_MAJOR, source, bytes, rows}, groups = interleaved(&w, columns);
      record(groups.bytes, all_bytes);
      for (size_t r = 0; r < rows; r++) {
        void *row = guarded(slot_out, bytes);
        pk_interleaved_row(type.type, groups.bytes, r, columns, row);
        expect(
          memcmp(row, (const uint8_t *)source + r * bytes, bytes) == 0, "row %zu of %zu interleaved, %s", r, rows,
          type.name);
      }
      for (size_t k = 0; k < all->count; k++) {
        void *out = guarded(slot_out, all_bytes);
        memset(out, 0xaa, all_bytes);
        all->tested[k]->interleave(type.type, source, bytes, rows, columns, out);
        expect(
          memcmp(out, groups.bytes, all_bytes) == 0, "%s, interleave %s, %zu rows of %zu", all->tested[k]->name,
          type.name, rows, columns);
      }
    }
  }
  guarded_edge = edge_end;
}

void check_conversions(const tables *all) {
  check_interleave(all);
  check_dequantize(all);
  check_narrow(all);
  check_quantize(all);
}

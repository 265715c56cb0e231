// SPDX-License-Identifier: Apache-2.0
// What the checks of the kernel tables share. Each compares the tables of instruction sets, all that this CPU runs, with
// the scalar one, on operands that end (or begin) at a page that may not be touched.
#ifndef KERNEL_VARIANTS_CHECKS_H
#define KERNEL_VARIANTS_CHECKS_H

#include "pet_kernels.h"

/// The tables under test, without the scalar one.
typedef struct tables {
  const pk_kernels *scalar;
  const pk_kernels *tested[PK_VARIANT_COUNT];
  size_t count;
} tables;

typedef struct named_type {
  pk_type type;
  const char *name;
} named_type;

enum { quantized_count = 10, float_count = 3 };
extern const named_type quantized_types[quantized_count];
extern const named_type float_types[float_count];

size_t row_bytes(pk_type type, size_t columns);

void check_matmul(const tables *all);
void check_float_matmul(const tables *all);
void check_conversions(const tables *all);
void check_attend(const tables *all);
void check_vectors(const tables *all);

/// Counts a comparison; where `holds` is false, says so (the first few times) in printf's way.
void expect(bool holds, const char *format, ...) __attribute__((format(printf, 2, 3)));
size_t expectations(void);
size_t failures(void);

// Results of the scalar kernels that are defined to the bit enter one number, the same on every machine.
void record(const void *results, size_t bytes);
/// Every NaN counts as the same.
void record_floats(const float *results, size_t count);
uint64_t recorded(void);

/// The first index at which the two differ, or `count`. Equal are equal bits, or two NaN: their payload is nobody's promise.
size_t first_difference(const float *a, const float *b, size_t count);
/// Likewise, where |a - b| <= absolute + relative * |b| is equal, too.
size_t first_distance(const float *a, const float *b, size_t count, double absolute, double relative);

/// SplitMix64 (Steele, Lea and Flood 2014): the same numbers on every run.
typedef struct generator {
  uint64_t state;
} generator;

uint64_t next_bits(generator *random);
void random_bytes(generator *random, void *to, size_t count, uint8_t mask);
void random_floats(generator *random, float *to, size_t count, float low, float high);
/// Weights of ordinary size, or, when `hostile`, any bytes at all. `elements` is a whole number of blocks.
void random_weights(generator *random, pk_type type, void *to, size_t elements, bool hostile);

/// Which end of an operand lies against a page that may not be touched.
typedef enum edge { edge_end, edge_start } edge;
extern edge guarded_edge;

enum { guarded_slots = 16, guarded_capacity = 4 << 20 };
/// `bytes` bytes against a forbidden page at `guarded_edge`; what was in `slot` before is gone.
void *guarded(int slot, size_t bytes);
/// The same with this content.
void *guarded_copy(int slot, const void *content, size_t bytes);

#endif

// SPDX-License-Identifier: Apache-2.0
#include "checks.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#pragma STDC FP_CONTRACT OFF

const named_type quantized_types[quantized_count] = {
  {PK_Q4_0, "Q4_0"}, {PK_Q4_1, "Q4_1"}, {PK_Q5_0, "Q5_0"}, {PK_Q5_1, "Q5_1"}, {PK_Q8_0, "Q8_0"},
  {PK_Q2_K, "Q2_K"}, {PK_Q3_K, "Q3_K"}, {PK_Q4_K, "Q4_K"}, {PK_Q5_K, "Q5_K"}, {PK_Q6_K, "Q6_K"},
};
const named_type float_types[float_count] = {{PK_F32, "F32"}, {PK_F16, "F16"}, {PK_BF16, "BF16"}};

size_t row_bytes(pk_type type, size_t columns) { return columns / pk_block_elements(type) * pk_block_bytes(type); }

static size_t expected, failed;

void expect(bool holds, const char *format, ...) {
  expected++;
  if (holds) {
    return;
  }
  failed++;
  if (failed <= 20) {
    va_list values;
    va_start(values, format);
    fprintf(stderr, "wrong: ");
    vfprintf(stderr, format, values);
    fprintf(stderr, "\n");
    va_end(values);
  }
}

size_t expectations(void) { return expected; }
size_t failures(void) { return failed; }

static uint64_t record_hash = 0xcbf29ce484222325u;  // FNV-1a (Fowler, Noll and Vo)

void record(const void *results, size_t bytes) {
  const uint8_t *from = results;
  for (size_t i = 0; i < bytes; i++) {
    record_hash = (record_hash ^ from[i]) * 0x100000001b3u;
  }
}

void record_floats(const float *results, size_t count) {
  for (size_t i = 0; i < count; i++) {
    const uint32_t nan = 0x7fc00000;
    record(isnan(results[i]) ? (const void *)&nan : &results[i], sizeof nan);
  }
}

uint64_t recorded(void) { return record_hash; }

size_t first_difference(const float *a, const float *b, size_t count) {
  return first_distance(a, b, count, 0, 0);
}

size_t first_distance(const float *a, const float *b, size_t count, double absolute, double relative) {
  for (size_t i = 0; i < count; i++) {
    if (memcmp(&a[i], &b[i], sizeof *a) == 0 || (isnan(a[i]) && isnan(b[i]))) {
      continue;
    }
    const double allowed = absolute + relative * fabs((double)b[i]);
    // Written so that a NaN on either side is a difference; with nothing allowed, so are zeros of different sign.
    if (!(allowed > 0 && fabs((double)a[i] - (double)b[i]) <= allowed)) {
      return i;
    }
  }
  return count;
}

uint64_t next_bits(generator *random) {
  uint64_t z = random->state += 0x9e3779b97f4a7c15u;
  z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
  z = (z ^ z >> 27) * 0x94d049bb133111ebu;
  return z ^ z >> 31;
}

void random_bytes(generator *random, void *to, size_t count, uint8_t mask) {
  uint8_t *bytes = to;
  for (size_t i = 0; i < count; i++) {
    bytes[i] = (uint8_t)next_bits(random) & mask;
  }
}

void random_floats(generator *random, float *to, size_t count, float low, float high) {
  for (size_t i = 0; i < count; i++) {
    to[i] = low + (high - low) * (float)(next_bits(random) >> 40) * 0x1p-24f;
  }
}

void random_weights(generator *random, pk_type type, void *to, size_t elements, bool hostile) {
  uint8_t *bytes = to;
  if (hostile || pk_block_elements(type) > 1) {
    // Bytes below 0x40 make F16 fields finite, non-negative and below 2.
    random_bytes(random, bytes, row_bytes(type, elements), hostile ? 0xff : 0x3f);
    return;
  }
  for (size_t i = 0; i < elements; i++) {
    float value;
    random_floats(random, &value, 1, -1, 1);
    if (type == PK_F16) {
      pk_kernels_for(PK_SCALAR)->narrow_to_f16(&value, (uint16_t *)(void *)bytes + i, 1);
    } else {
      const size_t kept = pk_block_bytes(type);  // BF16 is the upper half
      memcpy(bytes + kept * i, (const uint8_t *)&value + sizeof value - kept, kept);
    }
  }
}

edge guarded_edge = edge_end;

void *guarded(int slot, size_t bytes) {
  static uint8_t *slots[guarded_slots];
  if (slots[slot] == NULL) {
    const size_t page = (size_t)sysconf(_SC_PAGESIZE);
    uint8_t *map = mmap(NULL, guarded_capacity + 2 * page, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (map == MAP_FAILED || mprotect(map + page, guarded_capacity, PROT_READ | PROT_WRITE) != 0) {
      perror("guarded memory");
      exit(2);
    }
    slots[slot] = map + page;
  }
  if (bytes > guarded_capacity) {
    fprintf(stderr, "an operand of %zu bytes is more than a slot holds\n", bytes);
    exit(2);
  }
  return slots[slot] + (guarded_edge == edge_end ? guarded_capacity - bytes : 0);
}

void *guarded_copy(int slot, const void *content, size_t bytes) {
  return memcpy(guarded(slot, bytes), content, bytes);
}

// SPDX-License-Identifier: Apache-2.0
// Row-major weights to interleaved ones (`PK_INTERLEAVED`) and back, field by field of a block: what every variant shares.
#ifndef PET_KERNELS_INTERLEAVE_H
#define PET_KERNELS_INTERLEAVE_H

#include <string.h>

#include "traits.h"

/// Bytes of the field at byte `at` of a block: F16 scales and 16-bit elements two, all else four.
PK_INLINE size_t pk_field_bytes(pk_type type, size_t at) {
  switch (type) {
  case PK_F16:
  case PK_BF16:
    return 2;
  case PK_Q4_0:
  case PK_Q5_0:
  case PK_Q8_0:
    return at == 0 ? 2 : 4;
  case PK_Q4_1:
  case PK_Q5_1:
  case PK_Q4_K:
  case PK_Q5_K:
    return at < 4 ? 2 : 4;
  case PK_Q2_K:
    return at >= offsetof(pk_block_q2_k, d) ? 2 : 4;
  case PK_Q3_K:
    return at == offsetof(pk_block_q3_k, d) ? 2 : 4;
  case PK_Q6_K:
    return at == offsetof(pk_block_q6_k, d) ? 2 : 4;
  case PK_F32:
    break;
  }
  return 4;
}

/// Puts a field of `rows` rows side by side, zeros in the place of rows that a group lacks.
PK_INLINE void pk_interleave_field(
  const uint8_t *source, size_t row_bytes, size_t rows, size_t size, uint8_t *to) {
  for (size_t r = 0; r < PK_GROUP_ROWS; r++, to += size) {
    if (r >= rows) {
      memset(to, 0, size);
    } else if (size == 4) {
      memcpy(to, source + r * row_bytes, 4);
    } else {
      memcpy(to, source + r * row_bytes, 2);
    }
  }
}

/// Interleaves `rows` rows; the definition for all variants.
PK_INLINE void pk_interleave_body(
  pk_type type, const uint8_t *source, size_t row_bytes, size_t rows, size_t columns, uint8_t *to) {
  const size_t blocks = columns / pk_elements(type), bytes = pk_bytes(type);
  for (size_t row = 0; row < rows; row += PK_GROUP_ROWS, source += PK_GROUP_ROWS * row_bytes) {
    const size_t left = rows - row, count = left < PK_GROUP_ROWS ? left : PK_GROUP_ROWS;
    for (size_t b = 0; b < blocks; b++) {
      for (size_t at = 0, size; at < bytes; at += size, to += PK_GROUP_ROWS * size) {
        size = pk_field_bytes(type, at);
        pk_interleave_field(source + b * bytes + at, row_bytes, count, size, to);
      }
    }
  }
}

/// Takes one block out of an interleaved group: that of row `row`, with the bytes that it has in a GGUF file.
PK_INLINE void pk_interleaved_block(pk_type type, const uint8_t *group, size_t row, uint8_t *to) {
  for (size_t at = 0, size; at < pk_bytes(type); at += size) {
    size = pk_field_bytes(type, at);
    memcpy(to + at, group + PK_GROUP_ROWS * at + row * size, size);
  }
}

#endif

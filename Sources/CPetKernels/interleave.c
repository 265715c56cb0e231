// SPDX-License-Identifier: Apache-2.0
#include "interleave.h"

void pk_interleaved_row(pk_type type, const void *weights, size_t row, size_t columns, void *destination) {
  const size_t blocks = columns / pk_elements(type), bytes = pk_bytes(type);
  const uint8_t *group = (const uint8_t *)weights + row / PK_GROUP_ROWS * PK_GROUP_ROWS * blocks * bytes;
  uint8_t *to = destination;
  for (size_t b = 0; b < blocks; b++, group += PK_GROUP_ROWS * bytes, to += bytes) {
    pk_interleaved_block(type, group, row % PK_GROUP_ROWS, to);
  }
}

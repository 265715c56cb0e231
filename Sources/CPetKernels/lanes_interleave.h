// SPDX-License-Identifier: Apache-2.0
// Row-major weights to interleaved ones (`PK_INTERLEAVED`), sixteen bytes of every row at a time where they are words.

/// Block by block of one whole group of rows.
PK_INLINE void interleave_group(pk_type type, const uint8_t *source, size_t row_bytes, size_t blocks, uint8_t *to) {
  const size_t bytes = pk_bytes(type);
  for (size_t b = 0; b < blocks; b++, source += bytes) {
    for (size_t at = 0; at < bytes;) {
      const size_t size = pk_field_bytes(type, at);
      if (size == 4 && at + 16 <= bytes && pk_field_bytes(type, at + 12) == 4) {
        for (size_t r = 0; r < PK_GROUP_ROWS; r += lane_count) {
          lanes words[4];
          lanes_load_transposed(source + r * row_bytes + at, row_bytes, words);
          PK_UNROLL
          for (int j = 0; j < 4; j++) {
            memcpy(to + 4 * (PK_GROUP_ROWS * (size_t)j + r), &words[j], sizeof words[j]);
          }
        }
        at += 16, to += 16 * PK_GROUP_ROWS;
      } else {
        pk_interleave_field(source + at, row_bytes, PK_GROUP_ROWS, size, to);
        at += size, to += size * PK_GROUP_ROWS;
      }
    }
  }
}

static void interleave(
  pk_type type, const void *source, size_t row_bytes, size_t rows, size_t columns, void *destination) {
  const size_t blocks = columns / pk_elements(type), whole = rows / PK_GROUP_ROWS * PK_GROUP_ROWS;
  const size_t group_bytes = PK_GROUP_ROWS * blocks * pk_bytes(type);
  const uint8_t *from = source;
  uint8_t *to = destination;
  for (size_t row = 0; row < whole; row += PK_GROUP_ROWS, from += PK_GROUP_ROWS * row_bytes, to += group_bytes) {
    interleave_group(type, from, row_bytes, blocks, to);
  }
  pk_interleave_body(type, from, row_bytes, rows - whole, columns, to);
}

// SPDX-License-Identifier: Apache-2.0
// Puts keys and values of one head into the cache. The including file has its own `narrow_to_f16`, and cache.h before it.
#pragma STDC FP_CONTRACT OFF

static void store_key(const float *key, pk_type type, size_t head_size, size_t position, void *keys) {
  const size_t lane = position % PK_GROUP_ROWS;
  uint8_t *group = (uint8_t *)keys + (position - lane) * pk_cached_row_bytes(type, head_size);
  if (type == PK_Q8_0) {
    for (size_t start = 0; start < head_size; start += pk_cache_block) {
      const size_t count = head_size - start < pk_cache_block ? head_size - start : pk_cache_block;
      int8_t quants[pk_cache_block];
      pk_put_half(group + 2 * lane, pk_quantize_cached(key + start, count, quants));
      group += 2 * PK_GROUP_ROWS;
      for (size_t i = 0; i < count; i++) {
        group[PK_GROUP_ROWS * i + lane] = (uint8_t)quants[i];
      }
      group += PK_GROUP_ROWS * count;
    }
  } else if (type == PK_F16) {
    uint16_t narrow[PK_LONGEST_HEAD];
    narrow_to_f16(key, narrow, head_size);
    for (size_t i = 0; i < head_size; i++) {
      pk_put_half(group + 2 * (PK_GROUP_ROWS * i + lane), narrow[i]);
    }
  } else {
    for (size_t i = 0; i < head_size; i++) {
      memcpy(group + sizeof(float) * (PK_GROUP_ROWS * i + lane), key + i, sizeof(float));
    }
  }
}

static void store_value(const float *value, pk_type type, size_t head_size, void *row) {
  if (type == PK_Q8_0) {
    for (size_t start = 0; start < head_size; start += pk_cache_block) {
      const size_t count = head_size - start < pk_cache_block ? head_size - start : pk_cache_block;
      int8_t quants[pk_cache_block];
      pk_put_half((uint8_t *)row + pk_cached_scale(start), pk_quantize_cached(value + start, count, quants));
      memcpy((uint8_t *)row + pk_cached_quant(start), quants, count);
    }
  } else if (type == PK_F16) {
    narrow_to_f16(value, row, head_size);
  } else {
    memcpy(row, value, head_size * sizeof(float));
  }
}

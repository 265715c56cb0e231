// How one head's keys and values lie in the cache, and how they get there. F32 and F16 are plain elements. Q8_0 has blocks
// of 32 elements, the last with what is left: a value row holds per block its F16 scale and then its quants; a group of
// keys holds per block the scales of its positions and then, element by element, a quant of each position.
#ifndef PET_KERNELS_CACHE_H
#define PET_KERNELS_CACHE_H

#include <math.h>

#include "unpack.h"

#pragma STDC FP_CONTRACT OFF

enum { pk_cache_block = 32 };

/// Distance of an element of a value row from the row's start, and of its scale.
PK_INLINE size_t pk_cached_quant(size_t i) {
  return i / pk_cache_block * (pk_cache_block + 2) + 2 + i % pk_cache_block;
}
PK_INLINE size_t pk_cached_scale(size_t i) { return i / pk_cache_block * (pk_cache_block + 2); }

/// Quantizes `count` values, pk_cache_block or fewer: value ~ scale * quant, scale = max |value| / 127 as F16, quants
/// rounded to nearest even. Values that are not finite, or too large for such a scale, give zeros with a NaN scale.
PK_INLINE uint16_t pk_quantize_cached(const float *values, size_t count, int8_t *quants) {
  float peak = 0;
  bool finite = true;
  for (size_t i = 0; i < count; i++) {
    const float magnitude = pk_float(pk_bits(values[i]) & 0x7fffffff);
    finite = finite && magnitude <= 127 * 65504.0f;
    peak = magnitude > peak ? magnitude : peak;
  }
  const uint16_t half = finite ? pk_float_to_f16(peak / 127) : 0x7e00;
  const float scale = pk_f16_to_float(half);
  for (size_t i = 0; i < count; i++) {
    // A scale that was rounded down would lead past 127.
    const float quant = finite && scale > 0 ? rintf(values[i] / scale) : 0;
    quants[i] = (int8_t)(quant > 127 ? 127 : quant < -127 ? -127 : quant);
  }
  return half;
}

PK_INLINE void pk_put_half(uint8_t *at, uint16_t half) {
  at[0] = (uint8_t)half;
  at[1] = (uint8_t)(half >> 8);
}

/// `narrow` holds the key where the cache has F16.
PK_INLINE void pk_store_key_body(
  const float *key, const uint16_t *narrow, pk_type type, size_t head_size, size_t position, void *keys) {
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
    for (size_t i = 0; i < head_size; i++) {
      pk_put_half(group + 2 * (PK_GROUP_ROWS * i + lane), narrow[i]);
    }
  } else {
    for (size_t i = 0; i < head_size; i++) {
      memcpy(group + sizeof(float) * (PK_GROUP_ROWS * i + lane), key + i, sizeof(float));
    }
  }
}

/// F32 and Q8_0; F16 is a narrowing.
PK_INLINE void pk_store_value_body(const float *value, pk_type type, size_t head_size, uint8_t *row) {
  if (type != PK_Q8_0) {
    memcpy(row, value, head_size * sizeof(float));
    return;
  }
  for (size_t start = 0; start < head_size; start += pk_cache_block) {
    const size_t count = head_size - start < pk_cache_block ? head_size - start : pk_cache_block;
    int8_t quants[pk_cache_block];
    pk_put_half(row + pk_cached_scale(start), pk_quantize_cached(value + start, count, quants));
    memcpy(row + pk_cached_quant(start), quants, count);
  }
}

#endif

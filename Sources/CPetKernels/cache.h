// SPDX-License-Identifier: Apache-2.0
// How one head's keys and values lie in the cache. F32 and F16 are plain elements. Q8_0 has blocks
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

#endif

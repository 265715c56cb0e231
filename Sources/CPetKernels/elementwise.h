// SPDX-License-Identifier: Apache-2.0
// Kernels whose every result is defined to the bit: one portable body each, compiled once per instruction set. Nothing
// here sums in an order that a compiler might change, and contraction is off, so all variants agree exactly.
#ifndef PET_KERNELS_ELEMENTWISE_H
#define PET_KERNELS_ELEMENTWISE_H

#include "unpack.h"

#pragma STDC FP_CONTRACT OFF

PK_INLINE void pk_dequantize_blocks(pk_type type, const uint8_t *source, float *destination, size_t blocks) {
  const size_t bytes = pk_bytes(type);
  const int elements = (int)pk_elements(type), step = pk_step(type);
  pk_unpacked u;
  for (size_t b = 0; b < blocks; b++, source += bytes, destination += elements) {
    pk_unpack(type, source, &u);
    for (int j = 0; j < elements / step; j++) {
      const float scale = u.scale[j], offset = pk_has_offset(type) ? u.offset[j] : 0;
      for (int i = j * step; i < (j + 1) * step; i++) {
        const float product = scale * (float)u.q[i];
        destination[i] = pk_has_offset(type) ? product + offset : product;
      }
    }
  }
}

PK_INLINE void pk_dequantize_bf16(const uint8_t *source, float *destination, size_t count) {
  for (size_t i = 0; i < count; i++) {
    destination[i] = pk_float((uint32_t)source[2 * i] << 16 | (uint32_t)source[2 * i + 1] << 24);
  }
}

/// Every type but F16, for which instruction sets have their own conversion.
PK_INLINE void pk_dequantize_body(pk_type type, const void *source, float *destination, size_t count) {
  // A constant type per call lets the compiler specialize the body.
  switch (type) {
  case PK_F32:
    memcpy(destination, source, count * sizeof(float));
    break;
  case PK_BF16:
    pk_dequantize_bf16(source, destination, count);
    break;
  case PK_Q4_0:
    pk_dequantize_blocks(PK_Q4_0, source, destination, count / pk_small_block);
    break;
  case PK_Q4_1:
    pk_dequantize_blocks(PK_Q4_1, source, destination, count / pk_small_block);
    break;
  case PK_Q5_0:
    pk_dequantize_blocks(PK_Q5_0, source, destination, count / pk_small_block);
    break;
  case PK_Q5_1:
    pk_dequantize_blocks(PK_Q5_1, source, destination, count / pk_small_block);
    break;
  case PK_Q8_0:
    pk_dequantize_blocks(PK_Q8_0, source, destination, count / pk_small_block);
    break;
  case PK_Q2_K:
    pk_dequantize_blocks(PK_Q2_K, source, destination, count / pk_super_block);
    break;
  case PK_Q3_K:
    pk_dequantize_blocks(PK_Q3_K, source, destination, count / pk_super_block);
    break;
  case PK_Q4_K:
    pk_dequantize_blocks(PK_Q4_K, source, destination, count / pk_super_block);
    break;
  case PK_Q5_K:
    pk_dequantize_blocks(PK_Q5_K, source, destination, count / pk_super_block);
    break;
  case PK_Q6_K:
    pk_dequantize_blocks(PK_Q6_K, source, destination, count / pk_super_block);
    break;
  case PK_F16:
    break;
  }
}

PK_INLINE void pk_quantize_body(
  const float *values, size_t columns, pk_place place, int8_t *quants, float *scales, int16_t *sums) {
  quants += 32 * place.first, scales += place.first, sums += 2 * place.first;
  for (size_t b = 0; b < columns / 32; b++) {
    uint32_t largest = 0;  // magnitudes order like their bits, with infinity and NaN on top
    for (int i = 0; i < 32; i++) {
      const uint32_t magnitude = pk_bits(values[i]) & 0x7fffffff;
      largest = magnitude > largest ? magnitude : largest;
    }
    const float peak = pk_float(largest);
    const bool finite = largest < 0x7f800000;
    // Below 2^-120 the inverse would overflow; such a block counts as zeros.
    const bool zero = !finite || peak < 0x1p-120f;
    const float inverse = zero ? 0 : 127.0f / peak;
    *scales = finite ? peak / 127.0f : pk_float(0x7fc00000);
    for (int half = 0; half < 2; half++) {
      int32_t sum = 0;
      for (int i = 16 * half; i < 16 * (half + 1); i++) {
        const float value = zero ? 0 : values[i];
        // Adding 1.5 * 2^23 leaves the integer nearest to the value, ties to even, in the low bits.
        const float rounded = value * inverse + 0x1.8p23f;
        const int32_t quant = (int32_t)(pk_bits(rounded) - pk_bits(0x1.8p23f));
        quants[i] = (int8_t)quant;
        sum += quant;
      }
      sums[half] = (int16_t)sum;
    }
    values += 32, quants += 32 * place.stride, scales += place.stride, sums += 2 * place.stride;
  }
}

PK_INLINE void pk_add_body(float *x, const float *y, size_t count) {
  for (size_t i = 0; i < count; i++) {
    x[i] += y[i];
  }
}

PK_INLINE void pk_rope_halves_body(float *head, const float *cosines, const float *sines, size_t rotary) {
  const size_t half = rotary / 2;
  float *upper = head + half;
  for (size_t i = 0; i < half; i++) {
    const float a = head[i], b = upper[i];
    head[i] = a * cosines[i] - b * sines[i];
    upper[i] = a * sines[i] + b * cosines[i];
  }
}

PK_INLINE void pk_rope_pairs_body(float *head, const float *cosines, const float *sines, size_t rotary) {
  for (size_t i = 0; i < rotary / 2; i++) {
    const float a = head[2 * i], b = head[2 * i + 1];
    head[2 * i] = a * cosines[i] - b * sines[i];
    head[2 * i + 1] = a * sines[i] + b * cosines[i];
  }
}

#endif

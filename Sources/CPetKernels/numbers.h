// SPDX-License-Identifier: Apache-2.0
// Bits to floats and back, in portable C. Same results as the x86 and Arm conversion instructions, NaN included.
#ifndef PET_KERNELS_NUMBERS_H
#define PET_KERNELS_NUMBERS_H

#include <stdint.h>
#include <string.h>

static inline float pk_float(uint32_t bits) {
  float value;
  memcpy(&value, &bits, sizeof value);
  return value;
}

static inline uint32_t pk_bits(float value) {
  uint32_t bits;
  memcpy(&bits, &value, sizeof bits);
  return bits;
}

static inline float pk_f16_to_float(uint16_t half) {
  uint32_t sign = (uint32_t)(half & 0x8000) << 16;
  uint32_t exponent = (half >> 10) & 31;
  uint32_t fraction = half & 0x3ff;
  if (exponent == 31) {
    uint32_t quiet = fraction ? 0x400000 : 0;
    return pk_float(sign | 0x7f800000 | quiet | fraction << 13);
  }
  if (exponent == 0) {
    // Zero and subnormals count units of 2^-24, exactly representable here.
    float magnitude = (float)fraction * 0x1p-24f;
    return pk_float(sign | pk_bits(magnitude));
  }
  return pk_float(sign | (exponent + 112) << 23 | fraction << 13);
}

static inline uint16_t pk_float_to_f16(float value) {
  uint32_t bits = pk_bits(value);
  uint16_t sign = (uint16_t)(bits >> 16 & 0x8000);
  uint32_t magnitude = bits & 0x7fffffff;
  if (magnitude > 0x7f800000) {
    return (uint16_t)(sign | 0x7e00 | (magnitude >> 13 & 0x3ff));
  }
  if (magnitude >= 0x477ff000) {  // 65520 and above round to infinity
    return sign | 0x7c00;
  }
  if (magnitude < 0x38800000) {
    // Below 2^-14: adding 0.5 shifts the value to units of 2^-24 and lets the adder round to nearest even.
    float shifted = pk_float(magnitude) + 0.5f;
    return (uint16_t)(sign | (pk_bits(shifted) - pk_bits(0.5f)));
  }
  uint32_t odd = magnitude >> 13 & 1;
  return (uint16_t)(sign | ((magnitude - (112u << 23) + 0xfff + odd) >> 13));
}

static inline float pk_bf16_to_float(uint16_t half) { return pk_float((uint32_t)half << 16); }

/// The F16 that stands, little-endian, at `bytes`.
static inline float pk_half(const uint8_t *bytes) {
  return pk_f16_to_float((uint16_t)(bytes[0] | bytes[1] << 8));
}

#endif

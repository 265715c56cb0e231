// SPDX-License-Identifier: Apache-2.0
// One block of any quantized type as small integers with a scale and an offset per sub-block:
// value(i) = scale[i / step] * q[i] + offset[i / step]. Those of the K types are products:
// scale[j] = d * factor[j], offset[j] = -(dmin * minimum[j]).
#ifndef PET_KERNELS_UNPACK_H
#define PET_KERNELS_UNPACK_H

#include "numbers.h"
#include "traits.h"

typedef struct {
  int8_t q[pk_super_block];
  float scale[16];
  float offset[16];  // meaningful where pk_has_offset(type)
  // Of the K types, minimums likewise.
  float d, dmin;
  int8_t factor[16], minimum[16];
} pk_unpacked;

/// Elements 0-15 in the low nibbles, 16-31 in the high ones; `fifth` holds the fifth bits, `bias` is subtracted.
PK_INLINE void pk_unpack_nibbles(const uint8_t qs[16], uint32_t fifth, int bias, int8_t *q) {
  for (int i = 0; i < 16; i++) {
    q[i] = (int8_t)((qs[i] & 15) + (int)(fifth >> i & 1) * 16 - bias);
    q[i + 16] = (int8_t)((qs[i] >> 4) + (int)(fifth >> (i + 16) & 1) * 16 - bias);
  }
}

PK_INLINE uint32_t pk_word(const uint8_t bytes[4]) {
  return (uint32_t)bytes[0] | (uint32_t)bytes[1] << 8 | (uint32_t)bytes[2] << 16 | (uint32_t)bytes[3] << 24;
}

PK_INLINE void pk_multiply_scales(pk_unpacked *u, int count) {
  for (int j = 0; j < count; j++) {
    u->scale[j] = u->d * (float)u->factor[j];
  }
}

PK_INLINE void pk_multiply_offsets(pk_unpacked *u, int count) {
  for (int j = 0; j < count; j++) {
    u->offset[j] = -(u->dmin * (float)u->minimum[j]);
  }
}

PK_INLINE void pk_unpack_q2_k(const pk_block_q2_k *b, pk_unpacked *u) {
  u->d = pk_half(b->d);
  u->dmin = pk_half(b->dmin);
  for (int j = 0; j < 16; j++) {
    u->factor[j] = (int8_t)(b->scales[j] & 15);
    u->minimum[j] = (int8_t)(b->scales[j] >> 4);
  }
  pk_multiply_scales(u, 16);
  pk_multiply_offsets(u, 16);
  for (int run = 0; run < 8; run++) {
    for (int i = 0; i < 32; i++) {
      u->q[32 * run + i] = (int8_t)(b->qs[32 * (run / 4) + i] >> (2 * (run % 4)) & 3);
    }
  }
}

PK_INLINE void pk_unpack_q3_k(const pk_block_q3_k *b, pk_unpacked *u) {
  u->d = pk_half(b->d);
  for (int j = 0; j < 16; j++) {
    int low = b->scales[j % 8] >> (4 * (j / 8)) & 15;
    int high = b->scales[8 + j % 4] >> (2 * (j / 4)) & 3;
    u->factor[j] = (int8_t)((low | high << 4) - 32);
  }
  pk_multiply_scales(u, 16);
  for (int run = 0; run < 8; run++) {
    for (int i = 0; i < 32; i++) {
      int low = b->qs[32 * (run / 4) + i] >> (2 * (run % 4)) & 3;
      int third = b->hmask[i] >> run & 1;
      u->q[32 * run + i] = (int8_t)(low + 4 * third - 4);
    }
  }
}

/// The scales and minimums that Q4_K and Q5_K share.
PK_INLINE void pk_unpack_scales_k(const uint8_t d[2], const uint8_t dmin[2], const uint8_t scales[12], pk_unpacked *u) {
  u->d = pk_half(d);
  u->dmin = pk_half(dmin);
  for (int j = 0; j < 4; j++) {
    u->factor[j] = (int8_t)(scales[j] & 63);
    u->minimum[j] = (int8_t)(scales[4 + j] & 63);
    u->factor[4 + j] = (int8_t)((scales[8 + j] & 15) | (scales[j] >> 6) << 4);
    u->minimum[4 + j] = (int8_t)((scales[8 + j] >> 4) | (scales[4 + j] >> 6) << 4);
  }
  pk_multiply_scales(u, 8);
  pk_multiply_offsets(u, 8);
}

PK_INLINE void pk_unpack_q4_k(const pk_block_q4_k *b, pk_unpacked *u) {
  pk_unpack_scales_k(b->d, b->dmin, b->scales, u);
  for (int run = 0; run < 8; run++) {
    for (int i = 0; i < 32; i++) {
      u->q[32 * run + i] = (int8_t)(b->qs[32 * (run / 2) + i] >> (4 * (run % 2)) & 15);
    }
  }
}

PK_INLINE void pk_unpack_q5_k(const pk_block_q5_k *b, pk_unpacked *u) {
  pk_unpack_scales_k(b->d, b->dmin, b->scales, u);
  for (int run = 0; run < 8; run++) {
    for (int i = 0; i < 32; i++) {
      int low = b->qs[32 * (run / 2) + i] >> (4 * (run % 2)) & 15;
      u->q[32 * run + i] = (int8_t)(low + 16 * (b->qh[i] >> run & 1));
    }
  }
}

PK_INLINE void pk_unpack_q6_k(const pk_block_q6_k *b, pk_unpacked *u) {
  u->d = pk_half(b->d);
  memcpy(u->factor, b->scales, sizeof u->factor);
  pk_multiply_scales(u, 16);
  for (int run = 0; run < 8; run++) {
    int half = run / 4, quarter = run % 4;
    for (int i = 0; i < 32; i++) {
      int low = b->ql[64 * half + 32 * (quarter % 2) + i] >> (4 * (quarter / 2)) & 15;
      int high = b->qh[32 * half + i] >> (2 * quarter) & 3;
      u->q[32 * run + i] = (int8_t)(low + 16 * high - 32);
    }
  }
}

/// Unpacks the block at `source`. `type` is one of the quantized types.
PK_INLINE void pk_unpack(pk_type type, const void *source, pk_unpacked *u) {
  switch (type) {
  case PK_Q4_0: {
    const pk_block_q4_0 *b = source;
    u->scale[0] = pk_half(b->d);
    pk_unpack_nibbles(b->qs, 0, 8, u->q);
    break;
  }
  case PK_Q4_1: {
    const pk_block_q4_1 *b = source;
    u->scale[0] = pk_half(b->d);
    u->offset[0] = pk_half(b->m);
    pk_unpack_nibbles(b->qs, 0, 0, u->q);
    break;
  }
  case PK_Q5_0: {
    const pk_block_q5_0 *b = source;
    u->scale[0] = pk_half(b->d);
    pk_unpack_nibbles(b->qs, pk_word(b->qh), 16, u->q);
    break;
  }
  case PK_Q5_1: {
    const pk_block_q5_1 *b = source;
    u->scale[0] = pk_half(b->d);
    u->offset[0] = pk_half(b->m);
    pk_unpack_nibbles(b->qs, pk_word(b->qh), 0, u->q);
    break;
  }
  case PK_Q8_0: {
    const pk_block_q8_0 *b = source;
    u->scale[0] = pk_half(b->d);
    memcpy(u->q, b->qs, sizeof b->qs);
    break;
  }
  case PK_Q2_K:
    pk_unpack_q2_k(source, u);
    break;
  case PK_Q3_K:
    pk_unpack_q3_k(source, u);
    break;
  case PK_Q4_K:
    pk_unpack_q4_k(source, u);
    break;
  case PK_Q5_K:
    pk_unpack_q5_k(source, u);
    break;
  case PK_Q6_K:
    pk_unpack_q6_k(source, u);
    break;
  case PK_F32:
  case PK_F16:
  case PK_BF16:
    break;
  }
}

#endif

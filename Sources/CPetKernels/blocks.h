// SPDX-License-Identifier: Apache-2.0
// Block layouts of the quantized GGUF types, little-endian, byte for byte as they stand in a file. Blocks follow each
// other without padding and carry no alignment, so fields wider than a byte are byte arrays read through `pk_half`.
//
// Notation: value(i) is element i of the block, nibble(b, 0) the low and nibble(b, 1) the high half of byte b.
#ifndef PET_KERNELS_BLOCKS_H
#define PET_KERNELS_BLOCKS_H

#include <stdint.h>

enum { pk_small_block = 32, pk_super_block = 256 };

// Q4_0, 18 bytes: 32 elements of 4 bits.
//
//    0    2                 18
//   | d  | qs[16]            |     value(i) = d * (nibble(qs[i % 16], i / 16) - 8)
//
typedef struct {
  uint8_t d[2];
  uint8_t qs[16];
} pk_block_q4_0;

// Q4_1, 20 bytes: 32 elements of 4 bits with a minimum.
//
//    0    2    4                 20
//   | d  | m  | qs[16]            |     value(i) = d * nibble(qs[i % 16], i / 16) + m
//
typedef struct {
  uint8_t d[2];
  uint8_t m[2];
  uint8_t qs[16];
} pk_block_q4_1;

// Q5_0, 22 bytes: 32 elements of 5 bits; bit i of qh (32 bits) is the fifth bit of element i.
//
//    0    2         6                 22
//   | d  | qh      | qs[16]            |     value(i) = d * (nibble(qs[i % 16], i / 16) + 16 * bit(qh, i) - 16)
//
typedef struct {
  uint8_t d[2];
  uint8_t qh[4];
  uint8_t qs[16];
} pk_block_q5_0;

// Q5_1, 24 bytes: the same with a minimum.
//
//    0    2    4         8                 24
//   | d  | m  | qh      | qs[16]            |     value(i) = d * (nibble(qs[i % 16], i / 16) + 16 * bit(qh, i)) + m
//
typedef struct {
  uint8_t d[2];
  uint8_t m[2];
  uint8_t qh[4];
  uint8_t qs[16];
} pk_block_q5_1;

// Q8_0, 34 bytes: 32 signed bytes.
//
//    0    2                                34
//   | d  | qs[32]                           |     value(i) = d * qs[i]
//
typedef struct {
  uint8_t d[2];
  int8_t qs[32];
} pk_block_q8_0;

// Q2_K, 84 bytes: 256 elements of 2 bits in 16 sub-blocks of 16. The low nibble of scales[j] is the scale of sub-block
// j, the high one its minimum. Each run of 32 bytes of qs holds 128 elements: bits 0-1 the first 32 of them, bits 2-3
// the next 32, and so on.
//
//    0            16                       80   82     84
//   | scales[16] | qs[64]                 | d  | dmin |
//
//   value(i) = d * low(scales[i / 16]) * q(i) - dmin * high(scales[i / 16])
//   q(i) = (qs[32 * (i / 128) + i % 32] >> 2 * (i / 32 % 4)) & 3
//
typedef struct {
  uint8_t scales[16];
  uint8_t qs[64];
  uint8_t d[2];
  uint8_t dmin[2];
} pk_block_q2_k;

// Q3_K, 110 bytes: 256 elements of 3 bits in 16 sub-blocks of 16. qs as in Q2_K; bit i / 32 of hmask[i % 32] is the
// third bit of element i. The 16 scales have 6 bits, biased by 32: low nibbles in bytes 0-7 (sub-blocks 0-7 in the low
// halves, 8-15 in the high ones), the two upper bits of sub-block j at bits 2 * (j / 4) of byte 8 + j % 4.
//
//    0            32             96           108  110
//   | hmask[32]  | qs[64]       | scales[12] | d  |
//
//   value(i) = d * (scale(i / 16) - 32) * (q(i) + 4 * bit(hmask[i % 32], i / 32) - 4)
//
typedef struct {
  uint8_t hmask[32];
  uint8_t qs[64];
  uint8_t scales[12];
  uint8_t d[2];
} pk_block_q3_k;

// Q4_K, 144 bytes: 256 elements of 4 bits in 8 sub-blocks of 32. Each run of 32 bytes of qs holds two sub-blocks: the
// low nibbles, then the high ones. Scales and minimums have 6 bits each:
//
//   byte j (j < 4)         scale(j) in bits 0-5, upper bits of scale(j + 4) in bits 6-7
//   byte 4 + j             min(j) in bits 0-5, upper bits of min(j + 4) in bits 6-7
//   byte 8 + j             lower bits of scale(j + 4) in bits 0-3, of min(j + 4) in bits 4-7
//
//    0    2      4            16                          144
//   | d  | dmin | scales[12] | qs[128]                    |
//
//   value(i) = d * scale(i / 32) * nibble(qs[32 * (i / 64) + i % 32], i / 32 % 2) - dmin * min(i / 32)
//
typedef struct {
  uint8_t d[2];
  uint8_t dmin[2];
  uint8_t scales[12];
  uint8_t qs[128];
} pk_block_q4_k;

// Q5_K, 176 bytes: Q4_K with a fifth bit: bit i / 32 of qh[i % 32] belongs to element i.
//
//    0    2      4            16         48                          176
//   | d  | dmin | scales[12] | qh[32]   | qs[128]                    |
//
typedef struct {
  uint8_t d[2];
  uint8_t dmin[2];
  uint8_t scales[12];
  uint8_t qh[32];
  uint8_t qs[128];
} pk_block_q5_k;

// Q6_K, 210 bytes: 256 elements of 6 bits in 16 sub-blocks of 16 with signed 8-bit scales. Each half of the block (128
// elements, i = 0..<128 within it) has 64 bytes of ql and 32 of qh:
//
//   low 4 bits of i:   nibble(ql[i % 64], i / 64)
//   high 2 bits of i:  bits 2 * (i / 32) of qh[i % 32]
//
//    0                        128          192          208  210
//   | ql[128]                | qh[64]     | scales[16] | d  |
//
//   value(i) = d * scales[i / 16] * (q(i) - 32)
//
typedef struct {
  uint8_t ql[128];
  uint8_t qh[64];
  int8_t scales[16];
  uint8_t d[2];
} pk_block_q6_k;

_Static_assert(sizeof(pk_block_q4_0) == 18, "Q4_0");
_Static_assert(sizeof(pk_block_q4_1) == 20, "Q4_1");
_Static_assert(sizeof(pk_block_q5_0) == 22, "Q5_0");
_Static_assert(sizeof(pk_block_q5_1) == 24, "Q5_1");
_Static_assert(sizeof(pk_block_q8_0) == 34, "Q8_0");
_Static_assert(sizeof(pk_block_q2_k) == 84, "Q2_K");
_Static_assert(sizeof(pk_block_q3_k) == 110, "Q3_K");
_Static_assert(sizeof(pk_block_q4_k) == 144, "Q4_K");
_Static_assert(sizeof(pk_block_q5_k) == 176, "Q5_K");
_Static_assert(sizeof(pk_block_q6_k) == 210, "Q6_K");

#endif

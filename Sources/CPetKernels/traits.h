// SPDX-License-Identifier: Apache-2.0
// Properties of the types. Inline, so that a constant type specializes the code around it.
#ifndef PET_KERNELS_TRAITS_H
#define PET_KERNELS_TRAITS_H

#include "blocks.h"
#include "compiler.h"
#include "pet_kernels.h"

/// Elements of one block, or 0 when the type is not supported.
PK_INLINE size_t pk_elements(pk_type type) {
  switch (type) {
  case PK_F32:
  case PK_F16:
  case PK_BF16:
    return 1;
  case PK_Q4_0:
  case PK_Q4_1:
  case PK_Q5_0:
  case PK_Q5_1:
  case PK_Q8_0:
    return pk_small_block;
  case PK_Q2_K:
  case PK_Q3_K:
  case PK_Q4_K:
  case PK_Q5_K:
  case PK_Q6_K:
    return pk_super_block;
  }
  return 0;
}

/// Bytes of one block, or 0 when the type is not supported.
PK_INLINE size_t pk_bytes(pk_type type) {
  switch (type) {
  case PK_F32:
    return 4;
  case PK_F16:
  case PK_BF16:
    return 2;
  case PK_Q4_0:
    return sizeof(pk_block_q4_0);
  case PK_Q4_1:
    return sizeof(pk_block_q4_1);
  case PK_Q5_0:
    return sizeof(pk_block_q5_0);
  case PK_Q5_1:
    return sizeof(pk_block_q5_1);
  case PK_Q8_0:
    return sizeof(pk_block_q8_0);
  case PK_Q2_K:
    return sizeof(pk_block_q2_k);
  case PK_Q3_K:
    return sizeof(pk_block_q3_k);
  case PK_Q4_K:
    return sizeof(pk_block_q4_k);
  case PK_Q5_K:
    return sizeof(pk_block_q5_k);
  case PK_Q6_K:
    return sizeof(pk_block_q6_k);
  }
  return 0;
}

/// Elements that share a scale.
PK_INLINE int pk_step(pk_type type) {
  return type == PK_Q2_K || type == PK_Q3_K || type == PK_Q6_K ? 16 : 32;
}

PK_INLINE bool pk_has_offset(pk_type type) {
  return type == PK_Q4_1 || type == PK_Q5_1 || type == PK_Q2_K || type == PK_Q4_K || type == PK_Q5_K;
}

#endif

// SPDX-License-Identifier: Apache-2.0
// The dispatch tables of the variants; NULL-free only where the build has them.
#ifndef PET_KERNELS_TABLES_H
#define PET_KERNELS_TABLES_H

#include "pet_kernels.h"

extern const pk_kernels pk_scalar_kernels;
#if defined(__x86_64__)
extern const pk_kernels pk_avx2_kernels;
extern const pk_kernels pk_avx512_kernels;
#elif defined(__aarch64__)
extern const pk_kernels pk_neon_kernels;
extern const pk_kernels pk_neon_dotprod_kernels;
extern const pk_kernels pk_neon_i8mm_kernels;
#endif

/// The scalar matrix product, which other variants use for shapes that they do not cover.
void pk_scalar_matmul(const pk_weights *weights, const pk_activations *activations, float *out, size_t out_stride);

#endif

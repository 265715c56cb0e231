// SPDX-License-Identifier: Apache-2.0
// The AVX2 table: the kernels of lanes_*.h over the vectors of lanes_avx2.h.
#if defined(__x86_64__)
#include <math.h>

#include "cache.h"
#include "elementwise.h"
#include "interleave.h"
#include "lanes_avx2.h"
#include "tables.h"

PK_TARGET_BEGIN("avx2,fma,f16c")

#define LANES_NARROW_DOTS

#include "lanes_kernels.h"

PK_TARGET_END

const pk_kernels pk_avx2_kernels = PK_LANES_TABLE("avx2", PK_AVX2);
#endif

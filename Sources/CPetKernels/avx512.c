// SPDX-License-Identifier: Apache-2.0
// The AVX-512 VNNI table: the kernels of lanes_*.h over the vectors of lanes_avx512.h.
#if defined(__x86_64__)
#include <math.h>

#include "cache.h"
#include "elementwise.h"
#include "interleave.h"
#include "lanes_avx512.h"
#include "tables.h"

PK_TARGET_BEGIN("avx2,fma,f16c,avx512f,avx512bw,avx512dq,avx512vl,avx512vnni")

#include "lanes_kernels.h"

PK_TARGET_END

const pk_kernels pk_avx512_kernels = PK_LANES_TABLE("avx512-vnni", PK_AVX512_VNNI);
#endif

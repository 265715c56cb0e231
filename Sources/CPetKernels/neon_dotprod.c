// SPDX-License-Identifier: Apache-2.0
// The table of NEON with dot products (FEAT_DotProd, optional from Armv8.1 on): SDOT.
#if defined(__aarch64__)
#include <math.h>

#include "cache.h"
#include "elementwise.h"
#include "interleave.h"
#include "lanes_neon.h"
#include "tables.h"

PK_TARGET_BEGIN("arch=armv8.2-a+dotprod")

#include "lanes_neon_sdot.h"

#include "lanes_kernels.h"

PK_TARGET_END

const pk_kernels pk_neon_dotprod_kernels = PK_LANES_TABLE("neon-dotprod", PK_NEON_DOTPROD);
#endif

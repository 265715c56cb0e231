// SPDX-License-Identifier: Apache-2.0
// Every kernel over the lanes that the including file has chosen: what the tables of instruction sets have in common.
// That file includes <math.h>, cache.h, elementwise.h, interleave.h and its lanes first. Order matters: each header builds on those before.

#include "lanes_tile.h"

#include "lanes_small_blocks.h"

#include "lanes_super_blocks.h"

#if defined(LANES_NARROW_DOTS)
#include "lanes_narrow_factors.h"
#else
#include "lanes_factors.h"
#endif

#include "lanes_super_tile.h"

#include "lanes_float_matmul.h"

#include "lanes_matmul.h"

#include "lanes_interleave.h"

#include "lanes_vector.h"

#include "lanes_attend.h"

#include "cache_store.h"

/// The table of these kernels.
#define PK_LANES_TABLE(table_name, table_variant) \
  { \
    .name = table_name, .variant = table_variant, .dequantize = dequantize, .narrow_to_f16 = narrow_to_f16, \
    .interleave = interleave, .quantize_activations = quantize_activations, .matmul = matmul, .attend = attend, \
    .store_key = store_key, .store_value = store_value, .rms_norm = rms_norm, .swiglu = swiglu, \
    .rope_halves = rope_halves, .rope_pairs = rope_pairs, .add = add, .softmax = softmax, \
  }

// The AVX2 table: the kernels of lanes_*.h over the vectors of lanes_avx2.h.
#if defined(__x86_64__)
#include <math.h>

#include "elementwise.h"
#include "lanes_avx2.h"
#include "layout.h"
#include "tables.h"

#pragma clang attribute push( \
  __attribute__((target("avx2,fma,f16c"))), apply_to = function)

// Order matters: each builds on those before.
#include "lanes_tile.h"

#include "lanes_small_blocks.h"

#include "lanes_super_blocks.h"

#include "lanes_float_matmul.h"

#include "lanes_matmul.h"

#include "lanes_interleave.h"

#include "lanes_vector.h"

#include "lanes_attend.h"

#pragma clang attribute pop

const pk_kernels pk_avx2_kernels = {
  .name = "avx2",
  .variant = PK_AVX2,
  .dequantize = dequantize,
  .narrow_to_f16 = narrow_to_f16,
  .interleave = interleave,
  .quantize_activations = quantize_activations,
  .matmul = matmul,
  .attend = attend,
  .store_key = store_key,
  .rms_norm = rms_norm,
  .swiglu = swiglu,
  .rope_halves = rope_halves,
  .rope_pairs = rope_pairs,
  .add = add,
  .softmax = softmax,
};
#endif

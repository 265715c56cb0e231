// SPDX-License-Identifier: Apache-2.0
#include "pet_kernels.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "features.h"
#include "tables.h"

const pk_kernels *pk_kernels_for(pk_variant variant) {
  switch (variant) {
  case PK_SCALAR:
    return &pk_scalar_kernels;
#if defined(__x86_64__)
  case PK_AVX2:
    return pk_has_avx2() ? &pk_avx2_kernels : NULL;
  case PK_AVX512_VNNI:
    return pk_has_avx512_vnni() ? &pk_avx512_kernels : NULL;
#elif defined(__aarch64__)
  case PK_NEON:
    return &pk_neon_kernels;
  case PK_NEON_DOTPROD:
    return pk_has_dotprod() ? &pk_neon_dotprod_kernels : NULL;
  case PK_NEON_I8MM:
    return pk_has_dotprod() && pk_has_i8mm() ? &pk_neon_i8mm_kernels : NULL;
#endif
  default:
    return NULL;
  }
}

// The table that the environment asks for, so that a program and its tests can be run as on a slower CPU; NULL without one.
static const pk_kernels *asked_for(void) {
  static const char *const names[PK_VARIANT_COUNT] = {
    [PK_SCALAR] = "scalar", [PK_AVX2] = "avx2", [PK_AVX512_VNNI] = "avx512",
    [PK_NEON] = "neon", [PK_NEON_DOTPROD] = "neon-dotprod", [PK_NEON_I8MM] = "neon-i8mm",
  };
  const char *name = getenv("PET_KERNELS");
  for (int variant = 0; name != NULL && variant < PK_VARIANT_COUNT; variant++) {
    if (strcmp(name, names[variant]) == 0) return pk_kernels_for((pk_variant)variant);
  }
  return NULL;
}

const pk_kernels *pk_kernels_best(void) {
  // Neither the CPU nor the environment changes, so threads that race here store the same pointer.
  static const pk_kernels *_Atomic best = NULL;
  const pk_kernels *table = atomic_load_explicit(&best, memory_order_relaxed);
  if (table == NULL) {
    table = asked_for();
    for (int variant = PK_VARIANT_COUNT - 1; table == NULL; variant--) {
#if defined(__x86_64__) && !defined(__OPTIMIZE__)
      // Without optimization each inlined tile has its own stack memory: 15 MB for these.
      if (variant == PK_AVX512_VNNI) continue;
#endif
      table = pk_kernels_for((pk_variant)variant);
    }
    atomic_store_explicit(&best, table, memory_order_relaxed);
  }
  return table;
}

#include "pet_kernels.h"
#include "tables.h"

#if defined(__x86_64__)
static bool has_avx2(void) {
  return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") && __builtin_cpu_supports("f16c");
}

static bool has_avx512_vnni(void) {
  return has_avx2() && __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw")
    && __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl")
    && __builtin_cpu_supports("avx512vnni");
}
#endif

const pk_kernels *pk_kernels_for(pk_variant variant) {
  switch (variant) {
  case PK_SCALAR:
    return &pk_scalar_kernels;
#if defined(__x86_64__)
  case PK_AVX2:
    return has_avx2() ? &pk_avx2_kernels : NULL;
  case PK_AVX512_VNNI:
    return has_avx512_vnni() ? &pk_avx512_kernels : NULL;
#else
  case PK_AVX2:
  case PK_AVX512_VNNI:
    break;
#endif
  }
  return NULL;
}

const pk_kernels *pk_kernels_best(void) {
  // The CPU does not change, so threads that race here store the same pointer.
  static const pk_kernels *_Atomic best = NULL;
  const pk_kernels *table = __c11_atomic_load(&best, __ATOMIC_RELAXED);
  if (table == NULL) {
    for (int variant = PK_AVX512_VNNI; table == NULL; variant--) {
      table = pk_kernels_for((pk_variant)variant);
    }
    __c11_atomic_store(&best, table, __ATOMIC_RELAXED);
  }
  return table;
}

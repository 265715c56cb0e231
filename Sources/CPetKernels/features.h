// SPDX-License-Identifier: Apache-2.0
// What the CPU that runs this has, and the system has enabled.
#ifndef PET_KERNELS_FEATURES_H
#define PET_KERNELS_FEATURES_H

#include <stdbool.h>
#include <stddef.h>

#if defined(__x86_64__)
static inline bool pk_has_avx2(void) {
  return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") && __builtin_cpu_supports("f16c");
}

static inline bool pk_has_avx512_vnni(void) {
  return pk_has_avx2() && __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw")
    && __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl")
    && __builtin_cpu_supports("avx512vnni");
}

#elif defined(__aarch64__) && defined(__linux__)
#include <sys/auxv.h>

// The bits of the kernel's interface (arch/arm64/include/uapi/asm/hwcap.h), which older headers lack.
static inline bool pk_has_dotprod(void) { return (getauxval(AT_HWCAP) >> 20 & 1) != 0; }
static inline bool pk_has_i8mm(void) { return (getauxval(AT_HWCAP2) >> 13 & 1) != 0; }

#elif defined(__aarch64__) && defined(__APPLE__)
#include <sys/sysctl.h>

static inline bool pk_has_feature(const char *name) {
  int value = 0;
  size_t size = sizeof value;
  return sysctlbyname(name, &value, &size, NULL, 0) == 0 && value != 0;
}

static inline bool pk_has_dotprod(void) { return pk_has_feature("hw.optional.arm.FEAT_DotProd"); }
static inline bool pk_has_i8mm(void) { return pk_has_feature("hw.optional.arm.FEAT_I8MM"); }

#elif defined(__aarch64__)
static inline bool pk_has_dotprod(void) { return false; }
static inline bool pk_has_i8mm(void) { return false; }
#endif

#endif

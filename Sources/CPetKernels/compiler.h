// SPDX-License-Identifier: Apache-2.0
// What C compilers spell differently. Pet is built with clang; the tests for other CPUs also build the kernels with GCC,
// which ignores the pragma against contraction and therefore needs -ffp-contract=off.
#ifndef PET_KERNELS_COMPILER_H
#define PET_KERNELS_COMPILER_H

#define PK_INLINE static inline __attribute__((always_inline))

#define PK_PRAGMA(text) _Pragma(#text)

#if defined(__clang__)
/// Before a loop of constant length over vectors: arrays of vectors stay in registers only when it is unrolled.
#define PK_UNROLL PK_PRAGMA(clang loop unroll(full))
/// The functions up to PK_TARGET_END may use these features of the CPU.
#define PK_TARGET_BEGIN(features) PK_PRAGMA(clang attribute push(__attribute__((target(features))), apply_to = function))
#define PK_TARGET_END PK_PRAGMA(clang attribute pop)
#else
#define PK_UNROLL PK_PRAGMA(GCC unroll 64)
#define PK_TARGET_BEGIN(features) PK_PRAGMA(GCC push_options) PK_PRAGMA(GCC target(features))
#define PK_TARGET_END PK_PRAGMA(GCC pop_options)
#endif

#endif

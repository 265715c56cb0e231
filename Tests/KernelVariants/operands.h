// SPDX-License-Identifier: Apache-2.0
// Activations in guarded memory, and which slot holds which operand.
#ifndef KERNEL_VARIANTS_OPERANDS_H
#define KERNEL_VARIANTS_OPERANDS_H

#include "checks.h"

enum {
  slot_weights,
  slot_interleaved,
  slot_values,
  slot_quants,
  slot_scales,
  slot_sums,
  slot_expected,
  slot_out,
  slot_first,  // for what a check wants besides
};

/// `rows` activation rows with these values; quantized, by the scalar kernel, where `columns` allows it.
pk_activations quantized_activations(const float *values, size_t rows, size_t columns);

/// Row-major weights, interleaved.
pk_weights interleaved(const pk_weights *w, size_t columns);

/// Values within -1...1; when `hostile`, one in fifty is huge, infinite or no number.
pk_activations random_activations(generator *random, size_t rows, size_t columns, bool hostile);

#endif

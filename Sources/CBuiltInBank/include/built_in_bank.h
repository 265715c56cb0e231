// SPDX-License-Identifier: Apache-2.0
// The reply bank is part of the program: mapped with it, and read into memory where it is looked at.
#ifndef BUILT_IN_BANK_H
#define BUILT_IN_BANK_H

#include <stddef.h>

/// The bytes of the bank, page-aligned and valid for ever.
const void *built_in_bank(size_t *count);

#endif

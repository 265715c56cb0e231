// SPDX-License-Identifier: Apache-2.0
#ifndef PET_HEAP_H
#define PET_HEAP_H

#include <stddef.h>

/// Bytes that this process has allocated.
size_t heap_bytes(void);

#endif

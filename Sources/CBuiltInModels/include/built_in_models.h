// SPDX-License-Identifier: Apache-2.0
// Files that are part of the program: mapped with it, and read into memory only where they are looked at.
#ifndef BUILT_IN_MODELS_H
#define BUILT_IN_MODELS_H

#include <stddef.h>

/// The bytes of the file of this name, page-aligned and valid for ever, or NULL where none is built in.
const void *built_in_model(const char *name, size_t *count);

/// The names of all files, from 0 on; NULL behind the last.
const char *built_in_model_name(size_t index);

#endif

// SPDX-License-Identifier: Apache-2.0
#include "traits.h"

size_t pk_block_elements(pk_type type) { return pk_elements(type); }

size_t pk_block_bytes(pk_type type) { return pk_bytes(type); }

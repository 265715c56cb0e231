// SPDX-License-Identifier: Apache-2.0
#include "built_in_bank.h"

extern const unsigned char built_in_bank_start[], built_in_bank_end[];

const void *built_in_bank(size_t *count) {
  *count = (size_t)(built_in_bank_end - built_in_bank_start);
  return built_in_bank_start;
}

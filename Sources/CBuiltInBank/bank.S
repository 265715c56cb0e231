// SPDX-License-Identifier: Apache-2.0
// A build does not notice when the content behind a name changes, so a new bank has a new name.
#if defined(__APPLE__)
  .const_data
  #define SYMBOL(name) _##name
#else
  .section pet_files, "a", @progbits
  #define SYMBOL(name) name
#endif
  .globl SYMBOL(built_in_bank_start)
  .globl SYMBOL(built_in_bank_end)
  .p2align 14
SYMBOL(built_in_bank_start):
  .incbin "bank-v3.bin"
SYMBOL(built_in_bank_end):
  .byte 0
#if defined(__linux__)
  .section .note.GNU-stack,"",%progbits
#endif

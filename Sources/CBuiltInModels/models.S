// The files of Models/ that go into the program. A build does not notice when the content behind a name changes, so a new
// version has a new name. Each starts a page, in a section of their own: Swift makes .rodata writable.
#if defined(__APPLE__)
  .const_data
  #define SYMBOL(name) _##name
#else
  .section pet_files, "a", @progbits
  #define SYMBOL(name) name
#endif
.macro embed name, end, file
  .globl \name
  .globl \end
  .p2align 14
\name:
  .incbin "\file"
\end:
  .byte 0
.endm

  embed SYMBOL(built_in_pet), SYMBOL(built_in_pet_end), pet-v3.lora.gguf
  embed SYMBOL(built_in_nano), SYMBOL(built_in_nano_end), nano-v3.gguf
  embed SYMBOL(built_in_danger), SYMBOL(built_in_danger_end), danger-v2.bin
#if defined(__linux__)
  .section .note.GNU-stack,"",%progbits
#endif

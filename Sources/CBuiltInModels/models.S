// SPDX-License-Identifier: Apache-2.0
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

  embed SYMBOL(built_in_pet), SYMBOL(built_in_pet_end), pet-v4.lora.gguf
  embed SYMBOL(built_in_nano), SYMBOL(built_in_nano_end), nano-v6.gguf
  embed SYMBOL(built_in_danger), SYMBOL(built_in_danger_end), danger-v5.bin
  embed SYMBOL(built_in_kinds), SYMBOL(built_in_kinds_end), danger-v7.bin
  embed SYMBOL(built_in_reader), SYMBOL(built_in_reader_end), danger-reader-v3.gguf
  embed SYMBOL(built_in_intents), SYMBOL(built_in_intents_end), intents-v2.bin
  embed SYMBOL(built_in_answers), SYMBOL(built_in_answers_end), recall-reader-v2.gguf
  embed SYMBOL(built_in_wishes), SYMBOL(built_in_wishes_end), wishes-v2.bin
  embed SYMBOL(built_in_acts), SYMBOL(built_in_acts_end), dialogue-acts-v1.bin
  embed SYMBOL(built_in_pose), SYMBOL(built_in_pose_end), classifiers/pose-landmarks.gguf
  embed SYMBOL(built_in_person), SYMBOL(built_in_person_end), classifiers/pose-detector.gguf
  embed SYMBOL(built_in_face), SYMBOL(built_in_face_end), classifiers/face-detector.gguf
  embed SYMBOL(built_in_mesh), SYMBOL(built_in_mesh_end), classifiers/face-landmarks.gguf
  embed SYMBOL(built_in_facex), SYMBOL(built_in_facex_end), classifiers/expression-high.gguf
  embed SYMBOL(built_in_fer), SYMBOL(built_in_fer_end), classifiers/expression-medium.gguf
  embed SYMBOL(built_in_affect), SYMBOL(built_in_affect_end), classifiers/vocal-affect.gguf
#if defined(__linux__)
  .section .note.GNU-stack,"",%progbits
#endif

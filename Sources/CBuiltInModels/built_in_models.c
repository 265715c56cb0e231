// SPDX-License-Identifier: Apache-2.0
#include "built_in_models.h"

#include <string.h>

extern const unsigned char built_in_pet[], built_in_pet_end[], built_in_nano[], built_in_nano_end[], built_in_danger[],
    built_in_danger_end[], built_in_kinds[], built_in_kinds_end[],
    built_in_reader[], built_in_reader_end[], built_in_intents[], built_in_intents_end[],
    built_in_answers[], built_in_answers_end[], built_in_wishes[],
    built_in_wishes_end[], built_in_acts[], built_in_acts_end[],
    built_in_pose[], built_in_pose_end[], built_in_person[], built_in_person_end[],
    built_in_face[], built_in_face_end[], built_in_mesh[], built_in_mesh_end[], built_in_facex[], built_in_facex_end[],
    built_in_fer[], built_in_fer_end[], built_in_affect[], built_in_affect_end[];

static const struct {
  const char *name;
  const unsigned char *start, *end;
} files[] = {
    {"pet-v4.lora.gguf", built_in_pet, built_in_pet_end},
    {"nano-v6.gguf", built_in_nano, built_in_nano_end},
    {"danger-v5.bin", built_in_danger, built_in_danger_end},
    {"danger-v7.bin", built_in_kinds, built_in_kinds_end},
    {"danger-reader-v3.gguf", built_in_reader, built_in_reader_end},
    {"intents-v2.bin", built_in_intents, built_in_intents_end},
    {"recall-reader-v2.gguf", built_in_answers, built_in_answers_end},
    {"wishes-v2.bin", built_in_wishes, built_in_wishes_end},
    {"dialogue-acts-v1.bin", built_in_acts, built_in_acts_end},
    {"pose-landmarks.gguf", built_in_pose, built_in_pose_end},
    {"pose-detector.gguf", built_in_person, built_in_person_end},
    {"face-detector.gguf", built_in_face, built_in_face_end},
    {"face-landmarks.gguf", built_in_mesh, built_in_mesh_end},
    {"expression-high.gguf", built_in_facex, built_in_facex_end},
    {"expression-medium.gguf", built_in_fer, built_in_fer_end},
    {"vocal-affect.gguf", built_in_affect, built_in_affect_end},
};

const void *built_in_model(const char *name, size_t *count) {
  for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
    if (strcmp(files[i].name, name) == 0) {
      *count = (size_t)(files[i].end - files[i].start);
      return files[i].start;
    }
  }
  *count = 0;
  return NULL;
}

const char *built_in_model_name(size_t index) {
  return index < sizeof files / sizeof *files ? files[index].name : NULL;
}

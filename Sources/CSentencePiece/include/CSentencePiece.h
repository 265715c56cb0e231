// SPDX-License-Identifier: Apache-2.0
#pragma once
// A C door to libsentencepiece's processor, which is a C++ class. No exception crosses it.

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/// The reason where the library found no memory.
#define PET_SENTENCEPIECE_NO_MEMORY "out of memory"

typedef struct pet_sentencepiece pet_sentencepiece;

/// Loads a serialized ModelProto. On failure returns NULL and writes a zero-terminated reason into `reason`.
pet_sentencepiece *pet_sentencepiece_create(const void *model, size_t size, char *reason, size_t reason_size);

void pet_sentencepiece_destroy(pet_sentencepiece *processor);

int32_t pet_sentencepiece_count(const pet_sentencepiece *processor);

/// Encodes `length` bytes of text. Returns 0 and a buffer of `*count` ids to be given to pet_sentencepiece_free
/// (NULL when there are none), or another value and a reason. Safe to call from several threads at once.
int pet_sentencepiece_encode(
    const pet_sentencepiece *processor, const void *text, size_t length, int32_t **ids, size_t *count, char *reason,
    size_t reason_size);

void pet_sentencepiece_free(int32_t *ids);

#ifdef __cplusplus
}
#endif

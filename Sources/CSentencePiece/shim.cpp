// SPDX-License-Identifier: Apache-2.0
#include "CSentencePiece.h"

#include <sentencepiece_processor.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <new>
#include <string>
#include <string_view>
#include <vector>

struct pet_sentencepiece {
  sentencepiece::SentencePieceProcessor processor;
};

namespace {

void write_reason(std::string_view text, char *reason, size_t reason_size) {
  if (reason == nullptr || reason_size == 0) return;
  const size_t length = std::min(text.size(), reason_size - 1);
  if (length > 0) std::memcpy(reason, text.data(), length);
  reason[length] = 0;
}

// What the current exception says; to be called while one is handled.
void write_exception(char *reason, size_t reason_size) {
  try {
    throw;
  } catch (const std::bad_alloc &) {
    write_reason(PET_SENTENCEPIECE_NO_MEMORY, reason, reason_size);
  } catch (const std::exception &error) {
    write_reason(error.what(), reason, reason_size);
  } catch (...) {
    write_reason("unknown exception", reason, reason_size);
  }
}

}  // namespace

extern "C" {

pet_sentencepiece *pet_sentencepiece_create(const void *model, size_t size, char *reason, size_t reason_size) {
  pet_sentencepiece *self = nullptr;
  try {
    self = new pet_sentencepiece;
    const auto status = self->processor.LoadFromSerializedProto({static_cast<const char *>(model), size});
    if (status.ok()) return self;
    write_reason(status.ToString(), reason, reason_size);
  } catch (...) {
    write_exception(reason, reason_size);
  }
  delete self;
  return nullptr;
}

void pet_sentencepiece_destroy(pet_sentencepiece *self) { delete self; }

int32_t pet_sentencepiece_count(const pet_sentencepiece *self) {
  try {
    return self->processor.GetPieceSize();
  } catch (...) {
    return 0;
  }
}

int pet_sentencepiece_encode(
    const pet_sentencepiece *self, const void *text, size_t length, int32_t **ids, size_t *count, char *reason,
    size_t reason_size) {
  *ids = nullptr;
  *count = 0;
  try {
    std::vector<int> encoded;
    const auto status = self->processor.Encode(std::string_view(static_cast<const char *>(text), length), &encoded);
    if (!status.ok()) {
      write_reason(status.ToString(), reason, reason_size);
      return 1;
    }
    if (encoded.empty()) return 0;
    auto *copy = static_cast<int32_t *>(std::malloc(encoded.size() * sizeof(int32_t)));
    if (copy == nullptr) {
      write_reason(PET_SENTENCEPIECE_NO_MEMORY, reason, reason_size);
      return 1;
    }
    std::copy(encoded.begin(), encoded.end(), copy);
    *ids = copy;
    *count = encoded.size();
    return 0;
  } catch (...) {
    write_exception(reason, reason_size);
    return 1;
  }
}

void pet_sentencepiece_free(int32_t *ids) { std::free(ids); }

}  // extern "C"

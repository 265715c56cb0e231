// SPDX-License-Identifier: Apache-2.0
// PNG pictures by libpng's simplified interface, which catches its own longjmp.
#ifndef PET_PNG_H
#define PET_PNG_H

#include <stddef.h>
#include <stdint.h>

// Bytes that a reason may take.
#define CPNG_REASON_SIZE 64

typedef struct {
  uint32_t width, height;
} cpng_size;

/// Reads what stands before the pixels. Returns 1, or 0 with the reason.
int cpng_read_size(const uint8_t *bytes, size_t count, cpng_size *size, char *reason);

/// Decodes to 8-bit sRGB of exactly `size`, on white where the picture is transparent. `rgb` has room for
/// 3 * width * height bytes. Returns 1, or 0 with the reason.
int cpng_decode(const uint8_t *bytes, size_t count, cpng_size size, uint8_t *rgb, char *reason);

/// Encodes 8-bit sRGB. `*png` is to be given to `free`. Returns 1, or 0 with the reason.
int cpng_encode(const uint8_t *rgb, cpng_size size, uint8_t **png, size_t *count, char *reason);

#endif

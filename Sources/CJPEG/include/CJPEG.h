// SPDX-License-Identifier: Apache-2.0
// JPEG pictures by libjpeg's interface. Its errors are long jumps, which end here.
#ifndef PET_JPEG_H
#define PET_JPEG_H

#include <stddef.h>
#include <stdint.h>

// Bytes that a reason may take.
#define CJPEG_REASON_SIZE 256

typedef struct {
  uint32_t width, height;
  /// 1 is grey, 3 is colour, 4 is ink.
  int32_t components;
} cjpeg_size;

/// Reads what stands before the pixels. Returns 1, or 0 with the reason.
int cjpeg_read_size(const uint8_t *bytes, size_t count, cjpeg_size *size, char *reason);

/// Decodes to 8-bit RGB of exactly `size`, which has 1 or 3 components. `rgb` has room for 3 * width * height bytes.
/// `*rest` becomes the number of bytes behind the picture's end. Data that end early or are damaged, and more than
/// `scans` passes over the picture, are errors. Returns 1, or 0 with the reason.
int cjpeg_decode(
    const uint8_t *bytes, size_t count, cjpeg_size size, int scans, uint8_t *rgb, size_t *rest,
    char *reason);

#endif

// SPDX-License-Identifier: Apache-2.0
#include "CPNG.h"

#include <png.h>
#include <stdlib.h>
#include <string.h>

static int failed(png_image *image, char *reason) {
  strncpy(reason, image->message, CPNG_REASON_SIZE - 1);
  reason[CPNG_REASON_SIZE - 1] = 0;
  png_image_free(image);
  return 0;
}

static int begin(png_image *image, const uint8_t *bytes, size_t count, char *reason) {
  memset(image, 0, sizeof *image);
  image->version = PNG_IMAGE_VERSION;
  return png_image_begin_read_from_memory(image, bytes, count) ? 1 : failed(image, reason);
}

int cpng_read_size(const uint8_t *bytes, size_t count, cpng_size *size, char *reason) {
  png_image image;
  if (!begin(&image, bytes, count, reason)) return 0;
  *size = (cpng_size){image.width, image.height};
  png_image_free(&image);
  return 1;
}

int cpng_decode(const uint8_t *bytes, size_t count, cpng_size size, uint8_t *rgb, char *reason) {
  png_image image;
  if (!begin(&image, bytes, count, reason)) return 0;
  if (image.width != size.width || image.height != size.height) {
    strcpy(image.message, "size changed");
    return failed(&image, reason);
  }
  image.format = PNG_FORMAT_RGB;
  // Not linear light, for which 16 bits are taken else.
  image.flags |= PNG_IMAGE_FLAG_16BIT_sRGB;
  const png_color white = {255, 255, 255};
  return png_image_finish_read(&image, &white, rgb, 0, NULL) ? 1 : failed(&image, reason);
}

int cpng_encode(const uint8_t *rgb, cpng_size size, uint8_t **png, size_t *count, char *reason) {
  png_image image;
  memset(&image, 0, sizeof image);
  image.version = PNG_IMAGE_VERSION;
  image.width = size.width;
  image.height = size.height;
  image.format = PNG_FORMAT_RGB;
  // Room for what does not compress, so that the picture is compressed once.
  png_alloc_size_t room = PNG_IMAGE_PNG_SIZE_MAX(image);
  uint8_t *buffer = malloc(room);
  if (buffer == NULL) {
    strcpy(image.message, "no memory");
    return failed(&image, reason);
  }
  if (!png_image_write_to_memory(&image, buffer, &room, 0, rgb, 0, NULL)) {
    free(buffer);
    return failed(&image, reason);
  }
  uint8_t *smaller = realloc(buffer, room);
  *png = smaller == NULL ? buffer : smaller;
  *count = room;
  return 1;
}

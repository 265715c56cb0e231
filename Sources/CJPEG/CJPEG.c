// SPDX-License-Identifier: Apache-2.0
#include "CJPEG.h"

// Before jpeglib.h, which uses FILE.
#include <stdio.h>

#include <jerror.h>
#include <jpeglib.h>
#include <setjmp.h>
#include <string.h>

typedef struct {
  struct jpeg_error_mgr manager;  // first: libjpeg knows only this
  jmp_buf jump;
  char *reason;
} errors;

typedef struct {
  struct jpeg_progress_mgr manager;
  int scans;
} progress;

static void fail(j_common_ptr common) {
  errors *error = (errors *)common->err;
  char text[JMSG_LENGTH_MAX];
  common->err->format_message(common, text);
  strncpy(error->reason, text, CJPEG_REASON_SIZE - 1);
  error->reason[CJPEG_REASON_SIZE - 1] = 0;
  longjmp(error->jump, 1);
}

// Level -1 says that data are damaged; cameras that fill up between markers do no damage.
static void note(j_common_ptr common, int level) {
  if (level < 0 && common->err->msg_code != JWRN_EXTRANEOUS_DATA) fail(common);
}

static void count_scans(j_common_ptr common) {
  if (((j_decompress_ptr)common)->input_scan_number <= ((progress *)common->progress)->scans) return;
  strcpy(((errors *)common->err)->reason, "too many scans");
  longjmp(((errors *)common->err)->jump, 1);
}

static void prepare(errors *error, struct jpeg_decompress_struct *jpeg, char *reason) {
  memset(jpeg, 0, sizeof *jpeg);
  jpeg->err = jpeg_std_error(&error->manager);
  error->manager.error_exit = fail;
  error->manager.emit_message = note;
  error->reason = reason;
}

int cjpeg_read_size(const uint8_t *bytes, size_t count, cjpeg_size *size, char *reason) {
  struct jpeg_decompress_struct jpeg;
  errors error;
  prepare(&error, &jpeg, reason);
  if (setjmp(error.jump)) {
    jpeg_destroy_decompress(&jpeg);
    return 0;
  }
  jpeg_create_decompress(&jpeg);
  jpeg_mem_src(&jpeg, bytes, count);
  jpeg_read_header(&jpeg, TRUE);
  *size = (cjpeg_size){jpeg.image_width, jpeg.image_height, jpeg.num_components};
  jpeg_destroy_decompress(&jpeg);
  return 1;
}

int cjpeg_decode(
    const uint8_t *bytes, size_t count, cjpeg_size size, int scans, uint8_t *rgb, size_t *rest, char *reason) {
  struct jpeg_decompress_struct jpeg;
  errors error;
  progress passes = {.manager = {.progress_monitor = count_scans}, .scans = scans};
  prepare(&error, &jpeg, reason);
  if (setjmp(error.jump)) {
    jpeg_destroy_decompress(&jpeg);
    return 0;
  }
  jpeg_create_decompress(&jpeg);
  jpeg.progress = &passes.manager;
  jpeg_mem_src(&jpeg, bytes, count);
  jpeg_read_header(&jpeg, TRUE);
  jpeg.out_color_space = JCS_RGB;
  jpeg_start_decompress(&jpeg);
  if (jpeg.output_width != size.width || jpeg.output_height != size.height || jpeg.output_components != 3) {
    strcpy(reason, "size changed");
    longjmp(error.jump, 1);
  }
  while (jpeg.output_scanline < size.height) {
    JSAMPROW row = rgb + (size_t)jpeg.output_scanline * size.width * 3;
    jpeg_read_scanlines(&jpeg, &row, 1);
  }
  jpeg_finish_decompress(&jpeg);
  *rest = jpeg.src->bytes_in_buffer;
  jpeg_destroy_decompress(&jpeg);
  return 1;
}

// SPDX-License-Identifier: Apache-2.0
// Prints what this machine can do at most as one JSON object. Arguments: seconds per measurement, then sizes in MiB.
#include <stdio.h>
#include <stdlib.h>

#include "machine_peaks.h"

int main(int argc, char **argv) {
  const double seconds = argc > 1 ? atof(argv[1]) : 0.3;
  printf("{\"int8_instruction\": \"%s\", \"rows\": [", mp_int8_instruction());
  for (int threads = 1; threads <= 2; threads++) {
    printf("%s{\"threads\": %d, \"int8_gops\": %.1f, \"float_gflops\": %.1f, \"read_gb_per_second\": {",
           threads > 1 ? ", " : "", threads, mp_int8_rate(threads, seconds), mp_float_rate(threads, seconds));
    for (int i = 2; i < argc; i++) {
      printf("%s\"%s\": %.2f", i > 2 ? ", " : "", argv[i],
             mp_read_bandwidth((size_t)atol(argv[i]) << 20, threads, seconds));
      fflush(stdout);
    }
    printf("}}");
  }
  printf("]}\n");
  return 0;
}

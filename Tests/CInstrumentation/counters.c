// SPDX-License-Identifier: Apache-2.0
// For libFuzzer alone, which looks at every counter of the program after every input: the linker puts these functions in place of its own
// (--wrap), and it is told of those counters only that a target's code can be expected to move.
#ifdef FUZZING
#include "instrumentation.h"

#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

typedef struct {
  uintptr_t address, flags;
} Place;

void __real___sanitizer_cov_8bit_counters_init(uint8_t *start, uint8_t *stop);
void __real___sanitizer_cov_pcs_init(const Place *start, const Place *stop);

// One for each edge of the program, and each one's place in the code.
static uint8_t *counters;
static const Place *places;
static size_t count;

void __wrap___sanitizer_cov_8bit_counters_init(uint8_t *start, uint8_t *stop) {
  counters = start;
  count = (size_t)(stop - start);
}

void __wrap___sanitizer_cov_pcs_init(const Place *start, const Place *stop) {
  (void)stop;
  places = start;
}

void watch_moved_counters(void) {
  // Functions of one file lie side by side: where one ran, its neighbours may.
  enum { page = 512 };
  const size_t pages = count / page + 1;
  bool *watched = calloc(pages + 2, 1);
  if (!watched) return;
  for (size_t i = 0; i < count; i++) {
    if (counters[i]) watched[i / page] = watched[i / page + 1] = watched[i / page + 2] = true;
  }
  // That array has a page before the first.
  for (size_t from = 0, to; from < pages; from = to) {
    for (to = from + 1; to < pages && watched[to + 1] == watched[from + 1]; to++) {
    }
    if (!watched[from + 1]) continue;
    const size_t start = from * page, stop = to * page < count ? to * page : count;
    __real___sanitizer_cov_8bit_counters_init(counters + start, counters + stop);
    __real___sanitizer_cov_pcs_init(places + start, places + stop);
  }
  free(watched);
}
#endif

// SPDX-License-Identifier: Apache-2.0
// Counts what some threads ask of the allocator and of Swift's reference counting; what the others of the process do counts
// for nothing.
#ifndef PET_EVENT_COUNTER_H
#define PET_EVENT_COUNTER_H

#include <stdbool.h>

typedef struct event_counts {
  long allocations;  // calls of malloc, calloc, realloc, aligned_alloc and posix_memalign
  long retains;      // strong references taken
} event_counts;

/// From now until the end of the count, threads that this one starts belong to it. False where this system offers no way to
/// count.
bool event_counter_prepare(void);

/// Begins to count: this thread, and those that belong to it. False where this system offers no way to.
bool event_counter_start(void);

/// Ends it and tells what happened since.
event_counts event_counter_stop(void);

#endif

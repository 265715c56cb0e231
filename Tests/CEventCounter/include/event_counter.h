// Counts what the calling thread asks of the allocator and of Swift's reference counting.
#ifndef PET_EVENT_COUNTER_H
#define PET_EVENT_COUNTER_H

#include <stdbool.h>

typedef struct event_counts {
  long allocations;  // calls of malloc
  long retains;      // strong references taken
} event_counts;

/// Begins to count on this thread. False where this system offers no way to.
bool event_counter_start(void);

/// Ends it and tells what happened since.
event_counts event_counter_stop(void);

#endif

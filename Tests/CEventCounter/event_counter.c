#define _GNU_SOURCE
#include "event_counter.h"

#include <stddef.h>

#if defined(__GLIBC__)
#include <dlfcn.h>

static _Thread_local bool counting;
static _Thread_local event_counts counts;

void *__libc_malloc(size_t size);

// The program's own definition takes the place of the C library's, for every library in the process.
void *malloc(size_t size) {
  if (counting) {
    counts.allocations++;
  }
  return __libc_malloc(size);
}

typedef void *(*retain_function)(void *);
static retain_function original;

static void *counted_retain(void *object) {
  if (counting) {
    counts.retains++;
  }
  return original(object);
}

/// Puts the counter in the place that the Swift runtime keeps for profilers (swift/Runtime/HeapObject.h).
static bool replace_retain(void) {
  static bool done;
  if (!done) {
    retain_function *place = dlsym(RTLD_DEFAULT, "_swift_retain");
    bool *enabled =
      dlsym(RTLD_DEFAULT, "_swift_enableSwizzlingOfAllocationAndRefCountingFunctions_forInstrumentsOnly");
    if (place == NULL || enabled == NULL) {
      return false;
    }
    original = *place;
    *place = counted_retain;
    *enabled = true;
    done = true;
  }
  return true;
}

bool event_counter_start(void) {
  if (!replace_retain()) {
    return false;
  }
  counts = (event_counts){0, 0};
  counting = true;
  return true;
}

event_counts event_counter_stop(void) {
  counting = false;
  return counts;
}
#else
bool event_counter_start(void) { return false; }

event_counts event_counter_stop(void) { return (event_counts){0, 0}; }
#endif

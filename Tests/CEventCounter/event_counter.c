#define _GNU_SOURCE
#include "event_counter.h"

#include <stdlib.h>  // tells which C library this is

// Sanitizers have an allocator of their own, which this would hide.
#if defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#define IS_SANITIZED
#endif
#endif

#if defined(__GLIBC__) && !defined(IS_SANITIZED)
#include <dlfcn.h>

static _Thread_local bool counting;
static _Thread_local event_counts counts;

void *__libc_malloc(size_t size);

// The program's own definitions take the place of the libraries': of malloc for everybody in the process, of
// swift_retain for all that is linked into the program.
void *malloc(size_t size) {
  if (counting) {
    counts.allocations++;
  }
  return __libc_malloc(size);
}

typedef void *(*retain_function)(void *);

void *swift_retain(void *object) {
  static retain_function original;
  if (original == NULL) {
    original = (retain_function)dlsym(RTLD_NEXT, "swift_retain");
  }
  if (counting) {
    counts.retains++;
  }
  return original(object);
}

bool event_counter_start(void) {
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

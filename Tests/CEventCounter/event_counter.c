// SPDX-License-Identifier: Apache-2.0
#define _GNU_SOURCE
#include "event_counter.h"

#include <errno.h>
#include <stdatomic.h>
#include <stdlib.h>  // tells which C library this is

// Sanitizers have an allocator of their own, which this would hide.
#if defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#define IS_SANITIZED
#endif
#endif

#if defined(__GLIBC__) && !defined(IS_SANITIZED)
#include <dlfcn.h>
#include <pthread.h>

// What the threads of one measurement do. Never freed: some of them may outlive it.
typedef struct account {
  _Atomic bool counting;
  _Atomic long allocations, retains;
} account;

static _Thread_local account *own;

static account *counted(void) {
  account *account = own;
  return account != NULL && atomic_load_explicit(&account->counting, memory_order_relaxed) ? account : NULL;
}

static void count_allocation(void) {
  account *account = counted();
  if (account != NULL) {
    atomic_fetch_add_explicit(&account->allocations, 1, memory_order_relaxed);
  }
}

void *__libc_malloc(size_t size);
void *__libc_calloc(size_t count, size_t size);
void *__libc_realloc(void *memory, size_t size);
void *__libc_memalign(size_t alignment, size_t size);

// The program's own definitions take the place of the libraries': of the allocator and of pthread_create for everybody in
// the process, of swift_retain for all that is linked into the program.
void *malloc(size_t size) {
  count_allocation();
  return __libc_malloc(size);
}

void *calloc(size_t count, size_t size) {
  count_allocation();
  return __libc_calloc(count, size);
}

void *realloc(void *memory, size_t size) {
  count_allocation();
  return __libc_realloc(memory, size);
}

void *aligned_alloc(size_t alignment, size_t size) {
  count_allocation();
  return __libc_memalign(alignment, size);
}

int posix_memalign(void **memory, size_t alignment, size_t size) {
  if (alignment % sizeof(void *) != 0 || alignment == 0 || (alignment & (alignment - 1)) != 0) {
    return EINVAL;
  }
  count_allocation();
  void *new = __libc_memalign(alignment, size);
  if (new == NULL) {
    return ENOMEM;
  }
  *memory = new;
  return 0;
}

typedef void *(*retain_function)(void *);

void *swift_retain(void *object) {
  static retain_function original;
  if (original == NULL) {
    original = (retain_function)dlsym(RTLD_NEXT, "swift_retain");
  }
  account *account = counted();
  if (account != NULL) {
    atomic_fetch_add_explicit(&account->retains, 1, memory_order_relaxed);
  }
  return original(object);
}

typedef int (*create_function)(pthread_t *, const pthread_attr_t *, void *(*)(void *), void *);

typedef struct beginning {
  void *(*function)(void *);
  void *argument;
  account *account;
} beginning;

static void *begin(void *argument) {
  const beginning given = *(beginning *)argument;
  free(argument);
  own = given.account;
  return given.function(given.argument);
}

int pthread_create(
  pthread_t *restrict thread, const pthread_attr_t *restrict attributes, void *(*function)(void *),
  void *restrict argument) {
  static create_function original;
  if (original == NULL) {
    original = (create_function)dlsym(RTLD_NEXT, "pthread_create");
  }
  beginning *given = own == NULL ? NULL : malloc(sizeof *given);
  if (given == NULL) {
    return original(thread, attributes, function, argument);
  }
  *given = (beginning){function, argument, own};
  const int failure = original(thread, attributes, begin, given);
  if (failure != 0) {
    free(given);
  }
  return failure;
}

bool event_counter_prepare(void) {
  own = calloc(1, sizeof *own);
  return own != NULL;
}

bool event_counter_start(void) {
  if (own == NULL && !event_counter_prepare()) {
    return false;
  }
  atomic_store(&own->counting, true);
  return true;
}

event_counts event_counter_stop(void) {
  if (own == NULL) {
    return (event_counts){0, 0};
  }
  atomic_store(&own->counting, false);
  const event_counts counts = {atomic_load(&own->allocations), atomic_load(&own->retains)};
  own = NULL;
  return counts;
}
#else
bool event_counter_prepare(void) { return false; }

bool event_counter_start(void) { return false; }

event_counts event_counter_stop(void) { return (event_counts){0, 0}; }
#endif

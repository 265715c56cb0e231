// SPDX-License-Identifier: Apache-2.0
#include "instrumentation.h"

#include <stdlib.h>  // tells which C library this is

#if defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#define IS_SANITIZED
// <sanitizer/allocator_interface.h>
size_t __sanitizer_get_current_allocated_bytes(void);
#endif
#endif

#if defined(__GLIBC__)
#include <malloc.h>
#endif

bool is_sanitized(void) {
#if defined(IS_SANITIZED)
  return true;
#else
  return false;
#endif
}

long allocated_bytes(void) {
#if defined(IS_SANITIZED)
  return (long)__sanitizer_get_current_allocated_bytes();
#elif defined(__GLIBC__)
  const struct mallinfo2 info = mallinfo2();
  return (long)(info.uordblks + info.hblkhd);
#else
  return -1;
#endif
}

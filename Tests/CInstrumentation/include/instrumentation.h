// SPDX-License-Identifier: Apache-2.0
// How this process was built and what its allocator does, for tests.
#ifndef PET_INSTRUMENTATION_H
#define PET_INSTRUMENTATION_H

#include <stdbool.h>

/// Whether the address or thread sanitizer is in this program: memory and time are not what they are otherwise.
bool is_sanitized(void);

/// Bytes that the allocator has given to this process and not had back; what small pieces threads keep for themselves included. -1 where
/// this system does not tell.
long allocated_bytes(void);

#ifdef FUZZING
/// Shows libFuzzer the counters of edges that were reached until now and those around them, and no others. To be called once, before it begins.
void watch_moved_counters(void);
#endif

#endif

// SPDX-License-Identifier: Apache-2.0
// What sanitizers need to be told of Swift; nothing in programs that are built without one.
#if defined(__has_feature)

#if __has_feature(address_sanitizer)
// A process that may not be traced, as petd, cannot look for its leaks. ASAN_OPTIONS=detect_leaks=1 asks for it.
const char *__asan_default_options(void);
const char *__asan_default_options(void) { return "detect_leaks=0"; }

// What a global is made of once (mangled ..._WZ) may hang on pointers in which Swift keeps marks.
const char *__lsan_default_suppressions(void);
const char *__lsan_default_suppressions(void) { return "leak:_WZ$\n"; }
#endif

#if __has_feature(thread_sanitizer) && defined(__linux__)
// The sanitizer sees atomics of code that was compiled with it. A contended `Synchronization.Mutex` is taken in Swift's own library, which was
// not, by the kernel on behalf of the thread (FUTEX_LOCK_PI): all that such a mutex guards would be told as races. This takes the place of
// the library's slow path; there is no slow path of unlocking then, as no waiters are noted in the word.
#include <sched.h>
#include <stdatomic.h>
#include <stdint.h>

// Synchronization._MutexHandle._lockSlow(_ selfId: UInt32), swift/stdlib/public/Synchronization/Mutex/LinuxImpl.swift
__attribute__((swiftcall)) void tsan_mutex_lock(uint32_t thread, __attribute__((swift_context)) _Atomic uint32_t *word)
    __asm__("$s15Synchronization12_MutexHandleV9_lockSlowyys6UInt32VF");

__attribute__((swiftcall)) void tsan_mutex_lock(uint32_t thread, __attribute__((swift_context)) _Atomic uint32_t *word) {
  uint32_t expected = 0;
  while (!atomic_compare_exchange_weak_explicit(word, &expected, thread, memory_order_acquire, memory_order_relaxed)) {
    expected = 0;
    sched_yield();
  }
}
#endif

#endif

// SPDX-License-Identifier: Apache-2.0
#include "pet_kernels.h"

#if defined(__linux__)
#include <linux/futex.h>
#include <sys/syscall.h>
#include <unistd.h>

void pk_futex_wait(const uint32_t *word, uint32_t expected) {
  syscall(SYS_futex, word, FUTEX_WAIT_PRIVATE, expected, NULL, NULL, 0);
}

void pk_futex_wake(const uint32_t *word, int count) {
  syscall(SYS_futex, word, FUTEX_WAKE_PRIVATE, count, NULL, NULL, 0);
}
#else
#include <sched.h>

// Without futexes a waiter yields and looks again: callers re-check the word after every return, as they must anyway.
void pk_futex_wait(const uint32_t *word, uint32_t expected) {
  if (__atomic_load_n(word, __ATOMIC_ACQUIRE) == expected) {
    sched_yield();
  }
}

void pk_futex_wake(const uint32_t *word, int count) {
  (void)word;
  (void)count;
}
#endif

void pk_pause(void) {
#if defined(__x86_64__)
  __builtin_ia32_pause();
#elif defined(__aarch64__)
  __asm__ volatile("yield");
#endif
}

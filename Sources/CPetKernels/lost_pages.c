// SPDX-License-Identifier: Apache-2.0
// For MAP_ANONYMOUS and siginfo_t.
#define _GNU_SOURCE
#include "pet_kernels.h"

#include <signal.h>
#include <stdatomic.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

// Reading a page of a mapped file that was truncated, or that the disk cannot deliver, raises SIGBUS. The handler maps zeros in place of
// the page and those after it, and records the loss; the reader continues and discards its results when it checks. systemd's journal,
// whose files may be truncated as well, does the same.

enum { MOST = 256, FREE = 0, TAKEN = 1 };

static struct {
  // FREE, TAKEN while the others are written, or where the pages begin.
  _Atomic(uintptr_t) start;
  _Atomic(uintptr_t) end;
  _Atomic(bool) lost;
} regions[MOST];

// The number of watched regions with lost pages.
static _Atomic(int) lost_regions;

static struct sigaction earlier;

static void on_bus_error(int number, siginfo_t *info, void *context) {
  const uintptr_t address = (uintptr_t)info->si_addr;
  for (int i = 0; i < MOST && info->si_code > 0; i++) {
    const uintptr_t start = atomic_load(&regions[i].start), end = atomic_load(&regions[i].end);
    if (start <= TAKEN || address < start || address >= end) continue;
    const uintptr_t page = address & ~((uintptr_t)sysconf(_SC_PAGESIZE) - 1);
    const int flags = MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED | MAP_NORESERVE;
    if (mmap((void *)page, end - page, PROT_READ, flags, -1, 0) == MAP_FAILED) break;
    if (!atomic_exchange(&regions[i].lost, true)) atomic_fetch_add(&lost_regions, 1);
    return;
  }
  // Not a watched page: leaves it to the previous handler, or to the default.
  if (earlier.sa_flags & SA_SIGINFO && earlier.sa_sigaction != NULL) {
    earlier.sa_sigaction(number, info, context);
    return;
  }
  signal(number, SIG_DFL);
  raise(number);
}

bool pk_survive_lost_pages(void) {
  static atomic_flag installed = ATOMIC_FLAG_INIT;
  if (atomic_flag_test_and_set(&installed)) return true;
  struct sigaction action;
  memset(&action, 0, sizeof action);
  action.sa_sigaction = on_bus_error;
  action.sa_flags = SA_SIGINFO | SA_RESTART | SA_ONSTACK;
  sigemptyset(&action.sa_mask);
  return sigaction(SIGBUS, &action, &earlier) == 0;
}

int pk_watch_pages(const void *start, size_t count) {
  for (int i = 0; i < MOST; i++) {
    uintptr_t expected = FREE;
    if (!atomic_compare_exchange_strong(&regions[i].start, &expected, TAKEN)) continue;
    // To the end of the last page, which holds no other mapping.
    const uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE);
    atomic_store(&regions[i].end, ((uintptr_t)start + count + page - 1) & ~(page - 1));
    atomic_store(&regions[i].start, (uintptr_t)start);
    return i;
  }
  return -1;
}

void pk_unwatch_pages(int watch) {
  if (watch < 0) return;
  if (atomic_exchange(&regions[watch].lost, false)) atomic_fetch_sub(&lost_regions, 1);
  atomic_store(&regions[watch].start, FREE);
}

bool pk_pages_lost(int watch) { return watch >= 0 && atomic_load_explicit(&regions[watch].lost, memory_order_relaxed); }

bool pk_any_pages_lost(void) { return atomic_load_explicit(&lost_regions, memory_order_relaxed) > 0; }

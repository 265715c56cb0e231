// SPDX-License-Identifier: Apache-2.0
// What is said stays in this process: no dumps of its memory, nobody who reads it, no swap.
#define _GNU_SOURCE
#include "sandbox.h"

#include <errno.h>

#if defined(__linux__)
#include <dirent.h>
#include <limits.h>
#include <linux/capability.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "calls.h"

/// For Linux before 5.9, which has no close_range.
static void close_each_but(const int *kept, size_t count) {
  DIR *folder = opendir("/proc/self/fd");
  if (folder == NULL) return;
  for (struct dirent *entry; (entry = readdir(folder)) != NULL;) {
    int number = atoi(entry->d_name);
    bool is_kept = number <= STDERR_FILENO || number == dirfd(folder);
    for (size_t i = 0; i < count && !is_kept; i++) is_kept = kept[i] == number;
    if (!is_kept) close(number);
  }
  closedir(folder);
}

void ps_close_all_but(const int *kept, size_t count) {
  int first = STDERR_FILENO + 1;
  for (size_t i = 0; i <= count; i++) {
    int end = i < count ? kept[i] : INT_MAX;
    if (end < first) continue;
    bool is_empty = end == first && i < count;
    int last = i < count ? end - 1 : end;
    if (!is_empty && syscall(CALL_CLOSE_RANGE, first, last, 0) != 0) return close_each_but(kept, count);
    if (i < count) first = end + 1;
  }
}

/// Of root's rights, those to files of its person's choice, to low ports, locked memory and priorities of threads stay. Others would reach round the
/// rest: with CAP_PERFMON or CAP_SYS_ADMIN, environments of other processes can be read whatever Landlock says.
static int drop_capabilities(void) {
  const uint32_t kept = 1u << CAP_CHOWN | 1u << CAP_DAC_OVERRIDE | 1u << CAP_DAC_READ_SEARCH | 1u << CAP_FOWNER |
                        1u << CAP_NET_BIND_SERVICE | 1u << CAP_IPC_LOCK | 1u << CAP_SYS_NICE;
  struct __user_cap_header_struct header = {.version = _LINUX_CAPABILITY_VERSION_3};
  struct __user_cap_data_struct data[2];
  if (syscall(__NR_capget, &header, data) != 0) return errno;
  // Who has no more is not asked: a filter of whoever started this may refuse the call.
  if ((data[0].permitted & ~kept) == 0 && data[1].permitted == 0) return 0;
  for (int half = 0; half < 2; half++) {
    const uint32_t mask = half == 0 ? kept : 0;
    data[half].permitted &= mask;
    data[half].effective &= mask;
    data[half].inheritable = 0;
  }
  return syscall(__NR_capset, &header, data) == 0 ? 0 : errno;
}

int ps_harden(void) {
  // What tells of a crash may tell of the memory that it happened in.
  static const int crashes[] = {SIGSEGV, SIGBUS, SIGILL, SIGFPE, SIGABRT, SIGTRAP, SIGQUIT, SIGSYS};
  for (size_t i = 0; i < sizeof crashes / sizeof *crashes; i++) signal(crashes[i], SIG_DFL);
  int error = drop_capabilities();
  if (error != 0) return error;
  const struct rlimit none = {.rlim_cur = 0, .rlim_max = 0};
  // Not everybody may; what follows is enough by itself.
  (void)setrlimit(RLIMIT_CORE, &none);
  // A pipe as core_pattern gets dumps whatever the limit, core(5); not so of what may not be dumped.
  if (prctl(PR_SET_DUMPABLE, 0, 0, 0, 0) != 0) return errno;
  if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0) return errno;
  return 0;
}

/// Where the heap begins, proc(5); NULL where that is not told.
static char *heap_start(void) {
  FILE *maps = fopen("/proc/self/maps", "re");
  if (maps == NULL) return NULL;
  char line[512];
  unsigned long start = 0, found;
  while (start == 0 && fgets(line, sizeof line, maps) != NULL)
    if (strstr(line, "[heap]") != NULL && sscanf(line, "%lx-", &found) == 1) start = found;
  fclose(maps);
  return (char *)start;
}

static char *start;

/// Bytes of the heap now; 0 where that is not told.
static size_t heap_size(void) {
  if (__atomic_load_n(&start, __ATOMIC_RELAXED) == NULL) __atomic_store_n(&start, heap_start(), __ATOMIC_RELAXED);
  char *begin = __atomic_load_n(&start, __ATOMIC_RELAXED), *end = sbrk(0);
  return begin == NULL || end == (char *)-1 || end <= begin ? 0 : (size_t)(end - begin);
}

size_t ps_lock_heap(size_t *size) {
  *size = heap_size();
#if defined(__NR_mlock2)
  char *known = start;
  if (*size == 0) return 0;
  size_t bytes = *size;
  struct rlimit limit;
  // Who is privileged has no limit: then the first call succeeds.
  if (syscall(__NR_mlock2, known, bytes, 1 /* MLOCK_ONFAULT */) == 0) return bytes;
  if (getrlimit(RLIMIT_MEMLOCK, &limit) != 0) return 0;
  const size_t page = (size_t)sysconf(_SC_PAGESIZE);
  bytes = limit.rlim_cur < *size ? (size_t)limit.rlim_cur & ~(page - 1) : 0;
  return bytes > 0 && syscall(__NR_mlock2, known, bytes, 1) == 0 ? bytes : 0;
#else
  return 0;
#endif
}

void ps_unlock_heap(void) {
  size_t size = heap_size();
  if (size > 0) munlock(start, size);
}

#else
void ps_close_all_but(const int *kept, size_t count) { (void)kept, (void)count; }
int ps_harden(void) { return ENOSYS; }
size_t ps_lock_heap(size_t *size) { return *size = 0, 0; }
void ps_unlock_heap(void) {}
#endif

// SPDX-License-Identifier: Apache-2.0
// Makes the n-th call of a kind fail, for programs that are started with this library in LD_PRELOAD:
//
//   PET_FAULT=KIND:NUMBER:HOW   KIND  open read write rename sync truncate map memory
//                               HOW   the number of an error (5 is EIO), or "short": half of what was asked for
//   PET_FAULT_COUNTS=FILE       where the numbers of calls are counted: a long for each kind
//
//   PET_FAULT_PROGRAM=NAME      programs of other names, which this one starts, are left alone
//
// Counted are calls of the program and its libraries but those for standard input, output and error. Those of Swift's runtime and of
// libdispatch are not: they end the program where they are refused, whatever it does. The allocator's own calls are inside the C library
// and not seen: "memory" is posix_memalign, by which the engine takes what may be refused.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/types.h>
#include <unistd.h>

enum kind { OPEN, READ, WRITE, RENAME, SYNC, TRUNCATE, MAP, MEMORY, KINDS };
static const char *const names[KINDS] = {"open", "read", "write", "rename", "sync", "truncate", "map", "memory"};

static atomic_long own[KINDS];
static atomic_long *counts = own;
static int chosen = -1;
static long number = 0;
static int error = 0;
static int is_short = 0;
static int is_on = 0;

// The file is mapped from the start: who is sealed later opens none.
static void map_counts(const char *path) {
  const int file = open(path, O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
  if (file < 0) return;
  if (ftruncate(file, sizeof own) == 0) {
    void *place = mmap(NULL, sizeof own, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    if (place != MAP_FAILED) counts = place;
  }
  close(file);
}

__attribute__((constructor)) static void begin(void) {
  const char *program = getenv("PET_FAULT_PROGRAM");
  is_on = program == NULL || strcmp(program, program_invocation_short_name) == 0;
  const char *path = getenv("PET_FAULT_COUNTS");
  if (is_on && path != NULL) map_counts(path);
  const char *fault = getenv("PET_FAULT");
  char name[16], how[16];
  if (fault == NULL || sscanf(fault, "%15[a-z]:%ld:%15s", name, &number, how) != 3) return;
  for (int i = 0; i < KINDS; i++)
    if (strcmp(names[i], name) == 0) chosen = i;
  is_short = strcmp(how, "short") == 0;
  error = atoi(how);
}

static int is_runtime(const void *caller) {
  Dl_info object;
  if (dladdr(caller, &object) == 0 || object.dli_fname == NULL) return 0;
  return strstr(object.dli_fname, "/libdispatch") != NULL || strstr(object.dli_fname, "/libswift") != NULL;
}

// 0: as ever; 1: fails, errno is set; 2: does half.
#define fault(kind) fault_of(kind, __builtin_return_address(0))
static int fault_of(enum kind kind, const void *caller) {
  if (!is_on || is_runtime(caller)) return 0;
  const long count = atomic_fetch_add(&counts[kind], 1) + 1;
  if ((int)kind != chosen || count != number) return 0;
  if (is_short) return 2;
  errno = error;
  return 1;
}

#define REAL(name) \
  static __typeof__(name) *real = NULL; \
  if (real == NULL) real = (__typeof__(name) *)dlsym(RTLD_NEXT, #name)

#define OPENS(name) \
  int name(const char *path, int flags, ...) { \
    REAL(name); \
    va_list rest; \
    va_start(rest, flags); \
    const mode_t mode = flags & (O_CREAT | O_TMPFILE) ? va_arg(rest, mode_t) : 0; \
    va_end(rest); \
    return fault(OPEN) == 1 ? -1 : real(path, flags, mode); \
  }
OPENS(open)
OPENS(open64)

#define OPENS_AT(name) \
  int name(int folder, const char *path, int flags, ...) { \
    REAL(name); \
    va_list rest; \
    va_start(rest, flags); \
    const mode_t mode = flags & (O_CREAT | O_TMPFILE) ? va_arg(rest, mode_t) : 0; \
    va_end(rest); \
    return fault(OPEN) == 1 ? -1 : real(folder, path, flags, mode); \
  }
OPENS_AT(openat)
OPENS_AT(openat64)

#define HALF(kind, count) \
  if (file > 2) { \
    const int how = fault(kind); \
    if (how == 1) return -1; \
    if (how == 2) count = (count + 1) / 2; \
  }

ssize_t read(int file, void *bytes, size_t count) {
  REAL(read);
  HALF(READ, count)
  return real(file, bytes, count);
}

ssize_t write(int file, const void *bytes, size_t count) {
  REAL(write);
  HALF(WRITE, count)
  return real(file, bytes, count);
}

#define READS_AT(name, place) \
  ssize_t name(int file, void *bytes, size_t count, place offset) { \
    REAL(name); \
    HALF(READ, count) \
    return real(file, bytes, count, offset); \
  }
READS_AT(pread, off_t)
READS_AT(pread64, off64_t)

#define WRITES_AT(name, place) \
  ssize_t name(int file, const void *bytes, size_t count, place offset) { \
    REAL(name); \
    HALF(WRITE, count) \
    return real(file, bytes, count, offset); \
  }
WRITES_AT(pwrite, off_t)
WRITES_AT(pwrite64, off64_t)

int rename(const char *from, const char *to) {
  REAL(rename);
  return fault(RENAME) == 1 ? -1 : real(from, to);
}

int fsync(int file) {
  REAL(fsync);
  return fault(SYNC) == 1 ? -1 : real(file);
}

int fdatasync(int file) {
  REAL(fdatasync);
  return fault(SYNC) == 1 ? -1 : real(file);
}

int ftruncate(int file, off_t size) {
  REAL(ftruncate);
  return fault(TRUNCATE) == 1 ? -1 : real(file, size);
}

int ftruncate64(int file, off64_t size) {
  REAL(ftruncate64);
  return fault(TRUNCATE) == 1 ? -1 : real(file, size);
}

#define MAPS(name, place) \
  void *name(void *address, size_t count, int protection, int flags, int file, place offset) { \
    REAL(name); \
    return fault(MAP) == 1 ? MAP_FAILED : real(address, count, protection, flags, file, offset); \
  }
MAPS(mmap, off_t)
MAPS(mmap64, off64_t)

int posix_memalign(void **memory, size_t alignment, size_t count) {
  REAL(posix_memalign);
  return fault(MEMORY) == 1 ? ENOMEM : real(memory, alignment, count);
}

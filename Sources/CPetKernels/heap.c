// SPDX-License-Identifier: Apache-2.0
// For dl_iterate_phdr(3).
#define _GNU_SOURCE
#include "pet_kernels.h"

#if defined(__GLIBC__)
#include <malloc.h>
#endif
#if defined(__linux__)
#include <link.h>
#include <sys/mman.h>
#include <unistd.h>
#endif

void pk_save_heap(void) {
#if defined(__GLIBC__)
  // Eight for each processor are usual, and what is free in one serves no other.
  mallopt(M_ARENA_MAX, 2);
  // Setting it at all ends its growth, mallopt(3).
  mallopt(M_MMAP_THRESHOLD, 128 * 1024);
#endif
}

void pk_trim_heap(void) {
#if defined(__GLIBC__)
  malloc_trim(0);
#endif
}

#if defined(__linux__)
// For the pages that lie entirely within these bytes.
static void advise(const void *start, size_t count, int advice) {
  const uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE);
  const uintptr_t begin = ((uintptr_t)start + page - 1) & ~(page - 1);
  const uintptr_t end = ((uintptr_t)start + count) & ~(page - 1);
  if (end > begin) madvise((void *)begin, end - begin, advice);
}

static int advise_object(struct dl_phdr_info *object, size_t size, void *advice) {
  (void)size;
  for (int i = 0; i < object->dlpi_phnum; i++) {
    const ElfW(Phdr) *segment = &object->dlpi_phdr[i];
    // What may be written may have been, and is then nowhere else.
    if (segment->p_type != PT_LOAD || (*(const int *)advice == MADV_DONTNEED && (segment->p_flags & PF_W))) continue;
    // Its first and last page are mapped whole.
    const uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE), begin = (object->dlpi_addr + segment->p_vaddr) & ~(page - 1);
    const uintptr_t end = (object->dlpi_addr + segment->p_vaddr + segment->p_memsz + page - 1) & ~(page - 1);
    advise((const void *)begin, end - begin, *(const int *)advice);
  }
  return 0;
}
#endif

void pk_let_go(const void *start, size_t count) {
#if defined(__linux__)
  advise(start, count, MADV_DONTNEED);
#else
  (void)start, (void)count;
#endif
}

void pk_let_go_program(void) {
#if defined(__linux__)
  int advice = MADV_DONTNEED;
  dl_iterate_phdr(advise_object, &advice);
#endif
}

void pk_read_sparsely(const void *start, size_t count) {
#if defined(__linux__)
  advise(start, count, MADV_RANDOM);
#else
  (void)start, (void)count;
#endif
}

void pk_read_program_sparsely(void) {
#if defined(__linux__)
  int advice = MADV_RANDOM;
  dl_iterate_phdr(advise_object, &advice);
#endif
}

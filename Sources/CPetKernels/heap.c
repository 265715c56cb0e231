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

void pk_let_go(const void *start, size_t count) {
#if defined(__linux__)
  const uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE);
  const uintptr_t begin = ((uintptr_t)start + page - 1) & ~(page - 1);
  const uintptr_t end = ((uintptr_t)start + count) & ~(page - 1);
  if (end > begin) madvise((void *)begin, end - begin, MADV_DONTNEED);
#else
  (void)start, (void)count;
#endif
}

#if defined(__linux__)
// What may not be written was not: its pages are those of the file.
static int let_go_object(struct dl_phdr_info *object, size_t size, void *unused) {
  (void)size, (void)unused;
  for (int i = 0; i < object->dlpi_phnum; i++) {
    const ElfW(Phdr) *segment = &object->dlpi_phdr[i];
    if (segment->p_type == PT_LOAD && !(segment->p_flags & PF_W))
      pk_let_go((const char *)(object->dlpi_addr + segment->p_vaddr), segment->p_memsz);
  }
  return 0;
}
#endif

void pk_let_go_program(void) {
#if defined(__linux__)
  dl_iterate_phdr(let_go_object, NULL);
#endif
}

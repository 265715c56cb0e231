#include "pet_kernels.h"

#if defined(__GLIBC__)
#include <malloc.h>
#endif

void pk_return_large_blocks(void) {
#if defined(__GLIBC__)
  // Setting it at all ends its growth, mallopt(3).
  mallopt(M_MMAP_THRESHOLD, 128 * 1024);
#endif
}

void pk_trim_heap(void) {
#if defined(__GLIBC__)
  malloc_trim(0);
#endif
}

#include "pet_kernels.h"

#if defined(__GLIBC__)
#include <malloc.h>
#endif

void pk_trim_heap(void) {
#if defined(__GLIBC__)
  malloc_trim(0);
#endif
}

// SPDX-License-Identifier: Apache-2.0
// Compares every table of kernels that this CPU runs with the scalar one. Arguments are the names of the tables that must
// be there, slowest first, "scalar" left out: exactly these, the last of them being the one that is chosen. Without
// arguments, whatever is there. Ends with 1 where something differs. The number that ends the last line stands for all
// results that are defined to the bit: it is the same on every machine.
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "checks.h"

/// Whether the tables are those that the arguments name; says what is not.
static bool are_named(const tables *all, int count, char *const *names) {
  bool same = all->count == (size_t)count;
  for (size_t i = 0; same && i < all->count; i++) {
    same = strcmp(all->tested[i]->name, names[i]) == 0;
  }
  if (!same) {
    fprintf(stderr, "this CPU has");
    for (size_t i = 0; i < all->count; i++) {
      fprintf(stderr, " %s", all->tested[i]->name);
    }
    fprintf(stderr, ", not what was named\n");
  }
  return same;
}

int main(int argc, char **argv) {
  static const struct {
    const char *name;
    void (*run)(const tables *);
  } checks[] = {
    {"quantized products", check_matmul},
    {"float products", check_float_matmul},
    {"conversions", check_conversions},
    {"attention", check_attend},
    {"vectors", check_vectors},
  };
  tables all = {.scalar = pk_kernels_for(PK_SCALAR)};
  for (int variant = PK_SCALAR + 1; variant < PK_VARIANT_COUNT; variant++) {
    const pk_kernels *table = pk_kernels_for((pk_variant)variant);
    if (table != NULL) {
      all.tested[all.count++] = table;
    }
  }
  if (argc > 1 && !are_named(&all, argc - 1, argv + 1)) {
    return 1;
  }
  const pk_kernels *best = all.count > 0 ? all.tested[all.count - 1] : all.scalar;
  expect(pk_kernels_best() == best, "%s is chosen, not %s", pk_kernels_best()->name, best->name);

  for (size_t i = 0; i < sizeof checks / sizeof checks[0]; i++) {
    const size_t before = failures();
    checks[i].run(&all);
    if (failures() > before) {
      fprintf(stderr, "%s: %zu wrong\n", checks[i].name, failures() - before);
    }
  }
  printf("scalar");
  for (size_t i = 0; i < all.count; i++) {
    printf(" = %s", all.tested[i]->name);
  }
  printf(": %zu comparisons, %zu wrong; results %016" PRIx64 "\n", expectations(), failures(), recorded());
  return failures() > 0;
}

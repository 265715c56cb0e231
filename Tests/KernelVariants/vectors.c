// SPDX-License-Identifier: Apache-2.0
// Kernels over one vector. Sums and exponentials are the scalar ones within rounding; rope and add to the bit.
#include <math.h>
#include <string.h>

#include "checks.h"
#include "operands.h"

static const size_t counts[] = {1, 2, 3, 4, 5, 7, 8, 9, 15, 16, 17, 31, 64, 100, 576, 1537};
enum { counts_count = sizeof counts / sizeof counts[0], most = 1537 };

static float *random_vector(generator *random, int slot, size_t count, float low, float high) {
  float *values = guarded(slot, count * sizeof(float));
  random_floats(random, values, count, low, high);
  return values;
}

static void check_norms(const tables *all, generator *random, size_t count) {
  const float *x = random_vector(random, slot_first, count, -5, 5);
  const float *weight = random_vector(random, slot_first + 1, count, -1, 1);
  float expected[most], *out = guarded(slot_out, count * sizeof(float));
  all->scalar->rms_norm(x, weight, 1e-5f, expected, count);
  for (size_t k = 0; k < all->count; k++) {
    all->tested[k]->rms_norm(x, weight, 1e-5f, out, count);
    expect(first_distance(out, expected, count, 0, 1e-6) == count, "%s, rms_norm of %zu", all->tested[k]->name, count);
    float *place = guarded_copy(slot_first + 2, x, count * sizeof(float));
    all->tested[k]->rms_norm(place, weight, 1e-5f, place, count);
    expect(first_difference(place, out, count) == count, "%s, rms_norm of %zu in place", all->tested[k]->name, count);
  }
}

static void check_swiglu(const tables *all, generator *random, size_t count) {
  const float *gate = random_vector(random, slot_first, count, -30, 30);
  const float *up = random_vector(random, slot_first + 1, count, -1, 1);
  float expected[most], *out = guarded(slot_out, count * sizeof(float));
  all->scalar->swiglu(gate, up, expected, count);
  for (size_t k = 0; k < all->count; k++) {
    all->tested[k]->swiglu(gate, up, out, count);
    expect(first_distance(out, expected, count, 0, 1e-6) == count, "%s, swiglu of %zu", all->tested[k]->name, count);
    float *place = guarded_copy(slot_first + 2, gate, count * sizeof(float));
    all->tested[k]->swiglu(place, up, place, count);
    expect(first_difference(place, out, count) == count, "%s, swiglu of %zu in place", all->tested[k]->name, count);
  }
}

static void check_softmax(const tables *all, generator *random, size_t count) {
  static const float offsets[] = {0, 1000, -1e30f};
  float values[most];
  for (size_t o = 0; o < 3; o++) {
    random_floats(random, values, count, -12, 12);
    for (size_t i = 0; i < count; i++) {
      values[i] += offsets[o];
    }
    float *expected = guarded_copy(slot_expected, values, count * sizeof(float));
    all->scalar->softmax(expected, count);
    for (size_t k = 0; k < all->count; k++) {
      float *out = guarded_copy(slot_out, values, count * sizeof(float));
      all->tested[k]->softmax(out, count);
      expect(
        first_distance(out, expected, count, 0, 2e-6) == count, "%s, softmax of %zu about %g", all->tested[k]->name,
        count, (double)offsets[o]);
    }
  }
}

/// What is not finite, and where the exponential ends.
static void check_edges(const tables *all) {
  const float gate[7] = {-200, 200, -89, 0, INFINITY, NAN, -104}, ones[7] = {1, 1, 1, 1, 1, 1, 1};
  float expected[20], out[20];
  for (size_t k = 0; k < all->count; k++) {
    const char *name = all->tested[k]->name;
    all->scalar->swiglu(gate, ones, expected, 7);
    all->tested[k]->swiglu(gate, ones, out, 7);
    expect(first_distance(out, expected, 7, 1e-30, 1e-6) == 7, "%s, swiglu at its ends", name);
    const float masked[4] = {0, -INFINITY, 0, -INFINITY}, half[4] = {0.5f, 0, 0.5f, 0};
    memcpy(out, masked, sizeof masked);
    all->tested[k]->softmax(out, 4);
    expect(first_difference(out, half, 4) == 4, "%s, softmax with masked scores", name);
    for (size_t at = 0; at < 20; at++) {
      for (size_t i = 0; i < 20; i++) {
        out[i] = i == at ? NAN : 1;
        expected[i] = NAN;
      }
      all->tested[k]->softmax(out, 20);
      expect(first_difference(out, expected, 20) == 20, "%s, softmax with NaN at %zu", name, at);
    }
  }
}

/// The exponential, seen through a softmax over (0, x): the quotient of the results is e^x.
static void check_exponential(const tables *all) {
  for (size_t k = 0; k < all->count; k++) {
    double worst = 0;
    for (int step = 0; step < 4000; step++) {
      const float x = -86 * (float)step / 4000;
      float pair[16] = {0, x};  // whole vectors
      for (size_t i = 2; i < 16; i++) {
        pair[i] = -INFINITY;
      }
      all->tested[k]->softmax(pair, 16);
      const double error = fabs((double)pair[1] / (double)pair[0] / exp((double)x) - 1);
      worst = error > worst ? error : worst;
    }
    expect(worst <= 3.5e-7, "%s, the exponential is off by %g", all->tested[k]->name, worst);
  }
}

static void check_rope(const tables *all, generator *random) {
  static const size_t rotaries[] = {2, 4, 6, 10, 32, 64, 96, 128};
  for (size_t r = 0; r < sizeof rotaries / sizeof rotaries[0]; r++) {
    const size_t rotary = rotaries[r];
    const float *cosines = random_vector(random, slot_first, rotary / 2, -1, 1);
    const float *sines = random_vector(random, slot_first + 1, rotary / 2, -1, 1);
    float head[128];
    random_floats(random, head, rotary, -1, 1);
    for (int pairs = 0; pairs < 2; pairs++) {
      float *expected = guarded_copy(slot_expected, head, rotary * sizeof(float));
      (pairs ? all->scalar->rope_pairs : all->scalar->rope_halves)(expected, cosines, sines, rotary);
      record_floats(expected, rotary);
      for (size_t k = 0; k < all->count; k++) {
        float *out = guarded_copy(slot_out, head, rotary * sizeof(float));
        (pairs ? all->tested[k]->rope_pairs : all->tested[k]->rope_halves)(out, cosines, sines, rotary);
        expect(
          first_difference(out, expected, rotary) == rotary, "%s, rope of %s, %zu", all->tested[k]->name,
          pairs ? "pairs" : "halves", rotary);
      }
    }
  }
}

static void check_add(const tables *all, generator *random, size_t count) {
  const float *y = random_vector(random, slot_first, count, -1, 1);
  float x[most], expected[most];
  random_floats(random, x, count, -1, 1);
  for (size_t i = 0; i < count; i++) {
    expected[i] = x[i] + y[i];
  }
  for (size_t k = 0; k < all->count; k++) {
    float *out = guarded_copy(slot_out, x, count * sizeof(float));
    all->tested[k]->add(out, y, count);
    expect(first_difference(out, expected, count) == count, "%s, add of %zu", all->tested[k]->name, count);
  }
}

void check_vectors(const tables *all) {
  generator random = {47};
  for (size_t i = 0; i < counts_count; i++) {
    guarded_edge = i % 2 == 0 ? edge_end : edge_start;
    check_norms(all, &random, counts[i]);
    check_swiglu(all, &random, counts[i]);
    check_softmax(all, &random, counts[i]);
    check_add(all, &random, counts[i]);
  }
  guarded_edge = edge_end;
  check_edges(all);
  check_exponential(all);
  check_rope(all, &random);
}

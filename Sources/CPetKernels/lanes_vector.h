// SPDX-License-Identifier: Apache-2.0
// Kernels over one vector: norms, activations, softmax, conversions.
#pragma STDC FP_CONTRACT OFF

/// e^x with a relative error below 2e-7 where the result is normal: 0 under -104, infinity over 88.73, NaN for NaN.
///
/// x = n ln 2 + r with |r| <= ln 2 / 2 (Cody and Waite 1980, ln 2 in two parts), then Taylor's series of e^r to the
/// seventh power, whose remainder is under 6e-9, times 2^n in two steps so that n may leave the exponent's range.
PK_INLINE floats floats_exp(floats x) {
  const floats clamped = floats_min(floats_set(89), floats_max(floats_set(-104), x));  // in this order NaN passes
  const lanes n = lanes_from_floats(floats_mul(clamped, floats_set(0x1.715476p+0f)));
  const floats whole = floats_from_lanes(n);
  floats r = floats_fnma(whole, floats_set(0x1.62e4p-1f), clamped);
  r = floats_fnma(whole, floats_set(0x1.7f7d1cp-20f), r);
  floats series = floats_set(1.0f / 5040);
  series = floats_fma(series, r, floats_set(1.0f / 720));
  series = floats_fma(series, r, floats_set(1.0f / 120));
  series = floats_fma(series, r, floats_set(1.0f / 24));
  series = floats_fma(series, r, floats_set(1.0f / 6));
  series = floats_fma(series, r, floats_set(0.5f));
  series = floats_fma(series, r, floats_set(1));
  series = floats_fma(series, r, floats_set(1));
  const lanes first = lanes_shift_right_signed(n, 1), second = lanes_sub(n, first);
  const floats low = floats_cast(lanes_shift_left(lanes_add(first, lanes_set(127)), 23));
  const floats high = floats_cast(lanes_shift_left(lanes_add(second, lanes_set(127)), 23));
  return floats_mul(floats_mul(series, low), high);
}

static void softmax(float *x, size_t count) {
  const size_t full = count / lane_count * lane_count, rest = count - full;
  floats peak = floats_set(x[0]);
  for (size_t i = 0; i < full; i += lane_count) {
    peak = floats_max(floats_load(x + i), peak);
  }
  float largest = floats_largest(peak);
  for (size_t i = full; i < count; i++) {
    largest = x[i] > largest ? x[i] : largest;
  }
  const floats shift = floats_set(largest);
  floats sum = floats_set(0);
  for (size_t i = 0; i < full; i += lane_count) {
    const floats power = floats_exp(floats_sub(floats_load(x + i), shift));
    floats_store(x + i, power);
    sum = floats_add(sum, power);
  }
  float total = floats_sum(sum);
  if (rest > 0) {
    floats_store_first(x + full, floats_exp(floats_sub(floats_load_first(x + full, rest), shift)), rest);
    total += floats_sum(floats_load_first(x + full, rest));
  }
  const floats inverse = floats_set(1 / total);
  for (size_t i = 0; i < full; i += lane_count) {
    floats_store(x + i, floats_mul(floats_load(x + i), inverse));
  }
  if (rest > 0) {
    floats_store_first(x + full, floats_mul(floats_load_first(x + full, rest), inverse), rest);
  }
}

static void rms_norm(const float *x, const float *weight, float epsilon, float *out, size_t count) {
  const size_t full = count / lane_count * lane_count, rest = count - full;
  floats squares = floats_set(0);
  for (size_t i = 0; i < full; i += lane_count) {
    squares = floats_fma(floats_load(x + i), floats_load(x + i), squares);
  }
  if (rest > 0) {
    const floats last = floats_load_first(x + full, rest);
    squares = floats_fma(last, last, squares);
  }
  const float scale = 1 / sqrtf(floats_sum(squares) / (float)count + epsilon);
  const floats scales = floats_set(scale);
  for (size_t i = 0; i < full; i += lane_count) {
    floats_store(out + i, floats_mul(floats_mul(floats_load(x + i), scales), floats_load(weight + i)));
  }
  if (rest > 0) {
    const floats last = floats_mul(floats_load_first(x + full, rest), scales);
    floats_store_first(out + full, floats_mul(last, floats_load_first(weight + full, rest)), rest);
  }
}

PK_INLINE floats floats_swiglu(floats gate, floats up) {
  const floats one = floats_set(1);
  return floats_mul(floats_div(gate, floats_add(one, floats_exp(floats_negate(gate)))), up);
}

static void swiglu(const float *gate, const float *up, float *out, size_t count) {
  const size_t full = count / lane_count * lane_count, rest = count - full;
  for (size_t i = 0; i < full; i += lane_count) {
    floats_store(out + i, floats_swiglu(floats_load(gate + i), floats_load(up + i)));
  }
  if (rest > 0) {
    const floats last = floats_swiglu(floats_load_first(gate + full, rest), floats_load_first(up + full, rest));
    floats_store_first(out + full, last, rest);
  }
}

static void dequantize(pk_type type, const void *source, float *destination, size_t count) {
  if (type != PK_F16) {
    pk_dequantize_body(type, source, destination, count);
    return;
  }
  const uint8_t *bytes = source;
  size_t i = 0;
  for (; i + lane_count <= count; i += lane_count) {
    floats_store(destination + i, floats_load_f16(bytes + 2 * i));
  }
  for (; i < count; i++) {
    destination[i] = pk_half(bytes + 2 * i);
  }
}

static void narrow_to_f16(const float *source, uint16_t *destination, size_t count) {
  size_t i = 0;
  for (; i + lane_count <= count; i += lane_count) {
    floats_store_f16(destination + i, floats_load(source + i));
  }
  for (; i < count; i++) {
    destination[i] = pk_float_to_f16(source[i]);
  }
}

static void quantize_activations(
  const float *values, size_t columns, pk_place place, int8_t *quants, float *scales, int16_t *sums) {
  pk_quantize_body(values, columns, place, quants, scales, sums);
}

static void rope_halves(float *head, const float *cosines, const float *sines, size_t rotary) {
  pk_rope_halves_body(head, cosines, sines, rotary);
}

static void rope_pairs(float *head, const float *cosines, const float *sines, size_t rotary) {
  pk_rope_pairs_body(head, cosines, sines, rotary);
}

static void add(float *x, const float *y, size_t count) { pk_add_body(x, y, count); }

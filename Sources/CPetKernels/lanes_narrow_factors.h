// SPDX-License-Identifier: Apache-2.0
// Dot products times the integer scales of a K type, for AVX2, whose sums of products have 16 bits: the instruction that makes
// them 32 bits wide multiplies them as well.

/// The scales of 32 columns, which have one part or two: each twice in every lane, and both side by side times minus the bias.
typedef struct {
  lanes of[2], biased;
} super_factors;

/// Bytes `low` and `high` of every lane, 16 bits wide.
PK_INLINE lanes lanes_two_bytes(lanes bytes, int low, int high, bool has_sign) {
  // The bytes' places within a lane, where a byte of zeros is none. With a sign they go to the top and are shifted down.
  const int places = has_sign ? low << 8 | high << 24 : low | high << 16;
  const int zeros = has_sign ? 0x00800080 : (int)0x80008000;
  const __m128i base = _mm_setr_epi32(0, 0x04040404, 0x08080808, 0x0c0c0c0c);
  const __m128i indices = _mm_or_si128(_mm_add_epi8(base, _mm_set1_epi32(places)), _mm_set1_epi32(zeros));
  const lanes wide = _mm256_shuffle_epi8(bytes, _mm256_broadcastsi128_si256(indices));
  return has_sign ? _mm256_srai_epi16(wide, 8) : wide;
}

/// The factors in bytes first..<first + parts of each lane.
PK_INLINE super_factors factors_from_bytes(pk_type type, lanes bytes, int first) {
  const int bias = super_bias(type);
  super_factors f;
  PK_UNROLL
  for (int i = 0; i < 32 / pk_step(type); i++) {
    f.of[i] = lanes_two_bytes(bytes, first + i, first + i, bias != 0);
  }
  if (bias != 0) {
    f.biased = _mm256_mullo_epi16(lanes_two_bytes(bytes, first, first + 1, true), _mm256_set1_epi16((short)-bias));
  }
  return f;
}

/// out[i] = what tile i has in block `at` of the activations, an integer below 2^24.
PK_INLINE void super_dots(
  pk_type type, const lanes weights[][8], const super_factors *factors, int tiles, const token_tile *x, size_t at,
  floats out[2]) {
  const int count = pk_step(type) / 4, room = lanes_narrow_room(super_bits(type)), words = room < count ? room : count;
  lanes narrow[2], wide[2];
  PK_UNROLL
  for (int i = 0; i < tiles; i++) {
    wide[i] = super_bias(type) == 0
      ? lanes_set(0)
      : _mm256_madd_epi16(factors[i].biased, lanes_set_quants((const int8_t *)(x->sums + 2 * at)));
  }
  PK_UNROLL
  for (int p = 0; p < 8; p++) {
    const lanes quants = lanes_set_quants(x->quants + 32 * at + 4 * (size_t)p);
    PK_UNROLL
    for (int i = 0; i < tiles; i++) {
      const lanes products = _mm256_maddubs_epi16(weights[i][p], quants);
      narrow[i] = p % words == 0 ? products : _mm256_add_epi16(narrow[i], products);
      if (p % words == words - 1) {
        wide[i] = _mm256_add_epi32(wide[i], _mm256_madd_epi16(narrow[i], factors[i].of[p / count]));
      }
    }
  }
  PK_UNROLL
  for (int i = 0; i < tiles; i++) {
    out[i] = floats_from_lanes(wide[i]);
  }
}

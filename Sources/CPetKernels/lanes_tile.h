// A tile of the quantized matrix product: lane_count weight rows, one per lane, against up to `tile_tokens` activation
// rows. Unpacking a sub-block puts byte j of every row's weights side by side, so that one integer multiply-add
// serves all rows, its other operand being four quants of an activation row broadcast from memory. The accumulators hold one
// output per lane: sums across lanes never happen, and the arithmetic of an output is that of scalar_matmul.c.
//
// Included by avx2.c and avx512.c after their lanes.
#pragma STDC FP_CONTRACT OFF

enum {
  tile_tokens = 32,
  chunk_columns = 256,  // columns between two refreshes of the activation sums; one super-block
};

typedef struct {
  const uint8_t *rows[lane_count];
  lanes offsets;  // rows[r] - rows[0]
} weight_tile;

/// The activations of one chunk, and the accumulators.
typedef struct {
  size_t tokens;
  size_t columns;
  const int8_t *quants;  // of token 0, at the chunk's first column
  const float *scales;   // likewise
  // Sub-block sums of the chunk, `chunk_columns / step` used: `bias` times the sum, and the scale times the sum.
  int32_t biases[tile_tokens][16];
  float scaled_sums[tile_tokens][16];
  float totals[tile_tokens][lane_count];
} token_tile;

/// The 32 bits at `at` in each row.
PK_INLINE lanes tile_words(const weight_tile *w, size_t at) { return lanes_gather(w->rows[0] + at, w->offsets); }

PK_INLINE void prepare_sums(
  token_tile *x, const pk_activations *a, size_t first_token, size_t column, size_t columns, int step, int bias,
  bool has_offset) {
  for (size_t t = 0; t < x->tokens; t++) {
    const int16_t *sums = a->sums + ((first_token + t) * a->columns + column) / 16;
    const float *scales = x->scales + t * (x->columns / 32);
    for (size_t j = 0; j < columns / (size_t)step; j++) {
      const int32_t sum = step == 16 ? sums[j] : sums[2 * j] + sums[2 * j + 1];
      x->biases[t][j] = -bias * sum;
      if (has_offset) {
        x->scaled_sums[t][j] = scales[step == 16 ? j / 2 : j] * (float)sum;
      }
    }
  }
}

/// Adds sub-block j of the chunk: `weights` hold its step / 4 words.
PK_INLINE void tile_accumulate(
  token_tile *x, int j, int step, const lanes *weights, int bits, floats scale, floats offset, bool has_bias,
  bool has_offset) {
  const int8_t *quants = x->quants + j * step;
  const float *scales = x->scales + j * step / 32;
  for (size_t t = 0; t < x->tokens; t++) {
    const lanes start = lanes_set(has_bias ? x->biases[t][j] : 0);
    const lanes dot = lanes_dot(start, weights, quants + t * x->columns, step / 4, bits);
    const floats factor = floats_mul(scale, floats_set(scales[t * (x->columns / 32)]));
    floats total = floats_fma(floats_from_lanes(dot), factor, floats_load(x->totals[t]));
    if (has_offset) {
      total = floats_fma(offset, floats_set(x->scaled_sums[t][j]), total);
    }
    floats_store(x->totals[t], total);
  }
}

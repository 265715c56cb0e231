// A tile of the quantized matrix product: lane_count weight rows, one per lane, against up to `tile_tokens` activation
// rows. Unpacking a sub-block puts the same word of every row's weights side by side, so that one integer multiply-add
// serves all rows, its other operand being four quants of an activation row broadcast from memory. The accumulators
// hold one output per lane: sums across lanes never happen, and the arithmetic of an output is that of
// scalar_matmul.c.
//
// Included by avx2.c and avx512.c after their lanes.
#pragma STDC FP_CONTRACT OFF

enum {
  tile_tokens = 32,
  group_tiles = 4,      // weight tiles that share one packing of the activations
  chunk_columns = 256,  // columns between two refreshes of the activation sums; one super-block
};

typedef struct {
  const uint8_t *base;
  size_t stride;  // between rows
  lanes offsets;  // of the rows from the base
} weight_tile;

/// One chunk of columns of the activation rows.
typedef struct {
  size_t tokens;
  const int8_t *quants;  // of token 0; those of token t are t * quant_stride on
  size_t quant_stride;
  const float *scales;   // likewise
  size_t scale_stride;
  // Sums over the sub-blocks of the chunk: `bias` times the sum, and the scale times the sum.
  int32_t biases[tile_tokens][16];
  float scaled_sums[tile_tokens][16];
  // Strides of some thousand bytes would put all tokens in one set of the first-level cache, so many tokens are packed.
  int8_t packed[tile_tokens][chunk_columns];
} token_tile;

typedef struct {
  float lane[tile_tokens][lane_count];
} totals_tile;

/// The 32 bits at `at` in each row.
PK_INLINE lanes tile_words(const weight_tile *w, size_t at) { return lanes_gather(w->base + at, w->offsets); }

/// Sets `count` sub-block sums of every token; `sums` are those of 16 quants of token 0, `stride` apart by token.
PK_INLINE void prepare_sums(
  token_tile *x, const int16_t *sums, size_t stride, size_t count, int step, int bias, bool has_offset) {
  for (size_t t = 0; t < x->tokens; t++, sums += stride) {
    const float *scales = x->scales + t * x->scale_stride;
    for (size_t j = 0; j < count; j++) {
      const int32_t sum = step == 16 ? sums[j] : sums[2 * j] + sums[2 * j + 1];
      if (bias != 0) {
        x->biases[t][j] = -bias * sum;
      }
      if (has_offset) {
        x->scaled_sums[t][j] = scales[step == 16 ? j / 2 : j] * (float)sum;
      }
    }
  }
}

/// Points the tile at `columns` columns from `column` on.
PK_INLINE void prepare_chunk(
  token_tile *x, const pk_activations *a, size_t first_token, size_t column, size_t columns, int step, int bias,
  bool has_offset) {
  const size_t start = first_token * a->columns + column, count = columns / (size_t)step;
  const int16_t *sums = a->sums + start / 16;
  x->scales = a->scales + start / 32;
  x->scale_stride = a->columns / 32;
  x->quants = a->quants + start;
  x->quant_stride = a->columns;
  if (x->tokens > 8) {
    for (size_t t = 0; t < x->tokens; t++) {
      memcpy(x->packed[t], x->quants + t * a->columns, columns);
    }
    x->quants = x->packed[0];
    x->quant_stride = chunk_columns;
  }
  if (bias == 0 && !has_offset) {
    return;
  }
  if (columns == chunk_columns) {  // a constant count vectorizes
    prepare_sums(x, sums, a->columns / 16, chunk_columns / (size_t)step, step, bias, has_offset);
  } else {
    prepare_sums(x, sums, a->columns / 16, count, step, bias, has_offset);
  }
}

/// Adds sub-block j of the chunk: `weights` hold its step / 4 words.
PK_INLINE void tile_accumulate(
  const token_tile *x, totals_tile *totals, int j, int step, const lanes *weights, int bits, floats scale,
  floats offset, bool has_bias, bool has_offset) {
  const int8_t *quants = x->quants + j * step;
  const float *scales = x->scales + j * step / 32;
  for (size_t t = 0; t < x->tokens; t++, quants += x->quant_stride, scales += x->scale_stride) {
    const lanes start = lanes_set(has_bias ? x->biases[t][j] : 0);
    const lanes dot = lanes_dot(start, weights, quants, step / 4, bits);
    const floats factor = floats_mul(scale, floats_set(*scales));
    floats total = floats_fma(floats_from_lanes(dot), factor, floats_load(totals->lane[t]));
    if (has_offset) {
      total = floats_fma(offset, floats_set(x->scaled_sums[t][j]), total);
    }
    floats_store(totals->lane[t], total);
  }
}

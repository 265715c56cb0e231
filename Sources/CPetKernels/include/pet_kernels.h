// Numeric kernels of the inference core. They know numbers only: no model, no file, no thread, no allocation.
//
// Every kernel exists in a scalar form, which is the oracle, and in forms for instruction sets, chosen once through one
// table (`pk_kernels_best`). Types carry the ids and the block layouts of the GGUF format.
#ifndef PET_KERNELS_H
#define PET_KERNELS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/// Tensor element types, numbered as in GGUF.
typedef enum pk_type : int32_t {
  PK_F32 = 0,
  PK_F16 = 1,
  PK_Q4_0 = 2,
  PK_Q4_1 = 3,
  PK_Q5_0 = 6,
  PK_Q5_1 = 7,
  PK_Q8_0 = 8,
  PK_Q2_K = 10,
  PK_Q3_K = 11,
  PK_Q4_K = 12,
  PK_Q5_K = 13,
  PK_Q6_K = 14,
  PK_BF16 = 30,
} pk_type;

/// Elements of one block of `type`, or 0 when the type is not supported.
size_t pk_block_elements(pk_type type);

/// Bytes of one block of `type`, or 0 when the type is not supported.
size_t pk_block_bytes(pk_type type);

/// Activations of one matrix product, both as floats and quantized to 8 bits in blocks of 32.
/// `value ~ scale * quant`, `scale = max |value| / 127` of the block, quants rounded to nearest even, so within
/// -127...127 (kernels rely on it, and on `sums` being those of `quants`).
typedef struct pk_activations {
  size_t rows;            // how many activation vectors (tokens)
  size_t columns;         // length of each; a multiple of 32 for quantized weights
  const float *values;    // [rows][columns]       read when the weights are F32, F16 or BF16
  const int8_t *quants;   // [rows][columns]       read when the weights are quantized
  const float *scales;    // [rows][columns / 32]
  const int16_t *sums;    // [rows][columns / 16]  sums of 16 quants each
} pk_activations;

typedef enum pk_variant : int32_t {
  PK_SCALAR = 0,
  PK_AVX2 = 1,         // AVX2, FMA, F16C
  PK_AVX512_VNNI = 2,  // AVX-512 F BW DQ VL VNNI
} pk_variant;

/// Longest head that `attend` takes; published models have up to 256 elements.
enum { PK_LONGEST_HEAD = 256 };

/// One query head of one token.
typedef struct pk_query {
  const float *vector;  // [head_size]
  float *out;           // [head_size]
  float *scores;        // scratch, [end - begin]
  size_t begin, end;    // the cached positions it sees; begin < end
} pk_query;

/// One implementation of every kernel. Immutable, lives as long as the process.
typedef struct pk_kernels {
  const char *name;
  pk_variant variant;

  /// `destination[i]` = value of element i of `source`; `count` is a multiple of the block's elements. Bit-exact in
  /// every variant (the payload of a NaN apart). `source` needs no alignment.
  void (*dequantize)(pk_type type, const void *source, float *destination, size_t count);

  /// Narrows floats to F16 (round to nearest even). Bit-exact in every variant.
  void (*narrow_to_f16)(const float *source, uint16_t *destination, size_t count);

  /// Fills quants[columns], scales[columns / 32], sums[columns / 16] from values[columns]; `columns` a multiple of 32.
  /// Bit-exact in every variant. Values that are not finite give a block of zeros with a NaN scale; blocks whose
  /// largest magnitude is below 2^-120 give zeros too, with the ordinary scale.
  void (*quantize_activations)(const float *values, size_t columns, int8_t *quants, float *scales, int16_t *sums);

  /// out[t * out_stride + r] = dot(weights row r, activations row t), for r in 0..<row_count.
  /// `row_bytes` is the distance between weight rows; nothing behind the last row is read. The arithmetic of one output
  /// does not depend on how many activation rows or weight rows are computed by the same call. For quantized weights
  /// it is the same in every variant, bit for bit (the payload of a NaN apart). Fastest with 16 weight rows or more
  /// per call, 64 and more where there are many activation rows. `out` may not overlap what is read.
  void (*matmul)(
    pk_type type, const void *weights, size_t row_bytes, size_t row_count, const pk_activations *activations,
    float *out, size_t out_stride);

  /// Attention of queries over the key-value head that they share: out = softmax(scale * q K^T) V over the positions
  /// that each sees. keys and values are rows of `head_size` elements of `cache_type` (F32 or F16), `stride` bytes apart,
  /// from position 0; head_size <= PK_LONGEST_HEAD. What one query gets does not depend on the others.
  void (*attend)(
    const pk_query *queries, size_t query_count, const void *keys, const void *values, pk_type cache_type,
    size_t stride, size_t head_size, float scale);

  /// out = x / sqrt(mean(x^2) + epsilon) * weight (Zhang and Sennrich 2019). `out` may be `x`.
  void (*rms_norm)(const float *x, const float *weight, float epsilon, float *out, size_t count);

  /// out = silu(gate) * up (Shazeer 2020). `out` may be `gate` or `up`.
  void (*swiglu)(const float *gate, const float *up, float *out, size_t count);

  /// Rotary embedding of one head (Su et al. 2021) in place: pairs (i, i + rotary / 2), "NEOX" order; cosines and
  /// sines have rotary / 2 entries.
  void (*rope_halves)(float *head, const float *cosines, const float *sines, size_t rotary);

  /// The same with pairs (2i, 2i + 1), the order of GGUF `llama` files.
  void (*rope_pairs)(float *head, const float *cosines, const float *sines, size_t rotary);

  /// x += y
  void (*add)(float *x, const float *y, size_t count);

  /// In place softmax of x[count]; count > 0.
  void (*softmax)(float *x, size_t count);
} pk_kernels;

/// The table of one variant, or NULL when this CPU (or this build) cannot run it.
const pk_kernels *pk_kernels_for(pk_variant variant);

/// The fastest table that this CPU runs.
const pk_kernels *pk_kernels_best(void);

// What Swift cannot reach itself: a pause instruction and the futex system call.
void pk_pause(void);
/// Sleeps until woken while *word == expected.
void pk_futex_wait(const uint32_t *word, uint32_t expected);
/// Wakes up to `count` sleepers on `word`.
void pk_futex_wake(const uint32_t *word, int count);
/// Sequentially consistent load and increment of a word that sleepers wait on.
static inline uint32_t pk_load(const uint32_t *word) { return __atomic_load_n(word, __ATOMIC_SEQ_CST); }
static inline void pk_increment(uint32_t *word) { __atomic_fetch_add(word, 1, __ATOMIC_SEQ_CST); }

#endif

// SPDX-License-Identifier: Apache-2.0
// Numeric kernels of the inference core. They know numbers only: no model, no file, no thread, no allocation.
//
// Every kernel exists in a scalar form, which is the oracle, and in forms for instruction sets, chosen once through one
// table (`pk_kernels_best`). Types carry the ids and the block layouts of the GGUF format.
#ifndef PET_KERNELS_H
#define PET_KERNELS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// Enumerations have 32 bits; GCC, which only tests the kernels, learned to say so in C with version 13.
#if defined(__clang__)
#define PK_ENUM(name) enum name : int32_t
#else
#define PK_ENUM(name) enum name
#endif

/// Tensor element types, numbered as in GGUF.
typedef PK_ENUM(pk_type) {
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

/// How the rows of a weight matrix lie in memory.
typedef PK_ENUM(pk_layout) {
  /// Row after row, as in a GGUF file.
  PK_ROW_MAJOR = 0,
  /// Groups of PK_GROUP_ROWS rows with their fields (two or four bytes each) side by side, so that one vector load reads a
  /// field of many rows: the field at byte `at` of row r is at PK_GROUP_ROWS * at + r * the field's width. The size does
  /// not change, except that zeros pad the last group.
  PK_INTERLEAVED = 1,
} pk_layout;

enum { PK_GROUP_ROWS = 16 };

/// Rows of a weight matrix.
typedef struct pk_weights {
  pk_type type;
  pk_layout layout;
  const void *bytes;  // of the first row, or of the group that begins with it
  size_t row_bytes;   // distance between rows; interleaved: a group's bytes by PK_GROUP_ROWS
  size_t rows;
} pk_weights;

/// Copies row `row` of interleaved weights to `destination`, where it has the bytes that it has in a GGUF file.
void pk_interleaved_row(pk_type type, const void *weights, size_t row, size_t columns, void *destination);

enum { PK_TILE_TOKENS = 32 };

/// Activations of one matrix product, both as floats and quantized to 8 bits in blocks of 32.
/// `value ~ scale * quant`, `scale = max |value| / 127` of the block, quants rounded to nearest even, so within
/// -127...127 (kernels rely on it, and on `sums` being those of `quants`).
///
/// Quantized rows come in tiles of PK_TILE_TOKENS, the last with what is left: within a tile of T rows, block j of row t
/// is block j * T + t, so a kernel reads the tile from its start to its end.
typedef struct pk_activations {
  size_t rows;            // how many activation vectors (tokens)
  size_t columns;         // length of each; a multiple of 32 for quantized weights
  const float *values;    // [rows][columns]              read when the weights are F32, F16 or BF16
  const int8_t *quants;   // [tile][columns / 32][T][32]  read when the weights are quantized
  const float *scales;    // [tile][columns / 32][T]
  const int16_t *sums;    // [tile][columns / 32][T][2]   sums of 16 quants each
} pk_activations;

/// Where the blocks of one row begin among those of `rows` rows, and how far apart they are.
typedef struct pk_place {
  size_t first, stride;
} pk_place;

static inline pk_place pk_activation_place(size_t row, size_t rows, size_t columns) {
  const size_t tile = row / PK_TILE_TOKENS * PK_TILE_TOKENS;
  const size_t stride = rows - tile < PK_TILE_TOKENS ? rows - tile : PK_TILE_TOKENS;
  return (pk_place){tile * (columns / 32) + row - tile, stride};
}

/// Sets of instructions, those of one architecture slowest first.
typedef PK_ENUM(pk_variant) {
  PK_SCALAR = 0,
  PK_AVX2 = 1,          // AVX2, FMA, F16C
  PK_AVX512_VNNI = 2,   // AVX-512 F BW DQ VL VNNI
  PK_NEON = 3,          // Armv8.0
  PK_NEON_DOTPROD = 4,  // and its dot products of bytes
  PK_NEON_I8MM = 5,     // and its matrix products of bytes
} pk_variant;

/// Variants are numbered from 0 up to this.
enum { PK_VARIANT_COUNT = 6 };

/// Longest head that `attend` takes; published models have up to 256 elements.
enum { PK_LONGEST_HEAD = 256 };

/// Bytes of one head's key, or value, at one position of a cache of `type` (F32, F16 or Q8_0). Q8_0 may end with a
/// shorter block, so any head size will do.
static inline size_t pk_cached_row_bytes(pk_type type, size_t head_size) {
  return type == PK_Q8_0 ? head_size + 2 * ((head_size + 31) / 32) : head_size * (type == PK_F16 ? 2 : 4);
}

enum { PK_BLOCK_POSITIONS = 32 };

/// What is cached of one key-value head. Positions come in blocks of PK_BLOCK_POSITIONS that may lie anywhere (paged
/// attention, arXiv:2309.06180). Within a block keys lie in groups of PK_GROUP_ROWS positions, [position / 16][head_size][16],
/// and values are rows of pk_cached_row_bytes.
typedef struct pk_cached_head {
  const void *const *blocks;  // [position / PK_BLOCK_POSITIONS]
  size_t keys, values;        // where the head's begin in each block, in bytes
  pk_type type;               // F32, F16 or Q8_0
  size_t head_size;           // <= PK_LONGEST_HEAD
} pk_cached_head;

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

  /// Interleaves `rows` rows of `columns` elements into whole groups at `destination`, zeros in the place of rows that the
  /// last one lacks. The same bytes in every variant.
  void (*interleave)(
    pk_type type, const void *source, size_t row_bytes, size_t rows, size_t columns, void *destination);

  /// Quantizes values[columns], `columns` a multiple of 32, into the blocks at `place`. Bit-exact in every variant.
  /// Values that are not finite give a block of zeros with a NaN scale; blocks whose largest magnitude is below 2^-120
  /// give zeros too, with the ordinary scale.
  void (*quantize_activations)(
    const float *values, size_t columns, pk_place place, int8_t *quants, float *scales, int16_t *sums);

  /// out[t * out_stride + r] = dot(weights row r, activations row t). Nothing behind the last row (or group) is read. The
  /// arithmetic of one output does not depend on how many activation rows or weight rows are computed by the same call.
  /// For quantized weights it is the same in every variant and layout, bit for bit (the payload of a NaN apart). Fastest
  /// with 16 weight rows or more per call, 64 and more where there are many activation rows. `out` may not overlap what
  /// is read.
  void (*matmul)(const pk_weights *weights, const pk_activations *activations, float *out, size_t out_stride);

  /// Attention of queries over the key-value head that they share: out = softmax(scale * q K^T) V over the positions
  /// that each sees. Groups of keys are read whole. What one query gets does not depend on the others, nor on where the
  /// blocks lie.
  void (*attend)(const pk_query *queries, size_t query_count, const pk_cached_head *cached, float scale);

  /// Puts a key into such groups. Bit-exact in every variant, as is the next.
  void (*store_key)(const float *key, pk_type cache_type, size_t head_size, size_t position, void *keys);

  /// Makes a row of such values, pk_cached_row_bytes long.
  void (*store_value)(const float *value, pk_type cache_type, size_t head_size, void *row);

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

/// The fastest table that this CPU runs, or the one that PET_KERNELS names in the environment (scalar, avx2, avx512, neon,
/// neon-dotprod or neon-i8mm). A name that is none, or not for this CPU, changes nothing: programs refuse it themselves.
const pk_kernels *pk_kernels_best(void);

// System interfaces that Swift cannot call: a pause instruction, futexes, the C library's allocator, the working folder of
// a new process.
void pk_pause(void);
/// Sleeps until woken while *word == expected.
void pk_futex_wait(const uint32_t *word, uint32_t expected);
/// Wakes up to `count` sleepers on `word`.
void pk_futex_wake(const uint32_t *word, int count);
/// Sequentially consistent load and increment of a word that sleepers wait on.
static inline uint32_t pk_load(const uint32_t *word) { return __atomic_load_n(word, __ATOMIC_SEQ_CST); }
static inline void pk_increment(uint32_t *word) { __atomic_fetch_add(word, 1, __ATOMIC_SEQ_CST); }
/// Returns free heap memory to the system, where the allocator supports it.
void pk_trim_heap(void);

/// Installs a SIGBUS handler: reading a lost page of a watched file gives zeros and records the loss, instead of ending the program.
/// Faults elsewhere go to the previous handler. False where the system refuses.
bool pk_survive_lost_pages(void);
/// Watches pages that are mapped from a file. Returns the id of the watch, or -1 where there are too many.
int pk_watch_pages(const void *start, size_t count);
/// Ends a watch, before the pages are unmapped.
void pk_unwatch_pages(int watch);
/// Whether any of the pages was lost.
bool pk_pages_lost(int watch);
/// Whether pages of any watch were lost.
bool pk_any_pages_lost(void);

/// Keeps the heap small: few arenas, and blocks of 128 KiB and more are returned to the system when they are freed. Call before the first
/// thread starts.
void pk_save_heap(void);

/// Sets the working folder of a program that is started with these `posix_spawn_file_actions_t`.
/// Returns 0, or the number of the error.
int pk_spawn_in_folder(void *actions, const char *folder);
/// Drops the resident pages within these bytes, which are mapped from a file and never written; touching them loads them again.
void pk_let_go(const void *start, size_t count);
/// The same for the code of this program and of the libraries that it uses.
void pk_let_go_program(void);
/// Disables read-ahead for these mapped bytes: a page that is not cached is read alone. Under a memory limit, pages that are read ahead
/// evict pages in use.
void pk_read_sparsely(const void *start, size_t count);
/// The same for the code of this program and of the libraries that it uses.
void pk_read_program_sparsely(void);
/// Prefetches memory for writing; any address is allowed.
static inline void pk_prefetch(const void *address) { __builtin_prefetch(address, 1); }

#endif

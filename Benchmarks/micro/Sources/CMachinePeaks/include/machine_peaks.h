// SPDX-License-Identifier: Apache-2.0
// What a machine can do at most, measured by small loops: the roof under which kernels are judged.
#ifndef MACHINE_PEAKS_H
#define MACHINE_PEAKS_H

#include <stddef.h>

/// 10^9 bytes per second at which `threads` threads, each on a processor of its own, read `bytes` of memory again and
/// again, each its share: the best pass out of those that fit in `seconds`, with and without prefetching. 0 where memory
/// or threads are refused.
double mp_read_bandwidth(size_t bytes, int threads, double seconds);

/// 10^9 operations per second of the fastest 8-bit dot product that this processor has and this file knows, an addition
/// and a multiplication counted as two. 0 where it knows none.
double mp_int8_rate(int threads, double seconds);

/// The instruction that `mp_int8_rate` measures, or "none".
const char *mp_int8_instruction(void);

/// The same for 32-bit floats, fused multiply-add.
double mp_float_rate(int threads, double seconds);

#endif

// SPDX-License-Identifier: Apache-2.0
// libsamplerate's own interface (samplerate.h).
#ifndef PET_SAMPLE_RATE_SHIM_H
#define PET_SAMPLE_RATE_SHIM_H

#include <samplerate.h>

#endif

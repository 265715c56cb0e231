// SPDX-License-Identifier: Apache-2.0
// XNNPACK's subgraph interface (xnnpack.h) and the thread pool it runs on.
#ifndef PET_XNNPACK_SHIM_H
#define PET_XNNPACK_SHIM_H

#include <pthreadpool.h>
#include <xnnpack.h>

#endif

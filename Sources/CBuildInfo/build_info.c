// SPDX-License-Identifier: Apache-2.0
#include "build_info.h"

const char *pet_build_commit(void) { return PET_COMMIT; }

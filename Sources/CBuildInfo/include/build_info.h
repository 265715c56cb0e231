// SPDX-License-Identifier: Apache-2.0
// What a program was built of.
#ifndef PET_BUILD_INFO_H
#define PET_BUILD_INFO_H

/// The commit, by PET_COMMIT in the environment of the build; empty where that was not set.
const char *pet_build_commit(void);

#endif

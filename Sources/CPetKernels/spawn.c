// SPDX-License-Identifier: Apache-2.0
// For posix_spawn_file_actions_addchdir_np(3).
#define _GNU_SOURCE
#include "pet_kernels.h"

#include <spawn.h>

int pk_spawn_in_folder(void *actions, const char *folder) {
  return posix_spawn_file_actions_addchdir_np((posix_spawn_file_actions_t *)actions, folder);
}

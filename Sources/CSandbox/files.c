// SPDX-License-Identifier: Apache-2.0
// Landlock: https://www.kernel.org/doc/html/latest/userspace-api/landlock.html
#define _GNU_SOURCE
#include "sandbox.h"

#include <errno.h>

#if defined(__linux__)
#include <fcntl.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "calls.h"

// As in <linux/landlock.h>, which is older than the kernel on many systems.
enum {
  EXECUTE = 1 << 0,
  WRITE_FILE = 1 << 1,
  READ_FILE = 1 << 2,
  READ_DIR = 1 << 3,
  REMOVE_DIR = 1 << 4,
  REMOVE_FILE = 1 << 5,
  MAKE_CHAR = 1 << 6,
  MAKE_DIR = 1 << 7,
  MAKE_REG = 1 << 8,
  MAKE_SOCK = 1 << 9,
  MAKE_FIFO = 1 << 10,
  MAKE_BLOCK = 1 << 11,
  MAKE_SYM = 1 << 12,
  REFER = 1 << 13,     // from version 2 on
  TRUNCATE = 1 << 14,  // 3
  IOCTL_DEV = 1 << 15, // 5
};
enum { CONNECT_TCP = 1 << 1 };                   // 4
enum { ABSTRACT_UNIX = 1 << 0, SIGNAL = 1 << 1 }; // 6

struct ruleset {
  uint64_t files, network, scoped;
};
struct beneath {
  uint64_t access;
  int32_t parent;
} __attribute__((packed));

enum { CREATE_VERSION = 1, RULE_PATH_BENEATH = 1 };
/// Of those, what may be asked for on something that is no folder.
enum { ON_FILES = EXECUTE | WRITE_FILE | READ_FILE | TRUNCATE | IOCTL_DEV };

int ps_landlock_version(void) {
  long version = syscall(CALL_LANDLOCK_CREATE_RULESET, NULL, 0, CREATE_VERSION);
  return version > 0 ? (int)version : 0;
}

/// Every right to files that this version knows.
static uint64_t known(int version) {
  uint64_t rights = (MAKE_SYM << 1) - 1;
  if (version >= 2) rights |= REFER;
  if (version >= 3) rights |= TRUNCATE;
  if (version >= 5) rights |= IOCTL_DEV;
  return rights;
}

int ps_rules_create(void) {
  int version = ps_landlock_version();
  if (version == 0) return -ENOSYS;
  struct ruleset set = {.files = known(version)};
  size_t size = sizeof set.files;
  if (version >= 4) set.network = CONNECT_TCP, size = 2 * sizeof set.files;
  if (version >= 6) set.scoped = ABSTRACT_UNIX | SIGNAL, size = sizeof set;
  long rules = syscall(CALL_LANDLOCK_CREATE_RULESET, &set, size, 0);
  return rules >= 0 ? (int)rules : -errno;
}

int ps_rules_allow(int rules, const char *path, int access) {
  int opened = open(path, O_PATH | O_CLOEXEC);
  if (opened < 0) return errno;
  struct stat status;
  if (fstat(opened, &status) != 0) {
    int error = errno;
    close(opened);
    return error;
  }
  uint64_t rights = 0;
  if (access & PS_FILE_READ) rights |= READ_FILE | READ_DIR;
  if (access & PS_FILE_WRITE)
    rights |= WRITE_FILE | TRUNCATE | REMOVE_DIR | REMOVE_FILE | MAKE_DIR | MAKE_REG | MAKE_SOCK | REFER;
  if (access & PS_FILE_SOCKET) rights |= MAKE_SOCK | REMOVE_FILE;
  // The folder itself is opened, to have its names on the disk.
  if (access & PS_FILE_MAKE) rights |= READ_DIR | WRITE_FILE | TRUNCATE | REMOVE_FILE | MAKE_REG;
  // The echo of a terminal, say; typing into it is for the filter to refuse.
  if (access & PS_FILE_WRITE && S_ISCHR(status.st_mode)) rights |= IOCTL_DEV;
  rights &= known(ps_landlock_version());
  if (!S_ISDIR(status.st_mode)) rights &= ON_FILES;
  struct beneath rule = {.access = rights, .parent = opened};
  int error = 0;
  if (rights != 0 && syscall(CALL_LANDLOCK_ADD_RULE, rules, RULE_PATH_BENEATH, &rule, 0) != 0) error = errno;
  close(opened);
  return error;
}

int ps_rules_enforce(int rules) {
  if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0) return errno;
  return syscall(CALL_LANDLOCK_RESTRICT_SELF, rules, 0) == 0 ? 0 : errno;
}

#else
int ps_landlock_version(void) { return 0; }
int ps_rules_create(void) { return -ENOSYS; }
int ps_rules_allow(int rules, const char *path, int access) { return (void)rules, (void)path, (void)access, ENOSYS; }
int ps_rules_enforce(int rules) { return (void)rules, ENOSYS; }
#endif

// SPDX-License-Identifier: Apache-2.0
// Numbers of system calls that the headers of a stable distribution may not have yet. Since Linux 5.1 a new call has the
// same number on every architecture (Documentation/process/adding-syscalls.rst).
#ifndef PET_CALLS_H
#define PET_CALLS_H

enum {
  CALL_PIDFD_SEND_SIGNAL = 424,
  CALL_IO_URING_SETUP = 425,
  CALL_IO_URING_ENTER = 426,
  CALL_IO_URING_REGISTER = 427,
  CALL_CLONE3 = 435,
  CALL_CLOSE_RANGE = 436,
  CALL_OPENAT2 = 437,
  CALL_PIDFD_GETFD = 438,
  CALL_FACCESSAT2 = 439,
  CALL_EPOLL_PWAIT2 = 441,
  CALL_LANDLOCK_CREATE_RULESET = 444,
  CALL_LANDLOCK_ADD_RULE = 445,
  CALL_LANDLOCK_RESTRICT_SELF = 446,
  CALL_FUTEX_WAITV = 449,
  CALL_CACHESTAT = 451,
  CALL_FCHMODAT2 = 452,
  CALL_MAP_SHADOW_STACK = 453,
  CALL_FUTEX_WAKE = 454,
  CALL_FUTEX_WAIT = 455,
  CALL_FUTEX_REQUEUE = 456,
  CALL_MSEAL = 462,
  /// The last of Linux 6.18; a library that finds a later one missing takes an earlier one.
  CALL_LAST_KNOWN = 470,
};

#endif

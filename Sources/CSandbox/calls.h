// Numbers of system calls that the headers of a stable distribution may not have yet. Since Linux 5.1 a new call has the
// same number on every architecture (Documentation/process/adding-syscalls.rst).
#ifndef PET_CALLS_H
#define PET_CALLS_H

enum {
  CALL_IO_URING_SETUP = 425,
  CALL_IO_URING_ENTER = 426,
  CALL_IO_URING_REGISTER = 427,
  CALL_OPEN_TREE = 428,
  CALL_MOVE_MOUNT = 429,
  CALL_FSOPEN = 430,
  CALL_FSCONFIG = 431,
  CALL_FSMOUNT = 432,
  CALL_FSPICK = 433,
  CALL_CLONE3 = 435,
  CALL_CLOSE_RANGE = 436,
  CALL_PIDFD_GETFD = 438,
  CALL_PROCESS_MADVISE = 440,
  CALL_MOUNT_SETATTR = 442,
  CALL_LANDLOCK_CREATE_RULESET = 444,
  CALL_LANDLOCK_ADD_RULE = 445,
  CALL_LANDLOCK_RESTRICT_SELF = 446,
};

#endif

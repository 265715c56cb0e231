// SPDX-License-Identifier: Apache-2.0
// Runs a program as an older kernel would: without seccomp filters, without Landlock. The filter that does it is laid before, and
// what asks for others is told that there is no such call.
//
//     OldKernel PROGRAM ARGUMENT...
#include <errno.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <stdio.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

int main(int count, char **arguments) {
  struct sock_filter code[] = {
    BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
    BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, __NR_seccomp, 1, 0),
    BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, 444, 0, 1), // landlock_create_ruleset(2)
    BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | ENOSYS),
    BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
  };
  const struct sock_fprog program = {.len = sizeof code / sizeof *code, .filter = code};
  if (count < 2 || prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0 || prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) != 0) {
    fprintf(stderr, "OldKernel: cannot be one\n");
    return 70;
  }
  execv(arguments[1], arguments + 1);
  fprintf(stderr, "OldKernel: cannot start %s\n", arguments[1]);
  return 70;
}

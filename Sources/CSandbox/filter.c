// The seccomp filter: https://www.kernel.org/doc/html/latest/userspace-api/seccomp_filter.html
//
// A list of what is refused, not of what is allowed: the program goes on under any version of the C library, and what it
// must not do is a short list.
#define _GNU_SOURCE
#include "sandbox.h"

#include <errno.h>

#if defined(__linux__)
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/sched.h>
#include <linux/seccomp.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "calls.h"

#if defined(__x86_64__)
#define OWN_ARCHITECTURE AUDIT_ARCH_X86_64
#elif defined(__aarch64__)
#define OWN_ARCHITECTURE AUDIT_ARCH_AARCH64
#endif

#if defined(OWN_ARCHITECTURE)

// Refused whatever the arguments.
static const int refused[] = {
  // Other programs, and other processes. What a child would do is refused to it as well: filters are inherited.
  __NR_execve, __NR_execveat,
#ifdef __NR_fork
  __NR_fork, __NR_vfork,
#endif
  __NR_ptrace, __NR_process_vm_readv, __NR_process_vm_writev, CALL_PIDFD_GETFD, CALL_PROCESS_MADVISE, __NR_kcmp,
  // Sockets by another door: requests in rings are no system calls, and pass no filter.
  CALL_IO_URING_SETUP, CALL_IO_URING_ENTER, CALL_IO_URING_REGISTER,
  // Ways to see or change what other rules are about: the kernel, other views of the files, other namespaces.
  __NR_bpf, __NR_perf_event_open, __NR_userfaultfd, __NR_unshare, __NR_setns, __NR_mount, __NR_umount2, __NR_pivot_root,
  __NR_chroot, CALL_OPEN_TREE, CALL_MOVE_MOUNT, CALL_FSOPEN, CALL_FSCONFIG, CALL_FSMOUNT, CALL_FSPICK, CALL_MOUNT_SETATTR,
  __NR_open_by_handle_at, __NR_name_to_handle_at, __NR_add_key, __NR_request_key, __NR_keyctl, __NR_kexec_load,
  __NR_init_module, __NR_finit_module, __NR_delete_module, __NR_swapon, __NR_swapoff, __NR_reboot, __NR_acct,
  __NR_quotactl, __NR_syslog, __NR_personality,
#ifdef __NR_iopl
  __NR_iopl, __NR_ioperm, __NR_modify_ldt,
#endif
  // By its path, which no rule of Landlock is about before Linux 6.2: files are cut by their descriptors.
  __NR_truncate,
  // What listens does so already.
  __NR_bind, __NR_listen,
};

// Refused as well where nobody is to be spoken to first. Messages with control data could bring a socket that another
// process opened: streams are read and written without.
static const int refused_alone[] = {__NR_connect, __NR_sendmsg, __NR_sendmmsg, __NR_recvmsg, __NR_recvmmsg};

#define COUNT(array) (sizeof(array) / sizeof(*(array)))
enum { LONGEST = 2 * (COUNT(refused) + COUNT(refused_alone)) + 64 };

typedef struct {
  struct sock_filter code[LONGEST];
  unsigned short count;
} program;

static void add(program *p, unsigned short code, uint32_t k, unsigned char yes, unsigned char no) {
  p->code[p->count++] = (struct sock_filter){.code = code, .jt = yes, .jf = no, .k = k};
}

static void answer(program *p, int error) { add(p, BPF_RET | BPF_K, SECCOMP_RET_ERRNO | (uint32_t)error, 0, 0); }
static void allow(program *p) { add(p, BPF_RET | BPF_K, SECCOMP_RET_ALLOW, 0, 0); }
static void load(program *p, size_t offset) { add(p, BPF_LD | BPF_W | BPF_ABS, (uint32_t)offset, 0, 0); }
static void load_call(program *p) { load(p, offsetof(struct seccomp_data, nr)); }

/// The lower half of an argument: all that the kernel takes of an int. Both architectures are little-endian.
static void load_argument(program *p, int index) { load(p, offsetof(struct seccomp_data, args) + 8 * (size_t)index); }
static void load_upper(program *p, int index) { load(p, offsetof(struct seccomp_data, args) + 8 * (size_t)index + 4); }

static void refuse(program *p, int call) {
  add(p, BPF_JMP | BPF_JEQ | BPF_K, (uint32_t)call, 0, 1);
  answer(p, EPERM);
}

/// Where a family is an argument, only Unix sockets.
static void refuse_families(program *p, int call) {
  add(p, BPF_JMP | BPF_JEQ | BPF_K, (uint32_t)call, 0, 4);
  load_argument(p, 0);
  add(p, BPF_JMP | BPF_JEQ | BPF_K, AF_UNIX, 1, 0);
  answer(p, EPERM);
  allow(p);
}

static program make(ps_peers peers) {
  program made = {.count = 0}, *p = &made;
  load(p, offsetof(struct seccomp_data, arch));
  // Numbers of calls mean other calls in another mode of the processor (int 0x80 of 32 bits).
  add(p, BPF_JMP | BPF_JEQ | BPF_K, OWN_ARCHITECTURE, 1, 0);
  answer(p, EPERM);
  load_call(p);
#if defined(__x86_64__)
  // The same for the 32-bit pointers of x32: a bit of the number.
  add(p, BPF_JMP | BPF_JGE | BPF_K, 0x40000000, 0, 1);
  answer(p, EPERM);
#endif
  for (size_t i = 0; i < COUNT(refused); i++) refuse(p, refused[i]);
  if (peers == PS_PEERS_COMING) {
    for (size_t i = 0; i < COUNT(refused_alone); i++) refuse(p, refused_alone[i]);
    // A datagram to an address; without one it goes to whom the socket was connected with.
    add(p, BPF_JMP | BPF_JEQ | BPF_K, __NR_sendto, 0, 6);
    load_argument(p, 4);
    add(p, BPF_JMP | BPF_JEQ | BPF_K, 0, 0, 2);
    load_upper(p, 4);
    add(p, BPF_JMP | BPF_JEQ | BPF_K, 0, 1, 0);
    answer(p, EPERM);
    allow(p);
  }
  refuse_families(p, __NR_socket);
  refuse_families(p, __NR_socketpair);
  // Threads, no processes. What clone3 is asked for lies in memory, where a filter cannot look: libraries then take clone.
  add(p, BPF_JMP | BPF_JEQ | BPF_K, CALL_CLONE3, 0, 1);
  answer(p, ENOSYS);
  add(p, BPF_JMP | BPF_JEQ | BPF_K, __NR_clone, 0, 4);
  load_argument(p, 0);
  add(p, BPF_JMP | BPF_JSET | BPF_K, CLONE_THREAD, 1, 0);
  answer(p, EPERM);
  allow(p);
  // Typing into the terminal: a shell would run it when this program has ended.
  add(p, BPF_JMP | BPF_JEQ | BPF_K, __NR_ioctl, 0, 5);
  load_argument(p, 1);
  add(p, BPF_JMP | BPF_JEQ | BPF_K, TIOCSTI, 1, 0);
  add(p, BPF_JMP | BPF_JEQ | BPF_K, TIOCLINUX, 0, 1);
  answer(p, EPERM);
  allow(p);
  // What ps_harden() set stays.
  add(p, BPF_JMP | BPF_JEQ | BPF_K, __NR_prctl, 0, 5);
  load_argument(p, 0);
  add(p, BPF_JMP | BPF_JEQ | BPF_K, PR_SET_DUMPABLE, 1, 0);
  add(p, BPF_JMP | BPF_JEQ | BPF_K, PR_SET_PTRACER, 0, 1);
  answer(p, EPERM);
  allow(p);
  allow(p);
  return made;
}

int ps_filter_support(void) {
  uint32_t action = SECCOMP_RET_ERRNO;
  return syscall(__NR_seccomp, SECCOMP_GET_ACTION_AVAIL, 0, &action) == 0 ? 0 : errno;
}

int ps_seal(ps_peers peers) {
  // Else only root may lay filters.
  if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0) return errno;
  program made = make(peers);
  struct sock_fprog code = {.len = made.count, .filter = made.code};
  long result = syscall(__NR_seccomp, SECCOMP_SET_MODE_FILTER, SECCOMP_FILTER_FLAG_TSYNC, &code);
  return result == 0 ? 0 : result > 0 ? (int)-result : errno;
}

size_t ps_filter_length(ps_peers peers) { return make(peers).count; }

#else
int ps_filter_support(void) { return ENOSYS; }
int ps_seal(ps_peers peers) { return (void)peers, ENOSYS; }
size_t ps_filter_length(ps_peers peers) { return (void)peers, 0; }
#endif

#else
int ps_filter_support(void) { return ENOSYS; }
int ps_seal(ps_peers peers) { return (void)peers, ENOSYS; }
size_t ps_filter_length(ps_peers peers) { return (void)peers, 0; }
#endif

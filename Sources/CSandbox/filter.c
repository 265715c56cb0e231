// SPDX-License-Identifier: Apache-2.0
// The seccomp filter: https://www.kernel.org/doc/html/latest/userspace-api/seccomp_filter.html
//
// A list of what is allowed. What only asks, waits, computes or works on descriptors and memory of this process is allowed whatever
// its arguments; what could reach another process, another machine or a file's rights is looked at, or refused.
#define _GNU_SOURCE
#include "sandbox.h"

#include <errno.h>

#if defined(__linux__)
#include <fcntl.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/sched.h>
#include <linux/seccomp.h>
#include <netinet/in.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "broker.h"
#include "calls.h"

#if defined(__x86_64__)
#define OWN_ARCHITECTURE AUDIT_ARCH_X86_64
#elif defined(__aarch64__)
#define OWN_ARCHITECTURE AUDIT_ARCH_AARCH64
#endif

#if defined(OWN_ARCHITECTURE)

#define COUNT(array) (sizeof(array) / sizeof(*(array)))

// Allowed whatever the arguments. Where a path is one, Landlock judges it.
static const int allowed[] = {
  // Memory; mmap and mprotect are looked at.
  __NR_brk, __NR_munmap, __NR_mremap, __NR_madvise, __NR_mincore, __NR_msync, __NR_mlock, __NR_mlock2, __NR_munlock,
  __NR_mlockall, __NR_munlockall, __NR_membarrier, __NR_get_mempolicy, CALL_CACHESTAT, CALL_MSEAL, CALL_MAP_SHADOW_STACK,
  // Threads of this process; clone is looked at.
  __NR_futex, CALL_FUTEX_WAITV, CALL_FUTEX_WAKE, CALL_FUTEX_WAIT, CALL_FUTEX_REQUEUE, __NR_set_robust_list,
  __NR_set_tid_address, __NR_rseq, __NR_sched_yield, __NR_exit, __NR_exit_group, __NR_restart_syscall, __NR_wait4,
  __NR_waitid,
  // Signals that come, and time.
  __NR_rt_sigaction, __NR_rt_sigprocmask, __NR_rt_sigreturn, __NR_rt_sigpending, __NR_rt_sigsuspend, __NR_rt_sigtimedwait,
  __NR_sigaltstack, __NR_signalfd4, __NR_clock_gettime, __NR_clock_getres, __NR_clock_nanosleep, __NR_nanosleep,
  __NR_gettimeofday, __NR_times, __NR_getitimer, __NR_setitimer, __NR_timer_create, __NR_timer_settime, __NR_timer_gettime,
  __NR_timer_getoverrun, __NR_timer_delete, __NR_timerfd_create, __NR_timerfd_settime, __NR_timerfd_gettime,
  // What the machine, the process and its person are.
  __NR_getpid, __NR_gettid, __NR_getppid, __NR_getpgid, __NR_getsid, __NR_getuid, __NR_geteuid, __NR_getgid, __NR_getegid,
  __NR_getresuid, __NR_getresgid, __NR_getgroups, __NR_capget, __NR_getpriority, __NR_ioprio_get, __NR_getrusage,
  __NR_sched_getaffinity, __NR_sched_getparam, __NR_sched_getscheduler, __NR_sched_getattr, __NR_sched_get_priority_max,
  __NR_sched_get_priority_min, __NR_sysinfo, __NR_uname, __NR_getcpu, __NR_getrandom, __NR_umask,
  // Descriptors; ioctl and fcntl are looked at.
  __NR_read, __NR_readv, __NR_pread64, __NR_preadv, __NR_preadv2, __NR_write, __NR_writev, __NR_pwrite64, __NR_pwritev,
  __NR_pwritev2, __NR_lseek, __NR_close, CALL_CLOSE_RANGE, __NR_dup, __NR_dup3, __NR_pipe2, __NR_eventfd2, __NR_ppoll,
  __NR_pselect6, __NR_epoll_create1, __NR_epoll_ctl, __NR_epoll_pwait, CALL_EPOLL_PWAIT2, __NR_fstat, __NR_fstatfs,
  __NR_ftruncate, __NR_fallocate, __NR_fsync, __NR_fdatasync, __NR_sync_file_range, __NR_flock, __NR_fadvise64,
  __NR_readahead, __NR_sendfile, __NR_copy_file_range, __NR_getdents64, __NR_getsockopt, __NR_getsockname, __NR_getpeername,
  // Files by their paths; open and openat are looked at.
  __NR_newfstatat, __NR_statx, __NR_statfs, __NR_faccessat, CALL_FACCESSAT2, __NR_readlinkat, __NR_getcwd, __NR_chdir,
  __NR_fchdir, __NR_mkdirat, __NR_unlinkat, __NR_renameat, __NR_renameat2,
#if defined(__x86_64__)
  // Older names of the same.
  __NR_arch_prctl, __NR_time, __NR_alarm, __NR_pause, __NR_getpgrp, __NR_getrlimit, __NR_dup2, __NR_pipe, __NR_eventfd, __NR_signalfd,
  __NR_poll, __NR_select, __NR_epoll_create, __NR_epoll_wait, __NR_getdents, __NR_stat, __NR_lstat, __NR_access,
  __NR_readlink, __NR_mkdir, __NR_rmdir, __NR_unlink, __NR_rename,
#endif
};

// With whoever came in by a socket that listens, or was there before.
static const int allowed_with_peers[] = {__NR_accept, __NR_accept4, __NR_recvfrom, __NR_shutdown};

// Of a broker.
static const int allowed_to_broker[] = {
  __NR_connect, __NR_getsockopt, __NR_read, __NR_close, __NR_exit, __NR_exit_group, __NR_rt_sigreturn, __NR_restart_syscall,
};

/// Reading and setting up a terminal; what can be read without waiting. Not TIOCSTI, which types into it, nor FIOSETOWN, which sends
/// signals to others.
static const uint32_t requests[] = {
  TCGETS, TCSETS, TCSETSW, TCSETSF, 0x802c542a /* TCGETS2 */, 0x402c542b /* TCSETS2 */, 0x402c542c /* TCSETSW2 */,
  0x402c542d /* TCSETSF2 */, TCFLSH, TCXONC, TCSBRK, TCSBRKP, TIOCGWINSZ, TIOCGPGRP, TIOCGSID, TIOCOUTQ, FIONREAD, FIONBIO,
  FIOCLEX, FIONCLEX, FIOQSIZE,
};

/// Flags and locks. Not F_SETOWN, F_SETSIG, F_SETLEASE and F_NOTIFY, which send signals or keep others from a file.
static const uint32_t commands[] = {
  F_DUPFD, F_DUPFD_CLOEXEC, F_GETFD, F_SETFD, F_GETFL, F_SETFL, F_GETLK, F_SETLK, F_SETLKW, F_OFD_GETLK, F_OFD_SETLK,
  F_OFD_SETLKW, F_GETPIPE_SZ, F_GET_SEALS,
};

/// What of a process may be asked and set. Not names of threads, which every user may read; not what ps_harden() set.
static const uint32_t options[] = {
  PR_GET_NAME, PR_GET_DUMPABLE, PR_GET_PDEATHSIG, PR_GET_KEEPCAPS, PR_GET_SECCOMP, PR_CAPBSET_READ, PR_GET_SECUREBITS,
  PR_GET_TIMERSLACK, PR_SET_TIMERSLACK, PR_SET_NO_NEW_PRIVS, PR_GET_NO_NEW_PRIVS, PR_SET_THP_DISABLE, PR_GET_THP_DISABLE,
  0x53564d41 /* PR_SET_VMA: names of memory, in /proc/PID/maps, which nobody else may read */, 0x41555856 /* PR_GET_AUXV */,
#if defined(__aarch64__)
  50 /* PR_SVE_SET_VL */, 51 /* PR_SVE_GET_VL */, 54 /* PR_PAC_RESET_KEYS */, 55 /* PR_SET_TAGGED_ADDR_CTRL */,
  56 /* PR_GET_TAGGED_ADDR_CTRL */, 63 /* PR_SME_SET_VL */, 64 /* PR_SME_GET_VL */,
#endif
};

enum { THREAD = CLONE_VM | CLONE_FS | CLONE_FILES | CLONE_SIGHAND | CLONE_THREAD };
enum { THREAD_DETAILS = CLONE_SYSVSEM | CLONE_SETTLS | CLONE_PARENT_SETTID | CLONE_CHILD_CLEARTID | CLONE_CHILD_SETTID | CLONE_DETACHED };

enum { LONGEST = 512 };

typedef struct {
  struct sock_filter code[LONGEST];
  unsigned short count;
} program;

static void add(program *p, unsigned short code, uint32_t k, size_t yes, size_t no) {
  p->code[p->count++] = (struct sock_filter){.code = code, .jt = (unsigned char)yes, .jf = (unsigned char)no, .k = k};
}

static void answer(program *p, int error) { add(p, BPF_RET | BPF_K, SECCOMP_RET_ERRNO | (uint32_t)error, 0, 0); }
static void allow(program *p) { add(p, BPF_RET | BPF_K, SECCOMP_RET_ALLOW, 0, 0); }
static void load(program *p, size_t offset) { add(p, BPF_LD | BPF_W | BPF_ABS, (uint32_t)offset, 0, 0); }

/// The lower half of an argument: all that the kernel takes of an int. Both architectures are little-endian.
static void load_argument(program *p, int index) { load(p, offsetof(struct seccomp_data, args) + 8 * (size_t)index); }
static void load_upper(program *p, int index) { load(p, offsetof(struct seccomp_data, args) + 8 * (size_t)index + 4); }

// One call: `begin`, what it must be like, `end`, which allows the rest. Other calls jump over it.

static size_t begin(program *p, int call) {
  add(p, BPF_JMP | BPF_JEQ | BPF_K, (uint32_t)call, 0, 0);
  return p->count;
}

static void end(program *p, size_t start) {
  allow(p);
  p->code[start - 1].jf = (unsigned char)(p->count - start);
}

static void require_one_of(program *p, int argument, const uint32_t *values, size_t count) {
  load_argument(p, argument);
  for (size_t i = 0; i < count; i++) add(p, BPF_JMP | BPF_JEQ | BPF_K, values[i], count - i, 0);
  answer(p, EPERM);
}

static void require(program *p, int argument, uint32_t value) { require_one_of(p, argument, &value, 1); }

static void require_all(program *p, int argument, uint32_t bits) {
  load_argument(p, argument);
  add(p, BPF_ALU | BPF_AND | BPF_K, bits, 0, 0);
  add(p, BPF_JMP | BPF_JEQ | BPF_K, bits, 1, 0);
  answer(p, EPERM);
}

static void require_none(program *p, int argument, uint32_t bits) {
  load_argument(p, argument);
  add(p, BPF_JMP | BPF_JSET | BPF_K, bits, 0, 1);
  answer(p, EPERM);
}

static void allow_one_of(program *p, int call, int argument, const uint32_t *values, size_t count) {
  size_t start = begin(p, call);
  require_one_of(p, argument, values, count);
  end(p, start);
}

static void allow_only(program *p, int call, int argument, uint32_t value) { allow_one_of(p, call, argument, &value, 1); }

static void allow_without(program *p, int call, int argument, uint32_t bits) {
  size_t start = begin(p, call);
  require_none(p, argument, bits);
  end(p, start);
}

/// A new file is no program that runs with its owner's rights. Without O_CREAT or O_TMPFILE there is no mode.
static void allow_opening(program *p, int call, int flags) {
  size_t start = begin(p, call);
  load_argument(p, flags);
  add(p, BPF_JMP | BPF_JSET | BPF_K, O_CREAT | (O_TMPFILE & ~O_DIRECTORY), 0, 3);
  require_none(p, flags + 1, 07000);
  end(p, start);
}

/// Takes what is looked at out of the general list: it was answered before.
static void look_at_arguments(program *p, ps_peers peers) {
  const uint32_t own[] = {0, (uint32_t)getpid()};
  // Nothing becomes code that was not when the program was loaded.
  allow_without(p, __NR_mmap, 2, PROT_EXEC);
  allow_without(p, __NR_mprotect, 2, PROT_EXEC);
  allow_opening(p, __NR_openat, 2);
#if defined(__x86_64__)
  allow_opening(p, __NR_open, 1);
#endif
  allow_one_of(p, __NR_fcntl, 1, commands, COUNT(commands));
  allow_one_of(p, __NR_ioctl, 1, requests, COUNT(requests));
  allow_one_of(p, __NR_prctl, 0, options, COUNT(options));
  // Threads, no processes, with the same descriptors, which PrivacyMonitor counts.
  size_t start = begin(p, __NR_clone);
  require_all(p, 0, THREAD);
  require_none(p, 0, ~(uint32_t)(THREAD | THREAD_DETAILS));
  end(p, start);
  // Of this process, and no other.
  allow_only(p, __NR_kill, 0, own[1]);
  allow_only(p, __NR_tgkill, 0, own[1]);
  allow_only(p, __NR_rt_sigqueueinfo, 0, own[1]);
  allow_only(p, __NR_rt_tgsigqueueinfo, 0, own[1]);
  allow_one_of(p, __NR_prlimit64, 0, own, COUNT(own));
  // Of this thread.
  static const int scheduling[] = {__NR_sched_setaffinity, __NR_sched_setparam, __NR_sched_setscheduler, __NR_sched_setattr};
  for (size_t i = 0; i < COUNT(scheduling); i++) allow_only(p, scheduling[i], 0, 0);
  start = begin(p, __NR_setpriority);
  require(p, 0, PRIO_PROCESS);
  require(p, 1, 0);
  end(p, start);
  start = begin(p, __NR_ioprio_set);
  require(p, 0, 1 /* IOPRIO_WHO_PROCESS */);
  require(p, 1, 0);
  end(p, start);
  // A message could bring a socket that another process opened: from the broker alone.
  if (peers == PS_PEERS_BROKER) allow_only(p, __NR_recvmsg, 0, (uint32_t)broker_descriptor());
  if (peers != PS_PEERS_COMING) return;
  allow_only(p, __NR_socket, 0, AF_UNIX);
  allow_only(p, __NR_socketpair, 0, AF_UNIX);
  static const uint32_t levels[] = {SOL_SOCKET, IPPROTO_TCP};
  allow_one_of(p, __NR_setsockopt, 1, levels, COUNT(levels));
  // Without an address it goes to whom the socket was connected with.
  start = begin(p, __NR_sendto);
  require(p, 4, 0);
  load_upper(p, 4);
  add(p, BPF_JMP | BPF_JEQ | BPF_K, 0, 1, 0);
  answer(p, EPERM);
  end(p, start);
}

/// Calls whose number lies in one of the ranges that `allowed` and `allowed_with_peers` make up.
static void allow_listed(program *p, ps_peers peers) {
  bool listed[CALL_LAST_KNOWN + 1] = {false};
  for (size_t i = 0; i < COUNT(allowed); i++) listed[allowed[i]] = true;
  for (size_t i = 0; i < COUNT(allowed_with_peers) && peers == PS_PEERS_COMING; i++) listed[allowed_with_peers[i]] = true;
  struct {
    uint32_t first, last;
  } ranges[CALL_LAST_KNOWN / 2 + 1];
  size_t count = 0;
  for (uint32_t call = 0; call <= CALL_LAST_KNOWN; call++) {
    if (!listed[call]) continue;
    if (count > 0 && ranges[count - 1].last + 1 == call) ranges[count - 1].last = call;
    else ranges[count].first = ranges[count].last = call, count++;
  }
  for (size_t i = 0; i < count; i++) {
    size_t left = 2 * (count - i);
    add(p, BPF_JMP | BPF_JGE | BPF_K, ranges[i].first, 0, left - 1);
    add(p, BPF_JMP | BPF_JGT | BPF_K, ranges[i].last, 0, left - 1);
  }
  answer(p, EPERM);
  allow(p);
}

/// Refuses numbers of calls that mean others, and leaves the number to be looked at.
static program make_beginning(void) {
  program made = {.count = 0}, *p = &made;
  load(p, offsetof(struct seccomp_data, arch));
  // Numbers of calls mean other calls in another mode of the processor (int 0x80 of 32 bits).
  add(p, BPF_JMP | BPF_JEQ | BPF_K, OWN_ARCHITECTURE, 1, 0);
  answer(p, EPERM);
  load(p, offsetof(struct seccomp_data, nr));
#if defined(__x86_64__)
  // The same for the 32-bit pointers of x32: a bit of the number.
  add(p, BPF_JMP | BPF_JGE | BPF_K, 0x40000000, 0, 1);
  answer(p, EPERM);
#endif
  return made;
}

static program make(ps_peers peers) {
  program made = make_beginning(), *p = &made;
  // What is asked for lies in memory, where a filter cannot look, or is later than this list: libraries then take an older call.
  add(p, BPF_JMP | BPF_JGT | BPF_K, CALL_LAST_KNOWN, 2, 0);
  add(p, BPF_JMP | BPF_JEQ | BPF_K, CALL_CLONE3, 1, 0);
  add(p, BPF_JMP | BPF_JEQ | BPF_K, CALL_OPENAT2, 0, 1);
  answer(p, ENOSYS);
  look_at_arguments(p, peers);
  allow_listed(p, peers);
  return made;
}

static program make_for_broker(int descriptor) {
  program made = make_beginning(), *p = &made;
  allow_only(p, __NR_socket, 0, AF_UNIX);
  allow_only(p, __NR_sendmsg, 0, (uint32_t)descriptor);
  for (size_t i = 0; i < COUNT(allowed_to_broker); i++) end(p, begin(p, allowed_to_broker[i]));
  answer(p, EPERM);
  return made;
}

int ps_filter_support(void) {
  uint32_t action = SECCOMP_RET_ERRNO;
  return syscall(__NR_seccomp, SECCOMP_GET_ACTION_AVAIL, 0, &action) == 0 ? 0 : errno;
}

static int lay(program made) {
  // Else only root may lay filters.
  if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0) return errno;
  struct sock_fprog code = {.len = made.count, .filter = made.code};
  long result = syscall(__NR_seccomp, SECCOMP_SET_MODE_FILTER, SECCOMP_FILTER_FLAG_TSYNC, &code);
  return result == 0 ? 0 : result > 0 ? (int)-result : errno;
}

int ps_seal(ps_peers peers) { return lay(make(peers)); }
int seal_broker(int descriptor) { return lay(make_for_broker(descriptor)); }

size_t ps_filter_length(ps_peers peers) { return make(peers).count; }

#else
int ps_filter_support(void) { return ENOSYS; }
int ps_seal(ps_peers peers) { return (void)peers, ENOSYS; }
int seal_broker(int descriptor) { return (void)descriptor, ENOSYS; }
size_t ps_filter_length(ps_peers peers) { return (void)peers, 0; }
#endif

#else
int ps_filter_support(void) { return ENOSYS; }
int ps_seal(ps_peers peers) { return (void)peers, ENOSYS; }
int seal_broker(int descriptor) { return (void)descriptor, ENOSYS; }
size_t ps_filter_length(ps_peers peers) { return (void)peers, 0; }
#endif

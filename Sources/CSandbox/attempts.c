// What a sealed process must not be able to do, tried: the answers come from the kernel and from nobody else.
#define _GNU_SOURCE
#include "sandbox.h"

#include <errno.h>

#if defined(__linux__)
#include <arpa/inet.h>
#include <fcntl.h>
#include <limits.h>
#include <netinet/in.h>
#include <poll.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "calls.h"

enum { FAMILIES = 46 };

static int failure(long result) { return result < 0 ? errno : 0; }

/// Opens a socket; one that could be opened is connected with nobody but this machine.
static int try_socket(int family, int type, int protocol) {
  int opened = socket(family, type | SOCK_CLOEXEC | SOCK_NONBLOCK, protocol);
  if (opened < 0) return errno;
  close(opened);
  return 0;
}

static int try_connection(int type, uint16_t port) {
  int opened = socket(AF_INET, type | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
  if (opened < 0) return errno;
  struct sockaddr_in address = {.sin_family = AF_INET, .sin_port = htons(port)};
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  // Whatever comes of it, the kernel let it be tried.
  (void)connect(opened, (struct sockaddr *)&address, sizeof address);
  close(opened);
  return 0;
}

/// The error of the first family but Unix that is not refused by `refusal`; a kernel without a family says EAFNOSUPPORT by itself.
static int try_families(bool pairs) {
  for (int family = 0; family < FAMILIES; family++) {
    if (family == AF_UNIX) continue;
    int ends[2];
    int result = pairs ? socketpair(family, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) : socket(family, SOCK_DGRAM | SOCK_CLOEXEC, 0);
    if (result >= 0) return 0;
    if (errno != EPERM) return errno;
  }
  return EPERM;
}

static struct sockaddr_un unix_address(const char *path) {
  struct sockaddr_un address = {.sun_family = AF_UNIX};
  strncpy(address.sun_path, path, sizeof address.sun_path - 1);
  return address;
}

static int try_unix(const char *path, int type) {
  if (path == NULL) return ENOENT;
  int opened = socket(AF_UNIX, type | SOCK_CLOEXEC, 0);
  if (opened < 0) return errno;
  struct sockaddr_un address = unix_address(path);
  long result = type == SOCK_STREAM ? connect(opened, (struct sockaddr *)&address, sizeof address)
                                    : sendto(opened, "x", 1, MSG_NOSIGNAL, (struct sockaddr *)&address, sizeof address);
  int error = failure(result);
  close(opened);
  return error;
}

/// The number of the call that `int $0x80` makes in 32 bits: socket(2) is 359.
static int try_int80(void) {
#if defined(__x86_64__)
  long result;
  __asm__ volatile("int $0x80" : "=a"(result) : "a"(359L), "b"((long)AF_INET), "c"((long)SOCK_STREAM), "d"(0L) : "memory", "r8", "r9", "r10", "r11");
  return (int)result < 0 ? -(int)result : 0;
#else
  return ENOSYS;
#endif
}

static int try_x32(void) {
#if defined(__x86_64__)
  return failure(syscall(0x40000000 | __NR_socket, AF_INET, SOCK_STREAM, 0));
#else
  return ENOSYS;
#endif
}

static int try_fork(void) {
  // vfork's and posix_spawn's way as well: clone(2) without CLONE_THREAD.
  long child = syscall(__NR_clone, SIGCHLD, 0, 0, 0, 0);
  if (child == 0) _exit(0);
  if (child > 0) waitpid((pid_t)child, NULL, 0);
  return failure(child);
}

static int try_clone3(void) {
  struct {
    uint64_t flags, pidfd, child_tid, parent_tid, exit_signal, stack, stack_size, tls;
  } arguments = {.exit_signal = SIGCHLD};
  long child = syscall(CALL_CLONE3, &arguments, sizeof arguments);
  if (child == 0) _exit(0);
  if (child > 0) waitpid((pid_t)child, NULL, 0);
  return failure(child);
}

/// Of a number of this program that the other process, which was forked from it or it from that, has at the same place.
static long own_number = 42;

static int try_memory(int call, pid_t other) {
  long copy = own_number;
  struct iovec here = {&copy, sizeof copy}, there = {&own_number, sizeof own_number};
  return failure(syscall(call, other, &here, 1, &there, 1, 0));
}

static int try_getfd(pid_t other) {
  long process = syscall(__NR_pidfd_open, other, 0);
  if (process < 0) return errno;
  int error = failure(syscall(CALL_PIDFD_GETFD, process, 0, 0));
  close((int)process);
  return error;
}

static int try_open(const char *folder, const char *name, int flags) {
  char path[512];
  if (folder == NULL) return ENOENT;
  snprintf(path, sizeof path, "%s%s%s", folder, name[0] ? "/" : "", name);
  int opened = open(path, flags | O_CLOEXEC | O_NONBLOCK, 0600);
  if (opened < 0) return errno;
  close(opened);
  return 0;
}

/// Some kernels let it be opened and then have nothing to read in it.
static int try_process_file(pid_t other, const char *name) {
  char path[64], byte;
  snprintf(path, sizeof path, "/proc/%d/%s", (int)other, name);
  int opened = open(path, O_RDONLY | O_CLOEXEC);
  if (opened < 0) return errno;
  // A number of this program is at the same place in the other, which was forked from it.
  long count = pread(opened, &byte, 1, strcmp(name, "mem") == 0 ? (off_t)(uintptr_t)&own_number : 0);
  int error = count < 0 ? errno : count == 0 ? EACCES : 0;
  close(opened);
  return error;
}

/// Moves a file from its own folder out, or links it.
static int try_moving(const ps_targets *targets, bool links) {
  char from[512], to[512];
  snprintf(from, sizeof from, "%s/attempt", targets->own_folder);
  snprintf(to, sizeof to, "%s/attempt.%d", targets->outside_folder, (int)getpid());
  int opened = open(from, O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
  if (opened >= 0) close(opened);
  int error = failure(links ? link(from, to) : rename(from, to));
  unlink(to);
  unlink(from);
  return error;
}

/// As large a dump as this process may still ask for, in its own folder.
static int try_core(const char *folder) {
  struct rlimit limit;
  if (chdir(folder) != 0 || getrlimit(RLIMIT_CORE, &limit) != 0) return errno;
  limit.rlim_cur = limit.rlim_max;
  if (setrlimit(RLIMIT_CORE, &limit) != 0) return errno;
  abort();
}

static void *do_nothing(void *unused) { return unused; }

static int try_thread(void) {
  pthread_t thread;
  int error = pthread_create(&thread, NULL, do_nothing, NULL);
  if (error == 0) pthread_join(thread, NULL);
  return error;
}

/// 0: it was let, whatever came of it.
static int make(ps_try what, const ps_targets *targets, int terminal) {
  switch (what) {
  case PS_TRY_TCP: return try_connection(SOCK_STREAM, 9);
  case PS_TRY_TCP6: return try_socket(AF_INET6, SOCK_STREAM, 0);
  case PS_TRY_UDP: return try_connection(SOCK_DGRAM, 9);
  case PS_TRY_DNS: return try_connection(SOCK_DGRAM, 53);
  case PS_TRY_RAW: return try_socket(AF_INET, SOCK_RAW, IPPROTO_RAW);
  case PS_TRY_PING: return try_socket(AF_INET, SOCK_DGRAM, IPPROTO_ICMP);
  case PS_TRY_NETLINK: return try_socket(AF_NETLINK, SOCK_RAW, 0);
  case PS_TRY_PACKET: return try_socket(AF_PACKET, SOCK_RAW, 0);
  case PS_TRY_VSOCK: return try_socket(AF_VSOCK, SOCK_STREAM, 0);
  case PS_TRY_FAMILIES: return try_families(false);
  case PS_TRY_PAIRS: return try_families(true);
  case PS_TRY_UNIX_CONNECT: return try_unix(targets->stream_socket, SOCK_STREAM);
  case PS_TRY_UNIX_SEND: return try_unix(targets->datagram_socket, SOCK_DGRAM);
  case PS_TRY_URING_SETUP: {
    char parameters[120] = {0};
    return failure(syscall(CALL_IO_URING_SETUP, 1, parameters));
  }
  case PS_TRY_URING_ENTER: return failure(syscall(CALL_IO_URING_ENTER, -1, 0, 0, 0, NULL, 0));
  case PS_TRY_URING_REGISTER: return failure(syscall(CALL_IO_URING_REGISTER, -1, 0, NULL, 0));
  case PS_TRY_X32: return try_x32();
  case PS_TRY_INT80: return try_int80();
  case PS_TRY_EXEC: {
    char *const none[] = {NULL};
    // The path is looked up only where the call is let.
    return failure(execve("", none, none));
  }
  case PS_TRY_EXECAT: {
    char *const none[] = {NULL};
    return failure(syscall(__NR_execveat, -1, "", none, none, 0));
  }
  case PS_TRY_FORK: return try_fork();
  case PS_TRY_CLONE3: return try_clone3();
  case PS_TRY_PTRACE: return failure(ptrace(PTRACE_SEIZE, targets->other, 0, 0));
  case PS_TRY_VM_READ: return try_memory(__NR_process_vm_readv, targets->other);
  case PS_TRY_VM_WRITE: return try_memory(__NR_process_vm_writev, targets->other);
  case PS_TRY_GETFD: return try_getfd(targets->other);
  case PS_TRY_KILL: return failure(kill(targets->other, 0));
  case PS_TRY_TYPE_AHEAD: return failure(ioctl(terminal, TIOCSTI, "x"));
  case PS_TRY_READ: return try_open(targets->outside_file, "", O_RDONLY);
  case PS_TRY_LIST: return try_open(targets->outside_folder, "", O_RDONLY | O_DIRECTORY);
  case PS_TRY_WRITE: return try_open(targets->outside_file, "", O_WRONLY);
  case PS_TRY_TRUNCATE: return failure(truncate(targets->outside_file, 0));
  case PS_TRY_CREATE: return try_open(targets->outside_folder, "made", O_WRONLY | O_CREAT);
  case PS_TRY_REMOVE: return failure(unlink(targets->outside_file));
  case PS_TRY_RENAME: return try_moving(targets, false);
  case PS_TRY_LINK: return try_moving(targets, true);
  case PS_TRY_PROC_ENVIRON: return try_process_file(targets->other, "environ");
  case PS_TRY_PROC_MEM: return try_process_file(targets->other, "mem");
  case PS_TRY_CORE: return try_core(targets->own_folder);
  case PS_TRY_DUMPABLE: return failure(prctl(PR_SET_DUMPABLE, 1, 0, 0, 0));
  case PS_TRY_OWN_READ: return try_open(targets->own_folder, "", O_RDONLY | O_DIRECTORY);
  case PS_TRY_OWN_WRITE: return try_open(targets->own_folder, "made", O_WRONLY | O_CREAT);
  case PS_TRY_THREAD: return try_thread();
  case PS_TRY_UNIX_SOCKET: {
    int ends[2];
    return failure(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends));
  }
  case PS_TRY_COUNT: break;
  }
  return EINVAL;
}

static int seal_fully(bool sealed, ps_peers peers, int rules) {
  if (!sealed) return 0;
  int error = ps_harden();
  if (error == 0 && rules >= 0) error = ps_rules_enforce(rules);
  return error != 0 ? error : ps_seal(peers);
}

static void close_between(int first, int last) {
  // Of Linux 5.9; an older one leaves them open.
  if (first <= last) syscall(CALL_CLOSE_RANGE, first, last, 0);
}

/// In a child that has only this thread. Of what it inherited it keeps two files: locks of others last as long as anybody has them.
static void behave(int kept, int also_kept) {
  int low = kept < also_kept ? kept : also_kept, high = kept < also_kept ? also_kept : kept;
  if (low <= STDERR_FILENO) low = STDERR_FILENO;
  if (high <= low) high = low;
  close_between(STDERR_FILENO + 1, low - 1);
  close_between(low + 1, high - 1);
  close_between(high + 1, INT_MAX);
  for (int number = 1; number < NSIG; number++) signal(number, SIG_DFL);
  sigset_t none;
  sigemptyset(&none);
  sigprocmask(SIG_SETMASK, &none, NULL);
  // What an attempt ends in is told by the process that waits for it.
  int nowhere = open("/dev/null", O_WRONLY | O_CLOEXEC);
  if (nowhere >= 0) dup2(nowhere, STDERR_FILENO);
}

pid_t ps_bystander_start(void) {
  pid_t child = fork();
  if (child < 0) return -errno;
  if (child > 0) return child;
  behave(-1, -1);
  prctl(PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0);
  for (;;) pause();
}

void ps_bystander_end(pid_t bystander) {
  if (bystander <= 0) return;
  kill(bystander, SIGKILL);
  while (waitpid(bystander, NULL, 0) < 0 && errno == EINTR) {}
}

/// Waits for so long; a child that hangs is ended.
static int wait_for(pid_t child, int milliseconds) {
  int status = 0;
  for (int waited = 0; waitpid(child, &status, WNOHANG) == 0; waited++) {
    if (waited == milliseconds * 4) {
      kill(child, SIGKILL);
      waitpid(child, &status, 0);
      break;
    }
    const struct timespec moment = {.tv_nsec = 250000};
    nanosleep(&moment, NULL);
  }
  return status;
}

int ps_attempt(ps_try what, const ps_targets *targets, bool sealed, ps_peers peers, int rules, ps_outcome *outcome) {
  int ends[2];
  if (pipe2(ends, O_CLOEXEC) != 0) return errno;
  pid_t child = fork();
  if (child < 0) {
    int error = errno;
    close(ends[0]);
    close(ends[1]);
    return error;
  }
  if (child == 0) {
    behave(ends[1], rules);
    int terminal = open("/dev/ptmx", O_RDWR | O_NOCTTY | O_CLOEXEC);
    int told[2] = {seal_fully(sealed, peers, rules), 0};
    if (told[0] == 0) told[1] = make(what, targets, terminal);
    _exit(write(ends[1], told, sizeof told) == sizeof told ? 0 : 1);
  }
  close(ends[1]);
  int status = wait_for(child, 5000), told[2] = {0, 0};
  long count = read(ends[0], told, sizeof told);
  close(ends[0]);
  outcome->signal = WIFSIGNALED(status) ? WTERMSIG(status) | (WCOREDUMP(status) ? 128 : 0) : 0;
  outcome->error = count == sizeof told ? told[1] : 0;
  return count == sizeof told ? told[0] : outcome->signal != 0 ? 0 : EIO;
}

int ps_self_test(ps_peers peers, int rules, ps_try tried[PS_TRY_COUNT], int errors[PS_TRY_COUNT]) {
  static const ps_try harmless[] = {
    PS_TRY_TCP, PS_TRY_TCP6, PS_TRY_UDP, PS_TRY_RAW, PS_TRY_NETLINK, PS_TRY_PACKET, PS_TRY_FAMILIES, PS_TRY_PAIRS,
    PS_TRY_URING_SETUP, PS_TRY_URING_ENTER, PS_TRY_URING_REGISTER,
#if defined(__x86_64__)
    PS_TRY_X32,
#endif
    PS_TRY_EXEC, PS_TRY_EXECAT, PS_TRY_FORK, PS_TRY_PTRACE, PS_TRY_VM_READ, PS_TRY_GETFD, PS_TRY_DUMPABLE,
  };
  enum { COUNT = sizeof harmless / sizeof *harmless };
  int ends[2];
  if (pipe2(ends, O_CLOEXEC) != 0) return -errno;
  const ps_targets targets = {.other = getpid()};
  pid_t child = fork();
  if (child < 0) {
    int error = errno;
    close(ends[0]);
    close(ends[1]);
    return -error;
  }
  if (child == 0) {
    behave(ends[1], rules);
    int told[COUNT + 1] = {seal_fully(true, peers, rules)};
    if (told[0] == 0)
      for (int i = 0; i < COUNT; i++) told[i + 1] = make(harmless[i], &targets, -1);
    _exit(write(ends[1], told, sizeof told) == sizeof told ? 0 : 1);
  }
  close(ends[1]);
  // The end of the child closes the pipe, whatever ended it.
  int told[COUNT + 1] = {0};
  struct pollfd ready = {.fd = ends[0], .events = POLLIN};
  int waited;
  do waited = poll(&ready, 1, 5000); while (waited < 0 && errno == EINTR);
  long count = waited > 0 ? read(ends[0], told, sizeof told) : 0;
  close(ends[0]);
  if (waited <= 0) kill(child, SIGKILL);
  while (waitpid(child, NULL, 0) < 0 && errno == EINTR) {}
  if (count != sizeof told) return -EIO;
  if (told[0] != 0) return -(told[0] < 0 ? EBUSY : told[0]);
  for (int i = 0; i < COUNT; i++) tried[i] = harmless[i], errors[i] = told[i + 1];
  return COUNT;
}

int ps_try_sockets_here(void) {
  static const int families[] = {AF_INET, AF_INET6, AF_NETLINK, AF_PACKET};
  for (size_t i = 0; i < sizeof families / sizeof *families; i++) {
    int error = try_socket(families[i], families[i] == AF_INET || families[i] == AF_INET6 ? SOCK_STREAM : SOCK_RAW, 0);
    if (error != EPERM) return error;
  }
  return make(PS_TRY_URING_SETUP, NULL, -1);
}

#else
pid_t ps_bystander_start(void) { return -ENOSYS; }
void ps_bystander_end(pid_t bystander) { (void)bystander; }
int ps_attempt(ps_try what, const ps_targets *targets, bool sealed, ps_peers peers, int rules, ps_outcome *outcome) {
  return (void)what, (void)targets, (void)sealed, (void)peers, (void)rules, (void)outcome, ENOSYS;
}
int ps_self_test(ps_peers peers, int rules, ps_try tried[PS_TRY_COUNT], int errors[PS_TRY_COUNT]) {
  return (void)peers, (void)rules, (void)tried, (void)errors, -ENOSYS;
}
int ps_try_sockets_here(void) { return ENOSYS; }
#endif

// SPDX-License-Identifier: Apache-2.0
// What a sealed process must not be able to do, tried: the answers come from the kernel and from nobody else.
#define _GNU_SOURCE
#include "sandbox.h"

#include <errno.h>

#if defined(__linux__)
#include <arpa/inet.h>
#include <fcntl.h>
#include <linux/fanotify.h>
#include <linux/sched.h>
#include <netinet/in.h>
#include <poll.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/fanotify.h>
#include <sys/inotify.h>
#include <sys/ioctl.h>
#include <sys/ipc.h>
#include <sys/mman.h>
#include <sys/msg.h>
#include <sys/personality.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/resource.h>
#include <sys/sem.h>
#include <sys/shm.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <sys/xattr.h>
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

/// One of System V's three; what could be made is removed.
static int try_shared(int call) {
  long made = call == __NR_msgget ? syscall(call, IPC_PRIVATE, IPC_CREAT | 0600)
              : call == __NR_shmget ? syscall(call, IPC_PRIVATE, 4096, IPC_CREAT | 0600)
                                    : syscall(call, IPC_PRIVATE, 1, IPC_CREAT | 0600);
  if (made < 0) return errno;
  if (call == __NR_msgget) msgctl((int)made, IPC_RMID, NULL);
  if (call == __NR_shmget) shmctl((int)made, IPC_RMID, NULL);
  if (call == __NR_semget) semctl((int)made, 0, IPC_RMID);
  return 0;
}

static int try_queue(void) {
  long queue = syscall(__NR_mq_open, "pet-privacy", O_RDWR | O_CREAT, 0600, NULL);
  if (queue < 0) return errno;
  close((int)queue);
  syscall(__NR_mq_unlink, "pet-privacy");
  return 0;
}

static int try_limit(pid_t other) {
  struct rlimit limit;
  // The same again.
  if (getrlimit(RLIMIT_CPU, &limit) != 0) return errno;
  return failure(prlimit(other, RLIMIT_CPU, &limit, NULL));
}

static int try_scheduler(pid_t other) {
  const struct sched_param none = {.sched_priority = 0};
  return failure(syscall(__NR_sched_setscheduler, other, SCHED_OTHER, &none));
}

static int try_affinity(pid_t other) {
  cpu_set_t processors;
  if (sched_getaffinity(0, sizeof processors, &processors) != 0) return errno;
  return failure(sched_setaffinity(other, sizeof processors, &processors));
}

static int try_pidfd_signal(pid_t other) {
  long process = syscall(__NR_pidfd_open, other, 0);
  if (process < 0) return errno;
  int error = failure(syscall(CALL_PIDFD_SEND_SIGNAL, process, 0, NULL, 0));
  close((int)process);
  return error;
}

/// Signals by a descriptor: whoever is named gets one when there is something to read.
static int try_owner(pid_t other) {
  int ends[2];
  if (pipe2(ends, O_CLOEXEC) != 0) return errno;
  int error = failure(fcntl(ends[0], F_SETOWN, other));
  close(ends[0]);
  close(ends[1]);
  return error;
}

static int try_executable(int protection) {
  void *page = mmap(NULL, 4096, protection, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (page == MAP_FAILED) return errno;
  int error = protection & PROT_EXEC ? 0 : failure(mprotect(page, 4096, PROT_READ | PROT_EXEC));
  munmap(page, 4096);
  return error;
}

static int try_file_executable(void) {
  long file = syscall(__NR_memfd_create, "pet-privacy", 1 /* MFD_CLOEXEC */);
  if (file < 0) return errno;
  void *page = ftruncate((int)file, 4096) == 0 ? mmap(NULL, 4096, PROT_READ | PROT_EXEC, MAP_SHARED, (int)file, 0) : MAP_FAILED;
  int error = page == MAP_FAILED ? errno : 0;
  if (page != MAP_FAILED) munmap(page, 4096);
  close((int)file);
  return error;
}

static int try_inotify(const char *folder) {
  int watch = inotify_init1(IN_CLOEXEC);
  if (watch < 0) return errno;
  int error = failure(inotify_add_watch(watch, folder, IN_ALL_EVENTS));
  close(watch);
  return error;
}

static int try_fanotify(void) {
  int watch = fanotify_init(FAN_CLASS_NOTIF | FAN_CLOEXEC | FAN_REPORT_FID, O_RDONLY);
  if (watch < 0) return errno;
  close(watch);
  return 0;
}

/// A pair of sockets takes a descriptor across.
static int try_pass(void) {
  int ends[2], passed = STDERR_FILENO;
  if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0) return errno;
  union {
    char bytes[CMSG_SPACE(sizeof passed)];
    struct cmsghdr header;
  } control = {.header = {.cmsg_len = CMSG_LEN(sizeof passed), .cmsg_level = SOL_SOCKET, .cmsg_type = SCM_RIGHTS}};
  memcpy(CMSG_DATA(&control.header), &passed, sizeof passed);
  struct iovec byte = {"x", 1};
  const struct msghdr message = {.msg_iov = &byte, .msg_iovlen = 1, .msg_control = &control, .msg_controllen = sizeof control};
  int error = failure(sendmsg(ends[0], &message, MSG_NOSIGNAL));
  close(ends[0]);
  close(ends[1]);
  return error;
}

/// A message that could bring a descriptor, and brings none.
static int try_take(void) {
  int ends[2];
  if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0) return errno;
  char text, control[CMSG_SPACE(sizeof ends[0])];
  struct iovec byte = {&text, 1};
  struct msghdr message = {.msg_iov = &byte, .msg_iovlen = 1, .msg_control = control, .msg_controllen = sizeof control};
  int error = failure(write(ends[0], "x", 1));
  if (error == 0) error = failure(recvmsg(ends[1], &message, MSG_DONTWAIT | MSG_CMSG_CLOEXEC));
  close(ends[0]);
  close(ends[1]);
  return error;
}

/// A name that nobody else can have.
static int try_listening(void) {
  int opened = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
  if (opened < 0) return errno;
  const struct sockaddr_un address = {.sun_family = AF_UNIX};
  int error = failure(bind(opened, (const struct sockaddr *)&address, sizeof address.sun_family));
  if (error == 0) error = failure(listen(opened, 1));
  close(opened);
  return error;
}

static int try_making(const char *folder, mode_t mode, bool is_file) {
  char path[512];
  snprintf(path, sizeof path, "%s/made.%d", folder, (int)getpid());
  int opened = is_file ? open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, mode) : mknod(path, mode, 0);
  int error = failure(opened);
  if (is_file && opened >= 0) close(opened);
  unlink(path);
  return error;
}

static int try_symlink(const char *folder) {
  char path[512];
  snprintf(path, sizeof path, "%s/made.%d", folder, (int)getpid());
  int error = failure(symlink("/etc/passwd", path));
  unlink(path);
  return error;
}

static int try_handle(const char *path) {
  struct {
    uint32_t size;
    int32_t type;
    unsigned char bytes[128];
  } handle = {.size = 128};
  int mount;
  return failure(syscall(__NR_name_to_handle_at, AT_FDCWD, path, &handle, &mount, 0));
}

/// 0: it was let, whatever came of it.
static int make(ps_try what, const ps_targets *targets, int terminal) {
  switch (what) {
  case PS_TRY_PASS: return try_pass();
  case PS_TRY_TAKE: return try_take();
  case PS_TRY_LISTEN: return try_listening();
  case PS_TRY_MESSAGES: return try_shared(__NR_msgget);
  case PS_TRY_SHARED_MEMORY: return try_shared(__NR_shmget);
  case PS_TRY_SEMAPHORES: return try_shared(__NR_semget);
  case PS_TRY_QUEUE: return try_queue();
  case PS_TRY_KEY: return failure(syscall(__NR_add_key, "user", "pet-privacy", "x", 1, -1 /* KEY_SPEC_THREAD_KEYRING */));
  case PS_TRY_LIMIT: return try_limit(targets->other);
  case PS_TRY_SCHEDULER: return try_scheduler(targets->other);
  case PS_TRY_AFFINITY: return try_affinity(targets->other);
  case PS_TRY_PRIORITY: return failure(setpriority(PRIO_PROCESS, (id_t)targets->other, 0));
  case PS_TRY_IO_PRIORITY: return failure(syscall(__NR_ioprio_set, 1, targets->other, 2 << 13 | 4));
  case PS_TRY_KILL_THREAD: return failure(syscall(__NR_tkill, targets->other, 0));
  case PS_TRY_KILL_GROUP: return failure(kill(0, 0));
  case PS_TRY_PIDFD_SIGNAL: return try_pidfd_signal(targets->other);
  case PS_TRY_OWNER: return try_owner(targets->other);
  case PS_TRY_NAMESPACE: return failure(unshare(CLONE_FILES));
  case PS_TRY_BPF: return failure(syscall(__NR_bpf, 0, NULL, 0));
  case PS_TRY_PERF: return failure(syscall(__NR_perf_event_open, NULL, 0, -1, -1, 0));
  case PS_TRY_FAULTS: {
    long opened = syscall(__NR_userfaultfd, 1 /* UFFD_USER_MODE_ONLY */);
    if (opened >= 0) close((int)opened);
    return failure(opened);
  }
  case PS_TRY_NAME: return failure(prctl(PR_SET_NAME, "pet-privacy", 0, 0, 0));
  case PS_TRY_RIGHTS: return failure(chmod(targets->outside_file, 0600));
  case PS_TRY_RIGHTS_AT: return failure(syscall(__NR_fchmodat, AT_FDCWD, targets->outside_file, 0600));
  case PS_TRY_RIGHTS_AT2: return failure(syscall(CALL_FCHMODAT2, AT_FDCWD, targets->outside_file, 0600, 0));
  case PS_TRY_OWNERSHIP: return failure(chown(targets->outside_file, getuid(), getgid()));
  case PS_TRY_ATTRIBUTE: return failure(setxattr(targets->outside_file, "user.pet", "x", 1, 0));
  case PS_TRY_DATES: return failure(utimensat(AT_FDCWD, targets->outside_file, NULL, 0));
  case PS_TRY_PIPE: return try_making(targets->outside_folder, S_IFIFO | 0600, false);
  case PS_TRY_SYMLINK: return try_symlink(targets->outside_folder);
  case PS_TRY_SET_USER: return try_making(targets->own_folder, 04700, true);
  case PS_TRY_WATCH: return try_inotify(targets->outside_folder);
  case PS_TRY_WATCH_ALL: return try_fanotify();
  case PS_TRY_HANDLE: return try_handle(targets->outside_file);
  case PS_TRY_INHERITED: return failure(write(targets->inherited, "x", 1));
  case PS_TRY_EXECUTABLE: return try_executable(PROT_READ | PROT_WRITE | PROT_EXEC);
  case PS_TRY_MADE_EXECUTABLE: return try_executable(PROT_READ | PROT_WRITE);
  case PS_TRY_FILE_EXECUTABLE: return try_file_executable();
  case PS_TRY_PERSONALITY: return failure(personality(READ_IMPLIES_EXEC));
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

static void close_others(int kept, int also_kept) {
  const int ascending[] = {kept < also_kept ? kept : also_kept, kept < also_kept ? also_kept : kept};
  ps_close_all_but(ascending, 2);
}

/// In a child that has only this thread. Of what it inherited it keeps two files: locks of others last as long as anybody has them.
static void behave(int kept, int also_kept) {
  close_others(kept, also_kept);
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
    // As programs do at their start.
    ps_targets reached = *targets;
    reached.inherited = what == PS_TRY_INHERITED ? open(targets->outside_file, O_WRONLY) : -1;
    if (sealed && what == PS_TRY_INHERITED) close_others(ends[1], rules);
    int told[2] = {seal_fully(sealed, peers, rules), 0};
    if (told[0] == 0) told[1] = make(what, &reached, terminal);
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
    PS_TRY_PASS, PS_TRY_TAKE, PS_TRY_LISTEN, PS_TRY_URING_SETUP, PS_TRY_URING_ENTER, PS_TRY_URING_REGISTER,
#if defined(__x86_64__)
    PS_TRY_X32,
#endif
    PS_TRY_EXEC, PS_TRY_EXECAT, PS_TRY_FORK, PS_TRY_PTRACE, PS_TRY_VM_READ, PS_TRY_GETFD, PS_TRY_DUMPABLE,
    PS_TRY_MESSAGES, PS_TRY_SHARED_MEMORY, PS_TRY_SEMAPHORES, PS_TRY_QUEUE, PS_TRY_KEY, PS_TRY_LIMIT, PS_TRY_SCHEDULER,
    PS_TRY_AFFINITY, PS_TRY_PRIORITY, PS_TRY_IO_PRIORITY, PS_TRY_KILL_THREAD, PS_TRY_KILL_GROUP, PS_TRY_PIDFD_SIGNAL,
    PS_TRY_OWNER, PS_TRY_NAMESPACE, PS_TRY_BPF, PS_TRY_PERF, PS_TRY_FAULTS, PS_TRY_NAME, PS_TRY_WATCH_ALL, PS_TRY_EXECUTABLE,
    PS_TRY_MADE_EXECUTABLE, PS_TRY_FILE_EXECUTABLE, PS_TRY_PERSONALITY,
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

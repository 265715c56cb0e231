// SPDX-License-Identifier: Apache-2.0
// What a process gives up for good: doors to the Linux kernel's seccomp filters and Landlock, by their system calls, and
// attempts that show what the kernel then does. Elsewhere every function says ENOSYS.
#ifndef PET_SANDBOX_H
#define PET_SANDBOX_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

// MARK: seccomp

/// Whom a sealed process may still speak to.
typedef enum {
  /// Those who come in by sockets that listen already, and whom it was connected with before.
  PS_PEERS_COMING = 0,
  /// The service that ps_broker_start() was given, by connections that the broker hands over. No sockets of its own.
  PS_PEERS_BROKER = 1,
  /// Nobody: there are no sockets.
  PS_PEERS_NONE = 2,
} ps_peers;

/// 0 where the kernel takes filters; else an error number.
int ps_filter_support(void);
/// Lays the filter on all threads, those to come included. 0; an error number; or minus the number of a thread that has another filter.
int ps_seal(ps_peers peers);
/// How many instructions the filter has.
size_t ps_filter_length(ps_peers peers);

// MARK: Landlock

enum {
  PS_FILE_READ = 1,
  /// A character device may be set up as well.
  PS_FILE_WRITE = 2,
  /// Sockets may be made, and files removed; nothing is read or written.
  PS_FILE_SOCKET = 4,
  /// Files may be made, written and removed; none is read.
  PS_FILE_MAKE = 8,
};

/// The version of Landlock that the kernel has; 0: none.
int ps_landlock_version(void);
/// A set of rules under which nothing may be touched yet: a descriptor, or minus an error number.
int ps_rules_create(void);
/// Allows `access` (PS_FILE_...) to `path` and all below it. 0, or an error number.
int ps_rules_allow(int rules, const char *path, int access);
/// Binds this thread, and those that it starts from now on. 0, or an error number.
int ps_rules_enforce(int rules);

// MARK: A service of this machine

/// That another user listens there: no number of an error.
enum { PS_STRANGER = 4096 };

/// Connects a Unix socket without waiting, and looks who listens there: one of `users`. Nothing is sent. A descriptor that does not
/// block; minus an error number; or -PS_STRANGER, with the other's number in `peer`.
int ps_connect(const char *path, const uint32_t *users, size_t count, uint32_t *peer);
/// Starts a process that makes such connections for this one when it is sealed: it has no files, can do nothing else, and ends with this
/// process. Before the first thread. 0, or an error number.
int ps_broker_start(const char *path, const uint32_t *users, size_t count);
/// What ps_connect() says there; -EPIPE: that process has ended; -ETIMEDOUT: it did not answer within two seconds, and is not asked
/// again: -ENOTCONN. By one thread at a time.
int ps_broker_connect(uint32_t *peer);
/// Does without it from now on.
void ps_broker_end(void);

// MARK: The rest

/// Closes every descriptor from 3 on but those in `kept`, which are ascending. Before this program opens any itself.
void ps_close_all_but(const int *kept, size_t count);

/// No core dumps, no debugger of another process, no words at a crash, no new privileges, and of root's those only that have to do with
/// files. Of this thread, and those that it starts from now on. 0, or an error number.
int ps_harden(void);
/// Keeps the heap from being swapped, as far as the limit allows: bytes that are locked, of `*size`.
size_t ps_lock_heap(size_t *size);
/// Lets it be swapped, and parts of it be given back, again.
void ps_unlock_heap(void);

// MARK: Work on bytes of others

/// Makes an answer of a request: writes at most `room` bytes to `answer` and returns how many they are; below 0: there is none.
typedef int64_t (*ps_work)(void *context, const uint8_t *request, size_t length, uint8_t *answer, size_t room);

/// A process that forks another for each request, which is sealed, works on it and ends.
typedef struct {
  ps_work work;
  void *context;
  /// Bytes of the longest request, and of the longest answer.
  size_t most_asked, most_answered;
  /// Descriptors by which it is spoken with.
  int requests, answers;
} ps_helper;

enum {
  /// The process that worked on it ended without an answer.
  PS_HELPER_FAILED = -1,
  /// There is no helper any more.
  PS_HELPER_ENDED = -2,
};

/// Starts it, before the first thread: it has the memory that this process has now, and no files but those of `rules`. It ends with this process.
/// 0, or an error number.
int ps_helper_start(ps_helper *helper, int rules);
/// Has it work; for one thread at a time. How long the answer is, which ps_helper_receive() then gets; or PS_HELPER_...
int64_t ps_helper_ask(const ps_helper *helper, const uint8_t *request, size_t length);
bool ps_helper_receive(const ps_helper *helper, uint8_t *answer, size_t length);

// MARK: Attempts

typedef enum {
  PS_TRY_TCP, PS_TRY_TCP6, PS_TRY_UDP, PS_TRY_DNS, PS_TRY_RAW, PS_TRY_PING, PS_TRY_NETLINK, PS_TRY_PACKET, PS_TRY_VSOCK,
  PS_TRY_FAMILIES, PS_TRY_PAIRS, PS_TRY_UNIX_CONNECT, PS_TRY_UNIX_SEND, PS_TRY_PASS, PS_TRY_TAKE, PS_TRY_LISTEN,
  PS_TRY_URING_SETUP, PS_TRY_URING_ENTER, PS_TRY_URING_REGISTER, PS_TRY_X32, PS_TRY_INT80,
  PS_TRY_EXEC, PS_TRY_EXECAT, PS_TRY_FORK, PS_TRY_CLONE3, PS_TRY_PTRACE, PS_TRY_VM_READ, PS_TRY_VM_WRITE, PS_TRY_GETFD,
  PS_TRY_KILL, PS_TRY_KILL_THREAD, PS_TRY_KILL_GROUP, PS_TRY_PIDFD_SIGNAL, PS_TRY_OWNER, PS_TRY_TYPE_AHEAD,
  PS_TRY_MESSAGES, PS_TRY_SHARED_MEMORY, PS_TRY_SEMAPHORES, PS_TRY_QUEUE, PS_TRY_KEY, PS_TRY_LIMIT, PS_TRY_SCHEDULER,
  PS_TRY_AFFINITY, PS_TRY_PRIORITY, PS_TRY_IO_PRIORITY, PS_TRY_NAMESPACE, PS_TRY_BPF, PS_TRY_PERF, PS_TRY_FAULTS, PS_TRY_NAME,
  PS_TRY_READ, PS_TRY_LIST, PS_TRY_WRITE, PS_TRY_TRUNCATE, PS_TRY_CREATE, PS_TRY_REMOVE, PS_TRY_RENAME, PS_TRY_LINK,
  PS_TRY_RIGHTS, PS_TRY_RIGHTS_AT, PS_TRY_RIGHTS_AT2, PS_TRY_OWNERSHIP, PS_TRY_ATTRIBUTE, PS_TRY_DATES, PS_TRY_PIPE,
  PS_TRY_SYMLINK, PS_TRY_SET_USER, PS_TRY_WATCH, PS_TRY_WATCH_ALL, PS_TRY_HANDLE, PS_TRY_INHERITED,
  PS_TRY_PROC_ENVIRON, PS_TRY_PROC_MEM,
  PS_TRY_CORE, PS_TRY_DUMPABLE, PS_TRY_EXECUTABLE, PS_TRY_MADE_EXECUTABLE, PS_TRY_FILE_EXECUTABLE, PS_TRY_PERSONALITY,
  // What must go on.
  PS_TRY_OWN_READ, PS_TRY_OWN_WRITE, PS_TRY_THREAD, PS_TRY_UNIX_SOCKET,
  PS_TRY_COUNT,
} ps_try;

/// Where attempts reach for.
typedef struct {
  /// A file outside, and the folder it is in.
  const char *outside_file;
  const char *outside_folder;
  /// A folder of its own.
  const char *own_folder;
  /// Unix sockets of another process: one that listens, one for datagrams.
  const char *stream_socket;
  const char *datagram_socket;
  /// Another process.
  pid_t other;
  /// A descriptor that was open before: ps_attempt() opens it.
  int inherited;
} ps_targets;

/// Starts a process that does nothing, for attempts to reach for: its number, or minus an error number. It ends with this one.
pid_t ps_bystander_start(void);
void ps_bystander_end(pid_t bystander);

/// How an attempt ended.
typedef struct {
  /// 0: it was let. Else the number of the error.
  int error;
  /// The signal that ended it; 0: none did. 128 is added where a core was dumped.
  int signal;
} ps_outcome;

/// Makes an attempt in a process of its own, which is sealed before if `sealed`, under `rules` if that is no negative number.
/// Nothing is sent to anybody. 0, or the number of the error that kept it from being made.
int ps_attempt(ps_try what, const ps_targets *targets, bool sealed, ps_peers peers, int rules, ps_outcome *outcome);

/// Makes the attempts that harm nothing one after another, in one process that is sealed before, as a program does when it starts.
/// How many were made, each in `tried` with its error number in `errors`; or minus an error number.
int ps_self_test(ps_peers peers, int rules, ps_try tried[PS_TRY_COUNT], int errors[PS_TRY_COUNT]);

/// What this very thread gets for a socket of internet, netlink and packets, and for an io_uring: the error of the first that is not
/// EPERM, 0 where it was let; EPERM: all were refused.
int ps_try_sockets_here(void);

#endif

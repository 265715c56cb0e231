// SPDX-License-Identifier: Apache-2.0
// Connections with a service of this machine, where its user is who it should be; and a process of its own that makes them for one that
// is sealed and cannot.
#define _GNU_SOURCE
#include "sandbox.h"

#include <errno.h>

#if defined(__linux__)
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "broker.h"

int ps_connect(const char *path, const uint32_t *users, size_t count, uint32_t *peer) {
  struct sockaddr_un address = {.sun_family = AF_UNIX};
  const size_t length = strlen(path);
  if (length == 0) return -ENOENT;
  if (length >= sizeof address.sun_path) return -ENAMETOOLONG;
  memcpy(address.sun_path, path, length);
  // Who does not take connections any more keeps nobody waiting.
  const int opened = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
  if (opened < 0) return -errno;
  // unix(7): whoever called listen(2) there.
  struct ucred other = {.uid = UINT32_MAX};
  socklen_t size = sizeof other;
  int error = 0;
  if (connect(opened, (struct sockaddr *)&address, sizeof address) != 0 ||
      getsockopt(opened, SOL_SOCKET, SO_PEERCRED, &other, &size) != 0) {
    error = errno;
  } else {
    *peer = other.uid;
    error = PS_STRANGER;
    for (size_t i = 0; i < count; i++)
      if (users[i] == other.uid) error = 0;
  }
  if (error == 0) return opened;
  close(opened);
  return -error;
}

/// What the broker says; with a descriptor where there is no error.
typedef struct {
  int error;
  uint32_t peer;
} answer;

typedef union {
  char bytes[CMSG_SPACE(sizeof(int))];
  struct cmsghdr header;
} passenger;

/// Milliseconds, with a broker that was stopped.
enum { PATIENCE = 2000 };

static int broker = -1;
static pid_t process;
/// It was given up: what it says late would be taken for the answer to another question.
static bool is_lost;

int broker_descriptor(void) { return broker; }

static void hand_over(int end, int connection, answer said) {
  struct iovec part = {&said, sizeof said};
  struct msghdr message = {.msg_iov = &part, .msg_iovlen = 1};
  passenger control = {.bytes = {0}};
  if (connection >= 0) {
    control.header = (struct cmsghdr){.cmsg_len = CMSG_LEN(sizeof connection), .cmsg_level = SOL_SOCKET, .cmsg_type = SCM_RIGHTS};
    memcpy(CMSG_DATA(&control.header), &connection, sizeof connection);
    message.msg_control = &control;
    message.msg_controllen = sizeof control;
  }
  while (sendmsg(end, &message, MSG_NOSIGNAL) < 0 && errno == EINTR) {}
}

/// In a child that has only this thread, and hears nothing but that a connection is wanted.
static _Noreturn void serve(int end, const char *path, const uint32_t *users, size_t count) {
  // What is typed at the terminal is meant for the program; this ends with it.
  static const int others[] = {SIGINT, SIGQUIT, SIGHUP, SIGTERM, SIGTSTP, SIGPIPE};
  for (size_t i = 0; i < sizeof others / sizeof *others; i++) signal(others[i], SIG_IGN);
  ps_close_all_but(&end, 1);
  for (int stream = STDIN_FILENO; stream <= STDERR_FILENO; stream++) close(stream);
  // A kernel without filters: the program says so of itself.
  (void)seal_broker(end);
  for (;;) {
    char wanted;
    const long got = read(end, &wanted, 1);
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) _exit(0);
    answer said = {.error = 0};
    const int connection = ps_connect(path, users, count, &said.peer);
    if (connection < 0) said.error = -connection;
    hand_over(end, connection, said);
    if (connection >= 0) close(connection);
  }
}

int ps_broker_start(const char *path, const uint32_t *users, size_t count) {
  if (broker >= 0) return EALREADY;
  int ends[2];
  // Messages, and an end that is told.
  if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends) != 0) return errno;
  const pid_t child = fork();
  if (child < 0) {
    const int error = errno;
    close(ends[0]);
    close(ends[1]);
    return error;
  }
  if (child == 0) serve(ends[1], path, users, count);
  close(ends[1]);
  broker = ends[0];
  process = child;
  is_lost = false;
  // Nobody else waits for it.
  atexit(ps_broker_end);
  return 0;
}

/// Closes its socket, whose number stays taken: by it alone the filter lets messages come in.
static void give_up(void) {
  int ends[2];
  is_lost = true;
  if (pipe2(ends, O_CLOEXEC) != 0) return;
  dup3(ends[0], broker, O_CLOEXEC);
  close(ends[0]);
  close(ends[1]);
}

int ps_broker_connect(uint32_t *peer) {
  if (broker < 0 || is_lost) return -ENOTCONN;
  long count;
  // No SIGPIPE: a socket of packets raises none.
  do count = write(broker, "", 1);
  while (count < 0 && errno == EINTR);
  if (count != 1) return -EPIPE;
  struct pollfd ready = {.fd = broker, .events = POLLIN};
  do count = poll(&ready, 1, PATIENCE);
  while (count < 0 && errno == EINTR);
  if (count < 1) {
    const int error = count == 0 ? ETIMEDOUT : errno;
    give_up();
    return -error;
  }
  answer said = {.error = EPIPE};
  passenger control;
  struct iovec part = {&said, sizeof said};
  struct msghdr message = {.msg_iov = &part, .msg_iovlen = 1, .msg_control = &control, .msg_controllen = sizeof control};
  do count = recvmsg(broker, &message, MSG_CMSG_CLOEXEC);
  while (count < 0 && errno == EINTR);
  if (count != sizeof said) return -EPIPE;
  *peer = said.peer;
  if (said.error != 0) return -said.error;
  const struct cmsghdr *header = CMSG_FIRSTHDR(&message);
  // There was no room for one more descriptor.
  if (header == NULL || header->cmsg_type != SCM_RIGHTS) return -EMFILE;
  int connection;
  memcpy(&connection, CMSG_DATA(header), sizeof connection);
  return connection;
}

void ps_broker_end(void) {
  if (broker < 0) return;
  close(broker);
  broker = -1;
  // It ends with the last that could ask it.
  for (int waited = 0; waited < 400 && waitpid(process, NULL, WNOHANG) == 0; waited++) {
    const struct timespec moment = {.tv_nsec = 250000};
    nanosleep(&moment, NULL);
  }
}

#else
int ps_connect(const char *path, const uint32_t *users, size_t count, uint32_t *peer) {
  return (void)path, (void)users, (void)count, (void)peer, -ENOSYS;
}
int ps_broker_start(const char *path, const uint32_t *users, size_t count) {
  return (void)path, (void)users, (void)count, ENOSYS;
}
int ps_broker_connect(uint32_t *peer) { return (void)peer, -ENOSYS; }
void ps_broker_end(void) {}
#endif

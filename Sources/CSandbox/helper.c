// SPDX-License-Identifier: Apache-2.0
// Work on bytes of others, by a process for each piece of it, which has nothing but those bytes.
#define _GNU_SOURCE
#include "sandbox.h"

#include <errno.h>

#if defined(__linux__)
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

/// Seconds of the processor that a piece of work may take, and seconds in all.
enum { MOST_SECONDS = 60, PATIENCE = 120 };

/// Whether all of it came; false at the end of the other process as well.
static bool receive(int from, void *bytes, size_t count) {
  for (char *place = bytes; count > 0;) {
    ssize_t got = read(from, place, count);
    if (got == 0 || (got < 0 && errno != EINTR)) return false;
    if (got > 0) place += got, count -= (size_t)got;
  }
  return true;
}

/// Where there is no room for it.
static bool skip(int from, size_t count) {
  char piece[4096];
  for (size_t taken = 0; taken < count; taken += sizeof piece)
    if (!receive(from, piece, count - taken < sizeof piece ? count - taken : sizeof piece)) return false;
  return true;
}

static bool send_all(int to, const void *bytes, size_t count) {
  for (const char *place = bytes; count > 0;) {
    ssize_t put = write(to, place, count);
    if (put < 0 && errno != EINTR) return false;
    if (put > 0) place += put, count -= (size_t)put;
  }
  return true;
}

static void *allocate(size_t size, int sharing) {
  void *memory = mmap(NULL, size, PROT_READ | PROT_WRITE, sharing | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  return memory == MAP_FAILED ? NULL : memory;
}

/// What the two processes share: how much of `bytes` is an answer; below 0: there is none.
typedef struct {
  int64_t length;
  uint8_t bytes[];
} result;

static void work_alone(const ps_helper *helper, const uint8_t *request, size_t length, result *shared) {
  const struct rlimit seconds = {MOST_SECONDS, MOST_SECONDS};
  (void)setrlimit(RLIMIT_CPU, &seconds);
  close(helper->requests);
  close(helper->answers);
  // A kernel without filters keeps it from nothing, as it does with the program that asks.
  (void)ps_seal(PS_PEERS_NONE);
  shared->length = helper->work(helper->context, request, length, shared->bytes, helper->most_answered);
  _exit(0);
}

/// Waits for it, and ends it where that takes too long. SIGCHLD is blocked.
static bool ends_well(pid_t child) {
  const struct timespec patience = {.tv_sec = PATIENCE};
  sigset_t ends;
  sigemptyset(&ends);
  sigaddset(&ends, SIGCHLD);
  int status = -1;
  while (waitpid(child, &status, WNOHANG) == 0)
    if (sigtimedwait(&ends, NULL, &patience) < 0 && errno == EAGAIN) kill(child, SIGKILL);
  return WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

/// One piece of work. False: whoever asked has gone.
static bool serve(const ps_helper *helper) {
  uint64_t length;
  if (!receive(helper->requests, &length, sizeof length) || length == 0 || length > helper->most_asked) return false;
  uint8_t *request = allocate(length, MAP_PRIVATE);
  result *shared = allocate(sizeof *shared + helper->most_answered, MAP_SHARED);
  bool goes_on = request != NULL ? receive(helper->requests, request, length) : skip(helper->requests, length);
  if (goes_on) {
    pid_t child = -1;
    if (request != NULL && shared != NULL) {
      shared->length = -1;
      child = fork();
      if (child == 0) work_alone(helper, request, length, shared);
    }
    // It has ended then, and changes nothing any more.
    int64_t count = child > 0 && ends_well(child) ? shared->length : -1;
    if (count > (int64_t)helper->most_answered) count = -1;
    goes_on = send_all(helper->answers, &count, sizeof count);
    if (goes_on && count > 0) goes_on = send_all(helper->answers, shared->bytes, (size_t)count);
  }
  if (request != NULL) munmap(request, length);
  if (shared != NULL) munmap(shared, sizeof *shared + helper->most_answered);
  return goes_on;
}

/// Has no files but those of `rules`, and ends when whoever started it has: not by a signal to all of a terminal or a service.
static void live(const ps_helper *helper, int rules) {
  static const int meant_for_others[] = {SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGUSR1, SIGUSR2, SIGTSTP, SIGPIPE};
  for (int number = 1; number < NSIG; number++) signal(number, SIG_DFL);
  for (size_t i = 0; i < sizeof meant_for_others / sizeof *meant_for_others; i++) signal(meant_for_others[i], SIG_IGN);
  sigset_t ends;
  sigemptyset(&ends);
  sigaddset(&ends, SIGCHLD);
  sigprocmask(SIG_SETMASK, &ends, NULL);
  int nowhere = open("/dev/null", O_RDWR | O_CLOEXEC);
  for (int stream = STDIN_FILENO; nowhere >= 0 && stream <= STDERR_FILENO; stream++) dup2(nowhere, stream);
  if (ps_harden() != 0 || (rules >= 0 && ps_rules_enforce(rules) != 0)) _exit(1);
  signal(SIGQUIT, SIG_IGN);
  int kept[] = {helper->requests, helper->answers};
  if (kept[0] > kept[1]) kept[0] = helper->answers, kept[1] = helper->requests;
  ps_close_all_but(kept, 2);
  while (serve(helper)) {}
  _exit(0);
}

enum { MOST_HELPERS = 4 };
static struct {
  pid_t process;
  int requests;
} started[MOST_HELPERS];
static size_t count_started;

/// No process is left that nobody asked how it ended; one that works still is not waited for.
static void end_all(void) {
  const struct timespec moment = {.tv_nsec = 1000000};
  for (size_t i = 0; i < count_started; i++) close(started[i].requests);
  for (size_t i = 0; i < count_started; i++)
    for (int waited = 0; waited < 100 && waitpid(started[i].process, NULL, WNOHANG) == 0; waited++) nanosleep(&moment, NULL);
}

int ps_helper_start(ps_helper *helper, int rules) {
  int there[2], back[2];
  if (pipe2(there, O_CLOEXEC) != 0) return errno;
  if (pipe2(back, O_CLOEXEC) != 0) {
    int error = errno;
    close(there[0]);
    close(there[1]);
    return error;
  }
  pid_t child = fork();
  int error = child < 0 ? errno : 0;
  if (child == 0) {
    helper->requests = there[0];
    helper->answers = back[1];
    live(helper, rules);
  }
  close(there[0]);
  close(back[1]);
  helper->requests = there[1];
  helper->answers = back[0];
  if (error != 0) {
    close(there[1]);
    close(back[0]);
  } else if (count_started < MOST_HELPERS) {
    started[count_started].process = child;
    started[count_started].requests = there[1];
    if (count_started++ == 0) atexit(end_all);
  }
  return error;
}

int64_t ps_helper_ask(const ps_helper *helper, const uint8_t *request, size_t length) {
  uint64_t count = length;
  int64_t answered;
  if (length == 0 || length > helper->most_asked) return PS_HELPER_FAILED;
  if (!send_all(helper->requests, &count, sizeof count) || !send_all(helper->requests, request, length)) return PS_HELPER_ENDED;
  if (!receive(helper->answers, &answered, sizeof answered)) return PS_HELPER_ENDED;
  return answered < 0 ? PS_HELPER_FAILED : answered > (int64_t)helper->most_answered ? PS_HELPER_ENDED : answered;
}

bool ps_helper_receive(const ps_helper *helper, uint8_t *answer, size_t length) {
  return receive(helper->answers, answer, length);
}

#else
int ps_helper_start(ps_helper *helper, int rules) { return (void)helper, (void)rules, ENOSYS; }
int64_t ps_helper_ask(const ps_helper *helper, const uint8_t *request, size_t length) {
  return (void)helper, (void)request, (void)length, PS_HELPER_ENDED;
}
bool ps_helper_receive(const ps_helper *helper, uint8_t *answer, size_t length) {
  return (void)helper, (void)answer, (void)length, false;
}
#endif

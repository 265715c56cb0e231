// SPDX-License-Identifier: Apache-2.0
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include "teams.h"

#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <time.h>

enum { most_members = 64 };

typedef struct team {
  mp_pass pass;
  const void *context;
  int members;
  double seconds, fastest;
  _Atomic int arrived;
  _Atomic unsigned round;
  _Atomic bool over;
  _Atomic int gate;
} team;

enum { waiting, open, given_up };  // the gate

typedef struct member {
  team *team;
  int index;
  volatile double result;  // written, so that no pass is left out
} member;

/// Seconds; of a thread alone those that it computed, which neighbours on a busy machine disturb less.
static double now(int members) {
  struct timespec t;
  clock_gettime(members == 1 ? CLOCK_THREAD_CPUTIME_ID : CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/// Spins, so that all leave within a fraction of a microsecond.
static void meet(team *t) {
  const unsigned round = atomic_load(&t->round);
  if (atomic_fetch_add(&t->arrived, 1) + 1 == t->members) {
    atomic_store(&t->arrived, 0);
    atomic_fetch_add(&t->round, 1);
  } else {
    for (unsigned spins = 1; atomic_load(&t->round) == round; spins++) {
      if (spins % 4096 == 0) {
        sched_yield();
      }
    }
  }
}

/// The index-th processor that this process may use: two threads must not share one.
static void settle(int index) {
#if defined(__linux__)
  cpu_set_t allowed;
  if (sched_getaffinity(0, sizeof allowed, &allowed) != 0) {
    return;
  }
  int found = 0;
  for (int cpu = 0; cpu < CPU_SETSIZE; cpu++) {
    if (CPU_ISSET(cpu, &allowed) && found++ == index) {
      cpu_set_t own;
      CPU_ZERO(&own);
      CPU_SET(cpu, &own);
      pthread_setaffinity_np(pthread_self(), sizeof own, &own);
      return;
    }
  }
#else
  (void)index;
#endif
}

static void *work(void *argument) {
  member *self = argument;
  team *t = self->team;
  while (atomic_load(&t->gate) == waiting) {
    sched_yield();
  }
  if (atomic_load(&t->gate) == given_up) {
    return NULL;
  }
  settle(self->index);
  double spent = 0, result = 0;
  for (int done = 0; !atomic_load(&t->over); done++) {
    meet(t);
    const double start = now(t->members);
    result += t->pass(self->index, t->members, t->context);
    meet(t);
    if (self->index == 0) {
      const double seconds = now(t->members) - start;
      spent += seconds;
      // The first pass brings pages and caches into their state.
      if (done > 0 && (t->fastest == 0 || seconds < t->fastest)) {
        t->fastest = seconds;
      }
      atomic_store(&t->over, done >= 3 && spent >= t->seconds);
    }
    meet(t);
  }
  self->result = result;
  return NULL;
}

double mp_fastest_pass(int members, double seconds, mp_pass pass, const void *context) {
  if (members < 1 || members > most_members) {
    return 0;
  }
  // The first member is a thread as well: the caller's affinity stays what it was.
  team t = {.pass = pass, .context = context, .members = members, .seconds = seconds};
  pthread_t threads[most_members];
  member all[most_members];
  int started = 0;
  for (; started < members; started++) {
    all[started] = (member){&t, started, 0};
    if (pthread_create(&threads[started], NULL, work, &all[started]) != 0) {
      break;
    }
  }
  atomic_store(&t.gate, started == members ? open : given_up);
  for (int i = 0; i < started; i++) {
    pthread_join(threads[i], NULL);
  }
  return started == members ? t.fastest : 0;
}

// SPDX-License-Identifier: Apache-2.0
// Threads that repeat a pass together; the time of a pass is from the moment all start to the moment all are done.
#ifndef TEAMS_H
#define TEAMS_H

/// One thread's part of a pass; returns something that depends on all it did, so that nothing is left out.
typedef double (*mp_pass)(int member, int members, const void *context);

/// Seconds of the fastest pass out of at least three, for about `seconds`; 0 where threads are refused.
double mp_fastest_pass(int members, double seconds, mp_pass pass, const void *context);

#endif

// SPDX-License-Identifier: Apache-2.0
// Of the broker, for the filter.
#ifndef PET_BROKER_H
#define PET_BROKER_H

/// What the broker hands connections over by; -1: none was started.
int broker_descriptor(void);
/// Leaves this process what a broker needs: to connect Unix sockets, and to hand them over by `descriptor`. 0, or an error number.
int seal_broker(int descriptor);

#endif

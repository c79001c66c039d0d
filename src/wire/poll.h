/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * poll.h - waiting for descriptors until a point in time, to the nanosecond where the system can (poll_linux.c), to the
 * next millisecond elsewhere. */
#ifndef XRO_WIRE_POLL_H
#define XRO_WIRE_POLL_H

#include "base/clock.h"

#include <poll.h>
#include <stddef.h>

/* Ask the system not to put this thread's wake-ups off to save power, where it has such a wish (Linux: 50 us). */
void xro_poll_exactly(void);

/* As poll(2), but until UNTIL on CLOCK_MONOTONIC (XRO_NEVER: for ever). A signal ends it with -1 and EINTR. */
int xro_poll_until(struct pollfd *fds, size_t count, xro_ns until);

/* The same, but the last millisecond is spent awake, so that the moment is met to the microsecond. For pauses whose end
 * begins something that is measured. */
int xro_poll_punctually(struct pollfd *fds, size_t count, xro_ns until);

#endif

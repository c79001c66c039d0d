/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * poll.h - waiting for descriptors until a point in time, to the nanosecond where the system can (poll_linux.c), to the
 * next millisecond elsewhere. */
#ifndef XRO_WIRE_POLL_H
#define XRO_WIRE_POLL_H

#include "base/clock.h"

#include <poll.h>
#include <stddef.h>

/* As poll(2), but until UNTIL on CLOCK_MONOTONIC (XRO_NEVER: for ever). A signal ends it with -1 and EINTR. */
int xro_poll_until(struct pollfd *fds, size_t count, xro_ns until);

#endif

/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * timers.h - points in time that something waits for: a binary heap, the earliest on top. A timer is part of its
 * owner; the heap holds pointers, and each timer its own place, so that one can be taken out before it fires. */
#ifndef XRO_IMPOSTER_TIMERS_H
#define XRO_IMPOSTER_TIMERS_H

#include "base/clock.h"
#include "base/status.h"

#include <stdbool.h>
#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

struct xro_timer {
    xro_ns due;
    size_t place;               /* in the heap, from 1; 0: not set */
    uint64_t order;             /* of two due at once, the one set first fires first */
    void (*fire)(void *owner, xro_ns now);
    void *owner;
};

struct xro_timers {
    struct xro_timer **heap;    /* heap[1] is the earliest */
    size_t count, room;
    uint64_t order;
};

/* Set TIMER (anew) to fire at DUE. */
enum xro_status xro_timers_set(struct xro_timers *timers, struct xro_timer *timer, xro_ns due);

/* Take it out; nothing when it is not set. */
void xro_timers_cancel(struct xro_timers *timers, struct xro_timer *timer);

/* When the earliest is due, XRO_NEVER when there is none. */
xro_ns xro_timers_next(const struct xro_timers *timers);

/* Take out and return the earliest if it is due at NOW, else NULL. */
struct xro_timer *xro_timers_due(struct xro_timers *timers, xro_ns now);

void xro_timers_free(struct xro_timers *timers);

#ifdef __cplusplus
}
#endif
#endif

/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * poller.h - which descriptors are ready, level-triggered; epoll on Linux (poller_epoll.c), poll(2) elsewhere
 * (poller_poll.c). */
#ifndef XRO_IMPOSTER_POLLER_H
#define XRO_IMPOSTER_POLLER_H

#include "base/clock.h"
#include "base/status.h"

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

enum { XRO_POLL_READ = 1, XRO_POLL_WRITE = 2, XRO_POLL_GONE = 4, XRO_POLL_HANGUP = 8 };
/* GONE: error or both directions closed, always reported. HANGUP: the peer has sent its FIN; reported when asked
 * for, and not by every system. */

struct xro_poller;

struct xro_poll_event {
    void *owner;                /* as given to xro_poller_set */
    unsigned ready;
};

struct xro_poller *xro_poller_new(void);

/* Watch FD for WANTED (0: only GONE) on behalf of OWNER; *WATCHED is the caller's memory of it, -1 before the first
 * call, and makes a call with nothing new cost nothing. */
enum xro_status xro_poller_set(struct xro_poller *poller, int fd, int *watched, unsigned wanted, void *owner);

/* Forget FD; before it is closed. */
void xro_poller_drop(struct xro_poller *poller, int fd, int *watched);

/* So long to sleep of NS that are left: Linux lets a sleep be late by a thousandth of it, so a long one ends early, and the
 * rest is slept apart. */
static inline xro_ns xro_poller_step(xro_ns ns)
{
    return ns > 10 * XRO_NS_PER_MS ? ns - ns / 256 : ns;
}

/* Sleep until something is ready, or until UNTIL or a little before; how many events were written. A signal ends the sleep,
 * too. */
size_t xro_poller_wait(struct xro_poller *poller, struct xro_poll_event *events, size_t most, xro_ns until);

/* Whether anything is ready, at once. */
size_t xro_poller_peek(struct xro_poller *poller, struct xro_poll_event *events, size_t most);

void xro_poller_free(struct xro_poller *poller);

#ifdef __cplusplus
}
#endif
#endif

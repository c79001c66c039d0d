/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * poller_epoll.c - poller.h by Linux's epoll. epoll_pwait2 takes nanoseconds; a kernel before 5.11 has only
 * milliseconds, which are then rounded down so that the rest can be spun. */
#if defined(__linux__) && !defined(XRO_POLLER_POLL)

#include "imposter/poller.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <sys/epoll.h>
#include <unistd.h>

enum { EVENTS_MAX = 256 };

struct xro_poller {
    int fd;
    bool coarse;                /* no epoll_pwait2 here */
};

struct xro_poller *xro_poller_new(void)
{
    struct xro_poller *poller = (struct xro_poller *)calloc(1, sizeof *poller);

    if (poller == NULL)
        return NULL;
    poller->fd = epoll_create1(EPOLL_CLOEXEC);
    if (poller->fd >= 0)
        return poller;
    free(poller);
    return NULL;
}

enum xro_status xro_poller_set(struct xro_poller *poller, int fd, int *watched, unsigned wanted, void *owner)
{
    struct epoll_event event = { .events = 0, .data = { .ptr = owner } };

    if (*watched == (int)wanted)
        return XRO_OK;
    if (wanted & XRO_POLL_READ)
        event.events |= EPOLLIN;
    if (wanted & XRO_POLL_WRITE)
        event.events |= EPOLLOUT;
    if (wanted & XRO_POLL_HANGUP)
        event.events |= EPOLLRDHUP;
    if (epoll_ctl(poller->fd, *watched < 0 ? EPOLL_CTL_ADD : EPOLL_CTL_MOD, fd, &event) != 0)
        return errno == ENOMEM ? XRO_MEMORY : XRO_IO;
    *watched = (int)wanted;
    return XRO_OK;
}

void xro_poller_drop(struct xro_poller *poller, int fd, int *watched)
{
    if (*watched >= 0)
        epoll_ctl(poller->fd, EPOLL_CTL_DEL, fd, NULL);
    *watched = -1;
}

static unsigned ready_bits(uint32_t events)
{
    unsigned ready = 0;

    if (events & EPOLLIN)
        ready |= XRO_POLL_READ;
    if (events & EPOLLOUT)
        ready |= XRO_POLL_WRITE;
    if (events & (EPOLLERR | EPOLLHUP))
        ready |= XRO_POLL_GONE;
    if (events & EPOLLRDHUP)
        ready |= XRO_POLL_HANGUP;
    return ready;
}

static int wait_ns(struct xro_poller *poller, struct epoll_event *found, int most, xro_ns ns)
{
    struct timespec timeout = { .tv_sec = (time_t)(ns / XRO_NS_PER_S), .tv_nsec = (long)(ns % XRO_NS_PER_S) };
    int count;

    if (ns == 0)
        return epoll_wait(poller->fd, found, most, 0);
    if (!poller->coarse) {
        count = epoll_pwait2(poller->fd, found, most, ns > 86400 * XRO_NS_PER_S ? NULL : &timeout, NULL);
        if (count >= 0 || errno != ENOSYS)
            return count;
        poller->coarse = true;
    }
    xro_ns ms = ns / XRO_NS_PER_MS;
    return epoll_wait(poller->fd, found, most, ms > 60000 ? 60000 : (int)ms);
}

static size_t wait_for(struct xro_poller *poller, struct xro_poll_event *events, size_t most, xro_ns ns)
{
    struct epoll_event found[EVENTS_MAX];
    int count = wait_ns(poller, found, most < EVENTS_MAX ? (int)most : EVENTS_MAX, ns);

    for (int i = 0; i < count; i++)
        events[i] = (struct xro_poll_event){ .owner = found[i].data.ptr, .ready = ready_bits(found[i].events) };
    return count > 0 ? (size_t)count : 0;
}

size_t xro_poller_wait(struct xro_poller *poller, struct xro_poll_event *events, size_t most, xro_ns until)
{
    xro_ns now = xro_clock_now();

    return wait_for(poller, events, most, xro_poller_step(until > now ? until - now : 0));
}

size_t xro_poller_peek(struct xro_poller *poller, struct xro_poll_event *events, size_t most)
{
    return wait_for(poller, events, most, 0);
}

void xro_poller_free(struct xro_poller *poller)
{
    if (poller == NULL)
        return;
    close(poller->fd);
    free(poller);
}

#else
typedef int xro_poller_epoll_is_not_used;       /* an empty translation unit is no C */
#endif

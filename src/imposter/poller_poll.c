/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * poller_poll.c - poller.h by poll(2), for systems without epoll: slower with thousands of connections, no different
 * otherwise. XRO_POLLER_POLL chooses it on Linux, for tests. */
#if !defined(__linux__) || defined(XRO_POLLER_POLL)

#include "imposter/poller.h"

#include <poll.h>
#include <stdbool.h>
#include <stdlib.h>

struct xro_poller {
    struct pollfd *fds;
    void **owners;
    size_t count, room;
};

struct xro_poller *xro_poller_new(void)
{
    return (struct xro_poller *)calloc(1, sizeof(struct xro_poller));
}

static bool make_room(struct xro_poller *poller)
{
    size_t room = poller->room ? poller->room * 2 : 64;
    struct pollfd *fds;
    void **owners;

    if (poller->count < poller->room)
        return true;
    fds = (struct pollfd *)realloc(poller->fds, room * sizeof *fds);
    if (fds == NULL)
        return false;
    poller->fds = fds;
    owners = (void **)realloc(poller->owners, room * sizeof *owners);
    if (owners == NULL)
        return false;
    poller->owners = owners;
    poller->room = room;
    return true;
}

static size_t find(const struct xro_poller *poller, int fd)
{
    size_t i = 0;

    while (i < poller->count && poller->fds[i].fd != fd)
        i++;
    return i;
}

enum xro_status xro_poller_set(struct xro_poller *poller, int fd, int *watched, unsigned wanted, void *owner)
{
    size_t at;

    if (*watched == (int)wanted)
        return XRO_OK;
    at = *watched < 0 ? poller->count : find(poller, fd);
    if (at == poller->count) {
        if (!make_room(poller))
            return XRO_MEMORY;
        poller->count++;
    }
    poller->fds[at] = (struct pollfd){ .fd = fd };
    if (wanted & XRO_POLL_READ)
        poller->fds[at].events |= POLLIN;
    if (wanted & XRO_POLL_WRITE)
        poller->fds[at].events |= POLLOUT;
    poller->owners[at] = owner;
    *watched = (int)wanted;
    return XRO_OK;
}

void xro_poller_drop(struct xro_poller *poller, int fd, int *watched)
{
    size_t at = find(poller, fd);

    if (*watched >= 0 && at < poller->count) {
        poller->count--;
        poller->fds[at] = poller->fds[poller->count];
        poller->owners[at] = poller->owners[poller->count];
    }
    *watched = -1;
}

static unsigned ready_bits(short events)
{
    unsigned ready = 0;

    if (events & POLLIN)
        ready |= XRO_POLL_READ;
    if (events & POLLOUT)
        ready |= XRO_POLL_WRITE;
    if (events & (POLLERR | POLLHUP | POLLNVAL))
        ready |= XRO_POLL_GONE;
    return ready;
}

size_t xro_poller_wait(struct xro_poller *poller, struct xro_poll_event *events, size_t most, xro_ns until)
{
    xro_ns now = xro_clock_now(), ns = xro_poller_step(until > now ? until - now : 0);
    struct timespec timeout = { .tv_sec = (time_t)(ns / XRO_NS_PER_S), .tv_nsec = (long)(ns % XRO_NS_PER_S) };
    size_t found = 0;

    if (ppoll(poller->fds, (nfds_t)poller->count, ns > 86400 * XRO_NS_PER_S ? NULL : &timeout, NULL) <= 0)
        return 0;
    for (size_t i = 0; i < poller->count && found < most; i++)
        if (poller->fds[i].revents != 0)
            events[found++] = (struct xro_poll_event){ .owner = poller->owners[i],
                                                       .ready = ready_bits(poller->fds[i].revents) };
    return found;
}

size_t xro_poller_peek(struct xro_poller *poller, struct xro_poll_event *events, size_t most)
{
    return xro_poller_wait(poller, events, most, 0);
}

void xro_poller_free(struct xro_poller *poller)
{
    if (poller == NULL)
        return;
    free(poller->fds);
    free(poller->owners);
    free(poller);
}

#else
typedef int xro_poller_poll_is_not_used;        /* an empty translation unit is no C */
#endif

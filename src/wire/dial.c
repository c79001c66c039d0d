/* SPDX-License-Identifier: LGPL-3.0-or-later */
#include "wire/dial.h"

#include "wire/poll.h"

#include <errno.h>
#include <fcntl.h>
#include <netinet/tcp.h>
#include <sys/time.h>
#include <unistd.h>

void xro_dial_begin(struct xro_dial *dial, const struct xro_addresses *addresses)
{
    xro_race_begin(&dial->race, addresses, xro_clock_now());
    for (size_t i = 0; i < XRO_ADDRESSES_MAX; i++)
        dial->fds[i] = -1;
}

/* A socket with all that is set before connecting: requests go out at once, and a recv comes back after a while. */
static int open_socket(int family)
{
    const struct timeval slice = { .tv_usec = (suseconds_t)(XRO_DIAL_RECV_SLICE / XRO_NS_PER_US) };
    int fd = socket(family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0), on = 1;

    if (fd < 0)
        return -1;
    setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
    setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &slice, sizeof slice);
    return fd;
}

void xro_dial_block(int fd, bool blocks)
{
    int flags = fcntl(fd, F_GETFL);

    if (flags >= 0)
        fcntl(fd, F_SETFL, blocks ? flags & ~O_NONBLOCK : flags | O_NONBLOCK);
}

static void drop_lane(struct xro_dial *dial, size_t lane)
{
    if (dial->fds[lane] >= 0)
        close(dial->fds[lane]);
    dial->fds[lane] = -1;
}

static void fail_lane(struct xro_dial *dial, size_t lane, int system, int *last)
{
    drop_lane(dial, lane);
    xro_race_failed(&dial->race, lane, system, xro_clock_now());
    *last = system;
}

/* Begin a lane; true when it connected at once. */
static bool start_lane(struct xro_dial *dial, size_t lane, int *last)
{
    const struct xro_address *address = &dial->race.addresses.items[lane];
    int fd = open_socket(address->as.any.sa_family);

    dial->fds[lane] = fd;
    xro_race_started(&dial->race, xro_clock_now());
    if (fd < 0)
        fail_lane(dial, lane, errno, last);
    else if (connect(fd, &address->as.any, address->length) == 0)
        return true;
    else if (errno != EINPROGRESS)
        fail_lane(dial, lane, errno, last);
    return false;
}

/* What became of a lane whose socket has news: true when it is connected. */
static bool judge_lane(struct xro_dial *dial, size_t lane, int *last)
{
    int system = 0;
    socklen_t size = sizeof system;

    if (getsockopt(dial->fds[lane], SOL_SOCKET, SO_ERROR, &system, &size) != 0)
        system = errno;
    if (system == 0)
        return true;
    fail_lane(dial, lane, system, last);
    return false;
}

static int win(struct xro_dial *dial, size_t lane, size_t *winner)
{
    int fd = dial->fds[lane];

    xro_race_won(&dial->race, lane, xro_clock_now());
    dial->fds[lane] = -1;
    *winner = lane;
    return fd;
}

/* Wait for news of the lanes under way; the lane that connected, or -1. */
static int wait_for_lane(struct xro_dial *dial, xro_ns until, int *last)
{
    struct pollfd fds[XRO_ADDRESSES_MAX];
    size_t lanes[XRO_ADDRESSES_MAX], count = 0;

    for (size_t lane = 0; lane < dial->race.started; lane++)
        if (dial->fds[lane] >= 0) {
            fds[count] = (struct pollfd){ .fd = dial->fds[lane], .events = POLLOUT };
            lanes[count++] = lane;
        }
    if (xro_poll_punctually(fds, count, until) <= 0)
        return -1;
    for (size_t i = 0; i < count; i++)
        if (fds[i].revents != 0 && judge_lane(dial, lanes[i], last))
            return (int)lanes[i];
    return -1;
}

int xro_dial_wait(struct xro_dial *dial, xro_ns until, size_t *winner, int *system)
{
    int last = 0;

    for (;;) {
        xro_ns now = xro_clock_now(), wake = xro_race_wake(&dial->race);
        int lane = xro_race_due(&dial->race, now);

        *system = last;
        if (lane >= 0) {
            if (start_lane(dial, (size_t)lane, &last))
                return win(dial, (size_t)lane, winner);
            continue;
        }
        if (xro_race_lost(&dial->race)) {
            *system = last ? last : ECONNREFUSED;
            return -1;
        }
        if (now >= until) {
            *system = 0;
            return -1;
        }
        lane = wait_for_lane(dial, wake < until ? wake : until, &last);
        if (lane >= 0)
            return win(dial, (size_t)lane, winner);
    }
}

void xro_dial_end(struct xro_dial *dial)
{
    for (size_t lane = 0; lane < XRO_ADDRESSES_MAX; lane++)
        drop_lane(dial, lane);
}

/* SPDX-License-Identifier: LGPL-3.0-or-later */
#include "wire/poll.h"

#include <sys/prctl.h>
#include <time.h>

void xro_poll_exactly(void)
{
    prctl(PR_SET_TIMERSLACK, 1ul);
}

/* Linux lets a poll's time-out be late by a thousandth of it, 30 ms in 30 s, whatever the timer slack. So most of the time is
 * waited for, then most of the rest, until what can be late is small. */
#define SHORT (10 * XRO_NS_PER_MS)

int xro_poll_until(struct pollfd *fds, size_t count, xro_ns until)
{
    if (until == XRO_NEVER)
        return ppoll(fds, count, NULL, NULL);
    for (;;) {
        xro_ns now = xro_clock_now(), left = until > now ? until - now : 0, step = left > SHORT ? left - left / 256 : left;
        struct timespec ts = { .tv_sec = (time_t)(step / XRO_NS_PER_S), .tv_nsec = (long)(step % XRO_NS_PER_S) };
        int ready = ppoll(fds, count, &ts, NULL);

        if (ready != 0 || step == left)
            return ready;
    }
}

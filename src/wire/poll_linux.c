/* SPDX-License-Identifier: LGPL-3.0-or-later */
#include "wire/poll.h"

#include <sys/prctl.h>
#include <time.h>

void xro_poll_exactly(void)
{
    prctl(PR_SET_TIMERSLACK, 1ul);
}

int xro_poll_until(struct pollfd *fds, size_t count, xro_ns until)
{
    xro_ns now = xro_clock_now(), left = until > now ? until - now : 0;
    struct timespec ts = { .tv_sec = (time_t)(left / XRO_NS_PER_S), .tv_nsec = (long)(left % XRO_NS_PER_S) };

    return ppoll(fds, count, until == XRO_NEVER ? NULL : &ts, NULL);
}

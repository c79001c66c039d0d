/* SPDX-License-Identifier: LGPL-3.0-or-later */
#include "wire/poll.h"

/* A processor that sleeps deeply may need most of a millisecond to wake up. */
#define AWAKE XRO_NS_PER_MS

int xro_poll_punctually(struct pollfd *fds, size_t count, xro_ns until)
{
    int ready = xro_poll_until(fds, count, until == XRO_NEVER || until < AWAKE ? until : until - AWAKE);

    while (ready == 0 && xro_clock_now() < until)
        ready = xro_poll_until(fds, count, 0);
    return ready;
}

/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * clock.c - CLOCK_MONOTONIC, and what reading it costs. In 2005 the note gave the same two figures for
 * gettimeofday: without them a latency of 3 us cannot be judged. */
#include "base/clock.h"

#include <time.h>

static xro_ns read_clock(clockid_t id)
{
    struct timespec ts;

    clock_gettime(id, &ts);
    return (xro_ns)ts.tv_sec * XRO_NS_PER_S + (xro_ns)ts.tv_nsec;
}

xro_ns xro_clock_now(void)
{
    return read_clock(CLOCK_MONOTONIC);
}

xro_ns xro_clock_monotonic(void *arg)
{
    (void)arg;
    return xro_clock_now();
}

xro_ns xro_clock_wall(void)
{
    return read_clock(CLOCK_REALTIME);
}

xro_ns xro_clock_step(void)
{
    xro_ns smallest = XRO_NEVER;

    for (int i = 0; i < 10000; i++) {
        xro_ns first = xro_clock_now(), next = xro_clock_now();
        while (next == first)
            next = xro_clock_now();
        if (next - first < smallest)
            smallest = next - first;
    }
    return smallest;
}

uint64_t xro_clock_cost_ps(void)
{
    enum { READINGS = 100000 };
    xro_ns begin = xro_clock_now(), end = begin;

    for (int i = 0; i < READINGS; i++)
        end = xro_clock_now();
    return (end - begin) * 1000 / READINGS;
}

bool xro_clock_sleep_until(xro_ns until)
{
    struct timespec ts = { .tv_sec = (time_t)(until / XRO_NS_PER_S), .tv_nsec = (long)(until % XRO_NS_PER_S) };

    return clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &ts, NULL) == 0;
}

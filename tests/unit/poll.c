/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * poll.c - waiting for descriptors ends when it should: Linux lets a poll be late by a thousandth of its time-out, so a long
 * one must not be asked for in one piece. */
#include "wire/poll.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <time.h>

#include <cmocka.h>

static xro_ns asked[8];         /* the time-outs that the system was asked for */
static size_t calls;
static int answer;              /* what it answers */

int __wrap_ppoll(struct pollfd *fds, nfds_t count, const struct timespec *timeout, const void *mask);

int __wrap_ppoll(struct pollfd *fds, nfds_t count, const struct timespec *timeout, const void *mask)
{
    (void)fds;
    (void)count;
    (void)mask;
    asked[calls++ % 8] = timeout ? (xro_ns)timeout->tv_sec * XRO_NS_PER_S + (xro_ns)timeout->tv_nsec : XRO_NEVER;
    return answer;
}

static void a_long_wait_ends_early(void **state)
{
    (void)state;
    for (xro_ns wait = XRO_NS_PER_S; wait <= 3600 * XRO_NS_PER_S; wait *= 60) {
        calls = 0;
        answer = 1;
        assert_int_equal(xro_poll_until(NULL, 0, xro_clock_now() + wait), 1);
        assert_int_equal(calls, 1);
        assert_true(asked[0] < wait - wait / 500);      /* what is left is more than it can be late */
        assert_true(asked[0] > wait - wait / 50);       /* and little */
    }
}

static void a_short_wait_is_asked_for_whole(void **state)
{
    (void)state;
    calls = 0;
    answer = 0;
    assert_int_equal(xro_poll_until(NULL, 0, xro_clock_now() + XRO_NS_PER_MS), 0);
    assert_int_equal(calls, 1);
    assert_true(asked[0] <= XRO_NS_PER_MS);
}

static void never_and_at_once(void **state)
{
    (void)state;
    calls = 0;
    answer = 1;
    assert_int_equal(xro_poll_until(NULL, 0, XRO_NEVER), 1);
    assert_true(asked[0] == XRO_NEVER);
    calls = 0;
    answer = 0;
    assert_int_equal(xro_poll_until(NULL, 0, 0), 0);    /* long past */
    assert_int_equal(calls, 1);
    assert_true(asked[0] == 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_long_wait_ends_early),
        cmocka_unit_test(a_short_wait_is_asked_for_whole),
        cmocka_unit_test(never_and_at_once),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}

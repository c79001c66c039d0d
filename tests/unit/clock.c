/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * clock.c - the clock runs forward, its step and cost are plausible, and sleeping until a point never ends before it. */
#include "base/clock.h"

#include <errno.h>
#include <signal.h>
#include <sys/time.h>
#include <time.h>

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

static void runs_forward(void **state)
{
    xro_ns last = xro_clock_now();

    (void)state;
    for (unsigned i = 0; i < 100000; i++) {
        xro_ns now = xro_clock_now();
        assert_true(now >= last);
        last = now;
    }
    assert_true(xro_clock_monotonic(NULL) >= last);
}

static void is_the_systems(void **state)
{
    struct timespec ts;
    xro_ns before = xro_clock_now();

    (void)state;
    clock_gettime(CLOCK_MONOTONIC, &ts);
    xro_ns system = (xro_ns)ts.tv_sec * 1000000000u + (xro_ns)ts.tv_nsec;
    assert_true(before <= system && system <= xro_clock_now());
    xro_ns wall = xro_clock_wall();
    clock_gettime(CLOCK_REALTIME, &ts);
    assert_true((xro_ns)ts.tv_sec - wall / XRO_NS_PER_S <= 1);
}

static void step_and_cost_are_plausible(void **state)
{
    xro_ns step = xro_clock_step(), begin = xro_clock_now();
    uint64_t cost = xro_clock_cost_ps();
    xro_ns spent = xro_clock_now() - begin;

    (void)state;
    assert_in_range(step, 1, XRO_NS_PER_MS);
    assert_in_range(cost, 1000, 100000000);             /* 1 ns to 100 us */
    assert_true(cost * 100000 / 1000 <= spent);         /* 100000 readings took no longer than the whole */
    assert_true(cost * 100000 / 1000 >= spent / 4);
}

static void sleeps_until(void **state)
{
    (void)state;
    for (xro_ns pause = 0; pause < 3 * XRO_NS_PER_MS; pause += 700 * XRO_NS_PER_US) {
        xro_ns until = xro_clock_now() + pause;
        assert_true(xro_clock_sleep_until(until));
        assert_true(xro_clock_now() >= until);
    }
    assert_true(xro_clock_sleep_until(0));              /* long past */
}

static void nothing(int number)
{
    (void)number;
}

static void a_signal_ends_the_sleep(void **state)
{
    const struct sigaction action = { .sa_handler = nothing };
    const struct itimerval timer = { .it_value = { .tv_usec = 5000 } };
    xro_ns begin = xro_clock_now();

    (void)state;
    sigaction(SIGALRM, &action, NULL);
    setitimer(ITIMER_REAL, &timer, NULL);
    assert_false(xro_clock_sleep_until(begin + 20 * XRO_NS_PER_S));
    assert_true(xro_clock_now() - begin < 10 * XRO_NS_PER_S);
}

static void sums_do_not_wrap(void **state)
{
    (void)state;
    assert_true(xro_ns_add(1, 2) == 3);
    assert_true(xro_ns_add(XRO_NEVER, 0) == XRO_NEVER);
    assert_true(xro_ns_add(XRO_NEVER, 1) == XRO_NEVER);
    assert_true(xro_ns_add(XRO_NEVER - 5, 5) == XRO_NEVER);
    assert_true(xro_ns_add(XRO_NEVER - 5, 6) == XRO_NEVER);
    assert_true(xro_ns_add(5, XRO_NEVER) == XRO_NEVER);
    assert_true(xro_ns_add(XRO_NEVER - 6, 5) == XRO_NEVER - 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(runs_forward), cmocka_unit_test(is_the_systems), cmocka_unit_test(step_and_cost_are_plausible),
        cmocka_unit_test(sleeps_until), cmocka_unit_test(a_signal_ends_the_sleep), cmocka_unit_test(sums_do_not_wrap),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}

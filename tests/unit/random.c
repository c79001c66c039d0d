/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * random.c - splitmix64 gives its published values, and numbers below a bound are equally likely. */
#include "base/random.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

/* The first values from the seed 1234567, as in the reference implementation's own test. */
static void published_values(void **state)
{
    static const uint64_t expected[] = {
        UINT64_C(6457827717110365317), UINT64_C(3203168211198807973), UINT64_C(9817491932198370423),
        UINT64_C(4593380528125082431), UINT64_C(16408922859458223821),
    };
    struct xro_random random = { 1234567 };

    (void)state;
    for (size_t i = 0; i < sizeof expected / sizeof *expected; i++)
        assert_true(xro_random_next(&random) == expected[i]);
}

static void same_seed_same_numbers(void **state)
{
    struct xro_random a = { 42 }, b = { 42 }, c = { 43 };
    unsigned equal = 0;

    (void)state;
    for (unsigned i = 0; i < 100; i++) {
        uint64_t value = xro_random_next(&a);
        assert_true(value == xro_random_next(&b));
        equal += value == xro_random_next(&c);
    }
    assert_int_equal(equal, 0);
}

/* Each of BOUND values comes about as often as another: within 6 standard deviations of the mean. */
static void evenly_below(void **state)
{
    enum { DRAWS = 60000 };
    static const uint64_t bounds[] = { 1, 2, 3, 5, 7, 10 };
    struct xro_random random = { 7 };

    (void)state;
    for (size_t b = 0; b < sizeof bounds / sizeof *bounds; b++) {
        unsigned seen[10] = { 0 };
        for (unsigned i = 0; i < DRAWS; i++) {
            uint64_t value = xro_random_below(&random, bounds[b]);
            assert_true(value < bounds[b]);
            seen[value]++;
        }
        for (uint64_t i = 0; i < bounds[b]; i++) {
            double mean = (double)DRAWS / (double)bounds[b], off = (double)seen[i] - mean;
            assert_true(off * off <= 36 * mean);
        }
    }
}

/* A bound of 3/4 of all numbers: the remainder alone would make the low third twice as likely. */
static void a_large_bound_favours_nobody(void **state)
{
    const uint64_t bound = UINT64_C(3) << 62, third = UINT64_C(1) << 62;
    struct xro_random random = { 9 };
    unsigned low = 0;

    (void)state;
    for (unsigned i = 0; i < 30000; i++) {
        uint64_t value = xro_random_below(&random, bound);
        assert_true(value < bound);
        low += value < third;
    }
    assert_in_range(low, 9500, 10500);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(published_values), cmocka_unit_test(same_seed_same_numbers), cmocka_unit_test(evenly_below),
        cmocka_unit_test(a_large_bound_favours_nobody),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}

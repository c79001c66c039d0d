/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * stats.c - the figures against brute force: definitions written down again in the plainest way, over random and
 * degenerate series. */
#include "base/random.h"
#include "stats/series.h"
#include "stats/shape.h"
#include "stats/summary.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { MOST = 3000 };

static struct xro_random random_source = { 20050715 };

/* Values of different spreads: many equal, small, of all sizes, at the very top. */
static uint64_t draw(unsigned spread)
{
    switch (spread) {
    case 0: return xro_random_below(&random_source, 3);
    case 1: return 1000 + xro_random_below(&random_source, 500);
    case 2: return xro_random_next(&random_source) >> xro_random_below(&random_source, 64);
    case 3: return UINT64_MAX - xro_random_below(&random_source, 10);
    default: return 77;
    }
}

static void fill(uint64_t *values, size_t count, unsigned spread)
{
    for (size_t i = 0; i < count; i++)
        values[i] = draw(spread);
}

static void sort_slowly(uint64_t *values, size_t count)
{
    for (size_t i = 1; i < count; i++)
        for (size_t j = i; j > 0 && values[j - 1] > values[j]; j--) {
            uint64_t swap = values[j];
            values[j] = values[j - 1];
            values[j - 1] = swap;
        }
}

static const size_t counts[] = { 0, 1, 2, 3, 10, 99, 100, 101, 255, 256, 257, 999, 1000, 1001, MOST };

#define LENGTH(array) (sizeof(array) / sizeof *(array))

static void sorts_as_insertion_does(void **state)
{
    static uint64_t values[MOST], expected[MOST];

    (void)state;
    for (size_t c = 0; c < LENGTH(counts); c++)
        for (unsigned spread = 0; spread < 5; spread++) {
            struct xro_series series = { .values = NULL }, sorted = { .values = NULL };
            fill(values, counts[c], spread);
            memcpy(expected, values, sizeof expected);
            sort_slowly(expected, counts[c]);
            for (size_t i = 0; i < counts[c]; i++)
                assert_int_equal(xro_series_add(&series, values[i]), XRO_OK);
            assert_int_equal(xro_series_sorted(&series, &sorted), XRO_OK);
            assert_int_equal(sorted.count, counts[c]);
            for (size_t i = 0; i < counts[c]; i++) {
                assert_true(sorted.values[i] == expected[i]);
                assert_true(series.values[i] == values[i]);     /* the order taken is kept */
            }
            xro_series_free(&series);
            xro_series_free(&sorted);
        }
}

/* The long way: the mean of distances, in the wide type of this machine. */
static void brute(const uint64_t *sorted, size_t kept, long double *average, long double *median, long double *variance)
{
    long double sum = 0, squares = 0;

    for (size_t i = 0; i < kept; i++)
        sum += (long double)sorted[i];
    *average = kept ? sum / (long double)kept : 0;
    for (size_t i = 0; i < kept; i++)
        squares += ((long double)sorted[i] - *average) * ((long double)sorted[i] - *average);
    *variance = kept > 1 ? squares / (long double)(kept - 1) : 0;
    *median = kept == 0 ? 0 : kept % 2 ? (long double)sorted[kept / 2]
        : ((long double)sorted[kept / 2 - 1] + (long double)sorted[kept / 2]) / 2;
}

static void assert_near(double value, long double expected, double part)
{
    long double allowed = fabsl(expected) * (long double)part + 1e-9L;

    if (fabsl((long double)value - expected) > allowed)
        fail_msg("%.17g is not %.17Lg", value, expected);
}

static void summary_is_what_brute_force_says(void **state)
{
    static const struct { double trim; unsigned per_10000; } trims[] = {
        { 0, 0 }, { 0.01, 100 }, { 0.29, 2900 }, { 0.5, 5000 }, { 0.999, 9990 },
    };
    static uint64_t values[MOST];

    (void)state;
    for (size_t c = 0; c < LENGTH(counts); c++)
        for (unsigned spread = 0; spread < 5; spread++)
            for (size_t t = 0; t < LENGTH(trims); t++) {
                size_t count = counts[c], kept = count - count * trims[t].per_10000 / 10000;
                long double average, median, variance;
                fill(values, count, spread);
                sort_slowly(values, count);
                struct xro_summary summary = xro_summarize(values, count, trims[t].trim);
                brute(values, kept, &average, &median, &variance);
                assert_int_equal(summary.count, count);
                assert_int_equal(summary.kept, kept);
                assert_near(summary.average, average, 1e-14);
                assert_near(summary.median, median, 1e-15);
                if (spread != 3)        /* there a double cannot tell the values apart */
                    assert_near(summary.deviation, sqrtl(variance), 1e-6);
                assert_true(summary.least == (count ? values[0] : 0));
                assert_true(summary.most == (count ? values[count - 1] : 0));
            }
}

/* The smallest value with at least PER_1000 thousandths of all at or below it. */
static uint64_t brute_percentile(const uint64_t *sorted, size_t count, size_t per_1000)
{
    for (size_t i = 0; i < count; i++) {
        size_t below = 0;
        for (size_t j = 0; j < count; j++)
            below += sorted[j] <= sorted[i];
        if (below * 1000 >= per_1000 * count)
            return sorted[i];
    }
    return 0;
}

static void percentile_is_nearest_rank(void **state)
{
    static const size_t thousandths[] = { 1, 100, 250, 500, 900, 990, 999 };
    static uint64_t values[MOST];

    (void)state;
    for (size_t count = 0; count <= 1500; count += count < 130 ? 1 : 137)
        for (size_t p = 0; p < LENGTH(thousandths); p++) {
            uint64_t value = 0;
            fill(values, count, (unsigned)(count % 3));
            sort_slowly(values, count);
            bool given = xro_percentile(values, count, (double)thousandths[p] / 1000, &value);
            size_t needed = (1000 + 999 - thousandths[p]) / (1000 - thousandths[p]);
            assert_int_equal(given, count > 0 && count >= needed);
            if (given)
                assert_true(value == brute_percentile(values, count, thousandths[p]));
        }
}

static void percentile_needs_its_count(void **state)
{
    static const struct { size_t count; bool p90, p99, p999; } rows[] = {
        { 1, false, false, false }, { 9, false, false, false }, { 10, true, false, false }, { 99, true, false, false },
        { 100, true, true, false }, { 999, true, true, false }, { 1000, true, true, true },
    };
    static uint64_t values[1000];

    (void)state;
    for (size_t i = 0; i < LENGTH(values); i++)
        values[i] = i + 1;
    for (size_t i = 0; i < LENGTH(rows); i++) {
        struct xro_summary summary = xro_summarize(values, rows[i].count, 0);
        assert_int_equal(summary.has_quantile[XRO_P90], rows[i].p90);
        assert_int_equal(summary.has_quantile[XRO_P99], rows[i].p99);
        assert_int_equal(summary.has_quantile[XRO_P999], rows[i].p999);
    }
    struct xro_summary whole = xro_summarize(values, 1000, 0.5);
    assert_int_equal(whole.quantile[XRO_P90], 900);     /* of all values, whatever is trimmed */
    assert_int_equal(whole.quantile[XRO_P99], 990);
    assert_int_equal(whole.quantile[XRO_P999], 999);
    assert_int_equal(whole.most, 1000);
    assert_near(whole.median, 250.5L, 0);
}

static void trim_drops_only_the_highest(void **state)
{
    static uint64_t values[10000];

    (void)state;
    for (size_t i = 0; i < LENGTH(values); i++)
        values[i] = i < 9900 ? 100 : 1000000000;
    struct xro_summary summary = xro_summarize(values, LENGTH(values), 0.01);
    assert_int_equal(summary.kept, 9900);
    assert_near(summary.average, 100, 0);
    assert_int_equal(xro_trim_kept(99, 0.01), 99);
    assert_int_equal(xro_trim_kept(100, 0.01), 99);
    assert_int_equal(xro_trim_kept(1, 0.99), 1);
    assert_int_equal(xro_trim_kept(0, 0.99), 0);
}

/* --- shape ------------------------------------------------------------------------------------------------------- */

static double bell(double middle, double part)
{
    double sum = 0;

    for (int i = 0; i < 12; i++)
        sum += (double)xro_random_below(&random_source, 1000000) / 1e6;
    return middle * (1 + part * (sum - 6));
}

static void ascend(uint64_t *values, size_t count)
{
    static uint64_t scratch[20000];

    xro_sort(values, scratch, count);
}

static struct xro_peaks peaks_of(double low, double high, unsigned percent_low, size_t count)
{
    static uint64_t values[20000];

    for (size_t i = 0; i < count; i++)
        values[i] = (uint64_t)bell(xro_random_below(&random_source, 100) < percent_low ? low : high, 0.1);
    ascend(values, count);
    return xro_find_peaks(values, count, 1);
}

static void two_peaks_are_found(void **state)
{
    static const struct { double low, high; unsigned percent; size_t count; bool found; } rows[] = {
        { 17300, 80000, 60, 10000, true }, { 17300, 80000, 60, 200, true },  { 17300, 80000, 15, 2000, true },
        { 17300, 80000, 85, 2000, true },  { 17300, 40000, 50, 2000, true }, { 17300, 80000, 3, 5000, false },
        { 17300, 80000, 97, 5000, false }, { 17300, 17300, 50, 10000, false }, { 17300, 19000, 50, 10000, false },
        { 17300, 80000, 50, 99, false },
    };

    (void)state;
    for (size_t i = 0; i < LENGTH(rows); i++) {
        struct xro_peaks peaks = peaks_of(rows[i].low, rows[i].high, rows[i].percent, rows[i].count);
        if (peaks.found != rows[i].found)
            fail_msg("row %zu: found is %d", i, peaks.found);
        if (!peaks.found)
            continue;
        assert_near(peaks.low, rows[i].low, 0.05);
        assert_near(peaks.high, rows[i].high, 0.05);
        assert_true(fabs(peaks.low_share * 100 - rows[i].percent) < 8);
    }
}

/* Two bells so close that the ground between them is higher than half of either; and steps of a coarse clock, which look
 * like peaks. */
static void shallow_valleys_are_none(void **state)
{
    static uint64_t values[20000];
    unsigned found = 0;

    (void)state;
    for (unsigned draws = 0; draws < 20; draws++) {
        for (size_t i = 0; i < LENGTH(values); i++)
            values[i] = (uint64_t)fabs(bell(i % 2 ? 1000 : 2000, i % 2 ? 0.29 : 0.25));
        ascend(values, LENGTH(values));
        found += xro_find_peaks(values, LENGTH(values), 1).found;
    }
    assert_int_equal(found, 0);
    for (size_t i = 0; i < LENGTH(values); i++)
        values[i] = i % 2 ? 200 : 400;
    ascend(values, LENGTH(values));
    assert_false(xro_find_peaks(values, LENGTH(values), 40).found);
    assert_true(xro_find_peaks(values, LENGTH(values), 1).found);
}

/* One peak with a long tail, an even spread, and a coarse clock are no two peaks: a hundred draws of each. */
static void one_peak_stays_one(void **state)
{
    static uint64_t values[2000];
    unsigned found = 0;

    (void)state;
    for (unsigned draws = 0; draws < 300; draws++) {
        size_t count = 100 + xro_random_below(&random_source, 1900);
        for (size_t i = 0; i < count; i++) {
            double u = ((double)xro_random_below(&random_source, 1000000) + 1) / 1000001;
            values[i] = draws % 3 == 0 ? (uint64_t)(1000 - 3000 * log(u)) : draws % 3 == 1 ? (uint64_t)(1000 + 9000 * u)
                : (uint64_t)fabs(bell(1000, 0.4)) / 40 * 40;
        }
        ascend(values, count);
        found += xro_find_peaks(values, count, draws % 3 == 2 ? 40 : 1).found;
    }
    print_message("%u of 300 single peaks taken for two\n", found);
    if (found > 3)
        fail_msg("%u of 300 single peaks were taken for two", found);
}

static void degenerate_series_have_no_shape(void **state)
{
    static uint64_t values[500];

    (void)state;
    for (unsigned kind = 0; kind < 3; kind++)
        for (size_t count = 0; count <= LENGTH(values); count += 50) {
            for (size_t i = 0; i < count; i++)
                values[i] = kind == 0 ? 0 : kind == 1 ? 5000 : UINT64_MAX;
            assert_false(xro_find_peaks(values, count, 1).found);
            assert_int_equal(xro_find_outliers(values, count).count, 0);
            assert_true(xro_find_drift(values, count) == 0);
            assert_false(xro_first_is_slow(values, values, count));
        }
    for (size_t i = 0; i < LENGTH(values); i++)
        values[i] = i < 250 ? 0 : UINT64_MAX;
    (void)xro_find_peaks(values, LENGTH(values), 1);
    (void)xro_find_outliers(values, LENGTH(values));
    (void)xro_find_drift(values, LENGTH(values));
}

static void outliers_are_counted(void **state)
{
    static uint64_t values[1000];

    (void)state;
    for (size_t i = 0; i < LENGTH(values); i++)
        values[i] = 1000 + i % 100;
    values[3] = 5300;           /* 5 times the median is more than 10 middle halves above it */
    values[500] = 2000000;
    values[501] = 5000000000;
    ascend(values, LENGTH(values));
    struct xro_outliers outliers = xro_find_outliers(values, LENGTH(values));
    assert_int_equal(outliers.count, 3);
    assert_true(outliers.most == 5000000000);
    assert_true(outliers.above > 5200 && outliers.above < 5300);
}

static void drift_and_slow_first_are_seen(void **state)
{
    static uint64_t values[1000], sorted[1000];

    (void)state;
    for (size_t i = 0; i < LENGTH(values); i++)
        values[i] = (uint64_t)bell(i < 500 ? 1000 : 1500, 0.05);
    assert_near(xro_find_drift(values, LENGTH(values)), 1.5L, 0.05);
    for (size_t i = 0; i < LENGTH(values); i++)
        values[i] = (uint64_t)bell(i % 2 ? 1000 : 1500, 0.05);     /* the same values, no drift */
    assert_true(xro_find_drift(values, LENGTH(values)) == 0);
    for (size_t i = 0; i < LENGTH(values); i++)         /* a quarter so wide that its median says nothing */
        values[i] = i < 750 ? 1000 : 500 + xro_random_below(&random_source, 1600);
    assert_true(xro_find_drift(values, LENGTH(values)) == 0);
    for (size_t i = 0; i < LENGTH(values) / 2; i++) {
        uint64_t swap = values[i];
        values[i] = values[LENGTH(values) - 1 - i];
        values[LENGTH(values) - 1 - i] = swap;
    }
    assert_true(xro_find_drift(values, LENGTH(values)) == 0);
    for (size_t i = 0; i < LENGTH(values); i++)
        values[i] = (uint64_t)bell(i % 2 ? 1000 : 1500, 0.05);
    values[0] = 9000;
    memcpy(sorted, values, sizeof sorted);
    ascend(sorted, LENGTH(sorted));
    assert_true(xro_first_is_slow(values, sorted, LENGTH(values)));
    values[1] = 9000;
    values[0] = 2000;           /* above all but one, yet not 3 times the median */
    assert_false(xro_first_is_slow(values, sorted, LENGTH(values)));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sorts_as_insertion_does),
        cmocka_unit_test(summary_is_what_brute_force_says),
        cmocka_unit_test(percentile_is_nearest_rank),
        cmocka_unit_test(percentile_needs_its_count),
        cmocka_unit_test(trim_drops_only_the_highest),
        cmocka_unit_test(two_peaks_are_found),
        cmocka_unit_test(shallow_valleys_are_none),
        cmocka_unit_test(one_peak_stays_one),
        cmocka_unit_test(degenerate_series_have_no_shape),
        cmocka_unit_test(outliers_are_counted),
        cmocka_unit_test(drift_and_slow_first_are_seen),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}

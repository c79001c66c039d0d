/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * units.c - durations, sizes, counts and shares as people write them, good and bad. */
#include "base/units.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#define LENGTH(array) (sizeof(array) / sizeof *(array))

/* What a parser must leave alone when it refuses. */
#define UNTOUCHED UINT64_C(0xdeadbeef)

static void durations(void **state)
{
    static const struct { const char *text; xro_ns ns; } good[] = {
        { "0", 0 },               { "1", XRO_NS_PER_S },      { "1s", XRO_NS_PER_S },     { "100ns", 100 },
        { "250us", 250000 },      { "10ms", 10000000 },       { "1.5s", 1500000000 },     { "2m", 120 * XRO_NS_PER_S },
        { "2min", 120 * XRO_NS_PER_S }, { "1h", 3600 * XRO_NS_PER_S }, { "0.001", 1000000 }, { ".5s", 500000000 },
        { "1.", XRO_NS_PER_S },   { "0.4ns", 0 },             { "0.6ns", 1 },             { "007ms", 7000000 },
        { "2555555h", UINT64_C(9199998000000000000) },
    };

    (void)state;
    for (size_t i = 0; i < LENGTH(good); i++) {
        xro_ns ns = UNTOUCHED;
        assert_int_equal(xro_parse_duration(good[i].text, &ns), XRO_OK);
        assert_true(ns == good[i].ns);
    }
}

static void bad_durations(void **state)
{
    static const char *const bad[] = {
        "", " ", ".", "..5", "1..2", "1.2.3", "-1", "-1s", "+1", " 1", "1 ", "1 s", "1S", "1MS", "s", "ms", "1d", "1e3", "1e3s",
        "inf", "nan", "infinity", "0x10", "0x1p3", "1,5s", "1s1", "1h30m", "9300000000", "2562047h", "2600000h",
        "99999999999999999999999999999999999999999", "1\n", "10ms ", "1k",
    };

    (void)state;
    for (size_t i = 0; i < LENGTH(bad); i++) {
        xro_ns ns = UNTOUCHED;
        if (xro_parse_duration(bad[i], &ns) != XRO_INVALID || ns != UNTOUCHED)
            fail_msg("'%s' is taken as a duration", bad[i]);
    }
}

static void sizes(void **state)
{
    static const struct { const char *text; uint64_t bytes; } good[] = {
        { "0", 0 }, { "512", 512 }, { "4k", 4096 }, { "4K", 4096 }, { "2M", 2097152 }, { "2m", 2097152 }, { "1G", 1073741824 },
        { "1g", 1073741824 }, { "1T", UINT64_C(1099511627776) }, { "1t", UINT64_C(1099511627776) }, { "1.5k", 1536 },
    };
    static const char *const bad[] = { "", "k", "-1", "1kb", "1KiB", "1 k", "4kk", "1P", "8388608T", "0x10", "1e3", "nan" };

    (void)state;
    for (size_t i = 0; i < LENGTH(good); i++) {
        uint64_t bytes = UNTOUCHED;
        assert_int_equal(xro_parse_size(good[i].text, &bytes), XRO_OK);
        assert_true(bytes == good[i].bytes);
    }
    for (size_t i = 0; i < LENGTH(bad); i++) {
        uint64_t bytes = UNTOUCHED;
        if (xro_parse_size(bad[i], &bytes) != XRO_INVALID || bytes != UNTOUCHED)
            fail_msg("'%s' is taken as a size", bad[i]);
    }
}

static void counts(void **state)
{
    static const struct { const char *text; uint64_t count; } good[] = {
        { "0", 0 }, { "1", 1 }, { "10000", 10000 }, { "010", 10 }, { "18446744073709551615", UINT64_MAX },
    };
    static const char *const bad[] = {
        "", "-1", "+1", " 1", "1 ", "1.0", "1k", "0x10", "1e3", "18446744073709551616", "99999999999999999999999", "ten", "1\n",
    };

    (void)state;
    for (size_t i = 0; i < LENGTH(good); i++) {
        uint64_t count = UNTOUCHED;
        assert_int_equal(xro_parse_count(good[i].text, &count), XRO_OK);
        assert_true(count == good[i].count);
    }
    for (size_t i = 0; i < LENGTH(bad); i++) {
        uint64_t count = UNTOUCHED;
        if (xro_parse_count(bad[i], &count) != XRO_INVALID || count != UNTOUCHED)
            fail_msg("'%s' is taken as a count", bad[i]);
    }
}

static void shares(void **state)
{
    static const struct { const char *text; double share; } good[] = {
        { "0", 0 }, { "0%", 0 }, { "1%", 0.01 }, { "0.01", 0.01 }, { "0.5%", 0.005 }, { "50%", 0.5 }, { ".25", 0.25 },
        { "99.9%", 0.999 }, { "0.999", 0.999 },
    };
    static const char *const bad[] = { "", "%", "100%", "1", "1.0", "101%", "-1%", "1 %", "1%%", "nan", "inf%", "1percent" };

    (void)state;
    for (size_t i = 0; i < LENGTH(good); i++) {
        double share = -1;
        assert_int_equal(xro_parse_share(good[i].text, &share), XRO_OK);
        assert_true(share > good[i].share - 1e-12 && share < good[i].share + 1e-12);
    }
    for (size_t i = 0; i < LENGTH(bad); i++) {
        double share = -1;
        if (xro_parse_share(bad[i], &share) != XRO_INVALID || share >= 0)
            fail_msg("'%s' is taken as a share", bad[i]);
    }
}

static void durations_for_people(void **state)
{
    static const struct { xro_ns ns; const char *text; } cases[] = {
        { 0, "0ns" },              { 1, "1ns" },              { 999, "999ns" },          { 1000, "1.00us" },
        { 1400, "1.40us" },        { 9994, "9.99us" },        { 9996, "10.0us" },        { 17300, "17.3us" },
        { 99940, "99.9us" },       { 99960, "100us" },        { 230000, "230us" },       { 999400, "999us" },
        { 999600, "1.00ms" },      { 1400000, "1.40ms" },     { 230000000, "230ms" },    { 999400000, "999ms" },
        { 999600000, "1.00s" },    { 5016000000, "5.02s" },   { 59900000000, "59.9s" },  { 60000000000, "1m00s" },
        { 128000000000, "2m08s" }, { 3600 * XRO_NS_PER_S, "60m00s" }, { 119600000000, "2m00s" },
    };
    char text[XRO_DURATION_SIZE];

    (void)state;
    for (size_t i = 0; i < LENGTH(cases); i++)
        assert_string_equal(xro_format_duration(cases[i].ns, text), cases[i].text);
    assert_true(strlen(xro_format_duration(UINT64_MAX, text)) < XRO_DURATION_SIZE);
    assert_string_equal(text + strlen(text) - 1, "s");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(durations), cmocka_unit_test(bad_durations),       cmocka_unit_test(sizes),
        cmocka_unit_test(counts),    cmocka_unit_test(durations_for_people), cmocka_unit_test(shares),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}

/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * job.c - a job goes through its line unchanged, and a line that is none is refused. */
#include "measure/job.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#define LENGTH(array) (sizeof(array) / sizeof *(array))

static void there_and_back(void **state)
{
    static const struct xro_job jobs[] = {
        { .engine = &xro_engine_wire, .fresh = XRO_FRESH_PROCESS,
          .settings = { .target = "root://user@[::1]:99//data/f?a=1&b=2", .timeout = 30 * XRO_NS_PER_S } },
        { .engine = &xro_engine_local, .fresh = XRO_FRESH_CONNECTION,
          .settings = { .target = "/path with  blanks ", .timeout = 1, .connect_timeout = 2, .family = XRO_FAMILY_V4 } },
        { .engine = &xro_engine_xrdcl, .fresh = XRO_FRESH_PROCESS,
          .settings = { .target = "root://h//f", .timeout = XRO_NEVER, .connect_timeout = XRO_NEVER, .family = XRO_FAMILY_V6,
                        .prefer_v4 = true } },
        { .engine = &xro_engine_null, .fresh = XRO_FRESH_PROCESS,
          .settings = { .target = "x", .pipeline = true, .hosts = "se=10.0.0.1,[::1];pool=10.0.0.2" } },
        { .engine = &xro_engine_null, .fresh = XRO_FRESH_PROCESS,
          .settings = { .target = "x", .pipeline = true, .prefer_v4 = true, .hosts = "", .tls = XRO_TLS_REQUIRE,
                        .tls_resume = true } },
        { .engine = &xro_engine_wire, .fresh = XRO_FRESH_PROCESS,
          .settings = { .target = "roots://h//f", .tls = XRO_TLS_OFF, .ca = "/etc/grid-security/certificates",
                        .preload = "tls,gsi" } },
    };

    (void)state;
    for (size_t i = 0; i < LENGTH(jobs); i++) {
        const struct xro_settings *before = &jobs[i].settings, *after;
        char line[XRO_JOB_LINE_SIZE], *words[XRO_JOB_WORDS];
        struct xro_job job;
        memset(&job, 0xa5, sizeof job);
        assert_ptr_equal(xro_job_to_line(&jobs[i], line, sizeof line), line);
        assert_int_equal(xro_split_words(line, words, XRO_JOB_WORDS), XRO_JOB_WORDS);
        assert_null(xro_job_from_words(words, &job));
        after = &job.settings;
        assert_ptr_equal(job.engine, jobs[i].engine);
        assert_int_equal(job.fresh, jobs[i].fresh);
        assert_string_equal(after->target, before->target);
        assert_true(after->timeout == before->timeout && after->connect_timeout == before->connect_timeout);
        assert_int_equal(after->family, before->family);
        assert_int_equal(after->prefer_v4, before->prefer_v4);
        assert_int_equal(after->pipeline, before->pipeline);
        assert_string_equal(after->hosts ? after->hosts : "", before->hosts ? before->hosts : "");
        assert_int_equal(after->tls, before->tls);
        assert_int_equal(after->tls_resume, before->tls_resume);
        assert_string_equal(after->ca ? after->ca : "", before->ca ? before->ca : "");
        assert_string_equal(after->preload ? after->preload : "", before->preload ? before->preload : "");
        assert_null(after->watch);
        if (i == 0) {
            assert_string_equal(after->url.host, "::1");
            assert_int_equal(after->url.port, 99);
            assert_string_equal(after->url.path, "/data/f?a=1&b=2");
        }
    }
}

/* Each word in turn is replaced by one that will not do. */
static void bad_words(void **state)
{
    static const char *const bad[][6] = {
        { "", "nope", "Wire", "-", NULL },
        { "", "-1", "x", "1s", "18446744073709551616", NULL },
        { "", "-1", "x", "1s", NULL },
        { "", "3", "-1", "v4", NULL },
        { "", "-1", "x", "24", NULL },
        { "", "2", "-1", "process", NULL },
    };

    (void)state;
    for (size_t place = 0; place < LENGTH(bad); place++)
        for (size_t i = 0; bad[place][i] != NULL; i++) {
            char texts[XRO_JOB_WORDS][32] = { "wire", "1", "0", "0", "0", "0", "-", "-", "-", "root://h//f" }, *words[XRO_JOB_WORDS];
            struct xro_job job;
            for (size_t j = 0; j < XRO_JOB_WORDS; j++)
                words[j] = texts[j];
            assert_null(xro_job_from_words(words, &job));
            snprintf(texts[place], sizeof texts[place], "%s", bad[place][i]);
            if (xro_job_from_words(words, &job) == NULL)
                fail_msg("'%s' as word %zu is taken", bad[place][i], place);
        }
}

static void a_bad_target(void **state)
{
    char texts[XRO_JOB_WORDS][32] = { "wire", "1", "0", "0", "0", "0", "-", "-", "-", "gopher://h//f" }, *words[XRO_JOB_WORDS];
    struct xro_job job;

    (void)state;
    for (size_t j = 0; j < XRO_JOB_WORDS; j++)
        words[j] = texts[j];
    assert_non_null(strstr(xro_job_from_words(words, &job), "unknown scheme"));
}

/* A line is cut, never overrun, and what is cut is not taken for whole. */
static void bounded(void **state)
{
    const struct xro_job job = { .engine = &xro_engine_wire, .settings = { .target = "root://host//data/file" } };
    char whole[XRO_JOB_LINE_SIZE], line[XRO_JOB_LINE_SIZE];

    (void)state;
    xro_job_to_line(&job, whole, sizeof whole);
    for (size_t size = 1; size <= strlen(whole) + 1; size++) {
        memset(line, '#', sizeof line);
        xro_job_to_line(&job, line, size);
        assert_int_equal(strlen(line), size - 1);
        assert_memory_equal(line, whole, size - 1);
        assert_int_equal(line[size], '#');
    }
}

static void splitting(void **state)
{
    static const struct { const char *line; size_t count; const char *words; } cases[] = {
        { "a b c", 3, "a|b|c|" },   { "  a   b  c", 3, "a|b|c|" }, { "a b c d e", 3, "a|b|c d e|" },
        { "a b c ", 3, "a|b|c |" }, { "a b", 3, "a|b|" },          { "a ", 3, "a|" },
        { "", 3, "" },              { "   ", 3, "" },              { "a b c", 0, "" },
        { "a b", 1, "a b|" },
    };

    (void)state;
    for (size_t i = 0; i < LENGTH(cases); i++) {
        char line[32], joined[64] = "", *words[3];
        size_t count;
        snprintf(line, sizeof line, "%s", cases[i].line);
        count = xro_split_words(line, words, cases[i].count);
        assert_true(count <= cases[i].count);
        for (size_t j = 0; j < count; j++) {
            strcat(joined, words[j]);
            strcat(joined, "|");
        }
        assert_string_equal(joined, cases[i].words);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(there_and_back), cmocka_unit_test(bad_words), cmocka_unit_test(a_bad_target),
        cmocka_unit_test(bounded), cmocka_unit_test(splitting),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}

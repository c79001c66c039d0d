/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * results.c - the results file: what is written is read, whatever cut, damaged or filled the file. */
#include "record/json.h"
#include "record/results.h"
#include "record/timeline.h"

#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include <cmocka.h>

static char path[64];
static struct xro_sample *sample;
static uint64_t last_number, last_total;        /* of the last sample that read_all saw */

static int begin(void **state)
{
    (void)state;
    snprintf(path, sizeof path, "/tmp/xrdopen-results-%ld", (long)getpid());
    sample = xro_sample_create();
    return sample != NULL ? 0 : -1;
}

static int end(void **state)
{
    (void)state;
    unlink(path);
    xro_sample_close(sample);
    return 0;
}

static struct xro_header *make_header(void)
{
    struct xro_header *header = xro_header_create();
    struct xro_row first = { .label = "Linux local filesystem", .client = "Linux", .engine = "local" };
    struct xro_row second = { .label = "d\xc3\xa9j\xc3\xa0 \"vu\"", .client = "Linux", .client_host = "wn1", .server = "Linux",
                              .engine = "wire", .target = "root://h//f", .kind = "xrootd", .via = "ssh wn1" };

    assert_non_null(header);
    assert_int_equal(xro_header_set(&header->command, "xrdopen run -n 3"), XRO_OK);
    assert_int_equal(xro_header_set(&header->host, "here"), XRO_OK);
    header->cpu_count = 2;
    header->load_average = 0.25;
    header->wall = 1796121826123456789;
    header->clock_step = 41;
    header->clock_cost_ps = 23456;
    header->harness_ns = 85.5;
    header->seed = UINT64_MAX;
    header->planned = 3;
    assert_int_equal(xro_header_add_row(header, &first), XRO_OK);
    assert_int_equal(xro_header_add_row(header, &second), XRO_OK);
    assert_int_equal(xro_header_add_setting(header, "count", "5"), XRO_OK);
    assert_int_equal(xro_header_add_setting(header, "trim", "1%"), XRO_OK);
    assert_int_equal(xro_header_add_setting(header, "count", "3"), XRO_OK);
    assert_int_equal(xro_header_add_version(header, "xrdopen", "0.1"), XRO_OK);
    return header;
}

static void make_sample(uint64_t number)
{
    xro_sample_reset(sample);
    sample->row = (uint32_t)(number % 2);
    sample->number = number;
    for (unsigned slot = 0; slot < XRO_SLOT_COUNT; slot++) {
        xro_timeline_begin(&sample->ops[slot], sample->ops[slot].kind, 1000);
        xro_timeline_hop(&sample->ops[slot], "h", 1094, 1000);
        xro_timeline_end(&sample->ops[slot], 1000 + number);
    }
}

static char *sample_line(uint64_t number)
{
    char *line;

    make_sample(number);
    line = xro_sample_to_line(sample);
    assert_non_null(line);
    return line;
}

static struct xro_writer *open_writer(void)
{
    char why[XRO_WHY_SIZE];
    struct xro_writer *writer;

    assert_int_equal(xro_writer_open(path, &writer, why, sizeof why), XRO_OK);
    return writer;
}

/* A whole file of COUNT samples. */
static void write_file(uint64_t count, const char *reason)
{
    struct xro_header *header = make_header();
    struct xro_writer *writer = open_writer();
    struct xro_counts counts = { .planned = 6, .taken = count };
    char why[XRO_WHY_SIZE];

    assert_int_equal(xro_writer_header(writer, header), XRO_OK);
    for (uint64_t i = 0; i < count; i++) {
        char *line = sample_line(i);
        assert_int_equal(xro_writer_line(writer, line), XRO_OK);
        free(line);
    }
    if (reason != NULL)
        assert_int_equal(xro_writer_end(writer, reason, &counts), XRO_OK);
    assert_false(xro_writer_complaint(writer, why, sizeof why));
    assert_int_equal(xro_writer_close(writer), XRO_OK);
    xro_header_close(header);
}

static void append_text(const char *text)
{
    FILE *file = fopen(path, "a");

    assert_non_null(file);
    fputs(text, file);
    assert_int_equal(fclose(file), 0);
}

static struct xro_reader *open_reader(void)
{
    char why[XRO_WHY_SIZE] = "";
    struct xro_reader *reader;

    if (xro_reader_open(path, &reader, why, sizeof why) != XRO_OK)
        fail_msg("%s", why);
    return reader;
}

/* Read on to the end; answers how many samples there were. */
static uint64_t read_all(struct xro_reader *reader, enum xro_status expected)
{
    enum xro_status status;
    uint64_t count = 0;

    while ((status = xro_reader_next(reader, sample)) == XRO_OK) {
        count++;
        last_number = sample->number;
        last_total = sample->ops[0].total;
    }
    assert_int_equal(status, expected);
    assert_int_equal(count, xro_reader_facts(reader)->sample_count);
    return count;
}

static bool warns(const struct xro_reader *reader, const char *part)
{
    char text[XRO_WHY_SIZE];

    for (unsigned i = 0; xro_reader_warning(reader, i, text, sizeof text); i++)
        if (strstr(text, part) != NULL)
            return true;
    return false;
}

/* --- header ------------------------------------------------------------------------------------------------------ */

static void header_survives(void **state)
{
    struct xro_header *header = make_header(), *back = NULL;
    char *line = xro_header_to_line(header), *again;

    (void)state;
    assert_non_null(line);
    assert_int_equal(xro_header_from_line(line, strlen(line), &back), XRO_OK);
    assert_string_equal(back->command, "xrdopen run -n 3");
    assert_string_equal(back->host, "here");
    assert_string_equal(back->kernel, "");
    assert_int_equal(back->cpu_count, 2);
    assert_true(back->load_average == 0.25 && back->harness_ns == 85.5);
    assert_true(back->wall == 1796121826123456789 && back->seed == UINT64_MAX);
    assert_true(back->clock_step == 41 && back->clock_cost_ps == 23456 && back->planned == 3);
    assert_int_equal(back->row_count, 2);
    assert_string_equal(back->rows[0].via, "");
    assert_string_equal(back->rows[1].label, "d\xc3\xa9j\xc3\xa0 \"vu\"");
    assert_string_equal(back->rows[1].client_host, "wn1");
    assert_string_equal(back->rows[1].kind, "xrootd");
    assert_string_equal(back->rows[1].via, "ssh wn1");
    assert_int_equal(back->settings.count, 2);
    assert_string_equal(xro_header_setting(back, "count"), "3");
    assert_string_equal(xro_header_setting(back, "trim"), "1%");
    assert_null(xro_header_setting(back, "pin"));
    assert_string_equal(back->versions.items[0].name, "xrdopen");
    again = xro_header_to_line(back);
    assert_string_equal(line, again);
    free(line);
    free(again);
    xro_header_close(header);
    xro_header_close(back);
}

static void host_facts_are_found(void **state)
{
    struct xro_header *header = xro_header_create();
    char name[256];

    (void)state;
    assert_non_null(header);
    assert_int_equal(xro_header_fill_host(header), XRO_OK);
    assert_int_equal(gethostname(name, sizeof name), 0);
    assert_string_equal(header->host, name);
    assert_true(header->sysname[0] != '\0' && header->kernel[0] != '\0');
    assert_true(header->cpu_count > 0 && header->clock_cost_ps > 0 && header->clock_step > 0);
    assert_true(header->wall > 1600000000 * XRO_NS_PER_S);
    xro_header_close(header);
}

static void other_headers_are_refused(void **state)
{
    static const struct { const char *line; enum xro_status status; } rows[] = {
        { "", XRO_INVALID },
        { "{}", XRO_INVALID },
        { "{\"type\":\"header\"}", XRO_INVALID },
        { "{\"type\":\"header\",\"schema\":\"xrdopen-results\"}", XRO_INVALID },
        { "{\"type\":\"header\",\"schema\":\"xrdopen-results\",\"version\":0}", XRO_INVALID },
        { "{\"type\":\"header\",\"schema\":\"xrdopen-results\",\"version\":1}", XRO_OK },
        { "{\"type\":\"header\",\"schema\":\"xrdopen-results\",\"version\":2}", XRO_UNSUPPORTED },
        { "{\"type\":\"header\",\"schema\":\"others\",\"version\":1}", XRO_INVALID },
        { "{\"type\":\"header\",\"schema\":\"xrdopen-results\",\"version\":1,\"rows\":[1]}", XRO_INVALID },
        { "{\"type\":\"header\",\"schema\":\"xrdopen-results\",\"version\":1,\"rows\":[{\"label\":1}]}", XRO_INVALID },
        { "{\"type\":\"header\",\"schema\":\"xrdopen-results\",\"version\":1,\"settings\":[[\"a\"]]}", XRO_INVALID },
        { "{\"type\":\"header\",\"schema\":\"xrdopen-results\",\"version\":1,\"harness_ns\":\"few\"}", XRO_INVALID },
    };

    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct xro_header *header;
        if (xro_header_from_line(rows[i].line, strlen(rows[i].line), &header) != rows[i].status)
            fail_msg("%s", rows[i].line);
        assert_int_equal(header != NULL, rows[i].status == XRO_OK);
        xro_header_close(header);
    }
}

/* --- whole, cut and damaged files -------------------------------------------------------------------------------- */

static void whole_file_is_read(void **state)
{
    (void)state;
    write_file(5, "complete");
    struct xro_reader *reader = open_reader();
    assert_string_equal(xro_reader_header(reader)->rows[1].via, "ssh wn1");
    assert_int_equal(read_all(reader, XRO_CLOSED), 5);
    assert_int_equal(last_number, 4);
    assert_int_equal(last_total, 4);
    const struct xro_reader_facts *facts = xro_reader_facts(reader);
    assert_true(facts->ended && !facts->cut);
    assert_string_equal(facts->reason, "complete");
    assert_int_equal(facts->counts.planned, 6);
    assert_int_equal(facts->line_count, 7);
    assert_false(warns(reader, ""));
    xro_reader_close(reader);
}

static void interrupted_run_says_so(void **state)
{
    (void)state;
    write_file(5, "interrupted");
    struct xro_reader *reader = open_reader();
    assert_int_equal(read_all(reader, XRO_CLOSED), 5);
    assert_true(warns(reader, "interrupted: the run ended before its plan, after 5 of 6"));
    xro_reader_close(reader);
}

/* Cut at every byte: the samples whose lines are whole, and a warning, or no file at all when the header is not. */
static void cut_file_is_read_up_to_there(void **state)
{
    static char bytes[1 << 16];
    char why[XRO_WHY_SIZE];

    (void)state;
    write_file(3, "complete");
    FILE *file = fopen(path, "r");
    size_t length = fread(bytes, 1, sizeof bytes, file);
    fclose(file);
    for (size_t at = 0; at < length; at++) {
        size_t lines = 0, last = 0;
        for (size_t i = 0; i < at; i++)
            if (bytes[i] == '\n') {
                lines++;
                last = i + 1;
            }
        assert_int_equal(truncate(path, (off_t)length), 0);
        file = fopen(path, "w");
        fwrite(bytes, 1, at, file);
        fclose(file);
        bool complete = bytes[at] == '\n';      /* only the newline is lost */
        struct xro_reader *reader;
        enum xro_status status = xro_reader_open(path, &reader, why, sizeof why);
        assert_int_equal(status == XRO_OK, lines >= 1 || complete);
        if (status != XRO_OK)
            continue;
        size_t known = lines + complete - 1;
        assert_int_equal(read_all(reader, XRO_CLOSED), known < 3 ? known : 3);
        assert_int_equal(xro_reader_facts(reader)->cut, at > last && !complete);
        assert_int_equal(warns(reader, "cut off in the middle"), at > last && !complete);
        assert_true(known == 4 || warns(reader, "samples"));
        xro_reader_close(reader);
    }
}

static void damaged_lines_are_counted(void **state)
{
    (void)state;
    write_file(2, NULL);
    append_text("rubbish\n");
    append_text("{\"type\":\"weather\"}\n");
    append_text("{\"type\":\"sample\",\"row\":2}\n");           /* no such row */
    append_text("{\"type\":\"sample\",\"row\":1,\"ops\":[{\"slot\":\"read\",\"total_ns\":7}]}\n");     /* no phases */
    append_text("{\"type\":\"sample\",\"row\":1,\"ops\":[{\"slot\":\"read\",\"total_ns\":7,\"hops\":[{\"phase_ns\":"
                "{\"call\":\"18446744073709551615\",\"request\":8}}]}]}\n");      /* right only modulo 2^64 */
    append_text("\n");
    append_text("{\"type\":\"end\",\"reason\":\"complete\",\"planned\":9,\"taken\":9,\"failed\":0}\n");
    struct xro_reader *reader = open_reader();
    assert_int_equal(read_all(reader, XRO_CLOSED), 4);
    const struct xro_reader_facts *facts = xro_reader_facts(reader);
    assert_int_equal(facts->bad_count, 3);
    assert_int_equal(facts->first_bad_line, 4);
    assert_int_equal(facts->unknown_count, 1);
    assert_int_equal(facts->unbalanced_count, 2);
    assert_int_equal(facts->first_unbalanced_line, 7);
    assert_true(warns(reader, "3 lines not understood"));
    assert_true(warns(reader, "1 lines of a type not known"));
    assert_true(warns(reader, "2 samples whose phases do not add up"));
    assert_true(warns(reader, "its end line says 9 samples, 4 were read"));
    xro_reader_close(reader);
}

/* Longer than allowed, by little and by much, then good lines again. */
static void long_lines_are_passed_over(void **state)
{
    static const size_t lengths[] = { XRO_RESULTS_LINE_MAX + 1, XRO_RESULTS_LINE_MAX + 2, 3 * XRO_RESULTS_LINE_MAX };
    static char text[3 * XRO_RESULTS_LINE_MAX + 1];

    (void)state;
    for (size_t i = 0; i < sizeof lengths / sizeof *lengths; i++) {
        write_file(2, NULL);
        memset(text, ' ', lengths[i]);
        memcpy(text, "{\"type\":\"sample\"}", 17);
        text[lengths[i]] = '\0';
        append_text(text);
        append_text("\n");
        char *line = sample_line(4);
        append_text(line);
        append_text("\n");
        free(line);
        struct xro_reader *reader = open_reader();
        assert_int_equal(read_all(reader, XRO_CLOSED), 3);
        assert_int_equal(last_number, 4);
        assert_int_equal(xro_reader_facts(reader)->bad_count, 1);
        assert_int_equal(xro_reader_facts(reader)->first_bad_line, 4);
        xro_reader_close(reader);
    }
}

static void second_header_ends_it(void **state)
{
    struct xro_header *header = make_header();
    char *line = xro_header_to_line(header), *more = sample_line(1);

    (void)state;
    write_file(2, "complete");
    append_text(line);
    append_text("\n");
    append_text(more);
    append_text("\n");
    struct xro_reader *reader = open_reader();
    assert_int_equal(read_all(reader, XRO_INVALID), 2);
    xro_reader_close(reader);
    free(line);
    free(more);
    xro_header_close(header);
}

static void wrong_files_are_named(void **state)
{
    static const struct { const char *text, *why; } rows[] = {
        { "", "not a results file: it is empty" },
        { "#!/bin/sh\n", "not a results file: its first line is no header" },
        { "{\"type\":\"header\",\"schema\":\"xrdopen-results\",\"version\":2}\n", "its version is higher than 1" },
    };
    struct xro_reader *reader;
    char why[XRO_WHY_SIZE];

    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        unlink(path);
        append_text(rows[i].text);
        assert_int_not_equal(xro_reader_open(path, &reader, why, sizeof why), XRO_OK);
        assert_null(reader);
        assert_non_null(strstr(why, rows[i].why));
        assert_ptr_equal(strstr(why, path), why);
    }
    assert_int_equal(xro_reader_open("/no/such/file", &reader, why, sizeof why), XRO_IO);
    assert_string_equal(why, "/no/such/file: cannot read: No such file or directory");
    assert_int_equal(xro_reader_open("/tmp", &reader, why, sizeof why), XRO_IO);
    assert_string_equal(why, "/tmp: cannot read: Is a directory");
}

/* --- a full disk ------------------------------------------------------------------------------------------------- */

static void full_disk_is_told_once(void **state)
{
    char why[XRO_WHY_SIZE], *line = sample_line(1);
    struct xro_writer *writer;

    (void)state;
    assert_int_equal(xro_writer_open("/dev/full", &writer, why, sizeof why), XRO_OK);
    assert_false(xro_writer_complaint(writer, why, sizeof why));
    assert_int_equal(xro_writer_line(writer, line), XRO_IO);
    assert_int_equal(xro_writer_line(writer, line), XRO_IO);
    assert_true(xro_writer_complaint(writer, why, sizeof why));
    assert_string_equal(why, "/dev/full: line 1: cannot write: No space left on device; the 0 lines before it are kept");
    assert_false(xro_writer_complaint(writer, why, sizeof why));
    assert_int_equal(xro_writer_close(writer), XRO_IO);
    free(line);
}

/* The file may grow to a size within the third sample's line: that line is taken back, and two samples can be read. */
static void half_a_line_is_taken_back(void **state)
{
    struct xro_header *header = make_header();
    char *line = sample_line(1), *head = xro_header_to_line(header), why[XRO_WHY_SIZE];
    struct rlimit before, limit;

    (void)state;
    signal(SIGXFSZ, SIG_IGN);
    assert_int_equal(getrlimit(RLIMIT_FSIZE, &before), 0);
    limit = before;
    limit.rlim_cur = strlen(head) + 1 + 2 * (strlen(line) + 1) + strlen(line) / 2;
    struct xro_writer *writer = open_writer();
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &limit), 0);
    assert_int_equal(xro_writer_header(writer, header), XRO_OK);
    assert_int_equal(xro_writer_line(writer, line), XRO_OK);
    assert_int_equal(xro_writer_line(writer, line), XRO_OK);
    assert_int_equal(xro_writer_line(writer, line), XRO_IO);
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &before), 0);
    assert_int_equal(xro_writer_line(writer, line), XRO_IO);    /* room again, but what is lost is lost */
    assert_true(xro_writer_complaint(writer, why, sizeof why));
    assert_non_null(strstr(why, ": line 4: cannot write: File too large; the 3 lines before it are kept"));
    assert_int_equal(xro_writer_close(writer), XRO_IO);
    struct xro_reader *reader = open_reader();
    assert_int_equal(read_all(reader, XRO_CLOSED), 2);
    assert_false(xro_reader_facts(reader)->cut);
    assert_true(warns(reader, "no end line"));
    xro_reader_close(reader);
    xro_header_close(header);
    free(line);
    free(head);
}

static void unwritable_path_is_named(void **state)
{
    struct xro_writer *writer;
    char why[XRO_WHY_SIZE];

    (void)state;
    assert_int_equal(xro_writer_open("/no/such/folder/x", &writer, why, sizeof why), XRO_IO);
    assert_null(writer);
    assert_string_equal(why, "/no/such/folder/x: cannot write: No such file or directory");
    assert_int_equal(xro_writer_close(NULL), XRO_OK);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(header_survives),
        cmocka_unit_test(host_facts_are_found),
        cmocka_unit_test(other_headers_are_refused),
        cmocka_unit_test(whole_file_is_read),
        cmocka_unit_test(interrupted_run_says_so),
        cmocka_unit_test(cut_file_is_read_up_to_there),
        cmocka_unit_test(damaged_lines_are_counted),
        cmocka_unit_test(long_lines_are_passed_over),
        cmocka_unit_test(second_header_ends_it),
        cmocka_unit_test(wrong_files_are_named),
        cmocka_unit_test(full_disk_is_told_once),
        cmocka_unit_test(half_a_line_is_taken_back),
        cmocka_unit_test(unwritable_path_is_named),
    };

    return cmocka_run_group_tests(tests, begin, end);
}

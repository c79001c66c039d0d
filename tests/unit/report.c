/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * report.c - from samples to the printed table: what counts, what is listed, what is warned of, and that no text in it
 * can do harm. */
#include "record/timeline.h"
#include "report/plain.h"
#include "report/report.h"
#include "report/tally.h"

#include <errno.h>
#include <jansson.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static struct xro_sample *sample;

static int begin(void **state)
{
    (void)state;
    sample = xro_sample_create();
    return sample != NULL ? 0 : -1;
}

static int end(void **state)
{
    (void)state;
    xro_sample_close(sample);
    return 0;
}

static void add_row(struct xro_header *header, const char *label, const char *engine, const char *host)
{
    char words[3][64];

    snprintf(words[0], sizeof words[0], "%s", label);
    snprintf(words[1], sizeof words[1], "%s", engine);
    snprintf(words[2], sizeof words[2], "%s", host);
    struct xro_row row = { .label = words[0], .client = (char[]){ "Linux" }, .client_host = words[2], .engine = words[1],
                           .target = (char[]){ "root://h//f" } };
    assert_int_equal(xro_header_add_row(header, &row), XRO_OK);
}

static struct xro_header *make_header(const char *host)
{
    struct xro_header *header = xro_header_create();

    assert_non_null(header);
    assert_int_equal(xro_header_set(&header->host, host), XRO_OK);
    assert_int_equal(xro_header_set(&header->sysname, "Linux"), XRO_OK);
    assert_int_equal(xro_header_set(&header->kernel, "6.1.0"), XRO_OK);
    header->cpu_count = 2;
    header->clock_step = 10;
    header->clock_cost_ps = 19600;
    header->harness_ns = 84;
    header->planned = 4;
    assert_int_equal(xro_header_add_version(header, "xrdopen", "0.1"), XRO_OK);
    assert_int_equal(xro_header_add_setting(header, "trim", "1%"), XRO_OK);
    add_row(header, "Linux local filesystem", "local", host);
    add_row(header, "Linux client -> Linux xrootd (wire)", "wire", host);
    return header;
}

/* A sample of ROW whose ops took TIMES (first open, first close, second open, read, second close), in ns. */
static void make_sample(uint32_t row, const xro_ns times[XRO_SLOT_COUNT])
{
    xro_sample_reset(sample);
    sample->row = row;
    for (unsigned slot = 0; slot < XRO_SLOT_COUNT; slot++) {
        struct xro_op *op = &sample->ops[slot];
        xro_timeline_begin(op, op->kind, 1000);
        xro_timeline_hop(op, "h", 1094, 1000);
        xro_timeline_end(op, 1000 + times[slot]);
    }
}

static void add(struct xro_tally *tally, uint32_t row, xro_ns open, xro_ns second, xro_ns read)
{
    const xro_ns times[XRO_SLOT_COUNT] = { open, 7000, second, read, 8000 };

    make_sample(row, times);
    assert_int_equal(xro_tally_add(tally, sample), XRO_OK);
}

static void add_failed(struct xro_tally *tally, uint32_t row, enum xro_slot slot, struct xro_error error)
{
    const xro_ns times[XRO_SLOT_COUNT] = { 999999999, 999999999, 999999999, 999999999, 999999999 };

    make_sample(row, times);
    if (slot == XRO_SLOT_COUNT)
        sample->error = error;
    else
        sample->ops[slot].error = error;
    assert_int_equal(xro_tally_add(tally, sample), XRO_OK);
}

static char *print(const struct xro_table *table, enum xro_format format, bool percentiles)
{
    char *text = NULL;
    size_t length;
    FILE *to = open_memstream(&text, &length);

    assert_non_null(to);
    assert_int_equal(xro_report_print(to, table, format, percentiles), 0);
    assert_int_equal(fclose(to), 0);
    return text;
}

/* What TALLY's table prints must have PART (or must not, when it begins with "!"). */
static void expect(const struct xro_tally *tally, enum xro_format format, const char *part)
{
    struct xro_table *table = xro_tally_table(tally, 0.01);
    bool wanted = part[0] != '!';
    char *text;

    assert_non_null(table);
    text = print(table, format, true);
    if ((strstr(text, part + !wanted) != NULL) != wanted)
        fail_msg("'%s' in:\n%s", part, text);
    free(text);
    xro_table_close(table);
}

/* Three good samples and one failed in the first row, four good ones in the second. */
static struct xro_tally *make_tally(void)
{
    struct xro_header *header = make_header("here");
    struct xro_tally *tally = xro_tally_create(header);

    assert_non_null(tally);
    add(tally, 0, 13000, 3000, 4000);
    add(tally, 0, 12000, 2900, 4600);
    add(tally, 0, 14500, 3100, 5000);
    add_failed(tally, 0, XRO_SLOT_READ, (struct xro_error){ .status = XRO_SERVER, .phase = XRO_PHASE_REQUEST, .hop = 0,
                                                            .server = 3007, .text = "disk" });
    for (unsigned i = 0; i < 4; i++)
        add(tally, 1, 7568100, 5378200, 108300);
    xro_header_close(header);
    return tally;
}

static void table_has_the_layout_of_2005(void **state)
{
    static const char expected[] =
        "                                         1st Open         2nd Open           Read\n"
        "                                         Avg  Median      Avg  Median     Avg  Median\n"
        "Linux local filesystem                  13.2    13.0      3.0     3.0     4.5     4.6\n"
        "Linux client -> Linux xrootd (wire)   7568.1  7568.1   5378.2  5378.2   108.3   108.3\n"
        "\n"
        "Microseconds. Average and median are of what is left when the highest 1% of a column's values are dropped.\n"
        "samples:  4 planned in each row, all taken and none failed but in\n"
        "  Linux local filesystem: 4 planned, 4 taken, 1 failed\n"
        "failures (no value of a failed sample is in any figure):\n"
        "  Linux local filesystem:\n"
        "         1  read, request: server error 3007 IOError\n"
        "            such as: request: h:1094 answered with an error: 3007 IOError: disk\n"
        "machine:  here: Linux 6.1.0, 2 processors\n"
        "clock:    resolution 10 ns, a reading costs 19.6 ns; the harness costs 84 ns per operation (null engine)\n"
        "versions: xrdopen 0.1\n"
        "settings: trim=1%\n";
    struct xro_tally *tally = make_tally();
    struct xro_table *table = xro_tally_table(tally, 0.01);
    char *text;

    (void)state;
    xro_tally_close(tally);     /* the table stands alone */
    text = print(table, XRO_FORMAT_TABLE, false);
    assert_string_equal(text, expected);
    free(text);
    xro_table_close(table);
}

static void csv_has_the_header_of_the_contract(void **state)
{
    static const char expected[] =
        "row,client,server,engine,count,failed,first_open_avg_us,first_open_median_us,second_open_avg_us,"
        "second_open_median_us,read_avg_us,read_median_us\n"
        "Linux local filesystem,Linux,,local,3,1,13.167,13.000,3.000,3.000,4.533,4.600\n"
        "Linux client -> Linux xrootd (wire),Linux,,wire,4,0,7568.100,7568.100,5378.200,5378.200,108.300,108.300\n";
    struct xro_tally *tally = make_tally();
    struct xro_table *table = xro_tally_table(tally, 0.01);
    char *text = print(table, XRO_FORMAT_CSV, false);

    (void)state;
    assert_string_equal(text, expected);
    free(text);
    text = print(table, XRO_FORMAT_CSV, true);
    assert_ptr_equal(strstr(text, "row,client,server,engine,count,failed,first_open_avg_us,"), text);
    assert_non_null(strstr(text, ",read_median_us,first_open_p90_us,"));
    assert_non_null(strstr(text, ",second_close_median_us,"));
    free(text);
    xro_table_close(table);
    xro_tally_close(tally);
}

static void json_has_all_figures(void **state)
{
    struct xro_tally *tally = make_tally();
    struct xro_table *table = xro_tally_table(tally, 0.01);
    char *text = print(table, XRO_FORMAT_JSON, false);
    json_t *whole = json_loads(text, 0, NULL), *row, *open;

    (void)state;
    assert_non_null(whole);
    assert_string_equal(json_string_value(json_object_get(whole, "schema")), "xrdopen-table");
    row = json_array_get(json_object_get(whole, "rows"), 0);
    open = json_object_get(row, "first_open");
    assert_int_equal(json_integer_value(json_object_get(row, "failed")), 1);
    assert_int_equal(json_integer_value(json_object_get(open, "count")), 3);
    assert_true(json_real_value(json_object_get(open, "median_ns")) == 13000);
    assert_int_equal(json_integer_value(json_object_get(open, "max_ns")), 14500);
    assert_true(json_is_null(json_object_get(open, "p99_ns")));
    assert_true(json_is_null(json_object_get(json_object_get(row, "start"), "avg_ns")));
    assert_int_equal(json_array_size(json_object_get(whole, "failures")), 1);
    assert_string_equal(json_string_value(json_object_get(json_array_get(json_object_get(whole, "sources"), 0), "host")), "here");
    json_decref(whole);
    free(text);
    xro_table_close(table);
    xro_tally_close(tally);
}

static void failures_are_grouped_and_kept_out(void **state)
{
    struct xro_header *header = make_header("here");
    struct xro_tally *tally = xro_tally_create(header);
    struct xro_error refused = { .status = XRO_CONNECT, .phase = XRO_PHASE_CONNECT, .hop = 0, .system = ECONNREFUSED };

    (void)state;
    for (unsigned i = 0; i < 3; i++)
        add_failed(tally, 1, XRO_SLOT_FIRST_OPEN, refused);
    add_failed(tally, 1, XRO_SLOT_SECOND_OPEN, refused);
    add_failed(tally, 1, XRO_SLOT_COUNT, (struct xro_error){ .status = XRO_DIED, .hop = -1, .text = "signal 9" });
    for (int code = 4000; code < 4300; code++)          /* more kinds than are kept */
        add_failed(tally, 0, XRO_SLOT_READ, (struct xro_error){ .status = XRO_SERVER, .phase = XRO_PHASE_REQUEST,
                                                                .hop = 0, .server = code });
    struct xro_table *table = xro_tally_table(tally, 0.01);
    uint64_t counted = table->failure_rest;
    assert_int_equal(table->rows[1].failed, 5);
    assert_int_equal(table->rows[1].taken, 5);
    for (unsigned metric = 0; metric < XRO_METRIC_COUNT; metric++)
        assert_int_equal(table->rows[1].figures[metric].count, 0);
    for (size_t i = 0; i < table->failure_count; i++)
        counted += table->failures[i].count;
    assert_int_equal(counted, 305);
    expect(tally, XRO_FORMAT_TABLE, "         3  first_open, connect: Connection refused\n"
                                    "            such as: connect: h:1094 refused: Connection refused\n");
    expect(tally, XRO_FORMAT_TABLE, "         1  second_open, connect: Connection refused\n");
    expect(tally, XRO_FORMAT_TABLE, "         1  process: the sample's process died\n"
                                    "            such as: process: the sample's process died: signal 9\n");
    expect(tally, XRO_FORMAT_TABLE, "for reasons not listed here\n");
    expect(tally, XRO_FORMAT_TABLE, "Linux client -> Linux xrootd (wire)     -       -     -       -     -       -\n");
    expect(tally, XRO_FORMAT_CSV, "wire,0,5,,,,,,,");
    xro_table_close(table);
    xro_tally_close(tally);
    xro_header_close(header);
}

static void several_sources_make_one_table(void **state)
{
    struct xro_header *here = make_header("here"), *there = make_header("there");
    struct xro_tally *tally = xro_tally_create(NULL);

    (void)state;
    assert_int_equal(xro_tally_add_source(tally, here, "a.jsonl"), XRO_OK);
    add(tally, 0, 1000, 1000, 1000);
    assert_int_equal(xro_tally_add_source(tally, there, "b.jsonl"), XRO_OK);
    add(tally, 0, 2000, 2000, 2000);
    expect(tally, XRO_FORMAT_CSV, "\nLinux local filesystem [here],Linux,,local,1,0,1.000,");
    expect(tally, XRO_FORMAT_CSV, "\nLinux local filesystem [there],Linux,,local,1,0,2.000,");
    assert_int_equal(xro_tally_add_source(tally, here, "c.jsonl"), XRO_OK);
    add(tally, 0, 3000, 3000, 3000);
    assert_int_equal(xro_tally_warn(tally, "cut off"), XRO_OK);
    expect(tally, XRO_FORMAT_CSV, "\nLinux local filesystem [here] (a.jsonl),Linux,,local,1,0,1.000,");
    expect(tally, XRO_FORMAT_CSV, "\nLinux local filesystem [here] (c.jsonl),Linux,,local,1,0,3.000,");
    expect(tally, XRO_FORMAT_CSV, "\nLinux local filesystem [there],Linux,,local,1,0,2.000,");
    expect(tally, XRO_FORMAT_TABLE, "warning:  file\n    c.jsonl: cut off\n");
    expect(tally, XRO_FORMAT_TABLE, "machine:  there: ");
    xro_tally_close(tally);
    xro_header_close(here);
    xro_header_close(there);
}

static void rows_may_come_later(void **state)
{
    struct xro_header *header = make_header("here");
    struct xro_tally *tally = xro_tally_create(header);

    (void)state;
    add(tally, 0, 1000, 1000, 1000);
    make_sample(2, (const xro_ns[XRO_SLOT_COUNT]){ 5000, 1, 1, 1, 1 });
    assert_int_equal(xro_tally_add(tally, sample), XRO_INVALID);
    add_row(header, "Solaris client", "wire", "sun");
    assert_int_equal(xro_tally_update(tally, header), XRO_OK);
    assert_int_equal(xro_tally_add(tally, sample), XRO_OK);
    expect(tally, XRO_FORMAT_CSV, "\nLinux local filesystem [here],Linux,,local,1,0,1.000,");
    expect(tally, XRO_FORMAT_CSV, "\nSolaris client [sun],Linux,,wire,1,0,5.000,");
    xro_tally_close(tally);
    xro_header_close(header);
}

/* --- warnings ---------------------------------------------------------------------------------------------------- */

/* 400 samples around 100 us with what WHAT does to the read and the first open; must warn with TEXT. */
static void expect_warning(xro_ns (*open)(unsigned), xro_ns (*read)(unsigned), xro_ns (*start)(unsigned), const char *text)
{
    struct xro_header *header = make_header("here");
    struct xro_tally *tally = xro_tally_create(header);

    for (unsigned i = 0; i < 400; i++) {
        const xro_ns times[XRO_SLOT_COUNT] = { open(i), 100000 + i % 7 * 1000, 100000 + i % 5 * 1000, read(i), 100000 };
        make_sample(1, times);
        sample->has_start = true;
        sample->start = start(i);
        assert_int_equal(xro_tally_add(tally, sample), XRO_OK);
    }
    expect(tally, XRO_FORMAT_TABLE, text);
    xro_tally_close(tally);
    xro_header_close(header);
}

static xro_ns plain(unsigned i) { return 100000 + i % 11 * 1000; }
static xro_ns two_peaks(unsigned i) { return plain(i) * (i % 3 ? 1 : 4); }
static xro_ns outliers(unsigned i) { return i % 20 == 9 ? 5000000 : plain(i); }
static xro_ns one_huge(unsigned i) { return i == 77 ? 5 * XRO_NS_PER_S : plain(i); }
static xro_ns slow_first(unsigned i) { return i == 0 ? 900000 : plain(i); }
static xro_ns drifting(unsigned i) { return plain(i) + i * 300; }

static void warnings_say_what_was_seen(void **state)
{
    (void)state;
    expect_warning(plain, plain, plain, "!warning:");
    expect_warning(plain, two_peaks, plain, "warning:  two peaks: ");
    expect_warning(plain, two_peaks, plain, "(wire): read: 66% around 105us, 34% around 420us\n");
    expect_warning(plain, outliers, plain, "(wire): read: 20 of 400 above 525us, the largest 5.00ms\n");
    expect_warning(one_huge, plain, plain, "(wire): 1st open: 1 of 400 above 525us, the largest 5.00s\n");
    expect_warning(slow_first, plain, plain, "warning:  slow first run: ");
    expect_warning(slow_first, plain, plain, "(wire): 1st open of the first sample: 900us, median 105us\n");
    expect_warning(plain, drifting, plain, "warning:  drift: ");
    expect_warning(plain, plain, one_huge, "(wire): 1 of 400 processes took a second or more to reach main(), the slowest 5.00s\n");
}

static void busy_machine_is_told(void **state)
{
    struct xro_header *header = make_header("here");
    struct xro_tally *tally;

    (void)state;
    header->load_average = 1.0;
    tally = xro_tally_create(header);
    expect(tally, XRO_FORMAT_TABLE, "!busy");
    header->load_average = 1.1;
    assert_int_equal(xro_tally_update(tally, header), XRO_OK);
    expect(tally, XRO_FORMAT_TABLE, "    here: load average 1.1 on 2 processors before the run\n");
    xro_tally_close(tally);
    xro_header_close(header);
}

/* --- texts ------------------------------------------------------------------------------------------------------- */

static void assert_plain(const char *text, enum xro_quoting quoting, const char *expected)
{
    char *shown = NULL;
    size_t length;
    FILE *to = open_memstream(&shown, &length);

    assert_non_null(to);
    xro_put_plain(to, text, quoting);
    fclose(to);
    assert_string_equal(shown, expected);
    free(shown);
}

static void texts_are_made_harmless(void **state)
{
    (void)state;
    assert_plain("plain -> text", XRO_QUOTE_NONE, "plain -> text");
    assert_plain("d\xc3\xa9j\xc3\xa0 \xe6\x97\xa5", XRO_QUOTE_NONE, "d\xc3\xa9j\xc3\xa0 \xe6\x97\xa5");
    assert_plain("\x1b[31m\a\r\n\x7f", XRO_QUOTE_NONE, "\\x1b[31m\\x07\\x0d\\x0a\\x7f");
    assert_plain("\xc2\x9b" "31m", XRO_QUOTE_NONE, "\\xc2\\x9b31m");            /* CSI in one character */
    assert_plain("a\xe2\x80\xae" "b", XRO_QUOTE_NONE, "a\\xe2\\x80\\xaeb");     /* writing turned round */
    assert_plain("\xff\xc3", XRO_QUOTE_NONE, "\\xff\\xc3");
    assert_plain("\xc0\xaf\xed\xa0\x80", XRO_QUOTE_NONE, "\\xc0\\xaf\\xed\\xa0\\x80");  /* overlong, surrogate */
    assert_plain("a,b", XRO_QUOTE_CSV, "\"a,b\"");
    assert_plain("say \"x\"", XRO_QUOTE_CSV, "\"say \"\"x\"\"\"");
    assert_plain(" a", XRO_QUOTE_CSV, "\" a\"");
    assert_plain("a\nb", XRO_QUOTE_CSV, "a\\x0ab");
    assert_plain("a|b<i>`c`", XRO_QUOTE_MARKDOWN, "a\\|b&lt;i>\\`c\\`");
    assert_plain("a\nb", XRO_QUOTE_MARKDOWN, "a\\\\x0ab");
    assert_int_equal(xro_plain_width("d\xc3\xa9j\xc3\xa0"), 4);
    assert_int_equal(xro_plain_width("\x1b\xff"), 8);
}

/* A label that wants to end the table, the row, the block, or to paint the terminal, in every format. */
static void evil_labels_stay_labels(void **state)
{
    struct xro_header *header = make_header("here");
    struct xro_tally *tally;

    (void)state;
    add_row(header, "\x1b[2J\n~~~~~~~~~~~~~~~~", "wire", "here");
    add_row(header, "a,\"b\"|c", "wire", "here");
    tally = xro_tally_create(header);
    add_failed(tally, 2, XRO_SLOT_COUNT, (struct xro_error){ .status = XRO_DIED, .hop = -1, .text = "\n~~~~~~~~~~~~~~~~\x1b" });
    for (unsigned format = XRO_FORMAT_TABLE; format <= XRO_FORMAT_JSON; format++) {
        expect(tally, (enum xro_format)format, "!\x1b");
        expect(tally, (enum xro_format)format, "!\n~~~~~~~~~~~~~~~~\\");
    }
    expect(tally, XRO_FORMAT_CSV, "\n\"a,\"\"b\"\"|c\",Linux,");
    expect(tally, XRO_FORMAT_MARKDOWN, "\n| a,\"b\"\\|c |");
    xro_tally_close(tally);
    xro_header_close(header);
}

static size_t widest_line(const char *text)
{
    size_t widest = 0;

    for (size_t length; *text != '\0'; text += length + (text[length] == '\n')) {
        length = strcspn(text, "\n");
        widest = length > widest ? length : widest;
    }
    return widest;
}

/* 120 columns are enough for a plain run; a table that needs more says so, and a long label has a line of its own. */
static void width_is_kept(void **state)
{
    struct xro_header *header = make_header("here");
    struct xro_tally *tally;
    struct xro_table *table;
    char *text, label[64];

    (void)state;
    memset(label, 'x', 60);
    label[60] = '\0';
    add_row(header, label, "wire", "here");
    tally = xro_tally_create(header);
    add(tally, 0, 30 * XRO_NS_PER_S, 30 * XRO_NS_PER_S, 30 * XRO_NS_PER_S);
    table = xro_tally_table(tally, 0.01);
    text = print(table, XRO_FORMAT_TABLE, true);
    assert_true(widest_line(text) <= 120);
    assert_null(strstr(text, "columns wide"));
    assert_non_null(strstr(text, "xxxx\n                                   "));
    assert_null(strstr(text, " \n"));
    free(text);
    add(tally, 0, UINT64_MAX - 1000, UINT64_MAX - 1000, UINT64_MAX - 1000);
    xro_table_close(table);
    table = xro_tally_table(tally, 0.01);
    text = print(table, XRO_FORMAT_TABLE, false);
    assert_non_null(strstr(text, "columns wide"));
    free(text);
    xro_table_close(table);
    xro_tally_close(tally);
    xro_header_close(header);
}

/* As many fields in each line as there are names, whatever failed, and quotes where a text has a comma. */
static unsigned count_fields(const char *line)
{
    unsigned count = 1;
    bool quoted = false;

    for (; *line != '\0' && *line != '\n'; line++) {
        quoted ^= *line == '"';
        count += *line == ',' && !quoted;
    }
    return count;
}

static void ops_are_lines_of_csv(void **state)
{
    struct xro_header *header = make_header("here");
    char *text = NULL, *line;
    size_t length;
    unsigned lines = 0, names;

    (void)state;
    make_sample(1, (const xro_ns[XRO_SLOT_COUNT]){ 5000, 1, 1, 1, 1 });
    sample->ops[3].error = (struct xro_error){ .status = XRO_SERVER, .hop = 0, .server = 3011, .text = "no, \"none\"" };
    sample->ops[4].done = false;
    sample->ops[4].begin = 0;
    sample->ops[2].hop_count = 0;
    sample->error = (struct xro_error){ .status = XRO_DIED, .hop = -1 };
    FILE *to = open_memstream(&text, &length);
    xro_render_ops_header(to);
    xro_render_ops(to, header, sample, "a,b.jsonl");
    fclose(to);
    names = count_fields(text);
    for (line = text; *line != '\0'; line = strchr(line, '\n') + 1, lines++)
        assert_int_equal(count_fields(line), names);
    assert_int_equal(lines, 6);         /* names, four ops that were begun, the sample's own failure */
    assert_non_null(strstr(text, "first_open,open,ok,1,5000,5000,"));
    assert_non_null(strstr(text, ",\"read: h:1094 answered with an error: 3011 NotFound: no, \"\"none\"\"\",\"a,b.jsonl\"\n"));
    free(text);
    xro_header_close(header);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(table_has_the_layout_of_2005),
        cmocka_unit_test(csv_has_the_header_of_the_contract),
        cmocka_unit_test(json_has_all_figures),
        cmocka_unit_test(failures_are_grouped_and_kept_out),
        cmocka_unit_test(several_sources_make_one_table),
        cmocka_unit_test(rows_may_come_later),
        cmocka_unit_test(warnings_say_what_was_seen),
        cmocka_unit_test(busy_machine_is_told),
        cmocka_unit_test(texts_are_made_harmless),
        cmocka_unit_test(evil_labels_stay_labels),
        cmocka_unit_test(width_is_kept),
        cmocka_unit_test(ops_are_lines_of_csv),
    };

    return cmocka_run_group_tests(tests, begin, end);
}

/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * report.c - `xrdopen report FILE...`: one table from results files, taken on one machine or on several; or a line of
 * CSV per op of every sample. */
#include "cli/common.h"

#include "base/units.h"
#include "record/results.h"
#include "report/report.h"
#include "report/tally.h"

#include <errno.h>
#include <string.h>
#include <sys/stat.h>

enum report_format { REPORT_TABLE, REPORT_CSV, REPORT_TABLE_CSV, REPORT_MARKDOWN, REPORT_JSON };

static const char *const format_names[] = { "table", "csv", "table-csv", "markdown", "json", NULL };

static struct choices {
    unsigned format;            /* enum report_format */
    double trim;
    bool format_given, trim_given, json, csv, percentiles, phases;
    const char *output;
} chosen;

static const struct xro_option *report_options(void)
{
    static const struct xro_option options[] = {
        { "format", 0, XRO_OPTION_CHOICE, &chosen.format, "FORMAT", format_names,
          "table, csv (a line per op of every sample), table-csv (a line per row), markdown, json",
          &chosen.format_given },
        { "csv", 0, XRO_OPTION_FLAG, &chosen.csv, NULL, NULL, "the same as --format csv", NULL },
        { "json", 0, XRO_OPTION_FLAG, &chosen.json, NULL, NULL, "the same as --format json", NULL },
        { "trim", 0, XRO_OPTION_SHARE, &chosen.trim, "SHARE", NULL,
          "drop this share of each column's highest values; without it, the run's own", &chosen.trim_given },
        { "percentiles", 'p', XRO_OPTION_FLAG, &chosen.percentiles, NULL, NULL,
          "add p90, p99, p99.9, maximum, the closes, process start and load", NULL },
        { "phases", 0, XRO_OPTION_FLAG, &chosen.phases, NULL, NULL, "add the phases of the first open, row by row", NULL },
        { "output", 'o', XRO_OPTION_TEXT, &chosen.output, "FILE", NULL, "write there, not to standard output", NULL },
        { .name = NULL },
    };

    chosen = (struct choices){ .format = REPORT_TABLE, .trim = 0.01 };
    return options;
}

static int report_main(int argc, char **argv);

const struct xro_command xro_command_report = {
    .name = "report",
    .arguments = "FILE...",
    .summary = "Print one table from results files that run -o wrote.",
    .details = "A FILE named - is standard input. xrdopen-results(5) describes the files and the CSV columns.",
    .main = report_main,
    .options = report_options,
};

static void say(const char *words)
{
    xro_say(xro_command_report.name, "%s", words);
}

/* --- reading ----------------------------------------------------------------------------------------------------- */

/* What is done with a file: its header, each sample, each warning. All answer false when that failed for good. */
struct taker {
    bool (*header)(struct taker *taker, const struct xro_header *header, const char *file_name);
    bool (*sample)(struct taker *taker, const struct xro_header *header, const struct xro_sample *sample,
                   const char *file_name);
    bool (*warning)(struct taker *taker, const char *text, const char *file_name);
    FILE *to;                   /* of lines */
    struct xro_tally *tally;    /* of tables */
    double trim;                /* the first one that a file named; negative: none yet */
};

static bool read_samples(struct xro_reader *reader, struct taker *taker, struct xro_sample *sample, const char *name)
{
    const struct xro_header *header = xro_reader_header(reader);
    enum xro_status status;

    while ((status = xro_reader_next(reader, sample)) == XRO_OK)
        if (!taker->sample(taker, header, sample, name))
            return false;
    if (status == XRO_IO)
        xro_say("report", "%s: cannot read on: %s", name, strerror(errno));
    else if (status == XRO_INVALID)
        xro_say("report", "%s: line %llu is a second header: several files in one; what follows was left out, "
                "give them as files of their own", name, (unsigned long long)xro_reader_facts(reader)->line_count);
    return status == XRO_CLOSED;
}

static bool pass_warnings(const struct xro_reader *reader, struct taker *taker, const char *name)
{
    char text[XRO_WHY_SIZE];
    bool good = true;

    for (unsigned i = 0; xro_reader_warning(reader, i, text, sizeof text) && good; i++)
        good = taker->warning(taker, text, name);
    return good;
}

static bool read_file(const char *name, struct taker *taker, struct xro_sample *sample)
{
    char why[XRO_WHY_SIZE];
    struct xro_reader *reader;
    bool good;

    if (xro_reader_open(name, &reader, why, sizeof why) != XRO_OK) {
        say(why);
        return false;
    }
    good = taker->header(taker, xro_reader_header(reader), name);
    if (!good)
        say("out of memory");
    good = good && read_samples(reader, taker, sample, name) && pass_warnings(reader, taker, name);
    xro_reader_close(reader);
    return good;
}

/* All files; one that cannot be read costs no other. */
static int read_files(int count, char **names, struct taker *taker)
{
    struct xro_sample *sample = xro_sample_create();
    int code = XRO_EXIT_GOOD;

    if (sample == NULL) {
        say("out of memory");
        return XRO_EXIT_FAILED;
    }
    for (int i = 0; i < count; i++)
        if (!read_file(names[i], taker, sample))
            code = XRO_EXIT_FAILED;
    xro_sample_close(sample);
    return code;
}

/* --- lines ------------------------------------------------------------------------------------------------------- */

static bool lines_header(struct taker *taker, const struct xro_header *header, const char *name)
{
    (void)taker;
    (void)header;
    (void)name;
    return true;
}

static bool lines_sample(struct taker *taker, const struct xro_header *header, const struct xro_sample *sample,
                         const char *name)
{
    xro_render_ops(taker->to, header, sample, name);
    return !ferror(taker->to);
}

static bool lines_warning(struct taker *taker, const char *text, const char *name)
{
    (void)taker;
    xro_say("report", "%s: warning: %s", name, text);
    return true;
}

static int print_lines(int count, char **names, FILE *to)
{
    struct taker taker = { .header = lines_header, .sample = lines_sample, .warning = lines_warning, .to = to };

    xro_render_ops_header(to);
    return read_files(count, names, &taker);
}

/* --- tables ------------------------------------------------------------------------------------------------------ */

static bool table_header(struct taker *taker, const struct xro_header *header, const char *name)
{
    const char *trim = xro_header_setting(header, "trim");
    double share;

    if (taker->trim < 0 && trim != NULL && xro_parse_share(trim, &share) == XRO_OK)
        taker->trim = share;
    return xro_tally_add_source(taker->tally, header, name) == XRO_OK;
}

static bool table_sample(struct taker *taker, const struct xro_header *header, const struct xro_sample *sample,
                         const char *name)
{
    (void)header;
    if (xro_tally_add(taker->tally, sample) == XRO_OK)
        return true;
    xro_say("report", "%s: out of memory", name);
    return false;
}

static bool table_warning(struct taker *taker, const char *text, const char *name)
{
    if (chosen.format == REPORT_TABLE_CSV)      /* has no place for it */
        return lines_warning(taker, text, name);
    return xro_tally_warn(taker->tally, text) == XRO_OK;
}

static bool print_table(FILE *to, const struct taker *taker)
{
    static const enum xro_format formats[] = {
        [REPORT_TABLE] = XRO_FORMAT_TABLE, [REPORT_TABLE_CSV] = XRO_FORMAT_CSV,
        [REPORT_MARKDOWN] = XRO_FORMAT_MARKDOWN, [REPORT_JSON] = XRO_FORMAT_JSON,
    };
    double trim = chosen.trim_given || taker->trim < 0 ? chosen.trim : taker->trim;
    struct xro_table *table = xro_tally_table(taker->tally, trim);
    bool good = table != NULL && (table->source_count == 0
        || xro_report_print(to, table, formats[chosen.format], (chosen.percentiles ? XRO_DETAIL_PERCENTILES : 0u)
            | (chosen.phases ? XRO_DETAIL_PHASES : 0u)) == 0 || ferror(to));

    xro_table_close(table);
    if (!good)
        say("out of memory");
    return good;
}

static int print_tables(int count, char **names, FILE *to)
{
    struct taker taker = {
        .header = table_header, .sample = table_sample, .warning = table_warning,
        .tally = xro_tally_create(NULL), .trim = -1,
    };
    int code = XRO_EXIT_FAILED;

    if (taker.tally == NULL) {
        say("out of memory");
        return code;
    }
    code = read_files(count, names, &taker);
    if (!print_table(to, &taker))
        code = XRO_EXIT_FAILED;
    xro_tally_close(taker.tally);
    return code;
}

/* --- the command ------------------------------------------------------------------------------------------------- */

static bool choose_format(void)
{
    if ((int)chosen.csv + (int)chosen.json + (int)chosen.format_given > 1) {
        say("--format, --csv and --json: one of them at most");
        return false;
    }
    if (chosen.csv)
        chosen.format = REPORT_CSV;
    if (chosen.json)
        chosen.format = REPORT_JSON;
    return true;
}

/* Whether writing to the output would destroy an input. */
static bool is_an_input(const char *output, int count, char **names)
{
    struct stat out, in;

    if (stat(output, &out) != 0 || !S_ISREG(out.st_mode))
        return false;
    for (int i = 0; i < count; i++)
        if (stat(names[i], &in) == 0 && in.st_dev == out.st_dev && in.st_ino == out.st_ino)
            return true;
    return false;
}

static int print_report(int count, char **names, FILE *to)
{
    return chosen.format == REPORT_CSV ? print_lines(count, names, to) : print_tables(count, names, to);
}

static int print_to_file(int count, char **names)
{
    FILE *to;
    int code;
    bool failed;

    if (is_an_input(chosen.output, count, names)) {
        xro_say("report", "%s: cannot write: it is one of the files to read", chosen.output);
        return XRO_EXIT_USAGE;
    }
    to = fopen(chosen.output, "w");
    if (to == NULL) {
        xro_say("report", "%s: cannot write: %s", chosen.output, strerror(errno));
        return XRO_EXIT_FAILED;
    }
    code = print_report(count, names, to);
    errno = 0;
    failed = ferror(to);
    if (fclose(to) != 0 || failed) {
        xro_say("report", "%s: cannot write: %s", chosen.output, strerror(errno ? errno : EIO));
        return XRO_EXIT_FAILED;
    }
    return code;
}

static int report_main(int argc, char **argv)
{
    int count, code = xro_options_parse(&xro_command_report, report_options(), argc, argv, &count);

    if (code >= 0)
        return code;
    if (!choose_format())
        return XRO_EXIT_USAGE;
    if (count == 0) {
        say("no results file given (see xrdopen report --help)");
        return XRO_EXIT_USAGE;
    }
    if (chosen.output != NULL)
        return print_to_file(count, argv);
    return xro_finish_output(xro_command_report.name, print_report(count, argv, stdout));
}

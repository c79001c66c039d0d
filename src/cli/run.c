/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * run.c - `xrdopen run`, or runxrdopen: the table of 2005. */
#include "cli/run.h"

#include "base/units.h"
#include "measure/cpu.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

volatile sig_atomic_t xro_run_stop;

static struct xro_run_options options = { .client = XRO_CLIENT_DEFAULTS, .count = 10000, .trim = 0.01 };

static const struct xro_option *run_options(void)
{
    static const char *const fresh[] = { "process", "connection", NULL };
    static const struct xro_option table[] = {
        { "count", 'n', XRO_OPTION_COUNT, &options.count, "N", NULL, "samples per row", NULL },
        { "trim", 0, XRO_OPTION_SHARE, &options.trim, "SHARE", NULL, "drop this share of the highest values", NULL },
        { "fresh", 0, XRO_OPTION_CHOICE, &options.fresh, "WHAT", fresh,
          "what each sample has for itself: process or connection", NULL },
        { "format", 0, XRO_OPTION_CHOICE, &options.format, "FORMAT", xro_format_names,
          "table, csv, markdown or json", &options.format_given },
        { "json", 0, XRO_OPTION_FLAG, &options.json, NULL, NULL, "short for --format json", NULL },
        { "csv", 0, XRO_OPTION_FLAG, &options.csv, NULL, NULL, "short for --format csv", NULL },
        { "percentiles", 'p', XRO_OPTION_FLAG, &options.percentiles, NULL, NULL,
          "add p90, p99, p99.9 and maximum, and the closes", NULL },
        { "phases", 0, XRO_OPTION_FLAG, &options.phases, NULL, NULL, "add the phases of the first open, row by row", NULL },
        { "lab", 0, XRO_OPTION_TEXT, &options.lab, "MODE", NULL,
          "measure all servers of this lab (see xrdopen lab --help); all: the price of each security", NULL },
        { "output", 'o', XRO_OPTION_TEXT, &options.output, "FILE", NULL, "keep every sample in FILE (JSON Lines)", NULL },
        { "targets", 0, XRO_OPTION_TEXT, &options.targets, "FILE", NULL, "measure these, a TARGET per line", NULL },
        { "label", 0, XRO_OPTION_TEXT, &options.label, "TEXT", NULL, "the row's name, when there is one TARGET", NULL },
        { "seed", 0, XRO_OPTION_NUMBER, &options.seed, "N", NULL, "of the random order (else by the clock; 0 is one, too)",
          &options.seed_given },
        { "pin", 0, XRO_OPTION_TEXT, &options.pin, "CPUS", NULL, "keep the samples to these processors, such as 0 or 2,4-7",
          NULL },
        { "via", 0, XRO_OPTION_LIST, &options.via, "COMMAND", NULL,
          "take the rows' samples also behind COMMAND, such as 'ssh host' (repeatable)", NULL },
        { "verbose", 'v', XRO_OPTION_FLAG, &options.verbose, NULL, NULL,
          "first show one sample of each row on standard error", NULL },
        XRO_CLIENT_OPTION_ROWS(&options.client),
        { .name = NULL },
    };
    return table;
}

static void on_signal(int signal_number)
{
    (void)signal_number;
    xro_run_stop = 1;
}

/* No SA_RESTART: what waits comes back at once. */
static void catch_signals(void)
{
    struct sigaction action = { .sa_handler = on_signal };

    sigaction(SIGINT, &action, NULL);
    sigaction(SIGTERM, &action, NULL);
}

/* --- before ------------------------------------------------------------------------------------------------------- */

static int check_options(void)
{
    const char *engines = options.client.engine, *wanted;

    if (options.json + options.csv + options.format_given > 1) {
        xro_say("run", "--json, --csv and --format exclude each other");
        return XRO_EXIT_USAGE;
    }
    if (options.json || options.csv)
        options.format = options.json ? XRO_FORMAT_JSON : XRO_FORMAT_CSV;

    if (options.pin != NULL && options.via.count == 0 && (wanted = xro_cpu_check(options.pin)) != NULL) {
        xro_say("run", "--pin: '%s' will not do: it has to be %s", options.pin, wanted);
        return XRO_EXIT_USAGE;
    }
    if (options.fresh == XRO_FRESH_CONNECTION && engines != NULL && strstr(engines, "xrd") != NULL) {
        xro_say("run", "--fresh connection: XRootD's client library keeps its connections for the process, so that only a "
                "fresh process has fresh ones");
        return XRO_EXIT_USAGE;
    }
    if (!options.seed_given)
        options.seed = xro_clock_wall() ^ (uint64_t)getpid() << 32;
    return XRO_EXIT_GOOD;
}

static bool add_setting(struct xro_header *header, const char *name, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

static bool add_setting(struct xro_header *header, const char *name, const char *format, ...)
{
    char text[512];
    va_list arguments;

    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    return xro_header_add_setting(header, name, text) == XRO_OK;
}

static void join_command(int argc, char **argv, char *to, size_t size)
{
    size_t used = (size_t)snprintf(to, size, "xrdopen run");

    for (int i = 1; i < argc && used < size; i++)
        used += (size_t)snprintf(to + used, size - used, " %s", argv[i]);
}

/* The header: what the agent on this machine told of it, and what this run is. */
static bool make_header(struct xro_run *run, const char *command)
{
    struct xro_header *header = run->header = xro_header_copy(xro_station_header(run->stations[0]));
    char text[256], timeout[XRO_DURATION_SIZE];
    bool good = header != NULL && xro_header_set(&header->command, command) == XRO_OK;

    if (!good)
        return false;
    header->wall = xro_clock_wall();
    header->seed = options.seed;
    header->planned = options.count;
    xro_format_duration(run->rows[0].job.settings.timeout, timeout);
    good = add_setting(header, "count", "%llu", (unsigned long long)options.count)
        && add_setting(header, "trim", "%g%%", 100 * options.trim)
        && add_setting(header, "fresh", "%s", options.fresh == XRO_FRESH_PROCESS ? "process" : "connection")
        && add_setting(header, "timeout", "%s", timeout);
    if (options.client.pipeline)
        good = good && add_setting(header, "pipeline", "one flight");
    if (options.pin != NULL)
        good = good && add_setting(header, "pin", "%s", options.pin);
    for (size_t row = 0; row < run->row_count; row++)
        for (unsigned i = 0; good && xro_job_variable(&run->rows[row].job, i, text, sizeof text); i++) {
            char *equals = strchr(text, '=');
            *equals = '\0';
            good = add_setting(header, text, "%s", equals + 1);
        }
    return good;
}

static bool add_header_rows(struct xro_run *run)
{
    for (size_t i = 0; i < run->row_count; i++) {
        struct xro_run_row *row = &run->rows[i];
        const struct xro_station *station = run->stations[row->station];
        const struct xro_header *client = station ? xro_station_header(station) : NULL;
        const struct xro_row about = {
            .label = row->label, .client = client ? client->sysname : NULL, .client_host = client ? client->host : NULL,
            .server = (char *)row->server, .engine = (char *)row->job.engine->name, .target = row->target,
            .kind = (char *)row->kind, .via = (char *)run->vias[row->station],
        };
        if (xro_header_add_row(run->header, &about) != XRO_OK)
            return false;
    }
    return true;
}

/* Number the rows at their stations, and tell these of them. */
static bool tell_stations(struct xro_run *run)
{
    uint32_t next[XRO_TEXTS_MAX + 1] = { 0 };

    for (size_t i = 0; i < run->row_count; i++) {
        struct xro_run_row *row = &run->rows[i];
        row->station_row = next[row->station]++;
        if (run->stations[row->station] != NULL
            && xro_station_add_row(run->stations[row->station], (uint32_t)i, &row->job) != XRO_OK)
            return false;
    }
    return true;
}

static int open_output(struct xro_run *run)
{
    char why[XRO_WHY_SIZE];

    if (options.output == NULL)
        return XRO_EXIT_GOOD;
    if (xro_writer_open(options.output, &run->writer, why, sizeof why) != XRO_OK) {
        xro_say("run", "--output: %s", why);
        return XRO_EXIT_FAILED;
    }
    if (xro_writer_header(run->writer, run->header) != XRO_OK && xro_writer_complaint(run->writer, why, sizeof why)) {
        xro_say("run", "--output: %s", why);
        return XRO_EXIT_FAILED;
    }
    return XRO_EXIT_GOOD;
}

static int prepare(struct xro_run *run, char **targets, int count, const char *command)
{
    int code = xro_run_open_lab(run, count == 0 && options.targets == NULL);

    if (code == XRO_EXIT_GOOD)
        code = xro_run_open_stations(run);
    if (code == XRO_EXIT_GOOD)
        code = xro_run_make_rows(run, targets, count);
    if (code != XRO_EXIT_GOOD)
        return code;
    run->counts.planned = options.count * run->row_count;
    if (!make_header(run, command) || !add_header_rows(run) || (run->tally = xro_tally_create(run->header)) == NULL) {
        xro_say("run", "%s", xro_status_text(XRO_MEMORY));
        return XRO_EXIT_FAILED;
    }
    if (!tell_stations(run)) {
        xro_say("run", "a machine that takes samples is gone before the first one");
        return XRO_EXIT_FAILED;
    }
    return open_output(run);
}

/* --- after -------------------------------------------------------------------------------------------------------- */

static int print_table(struct xro_run *run)
{
    struct xro_table *table = xro_tally_table(run->tally, options.trim);

    if (table == NULL || xro_report_print(stdout, table, (enum xro_format)options.format,
                                           (options.percentiles ? XRO_DETAIL_PERCENTILES : 0u)
                                           | (options.phases ? XRO_DETAIL_PHASES : 0u)) != 0) {
        xro_table_close(table);
        return xro_finish_output("run", XRO_EXIT_FAILED);
    }
    xro_table_close(table);
    return xro_finish_output("run", XRO_EXIT_GOOD);
}

static void end_output(struct xro_run *run)
{
    char why[XRO_WHY_SIZE];

    if (run->writer == NULL)
        return;
    xro_writer_end(run->writer, xro_run_stop ? "interrupted" : run->trouble ? "trouble" : "complete", &run->counts);
    if (xro_writer_complaint(run->writer, why, sizeof why)) {
        xro_say("run", "%s", why);
        run->trouble = true;
    }
    if (xro_writer_close(run->writer) != XRO_OK)
        run->trouble = true;
    run->writer = NULL;
}

static void close_run(struct xro_run *run)
{
    xro_writer_close(run->writer);
    for (size_t i = 0; i < run->station_count; i++)
        xro_station_close(run->stations[i]);
    for (size_t i = 0; i < run->row_count; i++) {
        free(run->rows[i].target);
        free(run->rows[i].label);
    }
    free(run->rows);
    xro_tally_close(run->tally);
    xro_header_close(run->header);
    if (run->lab_started && xro_lab_stop(run->lab.id) != 0)
        xro_say("run", "the lab %s could not be taken down; see xrdopen lab status", run->lab.id);
}

static int exit_code(const struct xro_run *run)
{
    if (xro_run_stop)
        return XRO_EXIT_INTERRUPTED;
    if (run->missing)
        return XRO_EXIT_MISSING;
    return run->trouble || run->counts.failed > 0 ? XRO_EXIT_FAILED : XRO_EXIT_GOOD;
}

static int run_main(int argc, char **argv)
{
    struct xro_run run = { .options = &options };
    char command[4096];
    int operands, code;

    join_command(argc, argv, command, sizeof command);
    code = xro_options_parse(&xro_command_run, run_options(), argc, argv, &operands);
    if (code >= 0)
        return code;
    code = check_options();
    if (code != XRO_EXIT_GOOD)
        return code;
    catch_signals();
    if (options.lab != NULL && (operands > 0 || options.targets != NULL)) {
        xro_say("run", "--lab measures the lab: it takes no targets");
        return XRO_EXIT_USAGE;
    }
    code = prepare(&run, argv, operands, command);
    if (code == XRO_EXIT_GOOD) {
        xro_run_take(&run);
        end_output(&run);
        if (xro_run_stop)
            xro_say("run", "interrupted: this is the table of the %llu samples that there are, of %llu",
                    (unsigned long long)run.counts.taken, (unsigned long long)run.counts.planned);
        code = print_table(&run);
        if (code == XRO_EXIT_GOOD)
            code = exit_code(&run);
    }
    close_run(&run);
    return code;
}

const struct xro_command xro_command_run = {
    .name = "run", .arguments = "[TARGET...]",
    .summary = "The table of 2005: average and median of first open, second open and read, row by row.",
    .details = "TARGET is a URL or a path, or LABEL=URL. Without one, real servers on loopback are measured (the lab).\n"
               "--engine takes several names: wire,xrdcl. Exit codes: 0 good, 1 a sample failed, 2 usage,\n"
               "4 something is missing, 130 interrupted.",
    .main = run_main, .options = run_options,
};

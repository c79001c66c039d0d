/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * once.c - `xrdopen URL|PATH`: one sample, as the xrdopen of 2005 printed it; and `xrdopen sample`, by which a run takes
 * each of its own in a fresh process. */
#include "base/talk.h"
#include "base/units.h"
#include "cli/common.h"
#include "measure/sequence.h"
#include "measure/spawn.h"
#include "record/error_text.h"
#include "record/json.h"
#include "report/waterfall.h"

#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static struct {
    struct xro_client_options client;
    bool verbose, json;
} options = { .client = XRO_CLIENT_DEFAULTS };

static const struct xro_option *once_options(void)
{
    static const struct xro_option table[] = {
        { "verbose", 'v', XRO_OPTION_FLAG, &options.verbose, NULL, NULL,
          "show hops and phases on standard error, as they happen", NULL },
        { "json", 0, XRO_OPTION_FLAG, &options.json, NULL, NULL, "print the sample's record instead of the line", NULL },
        XRO_CLIENT_OPTION_ROWS(&options.client),
        { .name = NULL },
    };
    return table;
}

static void interrupted(int signal_number)
{
    static const char text[] = "xrdopen: once: interrupted\n";

    (void)signal_number;
    if (write(STDERR_FILENO, text, sizeof text - 1) < 0)
        _exit(1);
    _exit(XRO_EXIT_INTERRUPTED);
}

static void watch(void *arg, const struct xro_op *op)
{
    xro_waterfall_show((struct xro_waterfall *)arg, op);
}

static void show_ops(struct xro_waterfall *waterfall, const struct xro_sample *sample)
{
    for (unsigned slot = 0; slot < sample->op_count; slot++)
        if (!waterfall->begun || waterfall->slot <= (enum xro_slot)slot)
            xro_waterfall_show(waterfall, &sample->ops[slot]);
}

static void say_variables(const struct xro_job *job)
{
    char text[256];

    for (unsigned i = 0; xro_job_variable(job, i, text, sizeof text); i++)
        fprintf(xro_talk(), "environment: %s\n", text);
}

/* The line, or the record; nothing when the sample failed. */
static void print_sample(const struct xro_sample *sample, bool json)
{
    if (json) {
        char *line = xro_sample_to_line(sample);
        puts(line ? line : "");
        free(line);
        return;
    }
    printf("%.1f %.1f %.1f\n", (double)sample->ops[XRO_SLOT_FIRST_OPEN].total / 1e3,
           (double)sample->ops[XRO_SLOT_SECOND_OPEN].total / 1e3, (double)sample->ops[XRO_SLOT_READ].total / 1e3);
}

static int measure(struct xro_job *job)
{
    struct xro_sample *sample = xro_sample_create();
    struct xro_waterfall waterfall = { .to = xro_talk() };
    char message[XRO_MESSAGE_SIZE];
    const struct xro_error *error;
    int code = XRO_EXIT_GOOD;

    if (sample == NULL) {
        xro_say("once", "%s: %s", job->settings.target, xro_status_text(XRO_MEMORY));
        return XRO_EXIT_FAILED;
    }
    if (options.verbose) {
        say_variables(job);
        job->settings.watch = watch;
        job->settings.watch_arg = &waterfall;
    }
    xro_sequence_run(job, sample);
    if (options.verbose)
        show_ops(&waterfall, sample);
    error = xro_sample_error(sample);
    if (error == NULL) {
        print_sample(sample, options.json);
    } else {
        xro_say("once", "%s: %s", job->settings.target,
                xro_error_format(error, error == &sample->error ? NULL : xro_sample_failed_op(sample), message, sizeof message));
        code = xro_exit_for(error);
    }
    xro_sample_close(sample);
    return code;
}

static int once_main(int argc, char **argv)
{
    struct xro_job job;
    int operands, code = xro_options_parse(&xro_command_once, once_options(), argc, argv, &operands);

    if (code >= 0)
        return code;
    if (operands != 1) {
        xro_say("once", operands == 0 ? "which URL or path? (see xrdopen --help)" : "one URL or path at a time; `xrdopen run` takes several");
        return XRO_EXIT_USAGE;
    }
    code = xro_job_make("once", &options.client, NULL, argv[0], &job);
    if (code != XRO_EXIT_GOOD)
        return code;
    signal(SIGINT, interrupted);
    signal(SIGTERM, interrupted);
    return xro_finish_output("once", measure(&job));
}

const struct xro_command xro_command_once = {
    .name = "once", .arguments = "URL|PATH",
    .summary = "Time open, close, open, read one byte, close: prints first open, second open and read in microseconds.",
    .details = "A path or file:// URL is measured on the local file system; root://, xroot:// over the wire.\n"
               "`xrdopen URL` means `xrdopen once URL`. Exit codes: 0 good, 1 failed, 2 usage, 4 something is missing,\n"
               "130 interrupted.",
    .main = once_main, .options = once_options,
};

/* --- the child of a run ------------------------------------------------------------------------------------------- */

static int sample_main(int argc, char **argv)
{
    struct xro_sample *sample = xro_sample_create();
    uint64_t row, number, block, spawned;
    struct xro_job job;

    if (sample == NULL)
        return XRO_EXIT_FAILED;
    if (argc != XRO_SPAWN_WORDS + 1 || xro_job_from_words(argv + 1, &job) != NULL
        || xro_parse_count(argv[XRO_JOB_WORDS + 1], &row) != XRO_OK || xro_parse_count(argv[XRO_JOB_WORDS + 2], &number) != XRO_OK
        || xro_parse_count(argv[XRO_JOB_WORDS + 3], &block) != XRO_OK
        || xro_parse_count(argv[XRO_JOB_WORDS + 4], &spawned) != XRO_OK) {
        xro_say("sample", "this command is for `xrdopen run` alone");
        return XRO_EXIT_USAGE;
    }
    sample->row = (uint32_t)row;
    sample->number = number;
    sample->block = (uint32_t)block;
    sample->has_start = xro_main_stamp >= spawned;
    sample->start = sample->has_start ? xro_main_stamp - spawned : 0;
    xro_sequence_run(&job, sample);
    print_sample(sample, true);
    int code = xro_sample_error(sample) ? XRO_EXIT_FAILED : XRO_EXIT_GOOD;
    xro_sample_close(sample);
    return xro_finish_output("sample", code);
}

static const struct xro_option *no_options(void)
{
    static const struct xro_option table[] = { { .name = NULL } };
    return table;
}

const struct xro_command xro_command_sample = {
    .name = "sample", .arguments = "...", .summary = "One sample of a run (for xrdopen run).",
    .main = sample_main, .options = no_options,
};

/* SPDX-License-Identifier: LGPL-3.0-or-later */
#include "cli/run.h"

#include "base/talk.h"
#include "base/units.h"
#include "measure/plan.h"
#include "record/json.h"
#include "report/waterfall.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define SAMPLE_GRACE (10 * XRO_NS_PER_S)        /* beyond a sample's own limit, for its process and for the way here */

struct loop {
    struct xro_run *run;
    struct xro_sample *sample;  /* the last one, parsed */
    xro_ns begin, shown;
    bool terminal;
};

static void show_progress(struct loop *loop, bool last)
{
    const struct xro_counts *counts = &loop->run->counts;
    xro_ns now = xro_clock_now(), spent = now - loop->begin;
    double rate = spent > 0 ? (double)counts->taken / ((double)spent / 1e9) : 0;
    char left[XRO_DURATION_SIZE];

    if (!loop->terminal || (!last && now - loop->shown < 200 * XRO_NS_PER_MS))
        return;
    loop->shown = now;
    fprintf(xro_talk(), "\r%" PRIu64 " of %" PRIu64 " samples", counts->taken, counts->planned);
    if (counts->failed > 0)
        fprintf(xro_talk(), ", %" PRIu64 " failed", counts->failed);
    if (!last && rate > 0)
        fprintf(xro_talk(), ", %.0f/s, %s left", rate, xro_format_duration((xro_ns)((double)(counts->planned - counts->taken) / rate * 1e9), left));
    fputs(last ? "\x1b[K\n" : "\x1b[K", xro_talk());
    fflush(xro_talk());
}

/* A station has failed: its rows get no more samples, the others go on. */
static void give_up(struct xro_run *run, size_t station, const char *why)
{
    const char *via = run->vias[station];

    if (via != NULL)
        xro_say("run", "--via '%s': no more samples from there: %s", via, why);
    else
        xro_say("run", "no more samples from this machine: %s", why);
    run->trouble = true;
    xro_station_close(run->stations[station]);
    run->stations[station] = NULL;
}

static void complain_of_writer(struct xro_run *run)
{
    char why[XRO_WHY_SIZE];

    if (run->writer == NULL || !xro_writer_complaint(run->writer, why, sizeof why))
        return;
    xro_say("run", "%s", why);
    run->trouble = true;
}

static void show_sample(const struct loop *loop, const struct xro_run_row *row, const struct xro_sample *sample)
{
    struct xro_waterfall waterfall = { .to = xro_talk() };

    fprintf(xro_talk(), "%s%s: %s\n", loop->terminal ? "\r\x1b[K" : "", row->label, row->target);
    for (unsigned slot = 0; slot < sample->op_count; slot++)
        xro_waterfall_show(&waterfall, &sample->ops[slot]);
}

/* Book the station's line as a sample of ROW; false when it is none. */
static bool book(struct loop *loop, uint32_t row, const char *line, size_t length)
{
    struct xro_run *run = loop->run;
    struct xro_sample *sample = loop->sample;

    if (xro_sample_from_line(line, length, sample) != XRO_OK || sample->row != row)
        return false;
    xro_tally_add(run->tally, sample);
    run->counts.taken++;
    run->counts.failed += xro_sample_error(sample) != NULL;
    if (run->options->verbose && sample->number == 0)
        show_sample(loop, &run->rows[row], sample);
    if (run->writer != NULL) {
        xro_writer_line(run->writer, line);
        complain_of_writer(run);
    }
    return true;
}

/* What the first good sample of a row had to load while the clock ran, the others load before: TLS, and the method of
 * authentication. */
static void give_hint(struct xro_run *run, struct xro_run_row *row, const struct xro_sample *sample)
{
    const struct xro_op *op = &sample->ops[XRO_SLOT_FIRST_OPEN];
    char libraries[200] = "";
    size_t used = 0;

    if (row->hinted || xro_sample_error(sample) != NULL)
        return;
    row->hinted = true;
    for (uint16_t i = 0; i < op->hop_count && used == 0; i++)
        if (op->hops[i].tls.version[0] != '\0')
            used = (size_t)snprintf(libraries, sizeof libraries, "tls");
    for (uint32_t i = 0; i < xro_kept(op->attempt_count, op->attempt_room) && used + 16 < sizeof libraries; i++)
        if (op->attempts[i].outcome == XRO_AUTH_OUTCOME_GOOD && strpbrk(op->attempts[i].method, " ,\\") == NULL)
            used += (size_t)snprintf(libraries + used, sizeof libraries - used, "%s%s", used ? "," : "",
                                     op->attempts[i].method);
    if (used > 0)
        xro_station_hint(run->stations[row->station], row->station_row, libraries);
}

/* Take one block. A station that breaks down is given up. */
static void take_block(struct loop *loop, const struct xro_block *block)
{
    struct xro_run *run = loop->run;
    struct xro_run_row *row = &run->rows[block->row];
    struct xro_station *station = run->stations[row->station];
    xro_ns limit = xro_ns_add(row->job.settings.timeout, SAMPLE_GRACE);
    char why[512] = "it ended";
    const char *line;
    size_t length;
    enum xro_status status;

    if (station == NULL)
        return;
    status = xro_station_take(station, row->station_row, block->first, block->count, block->round);
    while (status == XRO_OK) {
        status = xro_station_next(station, limit, &xro_run_stop, &line, &length, why, sizeof why);
        if (status == XRO_OK && !book(loop, block->row, line, length)) {
            snprintf(why, sizeof why, "it sent something that is no sample of this row");
            status = XRO_INVALID;
        }
        show_progress(loop, false);
    }
    if (status == XRO_CLOSED)
        give_hint(run, row, loop->sample);
    if (status != XRO_CLOSED && status != XRO_INTERRUPTED)
        give_up(run, row->station, why);
}

void xro_run_take(struct xro_run *run)
{
    struct loop loop = { .run = run, .sample = xro_sample_create(), .begin = xro_clock_now(),
                         .terminal = isatty(STDERR_FILENO) != 0 };
    struct xro_block block;
    struct xro_plan plan;

    if (loop.sample == NULL || !xro_plan_create(&plan, run->row_count, run->options->count, run->options->seed)) {
        xro_say("run", "%s", xro_status_text(XRO_MEMORY));
        run->trouble = true;
    } else {
        while (!xro_run_stop && xro_plan_next(&plan, &block))
            take_block(&loop, &block);
        show_progress(&loop, true);
        xro_plan_close(&plan);
    }
    xro_sample_close(loop.sample);
}

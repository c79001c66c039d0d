/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * csv.c - a line per row of the table, and a line per op of every sample. One line of names, snake_case with units; a
 * comma between fields, quotes only where needed (RFC 4180), lines end in LF. */
#include "report/report.h"

#include "record/error_text.h"
#include "record/timeline.h"
#include "report/cell.h"
#include "report/phases.h"
#include "report/plain.h"

#include <inttypes.h>

static void put_text(FILE *to, const char *text)
{
    xro_put_plain(to, text, XRO_QUOTE_CSV);
    fputc(',', to);
}

/* --- a line per row ---------------------------------------------------------------------------------------------- */

enum { DECIMALS = 3 };          /* of microseconds: nothing is rounded away */

struct column {
    const char *name;
    unsigned metric;
    enum xro_cell cell;
};

static const struct column columns[] = {
    { "first_open_avg_us", XRO_SLOT_FIRST_OPEN, XRO_CELL_AVERAGE },
    { "first_open_median_us", XRO_SLOT_FIRST_OPEN, XRO_CELL_MEDIAN },
    { "second_open_avg_us", XRO_SLOT_SECOND_OPEN, XRO_CELL_AVERAGE },
    { "second_open_median_us", XRO_SLOT_SECOND_OPEN, XRO_CELL_MEDIAN },
    { "read_avg_us", XRO_SLOT_READ, XRO_CELL_AVERAGE },
    { "read_median_us", XRO_SLOT_READ, XRO_CELL_MEDIAN },
    { NULL, 0, XRO_CELL_AVERAGE },
};

static bool is_above(unsigned metric, unsigned cell)
{
    for (const struct column *column = columns; column->name != NULL; column++)
        if (column->metric == metric && column->cell == (enum xro_cell)cell)
            return true;
    return false;
}

static const char *cell_key(unsigned cell)
{
    static const char *const keys[XRO_CELL_COUNT] = { "avg", "median", "p90", "p99", "p999", "max" };

    return keys[cell];
}

/* What --percentiles adds behind: of every metric, each figure that has no column yet. */
static void put_more_names(FILE *to)
{
    for (unsigned metric = 0; metric < XRO_METRIC_COUNT; metric++)
        for (unsigned cell = 0; cell < XRO_CELL_COUNT; cell++)
            if (!is_above(metric, cell))
                fprintf(to, ",%s_%s_us", xro_metric_name((enum xro_metric)metric), cell_key(cell));
}

static void put_more_figures(FILE *to, const struct xro_table_row *row)
{
    char text[XRO_CELL_SIZE];

    for (unsigned metric = 0; metric < XRO_METRIC_COUNT; metric++)
        for (unsigned cell = 0; cell < XRO_CELL_COUNT; cell++)
            if (!is_above(metric, cell))
                fprintf(to, ",%s", xro_cell_text(&row->figures[metric], (enum xro_cell)cell, DECIMALS, "", text));
}

void xro_render_csv(FILE *to, const struct xro_table *table, unsigned details)
{
    char text[XRO_CELL_SIZE];

    fputs("row,client,server,engine,count,failed", to);
    for (const struct column *column = columns; column->name != NULL; column++)
        fprintf(to, ",%s", column->name);
    if (details & XRO_DETAIL_PERCENTILES)
        put_more_names(to);
    if (details & XRO_DETAIL_PHASES)
        xro_render_phase_names(to);
    fputc('\n', to);
    for (size_t i = 0; i < table->row_count; i++) {
        const struct xro_table_row *row = &table->rows[i];
        put_text(to, row->about.label);
        put_text(to, row->about.client);
        put_text(to, row->about.server);
        put_text(to, row->about.engine);
        fprintf(to, "%" PRIu64 ",%" PRIu64, row->taken - row->failed, row->failed);
        for (const struct column *column = columns; column->name != NULL; column++)
            fprintf(to, ",%s", xro_cell_text(&row->figures[column->metric], column->cell, DECIMALS, "", text));
        if (details & XRO_DETAIL_PERCENTILES)
            put_more_figures(to, row);
        if (details & XRO_DETAIL_PHASES)
            xro_render_phase_figures(to, row);
        fputc('\n', to);
    }
}

/* --- a line per op ----------------------------------------------------------------------------------------------- */

void xro_render_ops_header(FILE *to)
{
    fputs("row,label,client,client_host,server,engine,kind,target,sample,block,slot,op,status,done,total_ns", to);
    for (unsigned phase = 0; phase < XRO_PHASE_COUNT; phase++)
        fprintf(to, ",%s_ns", xro_phase_name((enum xro_phase)phase));
    fputs(",hops,waits,wait_asked_s,tries,bytes,size_bytes,host,port,address,cpu,wall_ns,begin_ns,start_ns,load_ns,"
          "cpu_time_ns,error,file\n", to);
}

static void put_row(FILE *to, const struct xro_header *header, const struct xro_sample *sample)
{
    const struct xro_row *row = &header->rows[sample->row];

    fprintf(to, "%" PRIu32 ",", sample->row);
    put_text(to, row->label);
    put_text(to, row->client);
    put_text(to, row->client_host);
    put_text(to, row->server);
    put_text(to, row->engine);
    put_text(to, row->kind);
    put_text(to, row->target);
    fprintf(to, "%" PRIu64 ",%" PRIu32 ",", sample->number, sample->block);
}

/* Times of the op. Where there is no op (its process died), all of them are 0. */
static void put_times(FILE *to, const struct xro_op *op)
{
    uint64_t asked_s = 0;

    for (unsigned phase = 0; phase < XRO_PHASE_COUNT; phase++)
        fprintf(to, "%" PRIu64 ",", op != NULL ? xro_op_phase(op, (enum xro_phase)phase) : 0);
    if (op == NULL) {
        fputs("0,0,0,0,0,-1,,0,,", to);
        return;
    }
    for (uint16_t i = 0; i < op->hop_count; i++)
        asked_s += op->hops[i].wait_asked_s;
    fprintf(to, "%u,%" PRIu32 ",%" PRIu64 ",%" PRIu32 ",%" PRIu64 ",%" PRId64 ",", (unsigned)op->hop_count,
            op->wait_count, asked_s, op->try_count, op->bytes, op->size);
    if (op->hop_count == 0) {
        fputs(",0,,", to);
        return;
    }
    put_text(to, op->hops[op->hop_count - 1].host);
    fprintf(to, "%u,", (unsigned)op->hops[op->hop_count - 1].port);
    put_text(to, op->hops[op->hop_count - 1].address);
}

/* A number column stays one for programs that guess types: -1 is "not known". */
static void put_optional(FILE *to, bool known, xro_ns ns)
{
    if (known)
        fprintf(to, "%" PRIu64 ",", ns);
    else
        fputs("-1,", to);
}

/* OP is NULL for the line of a failure outside any op. */
static void put_line(FILE *to, const struct xro_header *header, const struct xro_sample *sample,
                     const struct xro_op *op, const char *file_name)
{
    const struct xro_error *error = op != NULL ? &op->error : &sample->error;
    char message[XRO_MESSAGE_SIZE] = "";

    put_row(to, header, sample);
    fprintf(to, "%s,%s,%s,%d,%" PRIu64 ",", op != NULL ? xro_slot_name(op->slot) : "",
            op != NULL ? xro_op_name(op->kind) : "", xro_status_key(error->status), op != NULL && op->done,
            op != NULL ? op->total : 0);
    put_times(to, op);
    fprintf(to, "%" PRId32 ",%" PRIu64 ",%" PRIu64 ",", sample->cpu, sample->wall, op != NULL ? op->begin : 0);
    put_optional(to, sample->has_start, sample->start);
    put_optional(to, sample->has_load, sample->load);
    fprintf(to, "%" PRIu64 ",", sample->cpu_time);
    if (error->status != XRO_OK)
        xro_error_format(error, op, message, sizeof message);
    put_text(to, message);
    xro_put_plain(to, file_name, XRO_QUOTE_CSV);
    fputc('\n', to);
}

void xro_render_ops(FILE *to, const struct xro_header *header, const struct xro_sample *sample, const char *file_name)
{
    for (unsigned slot = 0; slot < XRO_SLOT_COUNT; slot++) {
        const struct xro_op *op = &sample->ops[slot];
        if (op->done || op->begin != 0 || op->error.status != XRO_OK)
            put_line(to, header, sample, op, file_name);
    }
    if (sample->error.status != XRO_OK)
        put_line(to, header, sample, NULL, file_name);
}

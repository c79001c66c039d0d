/* SPDX-License-Identifier: LGPL-3.0-or-later */
#include "report/tally.h"

#include "base/units.h"
#include "record/error_text.h"
#include "record/timeline.h"
#include "report/warn.h"
#include "stats/series.h"

#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { FAILURES_MAX = 256 };    /* servers choose the codes, so they do not choose how many kinds we keep */

struct source {
    struct xro_header *header;
    char *name;                 /* of its file, NULL: none */
    size_t first;               /* its first row's index among all */
};

struct tally_row {
    size_t source;
    uint64_t taken, failed;
    struct xro_series values[XRO_METRIC_COUNT];
    struct xro_series phases[XRO_PHASE_COUNT];      /* of the first open */
};

struct xro_tally {
    struct source *sources;
    size_t source_count;
    struct tally_row *rows;
    size_t row_count;
    struct xro_failure *failures;
    size_t failure_count;
    uint64_t failure_rest;
    struct xro_warnings warnings;       /* of files */
};

/* --- sources and rows -------------------------------------------------------------------------------------------- */

struct xro_tally *xro_tally_create(const struct xro_header *header)
{
    struct xro_tally *tally = (struct xro_tally *)calloc(1, sizeof *tally);

    if (tally == NULL || header == NULL || xro_tally_add_source(tally, header, NULL) == XRO_OK)
        return tally;
    xro_tally_close(tally);
    return NULL;
}

void xro_tally_close(struct xro_tally *tally)
{
    if (tally == NULL)
        return;
    for (size_t i = 0; i < tally->source_count; i++) {
        xro_header_close(tally->sources[i].header);
        free(tally->sources[i].name);
    }
    for (size_t i = 0; i < tally->row_count; i++) {
        for (unsigned metric = 0; metric < XRO_METRIC_COUNT; metric++)
            xro_series_free(&tally->rows[i].values[metric]);
        for (unsigned phase = 0; phase < XRO_PHASE_COUNT; phase++)
            xro_series_free(&tally->rows[i].phases[phase]);
    }
    free(tally->sources);
    free(tally->rows);
    free(tally->failures);
    xro_warnings_free(&tally->warnings);
    free(tally);
}

/* Make the rows of the last source COUNT in all. */
static enum xro_status grow_rows(struct xro_tally *tally, size_t count)
{
    size_t need = tally->sources[tally->source_count - 1].first + count;
    struct tally_row *rows;

    if (need <= tally->row_count)
        return XRO_OK;
    rows = (struct tally_row *)realloc(tally->rows, need * sizeof *rows);
    if (rows == NULL)
        return XRO_MEMORY;
    memset(rows + tally->row_count, 0, (need - tally->row_count) * sizeof *rows);
    for (size_t i = tally->row_count; i < need; i++)
        rows[i].source = tally->source_count - 1;
    tally->rows = rows;
    tally->row_count = need;
    return XRO_OK;
}

enum xro_status xro_tally_add_source(struct xro_tally *tally, const struct xro_header *header, const char *name)
{
    struct source *sources = (struct source *)realloc(tally->sources, (tally->source_count + 1) * sizeof *sources);
    struct source made = { .header = xro_header_copy(header), .first = tally->row_count };

    if (sources != NULL)
        tally->sources = sources;
    if (name != NULL)
        made.name = strdup(name);
    if (sources == NULL || made.header == NULL || (name != NULL && made.name == NULL)) {
        xro_header_close(made.header);
        free(made.name);
        return XRO_MEMORY;
    }
    tally->sources[tally->source_count++] = made;
    return grow_rows(tally, made.header->row_count);
}

enum xro_status xro_tally_update(struct xro_tally *tally, const struct xro_header *header)
{
    struct source *last = &tally->sources[tally->source_count - 1];
    struct xro_header *copy;

    if (header->row_count < last->header->row_count)
        return XRO_INVALID;
    copy = xro_header_copy(header);
    if (copy == NULL || grow_rows(tally, copy->row_count) != XRO_OK) {
        xro_header_close(copy);
        return XRO_MEMORY;
    }
    xro_header_close(last->header);
    last->header = copy;
    return XRO_OK;
}

enum xro_status xro_tally_warn(struct xro_tally *tally, const char *text)
{
    const struct source *last = tally->source_count > 0 ? &tally->sources[tally->source_count - 1] : NULL;

    if (last != NULL && last->name != NULL)
        return xro_warnings_add(&tally->warnings, XRO_WARNING_FILE, "%s: %s", last->name, text);
    return xro_warnings_add(&tally->warnings, XRO_WARNING_FILE, "%s", text);
}

/* --- samples ----------------------------------------------------------------------------------------------------- */

static bool same_failure(const struct xro_failure *a, const struct xro_failure *b)
{
    return a->row == b->row && strcmp(a->slot, b->slot) == 0 && strcmp(a->place, b->place) == 0
        && strcmp(a->reason, b->reason) == 0;
}

static enum xro_status count_failure(struct xro_tally *tally, const struct xro_failure *failure)
{
    struct xro_failure *failures;

    for (size_t i = 0; i < tally->failure_count; i++)
        if (same_failure(&tally->failures[i], failure)) {
            tally->failures[i].count++;
            return XRO_OK;
        }
    if (tally->failure_count == FAILURES_MAX) {
        tally->failure_rest++;
        return XRO_OK;
    }
    failures = (struct xro_failure *)realloc(tally->failures, (tally->failure_count + 1) * sizeof *failures);
    if (failures == NULL)
        return XRO_MEMORY;
    failures[tally->failure_count++] = *failure;
    tally->failures = failures;
    return XRO_OK;
}

static enum xro_status add_failed(struct xro_tally *tally, size_t row, const struct xro_sample *sample)
{
    const struct xro_error *error = xro_sample_error(sample);
    const struct xro_op *op = error == &sample->error ? NULL : xro_sample_failed_op(sample);
    struct xro_failure failure = { .row = row, .count = 1 };
    enum xro_status status;

    failure.slot = op != NULL ? xro_slot_name(op->slot) : "";
    failure.place = xro_error_place(error, op);
    xro_error_reason(error, failure.reason, sizeof failure.reason);
    xro_error_format(error, op, failure.example, sizeof failure.example);
    status = count_failure(tally, &failure);
    if (status == XRO_OK)
        tally->rows[row].failed++;
    return status;
}

static enum xro_status add_values(struct tally_row *row, const struct xro_sample *sample)
{
    enum xro_status status = XRO_OK;

    for (unsigned slot = 0; slot < XRO_SLOT_COUNT && status == XRO_OK; slot++)
        if (sample->ops[slot].done)
            status = xro_series_add(&row->values[slot], sample->ops[slot].total);
    if (sample->has_start && status == XRO_OK)
        status = xro_series_add(&row->values[XRO_METRIC_START], sample->start);
    if (sample->has_load && status == XRO_OK)
        status = xro_series_add(&row->values[XRO_METRIC_LOAD], sample->load);
    for (unsigned phase = 0; phase < XRO_PHASE_COUNT && status == XRO_OK; phase++)
        status = xro_series_add(&row->phases[phase], xro_op_phase(&sample->ops[XRO_SLOT_FIRST_OPEN], (enum xro_phase)phase));
    return status;
}

/* All values or none: counts go back to what they were when memory ends on the way. */
static enum xro_status add_good(struct tally_row *row, const struct xro_sample *sample)
{
    size_t counts[XRO_METRIC_COUNT], phase_count = row->phases[0].count;

    for (unsigned metric = 0; metric < XRO_METRIC_COUNT; metric++)
        counts[metric] = row->values[metric].count;
    if (add_values(row, sample) == XRO_OK)
        return XRO_OK;
    for (unsigned metric = 0; metric < XRO_METRIC_COUNT; metric++)
        row->values[metric].count = counts[metric];
    for (unsigned phase = 0; phase < XRO_PHASE_COUNT; phase++)
        if (row->phases[phase].count > phase_count)
            row->phases[phase].count = phase_count;
    return XRO_MEMORY;
}

enum xro_status xro_tally_add(struct xro_tally *tally, const struct xro_sample *sample)
{
    const struct source *last = &tally->sources[tally->source_count - 1];
    size_t row = last->first + sample->row;
    enum xro_status status;

    if (sample->row >= last->header->row_count)
        return XRO_INVALID;
    if (xro_sample_error(sample) != NULL)
        status = add_failed(tally, row, sample);
    else
        status = add_good(&tally->rows[row], sample);
    if (status == XRO_OK)
        tally->rows[row].taken++;
    return status;
}

/* --- labels ------------------------------------------------------------------------------------------------------ */

static const struct xro_row *about_row(const struct xro_tally *tally, size_t index)
{
    const struct source *source = &tally->sources[tally->rows[index].source];

    return &source->header->rows[index - source->first];
}

static bool have_several_hosts(const struct xro_tally *tally)
{
    for (size_t i = 1; i < tally->row_count; i++)
        if (strcmp(about_row(tally, i)->client_host, about_row(tally, 0)->client_host) != 0)
            return true;
    return false;
}

static bool look_alike(const struct xro_row *a, const struct xro_row *b)
{
    return strcmp(a->label, b->label) == 0 && strcmp(a->engine, b->engine) == 0 && strcmp(a->target, b->target) == 0
        && strcmp(a->client_host, b->client_host) == 0;
}

static bool is_in_other_source(const struct xro_tally *tally, size_t row)
{
    for (size_t i = 0; i < tally->row_count; i++)
        if (tally->rows[i].source != tally->rows[row].source && look_alike(about_row(tally, i), about_row(tally, row)))
            return true;
    return false;
}

/* The row's label, with its host where there are several, and its file where another file has the same row. */
static char *make_label(const struct xro_tally *tally, size_t index, bool with_host)
{
    const struct xro_row *row = about_row(tally, index);
    const struct source *source = &tally->sources[tally->rows[index].source];
    bool with_file = is_in_other_source(tally, index), host = with_host && row->client_host[0] != '\0';
    const char *name = source->name;
    char number[32], *label;

    if (name == NULL) {
        snprintf(number, sizeof number, "run %zu", tally->rows[index].source + 1);
        name = number;
    }
    if (asprintf(&label, "%s%s%s%s%s%s%s", row->label, host ? " [" : "", host ? row->client_host : "", host ? "]" : "",
                 with_file ? " (" : "", with_file ? name : "", with_file ? ")" : "") < 0)
        return NULL;
    return label;
}

/* --- the table --------------------------------------------------------------------------------------------------- */

/* Copy all but the label, which is LABEL and becomes TO's. */
static bool copy_about(struct xro_row *to, const struct xro_row *from, char *label)
{
    to->label = label;
    return label != NULL && xro_header_set(&to->client, from->client) == XRO_OK
        && xro_header_set(&to->client_host, from->client_host) == XRO_OK
        && xro_header_set(&to->server, from->server) == XRO_OK && xro_header_set(&to->engine, from->engine) == XRO_OK
        && xro_header_set(&to->target, from->target) == XRO_OK && xro_header_set(&to->kind, from->kind) == XRO_OK
        && xro_header_set(&to->via, from->via) == XRO_OK;
}

static uint64_t planned_count(const struct xro_header *header)
{
    const char *count = xro_header_setting(header, "count");
    uint64_t planned = header->planned;

    if (planned == 0 && count != NULL && xro_parse_count(count, &planned) != XRO_OK)
        return 0;
    return planned;
}

static enum xro_status fill_row(const struct xro_tally *tally, size_t index, struct xro_table *table,
                                struct xro_row_shape *shape)
{
    const struct tally_row *from = &tally->rows[index];
    const struct xro_header *header = tally->sources[from->source].header;
    struct xro_table_row *to = &table->rows[index];

    *shape = (struct xro_row_shape){ .first_slow = 0 };
    to->planned = planned_count(header);
    to->taken = from->taken;
    to->failed = from->failed;
    for (unsigned metric = 0; metric < XRO_METRIC_COUNT; metric++) {
        const struct xro_series *values = &from->values[metric];
        struct xro_series sorted = { .values = NULL };
        if (xro_series_sorted(values, &sorted) != XRO_OK)
            return XRO_MEMORY;
        to->figures[metric] = xro_summarize(sorted.values, sorted.count, table->trim);
        xro_shape_look(shape, (enum xro_metric)metric, values->values, &sorted, header->clock_step);
        xro_series_free(&sorted);
    }
    for (unsigned phase = 0; phase < XRO_PHASE_COUNT; phase++) {
        struct xro_series sorted = { .values = NULL };
        if (xro_series_sorted(&from->phases[phase], &sorted) != XRO_OK)
            return XRO_MEMORY;
        to->phases[phase] = xro_summarize(sorted.values, sorted.count, table->trim);
        xro_series_free(&sorted);
    }
    return XRO_OK;
}

static int by_row_and_count(const void *a, const void *b)
{
    const struct xro_failure *left = (const struct xro_failure *)a, *right = (const struct xro_failure *)b;

    if (left->row != right->row)
        return left->row < right->row ? -1 : 1;
    if (left->count != right->count)
        return left->count > right->count ? -1 : 1;
    return strcmp(left->reason, right->reason);
}

static enum xro_status copy_failures(const struct xro_tally *tally, struct xro_table *table)
{
    table->failure_rest = tally->failure_rest;
    if (tally->failure_count == 0)
        return XRO_OK;
    table->failures = (struct xro_failure *)malloc(tally->failure_count * sizeof *table->failures);
    if (table->failures == NULL)
        return XRO_MEMORY;
    memcpy(table->failures, tally->failures, tally->failure_count * sizeof *table->failures);
    table->failure_count = tally->failure_count;
    qsort(table->failures, table->failure_count, sizeof *table->failures, by_row_and_count);
    return XRO_OK;
}

static enum xro_status fill_rows(const struct xro_tally *tally, struct xro_table *table, struct xro_row_shape *shapes)
{
    bool with_host = have_several_hosts(tally);

    for (size_t i = 0; i < tally->row_count; i++) {
        table->row_count++;     /* from here on the table frees it */
        if (!copy_about(&table->rows[i].about, about_row(tally, i), make_label(tally, i, with_host))
            || fill_row(tally, i, table, &shapes[i]) != XRO_OK)
            return XRO_MEMORY;
    }
    return XRO_OK;
}

static enum xro_status copy_sources(const struct xro_tally *tally, struct xro_table *table)
{
    for (size_t i = 0; i < tally->source_count; i++) {
        struct xro_header *copy = xro_header_copy(tally->sources[i].header);
        if (copy == NULL)
            return XRO_MEMORY;
        table->sources[table->source_count++] = copy;
    }
    return XRO_OK;
}

static enum xro_status fill_warnings(const struct xro_tally *tally, struct xro_table *table,
                                     const struct xro_row_shape *shapes)
{
    struct xro_warnings warnings = { .items = NULL };
    enum xro_status status = XRO_OK;

    for (size_t i = 0; i < tally->warnings.count && status == XRO_OK; i++)
        status = xro_warnings_add(&warnings, tally->warnings.items[i].kind, "%s", tally->warnings.items[i].text);
    if (status == XRO_OK)
        status = xro_warnings_make(&warnings, table, shapes);
    table->warnings = warnings.items;
    table->warning_count = warnings.count;
    return status;
}

struct xro_table *xro_tally_table(const struct xro_tally *tally, double trim)
{
    struct xro_table *table = (struct xro_table *)calloc(1, sizeof *table);
    struct xro_row_shape *shapes = (struct xro_row_shape *)calloc(tally->row_count + 1, sizeof *shapes);

    if (table == NULL || shapes == NULL)
        goto no_memory;
    table->trim = trim;
    table->sources = (struct xro_header **)calloc(tally->source_count + 1, sizeof *table->sources);
    table->rows = (struct xro_table_row *)calloc(tally->row_count + 1, sizeof *table->rows);
    if (table->sources == NULL || table->rows == NULL || copy_sources(tally, table) != XRO_OK
        || fill_rows(tally, table, shapes) != XRO_OK || copy_failures(tally, table) != XRO_OK
        || fill_warnings(tally, table, shapes) != XRO_OK)
        goto no_memory;
    free(shapes);
    return table;
no_memory:
    free(shapes);
    xro_table_close(table);
    return NULL;
}

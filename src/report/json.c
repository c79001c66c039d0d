/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * json.c - the whole table as one JSON object, in ns. */
#include "report/report.h"

#include "record/json_field.h"

static json_t *optional(bool known, json_t *value)
{
    if (known)
        return value;
    json_decref(value);
    return json_null();
}

static json_t *figures_object(const struct xro_summary *figures)
{
    static const char *const keys[XRO_QUANTILES] = { "p90_ns", "p99_ns", "p999_ns" };
    struct xro_json_out out = xro_json_begin();
    bool have = figures->count > 0;

    xro_json_put(&out, "count", xro_json_u64(figures->count));
    xro_json_put(&out, "kept", xro_json_u64(figures->kept));
    xro_json_put(&out, "avg_ns", optional(have, json_real(figures->average)));
    xro_json_put(&out, "median_ns", optional(have, json_real(figures->median)));
    xro_json_put(&out, "deviation_ns", optional(have, json_real(figures->deviation)));
    for (unsigned i = 0; i < XRO_QUANTILES; i++)
        xro_json_put(&out, keys[i], optional(figures->has_quantile[i], xro_json_u64(figures->quantile[i])));
    xro_json_put(&out, "min_ns", optional(have, xro_json_u64(figures->least)));
    xro_json_put(&out, "max_ns", optional(have, xro_json_u64(figures->most)));
    return xro_json_end(&out);
}

static json_t *phases_object(const struct xro_table_row *row)
{
    struct xro_json_out out = xro_json_begin();

    for (unsigned phase = 0; phase < XRO_PHASE_COUNT; phase++)
        xro_json_put(&out, xro_phase_name((enum xro_phase)phase), figures_object(&row->phases[phase]));
    return xro_json_end(&out);
}

static json_t *row_object(const struct xro_table_row *row)
{
    struct xro_json_out out = xro_json_begin();

    xro_json_put(&out, "label", xro_json_text(row->about.label));
    xro_json_put(&out, "client", xro_json_text(row->about.client));
    xro_json_put(&out, "client_host", xro_json_text(row->about.client_host));
    xro_json_put(&out, "server", xro_json_text(row->about.server));
    xro_json_put(&out, "engine", xro_json_text(row->about.engine));
    xro_json_put(&out, "target", xro_json_text(row->about.target));
    xro_json_put(&out, "kind", xro_json_text(row->about.kind));
    xro_json_put(&out, "via", xro_json_text(row->about.via));
    xro_json_put(&out, "planned", xro_json_u64(row->planned));
    xro_json_put(&out, "taken", xro_json_u64(row->taken));
    xro_json_put(&out, "failed", xro_json_u64(row->failed));
    for (unsigned metric = 0; metric < XRO_METRIC_COUNT; metric++)
        xro_json_put(&out, xro_metric_name((enum xro_metric)metric), figures_object(&row->figures[metric]));
    xro_json_put(&out, "first_open_phases", phases_object(row));
    return xro_json_end(&out);
}

static json_t *failure_object(const struct xro_table *table, const struct xro_failure *failure)
{
    struct xro_json_out out = xro_json_begin();

    xro_json_put(&out, "row", xro_json_text(table->rows[failure->row].about.label));
    xro_json_put(&out, "row_index", xro_json_u64(failure->row));
    xro_json_put(&out, "count", xro_json_u64(failure->count));
    xro_json_put(&out, "slot", xro_json_text(failure->slot));
    xro_json_put(&out, "phase", xro_json_text(failure->place));
    xro_json_put(&out, "reason", xro_json_text(failure->reason));
    xro_json_put(&out, "example", xro_json_text(failure->example));
    return xro_json_end(&out);
}

static json_t *warning_object(const struct xro_warning *warning)
{
    struct xro_json_out out = xro_json_begin();

    xro_json_put(&out, "kind", xro_json_text(xro_warning_word(warning->kind)));
    xro_json_put(&out, "text", xro_json_text(warning->text));
    xro_json_put(&out, "remedy", xro_json_text(xro_warning_remedy(warning->kind)));
    return xro_json_end(&out);
}

/* The header as its file has it. */
static json_t *source_object(const struct xro_header *header)
{
    char *line = xro_header_to_line(header);
    json_t *object = line != NULL ? json_loads(line, 0, NULL) : NULL;

    free(line);
    return object;
}

static json_t *table_object(const struct xro_table *table)
{
    struct xro_json_out out = xro_json_begin();
    json_t *sources = json_array(), *rows = json_array(), *failures = json_array(), *warnings = json_array();

    for (size_t i = 0; i < table->row_count; i++)
        out.bad |= json_array_append_new(rows, row_object(&table->rows[i])) != 0;
    for (size_t i = 0; i < table->failure_count; i++)
        out.bad |= json_array_append_new(failures, failure_object(table, &table->failures[i])) != 0;
    for (size_t i = 0; i < table->warning_count; i++)
        out.bad |= json_array_append_new(warnings, warning_object(&table->warnings[i])) != 0;
    for (size_t i = 0; i < table->source_count; i++)
        out.bad |= json_array_append_new(sources, source_object(table->sources[i])) != 0;
    xro_json_put(&out, "schema", json_string("xrdopen-table"));
    xro_json_put(&out, "version", json_integer(1));
    xro_json_put(&out, "trim", json_real(table->trim));
    xro_json_put(&out, "rows", rows);
    xro_json_put(&out, "failures", failures);
    xro_json_put(&out, "failures_not_listed", xro_json_u64(table->failure_rest));
    xro_json_put(&out, "warnings", warnings);
    xro_json_put(&out, "sources", sources);
    return xro_json_end(&out);
}

bool xro_render_json(FILE *to, const struct xro_table *table)
{
    json_t *object = table_object(table);
    char *whole = object != NULL ? json_dumps(object, JSON_INDENT(2) | JSON_REAL_PRECISION(15)) : NULL;

    json_decref(object);
    if (whole == NULL)
        return false;
    fputs(whole, to);
    fputc('\n', to);
    free(whole);
    return true;
}

/* SPDX-License-Identifier: LGPL-3.0-or-later */
#include "report/table.h"

#include <stdlib.h>

static const struct { const char *name, *title; } metrics[XRO_METRIC_COUNT] = {
    [XRO_SLOT_FIRST_OPEN] = { "first_open", "1st open" },    [XRO_SLOT_FIRST_CLOSE] = { "first_close", "1st close" },
    [XRO_SLOT_SECOND_OPEN] = { "second_open", "2nd open" },  [XRO_SLOT_READ] = { "read", "read" },
    [XRO_SLOT_SECOND_CLOSE] = { "second_close", "2nd close" },
    [XRO_METRIC_START] = { "start", "start" },               [XRO_METRIC_LOAD] = { "load", "load" },
};

static const struct { const char *word, *remedy; } warning_words[] = {
#define W(id, word, remedy) [XRO_WARNING_##id] = { word, remedy },
    XRO_WARNINGS(W)
#undef W
};

const char *xro_metric_name(enum xro_metric metric)
{
    return (unsigned)metric < XRO_METRIC_COUNT ? metrics[metric].name : "unknown";
}

const char *xro_metric_title(enum xro_metric metric)
{
    return (unsigned)metric < XRO_METRIC_COUNT ? metrics[metric].title : "unknown";
}

const char *xro_warning_word(enum xro_warning_kind kind)
{
    return (unsigned)kind < XRO_WARNING_KINDS ? warning_words[kind].word : "unknown";
}

const char *xro_warning_remedy(enum xro_warning_kind kind)
{
    return (unsigned)kind < XRO_WARNING_KINDS ? warning_words[kind].remedy : "";
}

static void free_row(struct xro_row *row)
{
    free(row->label);
    free(row->client);
    free(row->client_host);
    free(row->server);
    free(row->engine);
    free(row->target);
    free(row->kind);
    free(row->via);
}

void xro_table_close(struct xro_table *table)
{
    if (table == NULL)
        return;
    for (size_t i = 0; i < table->source_count; i++)
        xro_header_close(table->sources[i]);
    for (size_t i = 0; i < table->row_count; i++)
        free_row(&table->rows[i].about);
    for (size_t i = 0; i < table->warning_count; i++)
        free(table->warnings[i].text);
    free(table->sources);
    free(table->rows);
    free(table->failures);
    free(table->warnings);
    free(table);
}

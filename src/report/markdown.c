/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * markdown.c - the table for a ticket or a README. */
#include "report/report.h"

#include "report/cell.h"
#include "report/phases.h"
#include "report/plain.h"

#include <inttypes.h>

enum { DECIMALS = 1 };

static void put_cell(FILE *to, const struct xro_summary *figures, unsigned cell)
{
    char text[XRO_CELL_SIZE];

    fprintf(to, " %s |", xro_cell_text(figures, (enum xro_cell)cell, DECIMALS, "-", text));
}

static void put_label(FILE *to, const struct xro_table_row *row)
{
    fputs("| ", to);
    xro_put_plain(to, row->about.label, XRO_QUOTE_MARKDOWN);
    fputs(" |", to);
}

static void put_table(FILE *to, const struct xro_table *table)
{
    static const enum xro_slot slots[] = { XRO_SLOT_FIRST_OPEN, XRO_SLOT_SECOND_OPEN, XRO_SLOT_READ };

    fputs("| microseconds | 1st open avg | 1st open median | 2nd open avg | 2nd open median | read avg | read median "
          "|\n"
          "|:---|---:|---:|---:|---:|---:|---:|\n", to);
    for (size_t i = 0; i < table->row_count; i++) {
        put_label(to, &table->rows[i]);
        for (size_t slot = 0; slot < sizeof slots / sizeof *slots; slot++)
            for (unsigned cell = XRO_CELL_AVERAGE; cell <= XRO_CELL_MEDIAN; cell++)
                put_cell(to, &table->rows[i].figures[slots[slot]], cell);
        fputc('\n', to);
    }
}

static void put_percentiles(FILE *to, const struct xro_table *table)
{
    fputs("\n| microseconds | | count |", to);
    for (unsigned cell = 0; cell < XRO_CELL_COUNT; cell++)
        fprintf(to, " %s |", xro_cell_title((enum xro_cell)cell));
    fputs("\n|:---|:---|---:|---:|---:|---:|---:|---:|---:|\n", to);
    for (size_t i = 0; i < table->row_count; i++)
        for (unsigned metric = 0; metric < XRO_METRIC_COUNT; metric++) {
            const struct xro_summary *figures = &table->rows[i].figures[metric];
            if (metric >= XRO_SLOT_COUNT && figures->count == 0)
                continue;
            put_label(to, &table->rows[i]);
            fprintf(to, " %s | %" PRIu64 " |", xro_metric_title((enum xro_metric)metric), figures->count);
            for (unsigned cell = 0; cell < XRO_CELL_COUNT; cell++)
                put_cell(to, figures, cell);
            fputc('\n', to);
        }
}

/* No text among the notes can end the block: none of them has a line of its own. */
void xro_render_markdown(FILE *to, const struct xro_table *table, unsigned details)
{
    put_table(to, table);
    if (details & XRO_DETAIL_PERCENTILES)
        put_percentiles(to, table);
    if (details & XRO_DETAIL_PHASES)
        xro_render_phases(to, table, true);
    fputs("\n~~~~~~~~~~~~~~~~ text\n", to);
    xro_render_notes(to, table);
    fputs("~~~~~~~~~~~~~~~~\n", to);
}

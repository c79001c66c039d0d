/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * text.c - the table in the layout of 2005: labels left, figures right-aligned in microseconds, all with one decimal,
 * since a local open takes 3 us today; columns grow with their figures. */
#include "report/report.h"

#include "report/cell.h"
#include "report/phases.h"
#include "report/plain.h"

#include <stdlib.h>
#include <string.h>

enum {
    DECIMALS = 1,
    LABEL_MAX = 56,             /* a longer label has a line of its own */
    GROUP_GAP = 3, CELL_GAP = 2,
    SCREEN = 120
};

static const struct { enum xro_slot slot; const char *title; } groups[] = {
    { XRO_SLOT_FIRST_OPEN, "1st Open" }, { XRO_SLOT_SECOND_OPEN, "2nd Open" }, { XRO_SLOT_READ, "Read" },
};

enum { GROUPS = sizeof groups / sizeof *groups };

static size_t larger(size_t a, size_t b)
{
    return a > b ? a : b;
}

static void put_blanks(FILE *to, size_t count)
{
    while (count-- > 0)
        fputc(' ', to);
}

static size_t label_width(const struct xro_table *table)
{
    size_t width = 0;

    for (size_t i = 0; i < table->row_count; i++) {
        size_t own = xro_plain_width(table->rows[i].about.label);
        if (own <= LABEL_MAX)
            width = larger(width, own);
    }
    return width;
}

/* The label, and blanks up to WIDTH; a label that is wider ends its line. */
static void put_label(FILE *to, const char *label, size_t width)
{
    size_t own = xro_plain_width(label);

    xro_put_plain(to, label, XRO_QUOTE_NONE);
    if (own > width) {
        fputc('\n', to);
        own = 0;
    }
    put_blanks(to, width - own);
}

static int cell_width(const struct xro_table *table, unsigned metric, enum xro_cell cell)
{
    size_t width = strlen(xro_cell_title(cell));
    char text[XRO_CELL_SIZE];

    for (size_t i = 0; i < table->row_count; i++)
        width = larger(width, strlen(xro_cell_text(&table->rows[i].figures[metric], cell, DECIMALS, "-", text)));
    return (int)width;
}

struct layout {
    size_t label;
    int average[GROUPS], median[GROUPS];
    size_t total;
};

static struct layout lay_out(const struct xro_table *table)
{
    struct layout layout = { .label = label_width(table) };

    layout.total = layout.label;
    for (size_t i = 0; i < GROUPS; i++) {
        layout.average[i] = cell_width(table, groups[i].slot, XRO_CELL_AVERAGE);
        layout.median[i] = cell_width(table, groups[i].slot, XRO_CELL_MEDIAN);
        layout.total += (size_t)(GROUP_GAP + layout.average[i] + CELL_GAP + layout.median[i]);
    }
    return layout;
}

static void put_titles(FILE *to, const struct layout *layout)
{
    size_t owed = layout->label;        /* blanks are put only before a word, so that no line ends in them */

    for (size_t i = 0; i < GROUPS; i++) {
        size_t width = (size_t)(layout->average[i] + CELL_GAP + layout->median[i]), own = strlen(groups[i].title);
        put_blanks(to, owed + GROUP_GAP + (width - own + 1) / 2);
        fputs(groups[i].title, to);
        owed = (width - own) / 2;
    }
    fputc('\n', to);
    put_blanks(to, layout->label);
    for (size_t i = 0; i < GROUPS; i++)
        fprintf(to, "%*s%*s%*s%*s", GROUP_GAP, "", layout->average[i], xro_cell_title(XRO_CELL_AVERAGE), CELL_GAP, "",
                layout->median[i], xro_cell_title(XRO_CELL_MEDIAN));
    fputc('\n', to);
}

static void put_row(FILE *to, const struct xro_table_row *row, const struct layout *layout)
{
    char average[XRO_CELL_SIZE], median[XRO_CELL_SIZE];

    put_label(to, row->about.label, layout->label);
    for (size_t i = 0; i < GROUPS; i++) {
        const struct xro_summary *figures = &row->figures[groups[i].slot];
        fprintf(to, "%*s%*s%*s%*s", GROUP_GAP, "", layout->average[i],
                xro_cell_text(figures, XRO_CELL_AVERAGE, DECIMALS, "-", average), CELL_GAP, "", layout->median[i],
                xro_cell_text(figures, XRO_CELL_MEDIAN, DECIMALS, "-", median));
    }
    fputc('\n', to);
}

/* --- percentiles: a block of lines for each row ------------------------------------------------------------------ */

enum { METRIC_WIDTH = 11, METRIC_COUNT_WIDTH = 9 };

static void find_widths(const struct xro_table *table, int widths[XRO_CELL_COUNT])
{
    for (unsigned cell = 0; cell < XRO_CELL_COUNT; cell++) {
        widths[cell] = 0;
        for (unsigned metric = 0; metric < XRO_METRIC_COUNT; metric++) {
            int width = cell_width(table, metric, (enum xro_cell)cell);
            widths[cell] = width > widths[cell] ? width : widths[cell];
        }
    }
}

static void put_metric(FILE *to, const struct xro_summary *figures, unsigned metric, const int widths[XRO_CELL_COUNT])
{
    char text[XRO_CELL_SIZE];

    fprintf(to, "  %-*s%*llu", METRIC_WIDTH, xro_metric_title((enum xro_metric)metric), METRIC_COUNT_WIDTH,
            (unsigned long long)figures->count);
    for (unsigned cell = 0; cell < XRO_CELL_COUNT; cell++)
        fprintf(to, "%*s%*s", CELL_GAP, "", widths[cell],
                xro_cell_text(figures, (enum xro_cell)cell, DECIMALS, "-", text));
    fputc('\n', to);
}

static void put_percentiles(FILE *to, const struct xro_table *table)
{
    int widths[XRO_CELL_COUNT];

    find_widths(table, widths);
    fprintf(to, "\n%*s", 2 + METRIC_WIDTH + METRIC_COUNT_WIDTH, "Count");
    for (unsigned cell = 0; cell < XRO_CELL_COUNT; cell++)
        fprintf(to, "%*s%*s", CELL_GAP, "", widths[cell], xro_cell_title((enum xro_cell)cell));
    fputc('\n', to);
    for (size_t i = 0; i < table->row_count; i++) {
        xro_put_plain(to, table->rows[i].about.label, XRO_QUOTE_NONE);
        fputc('\n', to);
        for (unsigned metric = 0; metric < XRO_METRIC_COUNT; metric++)
            if (metric < XRO_SLOT_COUNT || table->rows[i].figures[metric].count > 0)
                put_metric(to, &table->rows[i].figures[metric], metric, widths);
    }
}

void xro_render_table(FILE *to, const struct xro_table *table, unsigned details)
{
    struct layout layout = lay_out(table);

    put_titles(to, &layout);
    for (size_t i = 0; i < table->row_count; i++)
        put_row(to, &table->rows[i], &layout);
    if (details & XRO_DETAIL_PERCENTILES)
        put_percentiles(to, table);
    if (details & XRO_DETAIL_PHASES)
        xro_render_phases(to, table, false);
    fputc('\n', to);
    if (layout.total > SCREEN)
        fprintf(to, "The table is %zu columns wide; --format markdown or json, or a wider terminal, shows it whole.\n",
                layout.total);
    xro_render_notes(to, table);
}

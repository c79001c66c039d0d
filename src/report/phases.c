/* SPDX-License-Identifier: LGPL-3.0-or-later */
#include "report/phases.h"

#include "report/cell.h"
#include "report/plain.h"

/* In the order in which they pass, `other` last. */
static const enum xro_phase order[XRO_PHASE_COUNT] = {
    XRO_PHASE_RESOLVE, XRO_PHASE_CONNECT, XRO_PHASE_HANDSHAKE, XRO_PHASE_TLS, XRO_PHASE_LOGIN, XRO_PHASE_AUTH,
    XRO_PHASE_REQUEST, XRO_PHASE_TRANSFER, XRO_PHASE_WAIT, XRO_PHASE_DEFER, XRO_PHASE_CALL, XRO_PHASE_OTHER,
};

enum { COLUMN = 10, DECIMALS = 1, CSV_DECIMALS = 3, LABEL = 44 };

static bool is_used(const struct xro_table *table, enum xro_phase phase)
{
    for (size_t i = 0; i < table->row_count; i++)
        if (table->rows[i].phases[phase].most > 0)
            return true;
    return false;
}

static void put_titles(FILE *to, const struct xro_table *table, bool markdown)
{
    static const char title[] = "Phases of the 1st open, medians";

    if (markdown)
        fprintf(to, "\n| %s |", title);
    else
        fprintf(to, "\n%-*s", LABEL, title);
    for (size_t i = 0; i < XRO_PHASE_COUNT; i++) {
        if (!is_used(table, order[i]))
            continue;
        if (markdown)
            fprintf(to, " %s |", xro_phase_name(order[i]));
        else
            fprintf(to, "%*s", COLUMN, xro_phase_name(order[i]));
    }
    fputs(markdown ? "\n|:---|" : "\n", to);
    for (size_t i = 0; markdown && i < XRO_PHASE_COUNT; i++)
        if (is_used(table, order[i]))
            fputs("---:|", to);
    if (markdown)
        fputc('\n', to);
}

static void put_label(FILE *to, const char *label, bool markdown)
{
    size_t width = xro_plain_width(label);

    if (markdown)
        fputs("| ", to);
    xro_put_plain(to, label, markdown ? XRO_QUOTE_MARKDOWN : XRO_QUOTE_NONE);
    if (markdown)
        fputs(" |", to);
    else
        fprintf(to, width < LABEL ? "%*s" : "\n%*s", width < LABEL ? (int)(LABEL - width) : LABEL, "");
}

void xro_render_phases(FILE *to, const struct xro_table *table, bool markdown)
{
    char text[XRO_CELL_SIZE];

    put_titles(to, table, markdown);
    for (size_t row = 0; row < table->row_count; row++) {
        put_label(to, table->rows[row].about.label, markdown);
        for (size_t i = 0; i < XRO_PHASE_COUNT; i++) {
            const struct xro_summary *figures = &table->rows[row].phases[order[i]];
            if (!is_used(table, order[i]))
                continue;
            xro_cell_text(figures, XRO_CELL_MEDIAN, DECIMALS, "-", text);
            if (markdown)
                fprintf(to, " %s |", text);
            else
                fprintf(to, "%*s", COLUMN, text);
        }
        fputc('\n', to);
    }
}

void xro_render_phase_names(FILE *to)
{
    for (size_t i = 0; i < XRO_PHASE_COUNT; i++)
        fprintf(to, ",first_open_%s_median_us", xro_phase_name(order[i]));
}

void xro_render_phase_figures(FILE *to, const struct xro_table_row *row)
{
    char text[XRO_CELL_SIZE];

    for (size_t i = 0; i < XRO_PHASE_COUNT; i++)
        fprintf(to, ",%s", xro_cell_text(&row->phases[order[i]], XRO_CELL_MEDIAN, CSV_DECIMALS, "", text));
}

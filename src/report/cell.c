/* SPDX-License-Identifier: LGPL-3.0-or-later */
#include "report/cell.h"

#include <stdbool.h>
#include <stdio.h>

/* The figure in ns; false when there is none. */
static bool get(const struct xro_summary *summary, enum xro_cell cell, double *ns)
{
    unsigned quantile = (unsigned)cell - XRO_CELL_QUANTILE;

    switch (cell) {
    case XRO_CELL_AVERAGE:
        *ns = summary->average;
        return summary->count > 0;
    case XRO_CELL_MEDIAN:
        *ns = summary->median;
        return summary->count > 0;
    case XRO_CELL_MOST:
        *ns = (double)summary->most;
        return summary->count > 0;
    default:
        *ns = (double)summary->quantile[quantile];
        return summary->has_quantile[quantile];
    }
}

const char *xro_cell_text(const struct xro_summary *summary, enum xro_cell cell, int decimals, const char *none,
                          char text[XRO_CELL_SIZE])
{
    double ns;

    if (get(summary, cell, &ns))
        snprintf(text, XRO_CELL_SIZE, "%.*f", decimals, ns / 1000);
    else
        snprintf(text, XRO_CELL_SIZE, "%s", none);
    return text;
}

const char *xro_cell_title(enum xro_cell cell)
{
    if (cell == XRO_CELL_AVERAGE)
        return "Avg";
    if (cell == XRO_CELL_MEDIAN)
        return "Median";
    return cell == XRO_CELL_MOST ? "Max" : xro_quantile_name((enum xro_quantile)(cell - XRO_CELL_QUANTILE));
}

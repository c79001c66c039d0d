/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * cell.h - figures as text, in microseconds, for the renderers. */
#ifndef XRO_REPORT_CELL_H
#define XRO_REPORT_CELL_H

#include "report/table.h"

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The figures of a summary, in the order of their columns. */
enum xro_cell {
    XRO_CELL_AVERAGE,
    XRO_CELL_MEDIAN,
    XRO_CELL_QUANTILE,          /* and on: enum xro_quantile */
    XRO_CELL_MOST = XRO_CELL_QUANTILE + XRO_QUANTILES,
    XRO_CELL_COUNT
};

enum { XRO_CELL_SIZE = 32 };

/* The figure with DECIMALS; NONE where there is none. Returns TEXT. */
const char *xro_cell_text(const struct xro_summary *summary, enum xro_cell cell, int decimals, const char *none,
                          char text[XRO_CELL_SIZE]);

/* "Avg", "Median", "p90", ... "Max". */
const char *xro_cell_title(enum xro_cell cell);

#ifdef __cplusplus
}
#endif
#endif

/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * phases.h - the phases of the first open, row by row: medians. They need not add up to the median of the whole, as every
 * sample's phases do to its total. */
#ifndef XRO_REPORT_PHASES_H
#define XRO_REPORT_PHASES_H

#include "report/table.h"

#include <stdbool.h>
#include <stdio.h>

/* A block of text, or of Markdown, below the table: a column for each phase that took time in some row. */
void xro_render_phases(FILE *to, const struct xro_table *table, bool markdown);

/* CSV: ",first_open_NAME_median_us" for every phase, and a row's figures for these. */
void xro_render_phase_names(FILE *to);
void xro_render_phase_figures(FILE *to, const struct xro_table_row *row);

#endif

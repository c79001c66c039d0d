/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * report.h - a table on paper: the renderers. They compute nothing. */
#ifndef XRO_REPORT_REPORT_H
#define XRO_REPORT_REPORT_H

#include "record/results.h"
#include "report/table.h"

#include <stdbool.h>
#include <stdio.h>

#ifdef __cplusplus
extern "C" {
#endif

enum xro_format { XRO_FORMAT_TABLE, XRO_FORMAT_CSV, XRO_FORMAT_MARKDOWN, XRO_FORMAT_JSON };

/* Their names in that order, NULL at the end: the choices of --format. */
extern const char *const xro_format_names[];

/* What more is printed, as bits: p90, p99, p99.9, maximum and the closes, process start and load; the phases of the first
 * open. JSON has all of it always. */
enum { XRO_DETAIL_PERCENTILES = 1, XRO_DETAIL_PHASES = 2 };

/* Print TABLE with DETAILS. Answers 0, or -1 when
 * TO has an error (the caller flushes). */
int xro_report_print(FILE *to, const struct xro_table *table, enum xro_format format, unsigned details);

/* The formats one by one. */
void xro_render_table(FILE *to, const struct xro_table *table, unsigned details);       /* the layout of 2005 */
void xro_render_csv(FILE *to, const struct xro_table *table, unsigned details);         /* a line per row */
void xro_render_markdown(FILE *to, const struct xro_table *table, unsigned details);
bool xro_render_json(FILE *to, const struct xro_table *table);      /* all figures; false: no memory, nothing printed */

/* What text and Markdown have below the figures: counts, failures, machines, warnings. */
void xro_render_notes(FILE *to, const struct xro_table *table);

/* A line per op of a sample, for `report FILE --format csv`; first the line of names. FILE_NAME may be "". */
void xro_render_ops_header(FILE *to);
void xro_render_ops(FILE *to, const struct xro_header *header, const struct xro_sample *sample, const char *file_name);

#ifdef __cplusplus
}
#endif
#endif

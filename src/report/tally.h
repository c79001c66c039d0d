/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * tally.h - samples in, table out. A tally keeps 8 bytes for each value and nothing else of a sample, so that a table
 * can be made of millions, at any time, as often as wanted. */
#ifndef XRO_REPORT_TALLY_H
#define XRO_REPORT_TALLY_H

#include "record/results.h"
#include "report/table.h"

#ifdef __cplusplus
extern "C" {
#endif

struct xro_tally;

/* A tally for the rows of HEADER, which is copied; of no rows yet when it is NULL. NULL when there is no memory. */
struct xro_tally *xro_tally_create(const struct xro_header *header);
void xro_tally_close(struct xro_tally *tally);      /* NULL is allowed */

/* A further run, whose samples come from now on; NAME (a file's, or NULL) tells its rows from those of others. */
enum xro_status xro_tally_add_source(struct xro_tally *tally, const struct xro_header *header, const char *name);

/* A sample of the last source, in the order taken; its row is one of that source's. One that failed, in whatever op, is
 * counted and none of its values is kept. XRO_INVALID: no such row. XRO_MEMORY: it is not in the tally. */
enum xro_status xro_tally_add(struct xro_tally *tally, const struct xro_sample *sample);

/* HEADER is that of the last source with more rows, or other words in them (run --via learns both as its clients
 * answer): take it over, values stay. XRO_INVALID: it has fewer rows. */
enum xro_status xro_tally_update(struct xro_tally *tally, const struct xro_header *header);

/* A warning about the last source, such as a file cut off; it comes first in the table's. */
enum xro_status xro_tally_warn(struct xro_tally *tally, const char *text);

/* The table, with the highest share TRIM of each column's values dropped. NULL when there is no memory. */
struct xro_table *xro_tally_table(const struct xro_tally *tally, double trim);

#ifdef __cplusplus
}
#endif
#endif

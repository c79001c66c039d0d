/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * warn.h - what the figures do not show, in words. Private to the tally: it looks at the values while they are sorted
 * anyway, and makes the sentences once the labels are known. */
#ifndef XRO_REPORT_WARN_H
#define XRO_REPORT_WARN_H

#include "report/table.h"
#include "stats/series.h"
#include "stats/shape.h"

#ifdef __cplusplus
extern "C" {
#endif

struct xro_warnings {
    struct xro_warning *items;
    size_t count;
};

enum xro_status xro_warnings_add(struct xro_warnings *warnings, enum xro_warning_kind kind, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
void xro_warnings_free(struct xro_warnings *warnings);

struct xro_row_shape {
    struct xro_outliers outliers[XRO_SLOT_COUNT];
    struct xro_peaks peaks[XRO_SLOT_COUNT];
    double drift[XRO_SLOT_COUNT];
    uint64_t first_slow;        /* the first sample's first open, when it was a slow one; else 0 */
    size_t slow_start_count;    /* process starts of a second or more */
};

/* Look at one metric's VALUES, in the order taken, and the same sorted. STEP is the clock's. */
void xro_shape_look(struct xro_row_shape *shape, enum xro_metric metric, const uint64_t *values,
                    const struct xro_series *sorted, xro_ns step);

/* The warnings for TABLE, whose rows have the SHAPES, appended by kind. */
enum xro_status xro_warnings_make(struct xro_warnings *warnings, const struct xro_table *table,
                                  const struct xro_row_shape *shapes);

#ifdef __cplusplus
}
#endif
#endif

/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * series.h - values in the order they were taken: a growing array, 8 bytes a value. */
#ifndef XRO_STATS_SERIES_H
#define XRO_STATS_SERIES_H

#include "base/status.h"

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Invariants: count <= room; values is NULL only when room is 0. All zero is an empty series. */
struct xro_series {
    uint64_t *values;
    size_t count, room;
};

/* Append VALUE. XRO_MEMORY leaves the series as it was. */
enum xro_status xro_series_add(struct xro_series *series, uint64_t value);

/* A copy of SERIES, ascending, in TO, which must be empty. */
enum xro_status xro_series_sorted(const struct xro_series *series, struct xro_series *to);

void xro_series_free(struct xro_series *series);

/* Sort COUNT values, ascending. SCRATCH has room for as many and ends with anything in it. */
void xro_sort(uint64_t *values, uint64_t *scratch, size_t count);

#ifdef __cplusplus
}
#endif
#endif

/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * series.c - and the sort: by bytes from the lowest to the highest, leaving out bytes in which all values are equal.
 * Latencies differ in 3 or 4 of their 8 bytes, so that is 3 or 4 passes whatever the count. */
#include "stats/series.h"

#include <stdlib.h>
#include <string.h>

enum { FIRST_ROOM = 64, BYTE_VALUES = 256, WORTH_PASSES = 256 };

enum xro_status xro_series_add(struct xro_series *series, uint64_t value)
{
    if (series->count == series->room) {
        size_t room = series->room ? series->room * 2 : FIRST_ROOM;
        uint64_t *values;

        if (room > SIZE_MAX / sizeof *values)
            return XRO_MEMORY;
        values = (uint64_t *)realloc(series->values, room * sizeof *values);
        if (values == NULL)
            return XRO_MEMORY;
        series->values = values;
        series->room = room;
    }
    series->values[series->count++] = value;
    return XRO_OK;
}

void xro_series_free(struct xro_series *series)
{
    free(series->values);
    *series = (struct xro_series){ .values = NULL };
}

static int ascending(const void *a, const void *b)
{
    uint64_t left = *(const uint64_t *)a, right = *(const uint64_t *)b;

    return (left > right) - (left < right);
}

/* Deal the values out by the byte at SHIFT, in their present order. */
static void deal(const uint64_t *from, uint64_t *to, size_t count, unsigned shift, const size_t *counts)
{
    size_t place[BYTE_VALUES], next = 0;

    for (size_t byte = 0; byte < BYTE_VALUES; byte++) {
        place[byte] = next;
        next += counts[byte];
    }
    for (size_t i = 0; i < count; i++)
        to[place[from[i] >> shift & 0xff]++] = from[i];
}

void xro_sort(uint64_t *values, uint64_t *scratch, size_t count)
{
    uint64_t *from = values, *to = scratch;

    if (count < WORTH_PASSES) {
        if (count > 1)
            qsort(values, count, sizeof *values, ascending);
        return;
    }
    for (unsigned shift = 0; shift < 64; shift += 8) {
        size_t counts[BYTE_VALUES] = { 0 };
        uint64_t *swap = from;

        for (size_t i = 0; i < count; i++)
            counts[from[i] >> shift & 0xff]++;
        if (counts[from[0] >> shift & 0xff] == count)
            continue;           /* all equal in this byte */
        deal(from, to, count, shift, counts);
        from = to;
        to = swap;
    }
    if (from != values)
        memcpy(values, from, count * sizeof *values);
}

enum xro_status xro_series_sorted(const struct xro_series *series, struct xro_series *to)
{
    size_t count = series->count;
    uint64_t *values, *scratch;

    if (count == 0)
        return XRO_OK;
    values = (uint64_t *)malloc(count * sizeof *values);
    scratch = (uint64_t *)malloc(count * sizeof *scratch);
    if (values == NULL || scratch == NULL) {
        free(values);
        free(scratch);
        return XRO_MEMORY;
    }
    memcpy(values, series->values, count * sizeof *values);
    xro_sort(values, scratch, count);
    free(scratch);
    *to = (struct xro_series){ .values = values, .count = count, .room = count };
    return XRO_OK;
}

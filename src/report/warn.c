/* SPDX-License-Identifier: LGPL-3.0-or-later */
#include "report/warn.h"

#include "base/units.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

enum xro_status xro_warnings_add(struct xro_warnings *warnings, enum xro_warning_kind kind, const char *format, ...)
{
    struct xro_warning *items, made = { .kind = kind };
    va_list arguments;
    int length;

    va_start(arguments, format);
    length = vasprintf(&made.text, format, arguments);
    va_end(arguments);
    if (length < 0)
        return XRO_MEMORY;
    items = (struct xro_warning *)realloc(warnings->items, (warnings->count + 1) * sizeof *items);
    if (items == NULL) {
        free(made.text);
        return XRO_MEMORY;
    }
    items[warnings->count++] = made;
    warnings->items = items;
    return XRO_OK;
}

void xro_warnings_free(struct xro_warnings *warnings)
{
    for (size_t i = 0; i < warnings->count; i++)
        free(warnings->items[i].text);
    free(warnings->items);
    *warnings = (struct xro_warnings){ .items = NULL };
}

/* --- looking ----------------------------------------------------------------------------------------------------- */

static size_t count_from(const struct xro_series *sorted, uint64_t bound)
{
    size_t count = 0;

    while (count < sorted->count && sorted->values[sorted->count - 1 - count] >= bound)
        count++;
    return count;
}

void xro_shape_look(struct xro_row_shape *shape, enum xro_metric metric, const uint64_t *values,
                    const struct xro_series *sorted, xro_ns step)
{
    if (metric == XRO_METRIC_START)
        shape->slow_start_count = count_from(sorted, XRO_NS_PER_S);
    if ((unsigned)metric >= XRO_SLOT_COUNT)
        return;
    shape->outliers[metric] = xro_find_outliers(sorted->values, sorted->count);
    shape->peaks[metric] = xro_find_peaks(sorted->values, sorted->count, step);
    shape->drift[metric] = xro_find_drift(values, sorted->count);
    if ((unsigned)metric == XRO_SLOT_FIRST_OPEN && xro_first_is_slow(values, sorted->values, sorted->count))
        shape->first_slow = values[0];
}

/* --- sentences, one per row and column --------------------------------------------------------------------------- */

/* The columns of the table; the closes have their figures with --percentiles, and no warnings. */
static const enum xro_slot columns[] = { XRO_SLOT_FIRST_OPEN, XRO_SLOT_SECOND_OPEN, XRO_SLOT_READ };

enum { COLUMNS = sizeof columns / sizeof *columns };

struct place {                  /* what a sentence is about */
    struct xro_warnings *warnings;
    const struct xro_table_row *row;
    const struct xro_row_shape *shape;
    enum xro_slot slot;
};

static const char *where(const struct place *place)
{
    return xro_metric_title((enum xro_metric)place->slot);
}

static const char *duration(double ns, char text[XRO_DURATION_SIZE])
{
    return xro_format_duration(ns < 0x1p63 ? (xro_ns)(ns + 0.5) : XRO_NEVER, text);
}

/* A few high values are what trimming is for. Worth a word are more than it drops, when they lift the average by a
 * tenth, or a single one that a user would feel. */
static enum xro_status warn_outliers(const struct place *place)
{
    const struct xro_outliers *outliers = &place->shape->outliers[place->slot];
    const struct xro_summary *figures = &place->row->figures[place->slot];
    char above[XRO_DURATION_SIZE], most[XRO_DURATION_SIZE];
    bool felt = outliers->most >= 100 * XRO_NS_PER_MS && (double)outliers->most >= 100 * figures->median;
    bool lift = outliers->count > figures->count - figures->kept && figures->average >= 1.1 * figures->median;

    if (outliers->count == 0 || (!lift && !felt))
        return XRO_OK;
    return xro_warnings_add(place->warnings, XRO_WARNING_OUTLIERS, "%s: %s: %zu of %zu above %s, the largest %s",
                            place->row->about.label, where(place), outliers->count, (size_t)figures->count,
                            duration(outliers->above, above), duration((double)outliers->most, most));
}

static enum xro_status warn_peaks(const struct place *place)
{
    const struct xro_peaks *peaks = &place->shape->peaks[place->slot];
    char low[XRO_DURATION_SIZE], high[XRO_DURATION_SIZE];

    if (!peaks->found)
        return XRO_OK;
    return xro_warnings_add(place->warnings, XRO_WARNING_PEAKS, "%s: %s: %.0f%% around %s, %.0f%% around %s",
                            place->row->about.label, where(place), 100 * peaks->low_share, duration(peaks->low, low),
                            100 * (1 - peaks->low_share), duration(peaks->high, high));
}

static enum xro_status warn_drift(const struct place *place)
{
    double drift = place->shape->drift[place->slot];

    if (drift == 0)
        return XRO_OK;
    return xro_warnings_add(place->warnings, XRO_WARNING_DRIFT, "%s: %s: the last quarter's median is %.2f times the "
                            "first quarter's", place->row->about.label, where(place), drift);
}

static enum xro_status warn_first(const struct place *place)
{
    char first[XRO_DURATION_SIZE], median[XRO_DURATION_SIZE];

    if (place->slot != XRO_SLOT_FIRST_OPEN || place->shape->first_slow == 0)
        return XRO_OK;
    return xro_warnings_add(place->warnings, XRO_WARNING_FIRST, "%s: %s of the first sample: %s, median %s",
                            place->row->about.label, where(place), duration((double)place->shape->first_slow, first),
                            duration(place->row->figures[place->slot].median, median));
}

static enum xro_status warn_start(const struct place *place)
{
    const struct xro_summary *start = &place->row->figures[XRO_METRIC_START];
    char most[XRO_DURATION_SIZE];

    if (place->slot != XRO_SLOT_FIRST_OPEN || place->shape->slow_start_count == 0)
        return XRO_OK;
    return xro_warnings_add(place->warnings, XRO_WARNING_START, "%s: %zu of %zu processes took a second or more to "
                            "reach main(), the slowest %s", place->row->about.label, place->shape->slow_start_count,
                            (size_t)start->count, duration((double)start->most, most));
}

/* One process that keeps a processor busy on every second one disturbs a measurement already. */
static enum xro_status warn_busy(struct xro_warnings *warnings, const struct xro_table *table)
{
    enum xro_status status = XRO_OK;

    for (size_t i = 0; i < table->source_count && status == XRO_OK; i++) {
        const struct xro_header *header = table->sources[i];
        if (header->cpu_count == 0 || header->load_average <= 0.5 * header->cpu_count)
            continue;
        status = xro_warnings_add(warnings, XRO_WARNING_BUSY, "%s: load average %.1f on %u processors before the run",
                                  header->host, header->load_average, (unsigned)header->cpu_count);
    }
    return status;
}

enum xro_status xro_warnings_make(struct xro_warnings *warnings, const struct xro_table *table,
                                  const struct xro_row_shape *shapes)
{
    static enum xro_status (*const kinds[])(const struct place *) = {
        warn_start, warn_outliers, warn_peaks, warn_first, warn_drift,
    };
    enum xro_status status = warn_busy(warnings, table);

    for (size_t kind = 0; kind < sizeof kinds / sizeof *kinds; kind++)
        for (size_t row = 0; row < table->row_count; row++)
            for (unsigned column = 0; column < COLUMNS && status == XRO_OK; column++) {
                struct place place = { warnings, &table->rows[row], &shapes[row], columns[column] };
                status = kinds[kind](&place);
            }
    return status;
}

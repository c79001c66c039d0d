/* SPDX-License-Identifier: LGPL-3.0-or-later */
#include "stats/shape.h"

#include "stats/series.h"
#include "stats/summary.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* The number of SORTED values at or below BOUND. */
static size_t count_up_to(const uint64_t *sorted, size_t count, double bound)
{
    size_t low = 0, high = count;

    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if ((double)sorted[middle] <= bound)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

struct xro_outliers xro_find_outliers(const uint64_t *sorted, size_t count)
{
    struct xro_outliers outliers = { .count = 0 };
    double median, width, above;

    if (count < 20)
        return outliers;
    median = xro_median(sorted, count);
    width = (double)(sorted[count - 1 - count / 4] - sorted[count / 4]);
    above = median + 10 * width;
    outliers.above = above > 5 * median ? above : 5 * median;
    outliers.count = count - count_up_to(sorted, count, outliers.above);
    outliers.most = sorted[count - 1];
    return outliers;
}

/* --- two peaks --------------------------------------------------------------------------------------------------- */

enum { BINS = 48 };

struct histogram {
    double origin, width;       /* of the logarithms */
    double height[BINS];
};

/* SORTED without its ends. False when there is nothing to be told apart. */
static bool fill(struct histogram *histogram, const uint64_t *sorted, size_t count)
{
    size_t begin = count / 200, end = count - begin;
    double low = log((double)sorted[begin] + 1), high = log((double)sorted[end - 1] + 1);
    double counts[BINS + 2] = { 0 };

    histogram->origin = low;
    histogram->width = fmax((high - low) / BINS, log(1.05));
    if (high - low < log(1.5))
        return false;
    for (size_t i = begin; i < end; i++) {
        double place = (log((double)sorted[i] + 1) - low) / histogram->width;
        counts[place < BINS ? (size_t)place + 1 : BINS]++;
    }
    for (size_t i = 0; i < BINS; i++)
        histogram->height[i] = (counts[i] + 2 * counts[i + 1] + counts[i + 2]) / 4;
    return true;
}

static size_t highest(const struct histogram *histogram)
{
    size_t best = 0;

    for (size_t i = 1; i < BINS; i++)
        if (histogram->height[i] > histogram->height[best])
            best = i;
    return best;
}

/* The lowest bin between PEAK and OTHER. */
static size_t valley_between(const struct histogram *histogram, size_t peak, size_t other)
{
    size_t first = peak < other ? peak : other, last = peak < other ? other : peak, lowest = first;

    for (size_t i = first; i <= last; i++)
        if (histogram->height[i] < histogram->height[lowest])
            lowest = i;
    return lowest;
}

/* The bin that stands out most from the valley between it and the highest; the valley itself is the answer. BINS when
 * no bin stands out by more than its own valley and three times its own noise. */
static size_t deepest_valley(const struct histogram *histogram)
{
    size_t peak = highest(histogram), best = BINS;
    double most = 0;

    for (size_t i = 0; i < BINS; i++) {
        size_t valley = valley_between(histogram, peak, i);
        double height = histogram->height[i], rise = height - histogram->height[valley];
        if (rise <= most || histogram->height[valley] > height / 2 || rise < 3 * sqrt(height))
            continue;
        if (i != peak && valley != i && valley != peak) {
            most = rise;
            best = valley;
        }
    }
    return best;
}

struct xro_peaks xro_find_peaks(const uint64_t *sorted, size_t count, uint64_t step)
{
    struct xro_peaks peaks = { .found = false };
    struct histogram histogram;
    size_t valley, split;

    if (count < 100 || xro_median(sorted, count) < 50 * (double)step || !fill(&histogram, sorted, count))
        return peaks;
    valley = deepest_valley(&histogram);
    if (valley == BINS)
        return peaks;
    split = count_up_to(sorted, count, exp(histogram.origin + ((double)valley + 0.5) * histogram.width) - 1);
    if (split < count / 10 || count - split < count / 10)
        return peaks;
    peaks.low = xro_median(sorted, split);
    peaks.high = xro_median(sorted + split, count - split);
    peaks.low_share = (double)split / (double)count;
    peaks.found = peaks.high >= 1.5 * peaks.low;
    return peaks;
}

/* --- in the order taken ------------------------------------------------------------------------------------------ */

struct quarter {
    double median;
    uint64_t low, high;         /* the middle half's ends */
};

static bool take_quarter(const uint64_t *values, size_t count, uint64_t *room, struct quarter *quarter)
{
    memcpy(room, values, count * sizeof *room);
    xro_sort(room, room + count, count);
    *quarter = (struct quarter){
        .median = xro_median(room, count), .low = room[count / 4], .high = room[count - 1 - count / 4],
    };
    return quarter->median > 0;
}

static bool outside(const struct quarter *quarter, double value)
{
    return value < (double)quarter->low || value > (double)quarter->high;
}

double xro_find_drift(const uint64_t *values, size_t count)
{
    size_t part = count / 4;
    struct quarter first, last;
    double ratio = 0;
    uint64_t *room;

    if (count < 100)
        return 0;
    room = (uint64_t *)malloc(2 * part * sizeof *room);
    if (room == NULL)
        return 0;
    if (take_quarter(values, part, room, &first) && take_quarter(values + count - part, part, room, &last)
        && outside(&first, last.median) && outside(&last, first.median))
        ratio = last.median / first.median;
    free(room);
    return ratio >= 1.2 || ratio <= 1 / 1.2 ? ratio : 0;
}

bool xro_first_is_slow(const uint64_t *values, const uint64_t *ascending, size_t count)
{
    uint64_t bound;

    if (count < 20)
        return false;
    if (!xro_percentile(ascending, count, 0.99, &bound))
        bound = ascending[count - 2];
    return (double)values[0] >= 3 * xro_median(ascending, count) && values[0] > bound;
}

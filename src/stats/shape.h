/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * shape.h - what average and median hide: outliers, two peaks, a drift, a slow beginning. Simple rules on ranks, so
 * that one wild value decides nothing; they feed warnings, never figures. Pure functions. */
#ifndef XRO_STATS_SHAPE_H
#define XRO_STATS_SHAPE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Outliers: values above both 5 times the median and the median plus 10 times the width of the middle half. None below
 * 20 values. */
struct xro_outliers {
    size_t count;
    double above;               /* the bound */
    uint64_t most;              /* the largest value */
};
struct xro_outliers xro_find_outliers(const uint64_t *sorted, size_t count);

/* Two peaks: in a histogram of the logarithms, in steps of 5 % or more and smoothed, without the outermost half per
 * cent at each end, there are two heights with a valley between them not half as high as the lower one; each side holds
 * a tenth of the values at least, and the sides' medians are apart by half or more. None below 100 values, nor where
 * the median is less than 50 steps of the clock (STEP, ns), since such a histogram shows the clock's steps. */
struct xro_peaks {
    bool found;
    double low, high;           /* the medians of the two sides */
    double low_share;           /* of the values, on the low side */
};
struct xro_peaks xro_find_peaks(const uint64_t *sorted, size_t count, uint64_t step);

/* Drift, of values in the order taken: the first and the last quarter's medians differ by a fifth or more and each lies
 * outside the middle half of the other quarter. Answers last / first, or 0 for none, as always below 100 values or when
 * there is no memory for two quarters. */
double xro_find_drift(const uint64_t *values, size_t count);

/* A slow first one, of values in the order taken (ASCENDING are the same, sorted): it is 3 times the median or more and
 * above the 99th percentile, or above all others where the count supports none. False below 20 values. */
bool xro_first_is_slow(const uint64_t *values, const uint64_t *ascending, size_t count);

#ifdef __cplusplus
}
#endif
#endif

/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * summary.h - the figures of a series. Pure functions over ascending values.
 *
 * Trimming is that of 2005: the highest values are dropped, floor(count * trim) of them, and average and median are
 * both taken of what is left. Minimum, maximum and percentiles are of all values: a percentile of a series that has
 * lost its tail would say nothing of the tail. */
#ifndef XRO_STATS_SUMMARY_H
#define XRO_STATS_SUMMARY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* How many of COUNT values are left when the highest share TRIM, in [0, 1), is dropped. One at least stays. (The
 * product is raised by a trillionth of itself before it is cut to a whole number, so that 29% of 100 is 29 in binary,
 * too.) */
size_t xro_trim_kept(size_t count, double trim);

/* The average of COUNT values, 0 for none; the sum is exact. */
double xro_average(const uint64_t *values, size_t count);

/* The middle one of COUNT ascending values, the mean of the middle two of an even count, 0 for none. */
double xro_median(const uint64_t *sorted, size_t count);

/* The percentile at SHARE, in (0, 1), by nearest rank: the smallest value that has at least SHARE of all at or below
 * it. False when the count does not support it: fewer than 1 / (1 - SHARE) values, rounded up, so that a p99 rests on
 * at least 100 and a p99.9 on at least 1000. */
bool xro_percentile(const uint64_t *sorted, size_t count, double share, uint64_t *value);

/* Mean and variance in one pass, by Welford. */
struct xro_welford {
    uint64_t count;
    double mean, squares;       /* squares: the sum of squared distances from the mean */
};
void xro_welford_add(struct xro_welford *welford, double value);
double xro_welford_variance(const struct xro_welford *welford);     /* of a sample (n - 1); 0 for fewer than 2 */

enum xro_quantile { XRO_P90, XRO_P99, XRO_P999, XRO_QUANTILES };

/* "p90", "p99", "p99.9". */
const char *xro_quantile_name(enum xro_quantile quantile);

/* All the figures of one series; times in ns. */
struct xro_summary {
    uint64_t count;             /* of all values; with 0 all else is 0 */
    uint64_t kept;              /* that average, median and deviation are of */
    double average, median, deviation;
    uint64_t quantile[XRO_QUANTILES];
    bool has_quantile[XRO_QUANTILES];   /* the count supports it */
    uint64_t least, most;
};

struct xro_summary xro_summarize(const uint64_t *sorted, size_t count, double trim);

#ifdef __cplusplus
}
#endif
#endif

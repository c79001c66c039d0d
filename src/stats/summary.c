/* SPDX-License-Identifier: LGPL-3.0-or-later */
#include "stats/summary.h"

#include <math.h>

static const struct { const char *name; double share; } quantiles[XRO_QUANTILES] = {
    [XRO_P90] = { "p90", 0.9 }, [XRO_P99] = { "p99", 0.99 }, [XRO_P999] = { "p99.9", 0.999 },
};

/* Products such as 0.29 * 100 end a hair beside the whole number they stand for. */
static const double hair = 1e-12;

size_t xro_trim_kept(size_t count, double trim)
{
    double dropped = floor((double)count * trim * (1 + hair));

    if (count == 0 || !(dropped > 0))
        return count;
    return dropped < (double)count ? count - (size_t)dropped : 1;
}

double xro_average(const uint64_t *values, size_t count)
{
    uint64_t low = 0, high = 0;         /* 128 bits, which ISO C does not name */

    for (size_t i = 0; i < count; i++) {
        low += values[i];
        high += low < values[i];
    }
    return count > 0 ? ((double)high * 0x1p64 + (double)low) / (double)count : 0;
}

double xro_median(const uint64_t *sorted, size_t count)
{
    uint64_t lower, upper;

    if (count == 0)
        return 0;
    lower = sorted[(count - 1) / 2];
    upper = sorted[count / 2];
    return (double)lower + (double)(upper - lower) / 2;
}

bool xro_percentile(const uint64_t *sorted, size_t count, double share, uint64_t *value)
{
    double rank = ceil(share * (double)count * (1 - hair));
    size_t index = rank > 1 ? (size_t)rank - 1 : 0;

    if (count == 0 || (double)count < ceil(1 / (1 - share) * (1 - hair)))
        return false;
    *value = sorted[index < count ? index : count - 1];
    return true;
}

void xro_welford_add(struct xro_welford *welford, double value)
{
    double distance = value - welford->mean;

    welford->count++;
    welford->mean += distance / (double)welford->count;
    welford->squares += distance * (value - welford->mean);
}

double xro_welford_variance(const struct xro_welford *welford)
{
    return welford->count > 1 ? welford->squares / (double)(welford->count - 1) : 0;
}

const char *xro_quantile_name(enum xro_quantile quantile)
{
    return (unsigned)quantile < XRO_QUANTILES ? quantiles[quantile].name : "unknown";
}

struct xro_summary xro_summarize(const uint64_t *sorted, size_t count, double trim)
{
    struct xro_summary summary = { .count = count, .kept = xro_trim_kept(count, trim) };
    struct xro_welford welford = { .count = 0 };

    if (count == 0)
        return summary;
    for (size_t i = 0; i < summary.kept; i++)
        xro_welford_add(&welford, (double)sorted[i]);
    summary.average = xro_average(sorted, (size_t)summary.kept);
    summary.median = xro_median(sorted, (size_t)summary.kept);
    summary.deviation = sqrt(xro_welford_variance(&welford));
    for (unsigned i = 0; i < XRO_QUANTILES; i++)
        summary.has_quantile[i] = xro_percentile(sorted, count, quantiles[i].share, &summary.quantile[i]);
    summary.least = sorted[0];
    summary.most = sorted[count - 1];
    return summary;
}

/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * clock.h - the one clock of the house: CLOCK_MONOTONIC in integer nanoseconds. */
#ifndef XRO_BASE_CLOCK_H
#define XRO_BASE_CLOCK_H

#include <stdbool.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Nanoseconds: a point of CLOCK_MONOTONIC, or a difference of two such points. */
typedef uint64_t xro_ns;

/* The shape of a clock, so that the state machine can be given a fake one. */
typedef xro_ns xro_clock_fn(void *arg);

#define XRO_NS_PER_US UINT64_C(1000)
#define XRO_NS_PER_MS UINT64_C(1000000)
#define XRO_NS_PER_S  UINT64_C(1000000000)

/* A point in time that never comes: "no deadline". */
#define XRO_NEVER UINT64_MAX

/* Now, on CLOCK_MONOTONIC. */
xro_ns xro_clock_now(void);

/* xro_clock_now() in the shape of xro_clock_fn; ARG is not looked at. */
xro_ns xro_clock_monotonic(void *arg);

/* The wall clock in nanoseconds since 1970; a label for people, never subtracted. */
xro_ns xro_clock_wall(void);

/* The smallest step seen between two different readings, in ns: what the clock can tell apart. Takes about a
 * millisecond. */
xro_ns xro_clock_step(void);

/* What one reading costs: the mean of many, in picoseconds (a reading costs tens of ns, so ns would be too coarse). */
uint64_t xro_clock_cost_ps(void);

/* Sleep until UNTIL on CLOCK_MONOTONIC. Returns early, false, when a signal came. */
bool xro_clock_sleep_until(xro_ns until);

/* A + B, or XRO_NEVER where that does not fit. */
static inline xro_ns xro_ns_add(xro_ns a, xro_ns b)
{
    return a > XRO_NEVER - b ? XRO_NEVER : a + b;
}

#ifdef __cplusplus
}
#endif
#endif

/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * units.h - durations, sizes, counts and shares as people write them: 10ms, 2s, 4k, 10000, 1%. */
#ifndef XRO_BASE_UNITS_H
#define XRO_BASE_UNITS_H

#include "base/clock.h"
#include "base/status.h"

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* "250us", "10ms", "1.5s", "2m", "1h", "100ns"; a bare number is seconds. XRO_INVALID when it is none, negative, or too
 * large for 64 bits of ns. */
enum xro_status xro_parse_duration(const char *text, xro_ns *ns);

/* "512", "4k", "2M", "1G" in bytes; the letters mean powers of 1024. */
enum xro_status xro_parse_size(const char *text, uint64_t *bytes);

/* A whole number in decimal, no sign, no blank. */
enum xro_status xro_parse_count(const char *text, uint64_t *count);

/* "1%" or "0.01" as a share in [0, 1). */
enum xro_status xro_parse_share(const char *text, double *share);

/* A duration for people, at most 15 characters and the NUL: "17.3us", "230ms", "1.4ms", "2m08s". Returns TEXT. */
enum { XRO_DURATION_SIZE = 16 };
const char *xro_format_duration(xro_ns ns, char text[XRO_DURATION_SIZE]);

#ifdef __cplusplus
}
#endif
#endif

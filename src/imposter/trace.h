/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * trace.h - a line for each thing sent, with its stamps on CLOCK_MONOTONIC. Lines are kept in memory and written when
 * the loop goes to sleep, so that no write stands between two stamps. */
#ifndef XRO_IMPOSTER_TRACE_H
#define XRO_IMPOSTER_TRACE_H

#include "base/clock.h"

#include <stdbool.h>
#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

struct xro_trace {
    char *text;                 /* NULL: no trace wanted */
    size_t length;
    int fd;
};

struct xro_trace_line {
    const char *server, *event, *what;
    unsigned long long guest;   /* the connection's number */
    unsigned line;              /* of the script, 0: no rule */
    xro_ns arrival, begin, due, sent;   /* due 0: no delay before it */
    size_t bytes;
};

bool xro_trace_open(struct xro_trace *trace, int fd);
void xro_trace_add(struct xro_trace *trace, const struct xro_trace_line *line);
void xro_trace_flush(struct xro_trace *trace);
void xro_trace_close(struct xro_trace *trace);

#ifdef __cplusplus
}
#endif
#endif

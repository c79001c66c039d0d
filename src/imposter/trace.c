/* SPDX-License-Identifier: LGPL-3.0-or-later */
#include "imposter/trace.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

enum { TRACE_ROOM = 1 << 20, LINE_ROOM = 400 };

bool xro_trace_open(struct xro_trace *trace, int fd)
{
    *trace = (struct xro_trace){ .text = (char *)malloc(TRACE_ROOM), .fd = fd };
    return trace->text != NULL;
}

void xro_trace_add(struct xro_trace *trace, const struct xro_trace_line *line)
{
    char due[64] = "";

    if (trace->text == NULL)
        return;
    if (TRACE_ROOM - trace->length < LINE_ROOM)
        xro_trace_flush(trace);
    if (line->due != 0)
        snprintf(due, sizeof due, " due_ns=%" PRIu64 " late_ns=%" PRId64, line->due, (int64_t)(line->sent - line->due));
    int n = snprintf(trace->text + trace->length, LINE_ROOM,
                     "trace server=%.64s connection=%llu event=%s line=%u step=%s arrival_ns=%" PRIu64
                     " begin_ns=%" PRIu64 "%s sent_ns=%" PRIu64 " bytes=%zu\n",
                     line->server, line->guest, line->event, line->line, line->what, line->arrival,
                     line->begin, due, line->sent, line->bytes);
    trace->length += n < LINE_ROOM ? (size_t)n : LINE_ROOM - 1;
}

/* What cannot be written is dropped: a trace must not stop a server. */
void xro_trace_flush(struct xro_trace *trace)
{
    for (size_t at = 0; at < trace->length;) {
        ssize_t n = write(trace->fd, trace->text + at, trace->length - at);
        if (n <= 0)
            break;
        at += (size_t)n;
    }
    trace->length = 0;
}

void xro_trace_close(struct xro_trace *trace)
{
    if (trace->text == NULL)
        return;
    xro_trace_flush(trace);
    free(trace->text);
    trace->text = NULL;
}

/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * waterfall.h - one op as lines: a line per hop, a line per phase with its time, as it happens. */
#ifndef XRO_REPORT_WATERFALL_H
#define XRO_REPORT_WATERFALL_H

#include "record/sample.h"

#include <stdio.h>

struct xro_waterfall {
    FILE *to;
    enum xro_slot slot;         /* of the op that is being shown */
    bool begun;
    uint32_t shown;             /* spans of it that are */
};

/* Show what has happened in OP since the last call: all spans that are over, and the end when the op has come to it. */
void xro_waterfall_show(struct xro_waterfall *waterfall, const struct xro_op *op);

#endif

/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * null.c - the engine that does nothing: what it costs is the harness itself. */
#include "engine/engine.h"
#include "record/timeline.h"

#include <stdlib.h>

static enum xro_status null_start(const struct xro_engine *engine, const struct xro_settings *settings,
                                  struct xro_session **session, struct xro_error *error)
{
    (void)settings;
    *session = (struct xro_session *)malloc(sizeof **session);
    if (*session == NULL)
        return error->status = XRO_MEMORY;
    (*session)->engine = engine;
    return XRO_OK;
}

static enum xro_status null_perform(struct xro_session *session, enum xro_op_kind kind, void *data, uint64_t offset,
                                    uint32_t size, struct xro_op *op)
{
    (void)session;
    (void)data;
    (void)offset;
    xro_timeline_begin(op, kind, xro_clock_now());
    xro_timeline_hop(op, "", 0, op->begin);
    op->bytes = kind == XRO_OP_READ ? size : 0;
    xro_timeline_end(op, xro_clock_now());
    return XRO_OK;
}

static void null_stop(struct xro_session *session)
{
    free(session);
}

static const char *null_version(void)
{
    return NULL;
}

const struct xro_engine xro_engine_null = {
    .name = "null",
    .summary = "does nothing; measures the harness itself",
    .ops = 1u << XRO_OP_OPEN | 1u << XRO_OP_CLOSE | 1u << XRO_OP_READ | 1u << XRO_OP_STAT | 1u << XRO_OP_PING,
    .start = null_start, .perform = null_perform, .stop = null_stop, .version = null_version,
};

/* SPDX-License-Identifier: LGPL-3.0-or-later */
#include "record/timeline.h"

#include <string.h>

/* A span of no length is written over: it says nothing. */
static void push_span(struct xro_op *op)
{
    uint32_t last = op->span_count - 1;

    if (op->span_count > 0 && op->span_count <= op->span_room && op->spans[last].begin == op->now_begin - op->begin)
        op->span_count--;
    if (op->span_count > 0 && op->span_count <= op->span_room && op->spans[op->span_count - 1].hop == op->now_hop
        && op->spans[op->span_count - 1].phase == op->now_phase)
        return;                 /* the one before goes on */
    if (op->span_count < op->span_room)
        op->spans[op->span_count] = (struct xro_span){
            .begin = op->now_begin - op->begin, .hop = op->now_hop, .phase = op->now_phase,
        };
    op->span_count++;
}

/* Book the time since the last stamp; AT must not lie before it (the clock is monotonic). */
static void book(struct xro_op *op, xro_ns at)
{
    if (op->now_hop < op->hop_count)
        op->hops[op->now_hop].phase[op->now_phase] += at - op->now_begin;
    op->now_begin = at;
}

/* Errors and hops hold long texts. They are emptied, not cleared: the memory is cold here, and each line of it costs. */
static void clear_error(struct xro_error *error)
{
    error->status = XRO_OK;
    error->phase = XRO_PHASE_OTHER;
    error->hop = -1;
    error->system = error->resolver = error->server = 0;
    error->limit = XRO_LIMIT_NONE;
    error->detail = NULL;
    error->text[0] = '\0';
}

static void clear_hop(struct xro_hop *hop)
{
    hop->host[0] = hop->address[0] = '\0';
    hop->port = 0;
    hop->reused = hop->pipelined = false;
    hop->ending = XRO_ENDING_UNDER_WAY;
    hop->server_code = hop->system = 0;
    hop->same_as = XRO_NO_HOP;
    hop->version = hop->flags = 0;
    memset(hop->phase, 0, sizeof hop->phase);
    hop->tls.version[0] = '\0';
    hop->wait_count = 0;
    hop->wait_asked_s = 0;
}

void xro_timeline_begin(struct xro_op *op, enum xro_op_kind kind, xro_ns at)
{
    op->kind = kind;
    op->done = false;
    op->begin = at;
    op->total = 0;
    clear_error(&op->error);
    op->bytes = 0;
    op->size = -1;
    op->piece_count = 0;
    op->gap = op->gap_begin = 0;
    op->stray_count = op->message_count = 0;
    op->hop_count = 0;
    op->span_count = op->wait_count = op->try_count = op->attempt_count = 0;
    op->now_hop = 0;
    op->now_phase = XRO_PHASE_OTHER;
    op->now_begin = at;
}

static void copy_host(struct xro_hop *hop, const char *host)
{
    size_t length = strnlen(host, sizeof hop->host - 1);

    memcpy(hop->host, host, length);
    hop->host[length] = '\0';
}

uint16_t xro_timeline_hop(struct xro_op *op, const char *host, uint16_t port, xro_ns at)
{
    struct xro_hop *hop;

    if (op->hop_count == op->hop_room) {
        xro_timeline_enter(op, XRO_PHASE_OTHER, at);
        return op->now_hop;
    }
    if (op->hop_count > 0)
        book(op, at);           /* else the time since begin belongs to this first hop */
    hop = &op->hops[op->hop_count];
    clear_hop(hop);
    copy_host(hop, host);
    hop->port = port;
    op->now_hop = op->hop_count++;
    op->now_phase = XRO_PHASE_OTHER;
    push_span(op);
    return op->now_hop;
}

void xro_timeline_enter(struct xro_op *op, enum xro_phase phase, xro_ns at)
{
    if (phase == (enum xro_phase)op->now_phase)
        return;
    book(op, at);
    op->now_phase = (uint8_t)phase;
    push_span(op);
}

void xro_timeline_end(struct xro_op *op, xro_ns at)
{
    book(op, at);
    op->total = at - op->begin;
    op->done = true;
}

xro_ns xro_op_phase(const struct xro_op *op, enum xro_phase phase)
{
    xro_ns sum = 0;

    for (uint16_t i = 0; i < op->hop_count; i++)
        sum += op->hops[i].phase[phase];
    return sum;
}

xro_ns xro_op_sum(const struct xro_op *op)
{
    xro_ns sum = 0;

    for (unsigned phase = 0; phase < XRO_PHASE_COUNT; phase++)
        sum += xro_op_phase(op, (enum xro_phase)phase);
    return sum;
}

/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * timeline.h - writing an op's time line: begin, enter a phase on a hop, end. Every nanosecond between begin and end is
 * booked on exactly one phase of one hop. No allocation, no clock: the stamp is the caller's, taken at the event. */
#ifndef XRO_RECORD_TIMELINE_H
#define XRO_RECORD_TIMELINE_H

#include "record/sample.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Empty OP and begin it at AT, in phase `other` on no hop yet. */
void xro_timeline_begin(struct xro_op *op, enum xro_op_kind kind, xro_ns at);

/* A further hop at HOST:PORT; the time since the last hop's last phase goes to it. Answers its index. When there is no
 * room left the last hop is taken again: its name stays, its time grows. */
uint16_t xro_timeline_hop(struct xro_op *op, const char *host, uint16_t port, xro_ns at);

/* From AT on, time goes to PHASE of the present hop. Does nothing when it does already. */
void xro_timeline_enter(struct xro_op *op, enum xro_phase phase, xro_ns at);

/* The op ended at AT. */
void xro_timeline_end(struct xro_op *op, xro_ns at);

/* Sum of all phases of all hops: equal to op->total, always; tests hold every sample to it. */
xro_ns xro_op_sum(const struct xro_op *op);

/* Time in PHASE over all hops. */
xro_ns xro_op_phase(const struct xro_op *op, enum xro_phase phase);

#ifdef __cplusplus
}
#endif
#endif

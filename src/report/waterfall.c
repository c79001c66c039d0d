/* SPDX-License-Identifier: LGPL-3.0-or-later */
#include "report/waterfall.h"

#include "base/units.h"
#include "proto/xroot.h"
#include "record/error_text.h"

#include <string.h>

static const char *role(uint32_t flags)
{
    if (flags & XRO_KXR_ATTRMETA)
        return ", meta manager";
    if (flags & XRO_KXR_ISMANAGER)
        return ", manager";
    if (flags & (XRO_KXR_ATTRCACHE | XRO_KXR_ATTRPROXY))
        return ", proxy server";
    return flags & XRO_KXR_ISSERVER ? ", data server" : "";
}

static void show_hop(FILE *to, const struct xro_op *op, uint16_t index)
{
    const struct xro_hop *hop = &op->hops[index];
    char server[XRO_HOST_SIZE + 16];

    if (hop->host[0] == '\0')
        return;                 /* not over the network */
    fprintf(to, "  hop %u  %s%s%s%s", index + 1u, xro_url_authority(hop->host, hop->port, server, sizeof server),
            hop->reused ? ", connection kept" : "", hop->pipelined ? ", in one flight" : "", role(hop->flags));
    if (hop->same_as != XRO_NO_HOP)
        fprintf(to, ", the server of hop %u again", hop->same_as + 1u);
    fputc('\n', to);
}

static void show_tries(FILE *to, const struct xro_op *op, uint16_t hop)
{
    char spent[XRO_DURATION_SIZE];

    for (uint32_t i = 0; i < xro_kept(op->try_count, op->try_room); i++) {
        const struct xro_try *try = &op->tries[i];
        if (try->hop != hop)
            continue;
        fprintf(to, "%31s%s: %s", "", try->address, xro_outcome_name(try->outcome));
        if (try->system != 0)
            fprintf(to, " (%s)", strerror(try->system));
        fprintf(to, ", %s\n", xro_format_duration(try->spent, spent));
    }
}

static void show_tls(FILE *to, const struct xro_hop *hop)
{
    char cpu[XRO_DURATION_SIZE];

    if (hop->tls.version[0] == '\0')
        return;
    fprintf(to, "%31s%s, %s, %s; our CPU %s; signed by %s\n", "", hop->tls.version, hop->tls.cipher,
            hop->tls.resumed ? "resumed" : "full handshake", xro_format_duration(hop->tls.cpu, cpu), hop->tls.issuer);
}

static void show_attempts(FILE *to, const struct xro_op *op, uint16_t hop)
{
    char making[XRO_DURATION_SIZE], cpu[XRO_DURATION_SIZE], server[XRO_DURATION_SIZE], loading[XRO_DURATION_SIZE];

    for (uint32_t i = 0; i < xro_kept(op->attempt_count, op->attempt_room); i++) {
        const struct xro_attempt *attempt = &op->attempts[i];
        if (attempt->hop != hop)
            continue;
        fprintf(to, "%31s%s: %s%s%s; ", "", attempt->method, xro_auth_outcome_name(attempt->outcome),
                attempt->reason[0] ? ": " : "", attempt->reason);
        fprintf(to, "credentials %s (our CPU %s), server %s in %u round%s", xro_format_duration(attempt->making, making),
                xro_format_duration(attempt->cpu, cpu), xro_format_duration(attempt->server, server),
                (unsigned)attempt->rounds, attempt->rounds == 1 ? "" : "s");
        if (attempt->loading > 0)
            fprintf(to, "; loading %s, in `other` before", xro_format_duration(attempt->loading, loading));
        fputc('\n', to);
    }
}

/* Is span INDEX the last of its phase on its hop? What concerns the whole phase is shown behind it. */
static bool is_last_of_phase(const struct xro_op *op, uint32_t index)
{
    for (uint32_t i = index + 1; i < xro_kept(op->span_count, op->span_room); i++)
        if (op->spans[i].hop == op->spans[index].hop && op->spans[i].phase == op->spans[index].phase)
            return false;
    return true;
}

/* The wait that a span of phase `wait` or `defer` belongs to: they begin at the same time. */
static const struct xro_wait *find_wait(const struct xro_op *op, xro_ns begin)
{
    for (uint32_t i = 0; i < xro_kept(op->wait_count, op->wait_room); i++)
        if (op->waits[i].begin == begin)
            return &op->waits[i];
    return NULL;
}

static void show_span(FILE *to, const struct xro_op *op, uint32_t index, xro_ns end)
{
    const struct xro_span *span = &op->spans[index];
    const struct xro_wait *wait;

    if (end == span->begin)
        return;                 /* such as a transfer that came with the first byte */
    fprintf(to, "  %12.1f  %-10s%10.1f us", (double)span->begin / 1e3, xro_phase_name((enum xro_phase)span->phase),
            (double)(end - span->begin) / 1e3);
    if (span->phase == XRO_PHASE_WAIT || span->phase == XRO_PHASE_DEFER) {
        wait = find_wait(op, span->begin);
        if (wait != NULL)
            fprintf(to, "  %s %d s%s%s%s", wait->deferred ? "deferred: up to" : "ordered:", (int)wait->asked_s,
                    wait->text[0] ? " \"" : "", wait->text, wait->text[0] ? "\"" : "");
    }
    fputc('\n', to);
    if (span->phase == XRO_PHASE_CONNECT)
        show_tries(to, op, span->hop);
    if (span->phase == XRO_PHASE_TLS)
        show_tls(to, &op->hops[span->hop]);
    if (span->phase == XRO_PHASE_AUTH && is_last_of_phase(op, index))
        show_attempts(to, op, span->hop);
}

static void show_end(FILE *to, const struct xro_op *op)
{
    char message[XRO_MESSAGE_SIZE];

    if (op->span_count > op->span_room)
        fprintf(to, "  ... %u further phases are in the sum only\n", (unsigned)(op->span_count - op->span_room));
    if (op->error.status != XRO_OK)
        fprintf(to, "  failed: %s\n", xro_error_format(&op->error, op, message, sizeof message));
    fprintf(to, "  %12.1f  %s is over\n", (double)op->total / 1e3, xro_slot_name(op->slot));
}

void xro_waterfall_show(struct xro_waterfall *waterfall, const struct xro_op *op)
{
    uint32_t kept = xro_kept(op->span_count, op->span_room), over = kept;

    if (kept > 0 && (!op->done || op->span_count > op->span_room))
        over--;                 /* it is not over, or its end is not known */

    if (!waterfall->begun || waterfall->slot != op->slot) {
        waterfall->begun = true;
        waterfall->slot = op->slot;
        waterfall->shown = 0;
        fprintf(waterfall->to, "%s\n", xro_slot_name(op->slot));
    }
    for (; waterfall->shown < over; waterfall->shown++) {
        uint32_t i = waterfall->shown;
        if (i == 0 || op->spans[i].hop != op->spans[i - 1].hop)
            show_hop(waterfall->to, op, op->spans[i].hop);
        show_span(waterfall->to, op, i, i + 1 < kept ? op->spans[i + 1].begin : op->total);
    }
    if (op->done)
        show_end(waterfall->to, op);
}

/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * authenticate.c - the rounds of authentication: one method after the other in the server's order, on the same connection,
 * each an attempt in the record. The driver makes the credentials; here they go out, and here the answers are judged. */
#include "wire/call.h"

#include "base/escape.h"
#include "wire/path.h"

#include <stdio.h>

bool xro_call_copy(struct xro_client *client, struct xro_buf *buf, const void *bytes, size_t length,
                   struct xro_span_text *text)
{
    buf->length = 0;
    if (xro_buf_append(buf, bytes, length) != XRO_OK) {
        xro_call_fail(client, XRO_MEMORY, NULL, NULL);
        return false;
    }
    *text = (struct xro_span_text){ .bytes = length > 0 ? (const char *)buf->bytes : "", .length = length };
    return true;
}

/* The attempt under way; NULL when there is none, or no room for it. */
static struct xro_attempt *present_attempt(struct xro_client *client)
{
    struct xro_op *op = client->op;

    return op->attempt_count > 0 && op->attempt_count <= op->attempt_room ? &op->attempts[op->attempt_count - 1] : NULL;
}

static void add_attempt(struct xro_client *client, const char *method, enum xro_auth_outcome outcome, xro_ns loading)
{
    struct xro_op *op = client->op;
    struct xro_attempt *attempt;

    op->attempt_count++;
    attempt = present_attempt(client);
    if (attempt == NULL)
        return;
    *attempt = (struct xro_attempt){ .outcome = outcome, .hop = op->now_hop, .loading = loading };
    xro_escape(method, strlen(method), attempt->method, sizeof attempt->method);
}

static void give_reason(struct xro_client *client, enum xro_auth_outcome outcome, const char *reason, size_t length)
{
    struct xro_attempt *attempt = present_attempt(client);

    if (attempt == NULL)
        return;
    attempt->outcome = outcome;
    xro_escape(reason, length, attempt->reason, sizeof attempt->reason);
}

void xro_client_passed_over(struct xro_client *client, const char *method, enum xro_auth_outcome outcome,
                            const char *reason, xro_ns loading)
{
    add_attempt(client, method, outcome, loading);
    give_reason(client, outcome, reason, strlen(reason));
}

/* Making begins, the first time or for a further round. */
static void make(struct xro_client *client, xro_ns at)
{
    client->since = at;
    xro_call_enter(client, XRO_CALL_MAKE, at);
}

void xro_client_making(struct xro_client *client, const char *method, xro_ns loading)
{
    add_attempt(client, method, XRO_AUTH_OUTCOME_PENDING, loading);
    client->more = (struct xro_span_text){ .bytes = NULL };
    client->rounds = 0;
    make(client, xro_call_stamp(client));
}

static void book_making(struct xro_client *client, xro_ns cpu)
{
    struct xro_attempt *attempt = present_attempt(client);

    xro_call_stamp(client);
    if (attempt == NULL)
        return;
    attempt->making += client->now - client->since;
    attempt->cpu += cpu;
}

void xro_client_credentials(struct xro_client *client, const uint8_t *bytes, size_t length, xro_ns cpu)
{
    struct xro_out out = xro_link_room(client->link, XRO_REQUEST_HEADER_SIZE + length);
    const char *method = client->link->auth ? xro_auth_method(client->link->auth) : "";

    book_making(client, cpu);
    xro_put_auth(&out, XRO_STREAM_LOGIN, method, bytes, length);
    xro_link_wrote(client->link, &out);
    if (out.bad) {
        xro_call_fail(client, XRO_MEMORY, NULL, NULL);
        return;
    }
    client->stream = XRO_STREAM_LOGIN;
    xro_call_enter(client, XRO_CALL_AUTH, client->since = xro_call_stamp(client));
}

void xro_client_no_credentials(struct xro_client *client, const char *reason, xro_ns cpu)
{
    book_making(client, cpu);
    give_reason(client, XRO_AUTH_OUTCOME_FAILED, reason, strlen(reason));
    xro_call_enter(client, XRO_CALL_CHOOSE, client->now);
}

/* What was tried on this hop, as "krb5 (failed: no ticket), unix (refused: not this user)". */
static size_t list_attempts(const struct xro_op *op, char *to, size_t size)
{
    size_t used = 0;

    to[0] = '\0';
    for (uint32_t i = 0; i < xro_kept(op->attempt_count, op->attempt_room) && used + 1 < size; i++) {
        const struct xro_attempt *attempt = &op->attempts[i];
        int n;
        if (attempt->hop != op->now_hop)
            continue;
        n = snprintf(to + used, size - used, "%s%s (%s%s%s)", used ? ", " : "", attempt->method,
                     xro_auth_outcome_name(attempt->outcome), attempt->reason[0] ? ": " : "", attempt->reason);
        used = n < 0 || (size_t)n >= size - used ? size - 1 : used + (size_t)n;
    }
    return used;
}

void xro_client_no_more_methods(struct xro_client *client)
{
    struct xro_error *error = &client->op->error;
    char tried[XRO_TEXT_SIZE];
    size_t length;

    xro_call_stamp(client);
    length = list_attempts(client->op, tried, sizeof tried);
    /* It is the phase of authentication that failed, whatever the present one is. */
    xro_timeline_enter(client->op, XRO_PHASE_AUTH, client->now);
    xro_call_fail(client, XRO_AUTH, "none of the server's methods led to a login", length == 0 ? &client->token : NULL);
    if (length > 0)
        memcpy(error->text, tried, sizeof tried);       /* the reasons in it are escaped already */
}

/* --- answers -------------------------------------------------------------------------------------------------------- */

/* Credentials are secret: they do not stay in the buffer that they were sent from. */
static void wipe_output(struct xro_link *link)
{
    if (link->out.bytes != NULL)
        explicit_bzero(link->out.bytes, link->out.room);
    link->out.length = link->sent = 0;
}

static void accepted(struct xro_client *client)
{
    struct xro_link *link = client->link;
    size_t key = link->auth ? xro_auth_key_size(link->auth) : 0;

    give_reason(client, XRO_AUTH_OUTCOME_GOOD, "", 0);
    link->sign.any = false;
    if (link->signing)
        xro_sign_begin(&link->sign, link->sign_options, link->sign_level, link->sign_overrides, link->sign_override_count,
                       key);
    if (!link->sign.any || key == 0) {
        xro_auth_close(link->auth);
        link->auth = NULL;
    }
    xro_call_ready(client);
}

static void refused(struct xro_client *client, struct xro_answer answer, const uint8_t *body)
{
    struct xro_coded_answer error;

    if (!xro_get_coded_answer(body, answer.length, &error)) {
        xro_call_violation(client, "error answer is too short for its code");
        return;
    }
    give_reason(client, XRO_AUTH_OUTCOME_REFUSED, error.text.bytes, error.text.length);
    client->since = client->now;
    xro_call_enter(client, XRO_CALL_CHOOSE, client->now);
}

void xro_call_auth_answer(struct xro_client *client, struct xro_answer answer, const uint8_t *body)
{
    struct xro_attempt *attempt = present_attempt(client);

    wipe_output(client->link);
    client->rounds++;
    if (attempt != NULL) {
        attempt->rounds++;
        attempt->server += client->now - client->since;
    }
    switch (answer.status) {
    case XRO_KXR_OK:
        accepted(client);
        break;
    case XRO_KXR_AUTHMORE:
        if (client->rounds >= XRO_AUTH_ROUNDS_MOST) {
            xro_call_violation(client, "authentication goes on and on");
            break;
        }
        if (xro_call_copy(client, &client->question, body, answer.length, &client->more))
            make(client, client->now);
        break;
    case XRO_KXR_ERROR:
        refused(client, answer, body);
        break;
    default:
        xro_call_violation(client, "answer to kXR_auth has a status that it cannot have");
    }
}

/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * answers.c - what a whole answer means for the call. */
#include "wire/call.h"

#include "base/escape.h"
#include "wire/path.h"

/* --- answers that bring what was asked for ------------------------------------------------------------------------ */

static void open_answer(struct xro_client *client, const uint8_t *body, size_t length)
{
    struct xro_open_answer answer;
    struct xro_stat_answer stat;

    if (!xro_get_open_answer(body, length, &answer)) {
        xro_call_violation(client, "answer to kXR_open is too short for a file handle");
        return;
    }
    client->file_link = client->link;
    client->handle = answer.handle;
    client->file_size = -1;
    if (answer.stat.length > 0 && xro_get_stat_answer(answer.stat, &stat))
        client->file_size = client->op->size = stat.size;
    xro_call_succeed(client);
}

static void stat_answer(struct xro_client *client, const uint8_t *body, size_t length)
{
    struct xro_stat_answer stat;
    struct xro_span_text text = { .bytes = (const char *)body, .length = length };

    while (text.length > 0 && text.bytes[text.length - 1] == '\0')
        text.length--;
    if (!xro_get_stat_answer(text, &stat)) {
        xro_call_violation(client, "answer to kXR_stat is not understood");
        return;
    }
    client->op->size = stat.size;
    xro_call_succeed(client);
}

/* The data is in the reader's memory already; were there fewer bytes than the file has at that place? */
static void read_answer(struct xro_client *client)
{
    uint64_t size = (uint64_t)client->file_size, left;

    client->op->bytes = client->got;
    if (client->file_size >= 0 && client->got < client->size) {
        left = client->offset < size ? size - client->offset : 0;
        if (client->got < left) {
            xro_call_fail(client, XRO_SHORT, "the file is longer", NULL);
            return;
        }
    }
    xro_call_succeed(client);
}

static void good_answer(struct xro_client *client, const uint8_t *body, size_t length)
{
    switch (client->op->kind) {
    case XRO_OP_OPEN:
        open_answer(client, body, length);
        break;
    case XRO_OP_STAT:
        stat_answer(client, body, length);
        break;
    case XRO_OP_READ:
        read_answer(client);
        break;
    case XRO_OP_CLOSE:
        client->file_link = NULL;
        xro_call_succeed(client);
        break;
    case XRO_OP_PING:
    case XRO_OP_KINDS:
        xro_call_succeed(client);
        break;
    }
}

/* A piece of an answer. Those of a read are in place; those of a text are put together; others come in no pieces. */
static void piece_answer(struct xro_client *client, const uint8_t *body, size_t length)
{
    enum xro_op_kind kind = client->op->kind;

    client->empty_pieces = length == 0 ? client->empty_pieces + 1 : 0;
    if (client->empty_pieces > XRO_EMPTY_PIECES_MAX)
        xro_call_violation(client, "kXR_oksofar without data, again and again");
    else if (kind == XRO_OP_CLOSE || kind == XRO_OP_PING)
        xro_call_violation(client, "kXR_oksofar in answer to a request that has no data");
    else if (kind != XRO_OP_READ && xro_buf_append(&client->scratch, body, length) != XRO_OK)
        xro_call_violation(client, "answer is too long");
}

/* --- answers that do not ------------------------------------------------------------------------------------------ */

/* Codes that a server may give to a flight only because it wants the steps one by one. */
static bool refuses_flight(int code)
{
    return code == XRO_KXR_INVALIDREQUEST || code == XRO_KXR_NOTAUTHORIZED || code == XRO_KXR_TLSREQUIRED
        || code == XRO_KXR_AUTHFAILED || code == XRO_KXR_INPROGRESS;
}

void xro_call_error_answer(struct xro_client *client, struct xro_answer answer, const uint8_t *body)
{
    struct xro_hop *hop = &client->op->hops[client->op->now_hop];
    struct xro_coded_answer error;
    bool at_start = client->state < XRO_CALL_REQUEST;

    if (!xro_get_coded_answer(body, answer.length, &error)) {
        xro_call_violation(client, "error answer is too short for its code");
        return;
    }
    hop->server_code = error.code;
    if (refuses_flight(error.code) && xro_call_step_by_step(client))
        return;
    hop->ending = XRO_ENDING_REFUSED;
    if (!at_start && xro_call_go_back(client, error.code))
        return;
    client->op->error.server = error.code;
    if (at_start)
        xro_link_down(client->link);
    xro_call_fail(client, XRO_SERVER, NULL, &error.text);
}

static void record_wait(struct xro_client *client, const struct xro_coded_answer *answer, bool deferred)
{
    struct xro_op *op = client->op;
    struct xro_hop *hop = &op->hops[op->now_hop];

    if (op->wait_count < op->wait_room) {
        struct xro_wait *wait = &op->waits[op->wait_count];
        *wait = (struct xro_wait){ .asked_s = answer->code, .deferred = deferred, .begin = client->now - op->begin,
                                   .hop = op->now_hop };
        xro_escape(answer->text.bytes, answer->text.length, wait->text, sizeof wait->text);
    }
    op->wait_count++;
    hop->wait_count++;
    hop->wait_asked_s += answer->code > 0 ? (uint64_t)answer->code : 0;
}

void xro_call_wait_answer(struct xro_client *client, struct xro_answer answer, const uint8_t *body)
{
    struct xro_coded_answer wait;
    xro_ns pause;

    if (!xro_get_coded_answer(body, answer.length, &wait)) {
        xro_call_violation(client, "kXR_wait is too short for its seconds");
        return;
    }
    record_wait(client, &wait, false);
    if (wait.code < 0) {
        xro_call_violation(client, "server ordered a wait of less than 0 s");
        return;
    }
    client->resume = client->state == XRO_CALL_LOGIN ? XRO_CALL_LOGIN : XRO_CALL_REQUEST;
    xro_call_enter(client, XRO_CALL_WAIT, client->now);
    pause = wait.code == 0 ? XRO_SHORTEST_WAIT : (xro_ns)(uint32_t)wait.code * XRO_NS_PER_S;
    client->wake = xro_ns_add(client->now, pause);
    if (client->wake <= client->deadline && client->wake <= client->connect_deadline)
        return;
    /* It would not end in time: say so at once. */
    client->op->error.limit = client->wake > client->deadline ? XRO_LIMIT_TOTAL : XRO_LIMIT_CONNECT;
    xro_call_fail(client, client->op->wait_count > 1 ? XRO_STALLED : XRO_TIMEOUT, NULL, &wait.text);
}

static void defer_answer(struct xro_client *client, struct xro_answer answer, const uint8_t *body)
{
    struct xro_coded_answer wait;

    if (!xro_get_coded_answer(body, answer.length, &wait)) {
        xro_call_violation(client, "kXR_waitresp is too short for its seconds");
        return;
    }
    record_wait(client, &wait, true);
    xro_call_enter(client, XRO_CALL_DEFER, client->now);
}

/* --- dispatch ----------------------------------------------------------------------------------------------------- */

static void request_answer(struct xro_client *client, struct xro_answer answer, const uint8_t *body, bool inner)
{
    switch (answer.status) {
    case XRO_KXR_OK:
        if (client->scratch.length > 0 && client->op->kind != XRO_OP_READ) {
            piece_answer(client, body, answer.length);
            if (client->state != XRO_CALL_DONE)
                good_answer(client, client->scratch.bytes, client->scratch.length);
        } else {
            good_answer(client, body, answer.length);
        }
        break;
    case XRO_KXR_OKSOFAR:
        piece_answer(client, body, answer.length);
        break;
    case XRO_KXR_ERROR:
        xro_call_error_answer(client, answer, body);
        break;
    case XRO_KXR_REDIRECT:
        xro_call_redirect(client, body, answer.length);
        break;
    case XRO_KXR_WAIT:
        xro_call_wait_answer(client, answer, body);
        break;
    case XRO_KXR_WAITRESP:
        if (inner)
            xro_call_violation(client, "deferred answer defers again");
        else
            defer_answer(client, answer, body);
        break;
    default:
        xro_call_violation(client, "answer has a status that this request cannot have");
    }
}

void xro_call_answer(struct xro_client *client, struct xro_answer answer, const uint8_t *body, bool inner)
{
    bool start = client->state == XRO_CALL_PROTOCOL || client->state == XRO_CALL_LOGIN;

    if (client->state == XRO_CALL_AUTH)
        xro_call_auth_answer(client, answer, body);
    else if (!start)
        request_answer(client, answer, body, inner);
    else if (answer.status == XRO_KXR_ERROR)
        xro_call_error_answer(client, answer, body);
    else if (answer.status == XRO_KXR_WAIT && client->state == XRO_CALL_LOGIN && !client->flight)
        xro_call_wait_answer(client, answer, body);
    else if (answer.status != XRO_KXR_OK)
        xro_call_violation(client, "answer to the start of a connection is neither good nor an error");
    else if (client->state == XRO_CALL_PROTOCOL)
        xro_call_protocol_answer(client, answer, body);
    else
        xro_call_login_answer(client, answer, body);
}

void xro_call_stray(struct xro_client *client)
{
    if (++client->op->stray_count > XRO_STRAY_MAX && client->state != XRO_CALL_DONE)
        xro_call_violation(client, "too many answers that nobody waits for");
}

void xro_call_attn(struct xro_client *client, struct xro_link *link)
{
    struct xro_attn_answer attn;
    bool waiting = client->state >= XRO_CALL_REQUEST && client->state <= XRO_CALL_DEFER && client->state != XRO_CALL_WAIT;

    if (!xro_get_attn_answer(link->body.bytes, link->body.length, &attn)) {
        xro_call_link_violation(client, link, "kXR_attn is not understood");
        return;
    }
    if (!attn.has_answer) {
        client->op->message_count += attn.action == XRO_KXR_ASYNCMS;
        return;                 /* other actions are obsolete, and ignored by the official client */
    }
    if (!waiting || attn.inner.stream != client->stream) {
        xro_call_stray(client);
        return;
    }
    xro_call_enter(client, XRO_CALL_TRANSFER, link->began);
    if (client->op->kind == XRO_OP_READ && (attn.inner.status == XRO_KXR_OK || attn.inner.status == XRO_KXR_OKSOFAR)) {
        if (attn.length > client->size - client->got) {
            xro_call_violation(client, "more data than was asked for");
            return;
        }
        if (attn.length > 0) {
            memcpy(client->data + client->got, attn.body, attn.length);
            client->op->piece_count++;
        }
        client->got += (uint32_t)attn.length;
    }
    xro_call_answer(client, attn.inner, attn.body, true);
}

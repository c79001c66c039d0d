/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * receive.c - bytes to answers: gathers each answer's head and body whatever pieces they come in, puts a read's data
 * where the reader wants it, drops what nobody waits for, and hands whole answers on. */
#include "wire/call.h"

/* min(n, m) bytes of what has come */
static size_t at_most(size_t n, size_t m)
{
    return n < m ? n : m;
}

static bool is_waited_for(const struct xro_client *client, const struct xro_link *link)
{
    return link == client->link && xro_call_waits_for_answer(client) && link->answer.stream == client->stream;
}

static bool is_data(const struct xro_client *client, const struct xro_link *link)
{
    return client->op->kind == XRO_OP_READ && client->state >= XRO_CALL_REQUEST
        && (link->answer.status == XRO_KXR_OK || link->answer.status == XRO_KXR_OKSOFAR);
}

/* The pause between two arrivals of data is what a user sees as a stall. */
static void note_data(struct xro_client *client, xro_ns at)
{
    struct xro_op *op = client->op;

    if (client->data_at != 0 && at - client->data_at > op->gap) {
        op->gap = at - client->data_at;
        op->gap_begin = client->data_at - op->begin;
    }
    client->data_at = at;
}

/* A head is whole: what is its body, and is it in order? */
static void begin_body(struct xro_client *client, struct xro_link *link)
{
    struct xro_in in = xro_in(link->head, XRO_ANSWER_HEADER_SIZE);
    bool waited, attn;

    xro_get_answer(&in, &link->answer);
    waited = is_waited_for(client, link);
    attn = link->answer.status == XRO_KXR_ATTN;
    link->in_body = true;
    link->body_left = link->answer.length;
    link->body.length = 0;
    link->body_is_data = waited && !attn && is_data(client, link);
    link->body_is_dropped = !waited && !attn;
    if (link->answer.length > INT32_MAX)
        xro_call_link_violation(client, link, "answer has a negative length");
    else if (link->body_is_data && link->answer.length > client->size - client->got)
        xro_call_violation(client, "more data than was asked for");
    else if (!link->body_is_data && !link->body_is_dropped && link->answer.length > XRO_BODY_MAX)
        xro_call_link_violation(client, link, "answer is longer than any of its kind can be");
    else if (!link->body_is_data && !link->body_is_dropped
             && xro_buf_reserve(&link->body, link->answer.length) != XRO_OK)
        xro_call_fail(client, XRO_MEMORY, NULL, NULL);
    else if (waited && !attn && (client->state == XRO_CALL_REQUEST || client->state == XRO_CALL_DEFER))
        xro_call_enter(client, XRO_CALL_TRANSFER, link->began);
}

static void end_body(struct xro_client *client, struct xro_link *link)
{
    link->in_body = false;
    link->head_length = 0;
    if (link->answer.status == XRO_KXR_ATTN) {
        xro_call_attn(client, link);
    } else if (link->body_is_dropped) {
        xro_call_stray(client);
    } else {
        if (link->body_is_data && link->answer.length > 0)
            client->op->piece_count++;
        xro_call_answer(client, link->answer, link->body.bytes, false);
    }
}

static size_t take_head(struct xro_client *client, struct xro_link *link, const uint8_t *bytes, size_t n)
{
    bool handshake = client->state == XRO_CALL_HANDSHAKE && link == client->link;
    size_t whole = handshake ? XRO_HANDSHAKE_ANSWER_SIZE : XRO_ANSWER_HEADER_SIZE;
    size_t take = at_most(n, whole - link->head_length);

    if (link->head_length == 0)
        link->began = client->now;
    memcpy(link->head + link->head_length, bytes, take);
    link->head_length += take;
    if (link->head_length < whole)
        return take;
    if (handshake) {
        link->head_length = 0;
        xro_call_handshake_answer(client, link->head);
        return take;
    }
    begin_body(client, link);
    if (link->up && link->in_body && link->body_left == 0)
        end_body(client, link);
    return take;
}

static size_t take_body(struct xro_client *client, struct xro_link *link, const uint8_t *bytes, size_t n)
{
    size_t take = at_most(n, link->body_left);

    if (link->body_is_data) {
        memcpy(client->data + client->got, bytes, take);
        client->got += (uint32_t)take;
        note_data(client, client->now);
    } else if (!link->body_is_dropped) {
        xro_buf_append(&link->body, bytes, take);       /* the room is there: begin_body made it */
    }
    link->body_left -= (uint32_t)take;
    if (link->body_left == 0)
        end_body(client, link);
    return take;
}

void xro_client_received(struct xro_client *client, struct xro_link *link, const uint8_t *bytes, size_t n)
{
    xro_call_stamp(client);
    while (n > 0 && link->up) {
        if ((client->state == XRO_CALL_SECURE || client->state == XRO_CALL_TLS) && link == client->link) {
            xro_call_violation(client, "server sends bytes in the clear where TLS has to begin");
            return;
        }
        size_t taken = link->in_body ? take_body(client, link, bytes, n) : take_head(client, link, bytes, n);
        bytes += taken;
        n -= taken;
    }
}

/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * client.c - the call's life: begin, what it wants, what the driver reports, how it ends. */
#include "wire/client.h"

#include "base/escape.h"
#include "wire/call.h"
#include "wire/path.h"

#include <errno.h>

static const struct call_state_info {
    const char *name;
    enum xro_phase phase;
    enum xro_want want;
    const char *text;
} states[] = {
#define S(id, phase, want, text) [XRO_CALL_##id] = { #id, XRO_PHASE_##phase, XRO_WANT_##want, text },
    XRO_CALL_STATES(S)
#undef S
};

const char *xro_call_state_name(enum xro_call_state state)
{
    return states[state].name;
}

enum xro_phase xro_call_state_phase(enum xro_call_state state)
{
    return states[state].phase;
}

const char *xro_call_state_text(enum xro_call_state state)
{
    return states[state].text;
}

xro_ns xro_call_stamp(struct xro_client *client)
{
    return client->now = client->config.clock(client->config.clock_arg);
}

void xro_call_end_pause(struct xro_client *client, xro_ns at)
{
    struct xro_op *op = client->op;
    struct xro_wait *wait;

    if ((client->state != XRO_CALL_WAIT && client->state != XRO_CALL_DEFER) || op->wait_count == 0
        || op->wait_count > op->wait_room)
        return;
    wait = &op->waits[op->wait_count - 1];
    if (wait->spent == 0)
        wait->spent = at - op->begin - wait->begin;
}

bool xro_call_waits_for_answer(const struct xro_client *client)
{
    return states[client->state].want == XRO_WANT_BYTES && client->state != XRO_CALL_HANDSHAKE;
}

void xro_call_enter(struct xro_client *client, enum xro_call_state next, xro_ns at)
{
    /* The head of an answer may have come before its request went out (a broken server's): time does not run back. */
    if (at < client->op->now_begin)
        at = client->op->now_begin;
    xro_call_end_pause(client, at);
    client->state = next;
    xro_timeline_enter(client->op, states[next].phase, at);
}

/* --- life -------------------------------------------------------------------------------------------------------- */

enum { SPARE_LINKS = 3, PATH_FIRST = 4096, SIGNATURE_MOST = 4096 };    /* made before the clock runs */

enum xro_status xro_client_create(struct xro_client *client, const struct xro_client_config *config)
{
    struct xro_span_text host = xro_text(config->host);
    enum xro_status status = XRO_OK;

    memset(client, 0, sizeof *client);
    client->config = *config;
    client->connect_deadline = XRO_NEVER;
    client->file_size = -1;
    client->path = xro_buf(XRO_WIRE_PATH_MAX);
    client->first_path = xro_buf(XRO_WIRE_PATH_MAX);
    client->scratch = xro_buf(XRO_WIRE_PATH_MAX);
    client->signature = xro_buf(SIGNATURE_MOST);
    client->offer = client->question = xro_buf(XRO_BODY_MAX);
    for (uint16_t i = 0; i < SPARE_LINKS && status == XRO_OK; i++) {
        client->links[i] = xro_link_create(i);
        status = client->links[i] ? XRO_OK : XRO_MEMORY;
    }
    if (status == XRO_OK)
        status = xro_buf_reserve(&client->path, PATH_FIRST);
    if (status == XRO_OK)
        status = xro_buf_reserve(&client->first_path, PATH_FIRST);
    if (status == XRO_OK)
        status = xro_buf_reserve(&client->scratch, PATH_FIRST);
    if (status == XRO_OK && xro_client_link(client, host, config->port) == NULL)
        status = XRO_INVALID;
    if (status != XRO_OK)
        xro_client_close(client);
    return status;
}

void xro_client_close(struct xro_client *client)
{
    for (size_t i = 0; i < XRO_LINKS_MAX; i++)
        xro_link_close(client->links[i]);
    xro_buf_free(&client->path);
    xro_buf_free(&client->first_path);
    xro_buf_free(&client->scratch);
    xro_buf_free(&client->signature);
    xro_buf_free(&client->offer);
    xro_buf_free(&client->question);
    memset(client, 0, sizeof *client);
}

static bool uses_handle(enum xro_op_kind kind)
{
    return kind == XRO_OP_READ || kind == XRO_OP_CLOSE;
}

void xro_client_begin(struct xro_client *client, enum xro_op_kind kind, void *data, uint64_t offset, uint32_t size,
                      struct xro_op *op)
{
    struct xro_span_text path = xro_text(client->config.path);
    xro_ns now = xro_call_stamp(client);

    xro_timeline_begin(op, kind, now);
    if (client->deadline == 0)
        client->deadline = xro_ns_add(now, client->config.timeout);
    client->op = op;
    client->state = XRO_CALL_IDLE;
    client->balancer = NULL;
    client->redirects = client->empty_pieces = 0;
    client->data = (uint8_t *)data;
    client->offset = offset;
    client->size = size;
    client->got = 0;
    client->data_at = 0;
    client->scratch.length = client->path.length = client->first_path.length = 0;
    client->link = uses_handle(kind) && client->file_link ? client->file_link : client->links[0];
    if (xro_buf_append(&client->path, path.bytes, path.length) != XRO_OK) {
        xro_timeline_hop(op, client->link->host, client->link->port, now);
        xro_call_fail(client, XRO_MEMORY, NULL, NULL);
    } else if (uses_handle(kind) && (client->file_link == NULL || !client->file_link->ready)) {
        xro_timeline_hop(op, client->link->host, client->link->port, now);
        xro_call_fail(client, XRO_CLOSED, "no file is open there any more", NULL);
    } else {
        xro_call_hop(client, client->link);
    }
}

enum xro_want xro_client_wants(const struct xro_client *client, struct xro_link **link, xro_ns *until)
{
    *link = client->link;
    *until = client->deadline < client->connect_deadline ? client->deadline : client->connect_deadline;
    if (client->state == XRO_CALL_WAIT)
        *until = client->wake;
    return states[client->state].want;
}

/* --- ends -------------------------------------------------------------------------------------------------------- */

/* An earlier hop of this op at the same address: another name for the same server. */
static void note_same_address(struct xro_op *op, uint16_t index)
{
    struct xro_hop *hop = &op->hops[index];

    for (uint16_t i = 0; i < index && hop->same_as == XRO_NO_HOP; i++)
        if (strcmp(op->hops[i].address, hop->address) == 0)
            hop->same_as = i;
}

/* Write out the addresses that hops are connected to. It takes a while, so it is done when the clock has stopped. */
static void describe_addresses(struct xro_client *client)
{
    for (uint16_t i = 0; i < client->op->hop_count && i < XRO_HOP_ROOM; i++) {
        struct xro_hop *hop = &client->op->hops[i];
        if (client->hop_links[i] < 0 || hop->address[0] != '\0')
            continue;
        xro_address_format(&client->links[client->hop_links[i]]->address, hop->address, sizeof hop->address);
        note_same_address(client->op, i);
    }
}

static void finish(struct xro_client *client)
{
    client->connect_deadline = XRO_NEVER;
    xro_call_enter(client, XRO_CALL_DONE, client->now);
    xro_timeline_end(client->op, xro_call_stamp(client));
    describe_addresses(client);
}

void xro_call_succeed(struct xro_client *client)
{
    client->op->hops[client->op->now_hop].ending = XRO_ENDING_ANSWERED;
    finish(client);
}

void xro_call_fail(struct xro_client *client, enum xro_status status, const char *detail, const struct xro_span_text *text)
{
    struct xro_op *op = client->op;
    struct xro_error *error = &op->error;
    struct xro_hop *hop = &op->hops[op->now_hop];

    if (client->state == XRO_CALL_DONE) {       /* what came behind the answer is broken: the next op will find out */
        xro_link_down(client->link);
        return;
    }
    if (op->kind == XRO_OP_READ)
        op->bytes = client->got;
    error->status = status;
    /* An error is the answer to the request: that its bytes had begun to come is of no interest. */
    error->phase = status == XRO_SERVER && client->state == XRO_CALL_TRANSFER ? XRO_PHASE_REQUEST
                                                                              : (enum xro_phase)op->now_phase;
    error->hop = op->now_hop;
    error->detail = detail;
    if (text != NULL)
        xro_escape(text->bytes, text->length, error->text, sizeof error->text);
    if (hop->ending == XRO_ENDING_UNDER_WAY && status != XRO_TIMEOUT && status != XRO_INTERRUPTED)
        hop->ending = status == XRO_SERVER ? XRO_ENDING_REFUSED : XRO_ENDING_BROKEN;
    if (status != XRO_SERVER)   /* an answer may still be on its way: the link cannot be used again */
        xro_link_down(client->link);
    if (client->file_link == client->link && (op->kind == XRO_OP_CLOSE || !client->link->up))
        client->file_link = NULL;
    finish(client);
}

void xro_call_violation(struct xro_client *client, const char *detail)
{
    xro_link_down(client->link);
    xro_call_fail(client, XRO_PROTOCOL, detail, NULL);
}

void xro_call_link_violation(struct xro_client *client, struct xro_link *link, const char *detail)
{
    if (link == client->link)
        xro_call_violation(client, detail);
    else
        xro_link_down(link);
}

/* --- what the driver reports --------------------------------------------------------------------------------------- */

void xro_client_resolved(struct xro_client *client, int resolver)
{
    xro_call_stamp(client);
    if (resolver == 0) {
        xro_call_enter(client, XRO_CALL_CONNECT, client->now);
        return;
    }
    client->op->error.resolver = resolver;
    if (!xro_call_go_back(client, 0))
        xro_call_fail(client, XRO_RESOLVE, NULL, NULL);
}

void xro_client_connected(struct xro_client *client, struct xro_link *link, const struct xro_address *address)
{
    struct xro_out out;

    xro_timeline_enter(client->op, XRO_PHASE_OTHER, xro_call_stamp(client));
    if (link->address.length > 0)
        describe_addresses(client);     /* of its earlier connection, before they are forgotten */
    link->up = true;
    if (client->file_link == link)
        client->file_link = NULL;       /* its handle was the old session's */
    link->address = *address;
    client->hop_links[client->op->now_hop] = (int8_t)link->index;
    out = xro_link_room(link, XRO_HANDSHAKE_SIZE + XRO_REQUEST_HEADER_SIZE);
    xro_put_handshake(&out);
    xro_put_protocol(&out, XRO_STREAM_PROTOCOL, xro_call_protocol_flags(client), XRO_KXR_EXPLOGIN);
    client->stream = XRO_STREAM_PROTOCOL;
    xro_link_wrote(link, &out);
    if (client->flight && !(xro_call_encode_login(client) && xro_call_encode(client)))
        return;
    xro_call_enter(client, XRO_CALL_HANDSHAKE, xro_call_stamp(client));
}

/* The way back leads to a manager whose connection was kept, and which may have ended it meanwhile: that says nothing about
 * the manager, which is connected once more. The new hop is not a kept one, so it cannot go on for ever. */
static bool connect_again(struct xro_client *client, bool begun)
{
    struct xro_hop *hop = &client->op->hops[client->op->now_hop];

    if (begun || !hop->reused || client->state != XRO_CALL_REQUEST || client->link != client->balancer || client->op->now_hop == 0)
        return false;
    hop->ending = XRO_ENDING_RETRIED;
    xro_call_hop(client, client->link);
    return true;
}

void xro_client_broke(struct xro_client *client, struct xro_link *link, enum xro_status status, int system)
{
    bool begun = link->head_length > 0 || link->in_body;

    xro_call_stamp(client);
    xro_link_down(link);
    if (link != client->link || states[client->state].want == XRO_WANT_NOTHING)
        return;
    client->op->hops[client->op->now_hop].system = system;
    if (status != XRO_CONNECT && xro_call_step_by_step(client))
        return;
    client->op->hops[client->op->now_hop].ending = XRO_ENDING_BROKEN;
    if (xro_call_go_back(client, 0) || connect_again(client, begun))
        return;
    client->op->error.system = system;
    xro_call_fail(client, status, begun ? "in the middle of an answer" : NULL, NULL);
}

void xro_client_woke(struct xro_client *client)
{
    xro_call_stamp(client);
    if (client->resume == XRO_CALL_LOGIN) {
        if (xro_call_encode_login(client))
            xro_call_enter(client, XRO_CALL_LOGIN, xro_call_stamp(client));
    } else {
        xro_call_send(client);
    }
}

void xro_client_expired(struct xro_client *client)
{
    bool total = xro_call_stamp(client) >= client->deadline;
    struct xro_op *op = client->op;

    if (!total) {
        op->hops[op->now_hop].ending = XRO_ENDING_BROKEN;
        op->hops[op->now_hop].system = ETIMEDOUT;
        xro_link_down(client->link);
        if (xro_call_go_back(client, 0))
            return;
    }
    op->error.limit = total ? XRO_LIMIT_TOTAL : XRO_LIMIT_CONNECT;
    xro_call_fail(client, XRO_TIMEOUT, states[client->state].text, NULL);
}

void xro_client_interrupt(struct xro_client *client)
{
    if (states[client->state].want != XRO_WANT_NOTHING)
        xro_call_fail(client, XRO_INTERRUPTED, NULL, NULL);
}

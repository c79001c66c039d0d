/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * message.c - the bytes that a step sends: header and body put together as they should be, then changed as the script
 * wants them. */
#include "imposter/loop.h"
#include "proto/serve.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

/* --- data ------------------------------------------------------------------------------------------------------- */

static enum xro_status append_text(struct xro_buf *buf, const char *text)
{
    return text != NULL ? xro_buf_append(buf, text, strlen(text)) : XRO_OK;
}

static enum xro_status append_int(struct xro_buf *buf, uint32_t value)
{
    uint8_t bytes[4];
    struct xro_out out = xro_out(bytes, sizeof bytes);

    xro_out_u32(&out, value);
    return xro_buf_append(buf, bytes, sizeof bytes);
}

void xro_server_host(const struct xro_server *server, unsigned address, char *to, size_t size)
{
    const struct xro_script_address *at = server->addresses;

    for (; address > 0 && at->next != NULL; address--)
        at = at->next;
    bool v6 = strchr(at->text, ':') != NULL;
    if (server->host != NULL && at == server->addresses)
        snprintf(to, size, "%s", server->host);
    else
        snprintf(to, size, "%s%s%s", v6 ? "[" : "", at->text, v6 ? "]" : "");
}

static enum xro_status append_url(struct xro_buf *buf, const struct xro_turn *turn, const struct xro_redirect *redirect,
                                  const char *host, uint32_t port)
{
    char start[400];
    enum xro_status status;

    snprintf(start, sizeof start, "%.30s://%.300s:%" PRIu32 "/", redirect->scheme, host, port);
    status = append_text(buf, start);
    if (status != XRO_OK)
        return status;
    if (redirect->path != NULL)
        return append_text(buf, redirect->path);
    return xro_buf_append(buf, turn->path, turn->path != NULL ? turn->path_length : 0);
}

static enum xro_status append_target(struct xro_buf *buf, const struct xro_turn *turn,
                                     const struct xro_redirect *redirect)
{
    const struct xro_imposter *imposter = turn->guest->imposter;
    unsigned server = redirect->server >= 0 ? (unsigned)redirect->server : turn->guest->server;
    uint32_t port = redirect->has_port ? (uint32_t)redirect->port : imposter->ports[server];
    char host[300];
    enum xro_status status = append_int(buf, redirect->url ? ~redirect->flags : port);

    xro_server_host(&imposter->script->servers[server], redirect->address, host, sizeof host);
    if (status == XRO_OK && redirect->server == XRO_REDIRECT_TEXT)
        status = append_text(buf, redirect->text);
    else if (status == XRO_OK && redirect->url)
        status = append_url(buf, turn, redirect, host, port);
    else if (status == XRO_OK)
        status = append_text(buf, host);
    if (status == XRO_OK && (redirect->opaque != NULL || redirect->token != NULL))
        status = append_text(buf, "?");
    if (status == XRO_OK)
        status = append_text(buf, redirect->opaque);
    if (status == XRO_OK && redirect->token != NULL)
        status = append_text(buf, "?");
    return status == XRO_OK ? append_text(buf, redirect->token) : status;
}

static enum xro_status append_bytes(struct xro_buf *buf, const struct xro_data *data)
{
    enum xro_status status = xro_buf_reserve(buf, data->length * (size_t)data->times);

    for (uint64_t i = 0; status == XRO_OK && i < data->times; i++)
        status = xro_buf_append(buf, data->bytes, data->length);
    return status;
}

static enum xro_status append_data(struct xro_buf *buf, const struct xro_turn *turn, const struct xro_data *data)
{
    const struct xro_guest *guest = turn->guest;
    uint8_t bytes[XRO_SESSION_ID_SIZE] = { (uint8_t)(turn->request.stream >> 8), (uint8_t)turn->request.stream };

    switch (data->kind) {
    case XRO_DATA_BYTES:
        return append_bytes(buf, data);
    case XRO_DATA_FLAGS:
        return append_int(buf, xro_server_flags(&guest->imposter->script->servers[guest->server]));
    case XRO_DATA_SESSION:
        xro_guest_session(guest, bytes);
        return xro_buf_append(buf, bytes, XRO_SESSION_ID_SIZE);
    case XRO_DATA_STREAM:
        return xro_buf_append(buf, bytes, 2);
    case XRO_DATA_TARGET:
        return append_target(buf, turn, data->redirect);
    }
    return XRO_INVALID;
}

static enum xro_status append_list(struct xro_buf *buf, const struct xro_turn *turn, const struct xro_data *list)
{
    enum xro_status status = XRO_OK;

    for (; list != NULL && status == XRO_OK; list = list->next)
        status = append_data(buf, turn, list);
    return status;
}

/* --- the normal answer, whole or in pieces ---------------------------------------------------------------------- */

/* N bytes of the normal answer's body from the present position on; past its end it begins again, and where it has
 * none zeros come. */
static enum xro_status append_body(struct xro_buf *buf, const struct xro_turn *turn, size_t n)
{
    const struct xro_buf *body = &turn->normal.body;
    size_t at = body->length > 0 ? (size_t)(turn->position % body->length) : 0;
    enum xro_status status = xro_buf_reserve(buf, n);

    if (status != XRO_OK || n == 0)
        return status;
    if (body->length == 0) {
        memset(buf->bytes + buf->length, 0, n);
        buf->length += n;
    }
    while (body->length > 0 && n > 0) {
        size_t part = body->length - at < n ? body->length - at : n;
        xro_buf_append(buf, body->bytes + at, part);
        n -= part;
        at = 0;
    }
    return XRO_OK;
}

static enum xro_status append_pages(struct xro_buf *buf, const struct xro_turn *turn, size_t n, bool final)
{
    struct xro_buf plain = xro_buf(XRO_SCRIPT_MESSAGE_MAX);
    uint64_t offset = turn->normal.offset + turn->position;
    size_t length = xro_pages_length(offset, n);
    enum xro_status status = append_body(&plain, turn, n);
    struct xro_out out;

    if (status == XRO_OK)
        status = xro_buf_reserve(buf, XRO_STATUS_SIZE + length);
    if (status == XRO_OK) {
        out = xro_out(buf->bytes + buf->length, XRO_STATUS_SIZE + length);
        xro_put_status(&out, turn->request.stream, turn->request.code, final, (uint32_t)length, offset);
        xro_put_pages(&out, offset, plain.bytes, n);
        buf->length += XRO_STATUS_SIZE + length;
    }
    xro_buf_free(&plain);
    return status;
}

/* Room for the header, to be filled when the body's length is known. */
static enum xro_status begin_header(struct xro_buf *buf)
{
    static const uint8_t nothing[XRO_ANSWER_HEADER_SIZE];

    return xro_buf_append(buf, nothing, sizeof nothing);
}

static void put_header(uint8_t *at, uint16_t stream, uint16_t status, size_t length)
{
    struct xro_out out = xro_out(at, XRO_ANSWER_HEADER_SIZE);

    xro_put_answer(&out, (struct xro_answer){ .stream = stream, .status = status, .length = (uint32_t)length });
}

static enum xro_status append_plain(struct xro_buf *buf, const struct xro_turn *turn, size_t n, bool final)
{
    size_t start = buf->length;
    uint16_t code = final || turn->normal.status != XRO_KXR_OK ? turn->normal.status : (uint16_t)XRO_KXR_OKSOFAR;
    enum xro_status status = begin_header(buf);

    if (status == XRO_OK)
        status = append_body(buf, turn, n);
    if (status == XRO_OK)
        put_header(buf->bytes + start, turn->request.stream, code, n);
    return status;
}

/* How much of the body this step takes, and whether it is the last of it. */
static size_t piece_length(const struct xro_turn *turn, const struct xro_step *step, bool *final)
{
    size_t body = turn->normal.body.length, left = turn->position < body ? body - (size_t)turn->position : 0;

    *final = step->kind == XRO_STEP_ANSWER || turn->normal.status != XRO_KXR_OK;
    if (*final)
        return left;
    if (step->kind == XRO_STEP_PIECES) {
        *final = left <= step->amount.bytes;
        return *final ? left : (size_t)step->amount.bytes;
    }
    switch (step->amount.kind) {
    case XRO_AMOUNT_BYTES:
        return (size_t)step->amount.bytes;
    case XRO_AMOUNT_HALF:
        return body / 2;
    case XRO_AMOUNT_ALL:
        break;
    }
    return left;
}

static enum xro_status append_normal(struct xro_buf *buf, struct xro_turn *turn, const struct xro_step *step)
{
    bool final;
    size_t n;
    enum xro_status status = XRO_OK;

    if (!turn->has_normal) {
        status = xro_normal_answer(turn, &turn->normal);
        turn->has_normal = true;
    }
    if (status != XRO_OK || turn->normal.bare)
        return status;
    n = piece_length(turn, step, &final);
    status = turn->normal.pages ? append_pages(buf, turn, n, final) : append_plain(buf, turn, n, final);
    turn->position = final ? 0 : turn->position + n;    /* a further `answer` is the whole once more */
    turn->more = step->kind == XRO_STEP_PIECES && !final;
    return status;
}

/* --- changes ---------------------------------------------------------------------------------------------------- */

static void override_field(uint8_t *at, size_t size, struct xro_override override)
{
    struct xro_in in = xro_in(at, size);
    struct xro_out out = xro_out(at, size);
    uint64_t value = xro_in_big(&in, size);

    if (override.kind == XRO_KEEP)
        return;
    value = override.kind == XRO_ADD ? value + (uint64_t)override.value : (uint64_t)override.value;
    xro_out_big(&out, value, size);
}

static void apply_patch(uint8_t *message, size_t length, const struct xro_patch *patch)
{
    if (patch->at >= length)
        return;
    size_t room = length - (size_t)patch->at;
    if (patch->flip)
        message[patch->at] ^= 0xff;
    else
        memcpy(message + patch->at, patch->bytes, patch->length < room ? patch->length : room);
}

/* MESSAGE is the one that the step names: inside a kXR_attn, the inner one. */
static void change(uint8_t *message, size_t length, const struct xro_step *step)
{
    if (length < XRO_ANSWER_HEADER_SIZE)
        return;
    override_field(message, 2, step->stream);
    override_field(message + 2, 2, step->status);
    override_field(message + 4, 4, step->length);
    for (const struct xro_patch *patch = step->patches; patch != NULL; patch = patch->next)
        apply_patch(message, length, patch);
    if (step->crc)
        xro_fix_status(message, length);
}

/* --- whole ------------------------------------------------------------------------------------------------------ */

/* kXR_attn's header, action and reserved word; the inner message follows. */
static enum xro_status begin_attn(struct xro_buf *buf)
{
    enum xro_status status = begin_header(buf);

    if (status == XRO_OK)
        status = append_int(buf, XRO_KXR_ASYNRESP);
    return status == XRO_OK ? append_int(buf, 0) : status;
}

static enum xro_status append_message(struct xro_buf *buf, struct xro_turn *turn, const struct xro_step *step)
{
    size_t start = buf->length;
    enum xro_status status = begin_header(buf);

    if (status == XRO_OK)
        status = append_list(buf, turn, step->data);
    if (status == XRO_OK)
        put_header(buf->bytes + start, turn->request.stream, step->code, buf->length - start - XRO_ANSWER_HEADER_SIZE);
    return status;
}

static enum xro_status append_step(struct xro_buf *buf, struct xro_turn *turn, const struct xro_step *step)
{
    switch (step->kind) {
    case XRO_STEP_ANSWER:
    case XRO_STEP_PIECE:
    case XRO_STEP_PIECES:
        return append_normal(buf, turn, step);
    case XRO_STEP_MESSAGE:
        return append_message(buf, turn, step);
    case XRO_STEP_RAW:
        return append_list(buf, turn, step->data);
    default:
        return XRO_OK;
    }
}

enum xro_status xro_message_build(struct xro_turn *turn)
{
    const struct xro_step *step = &turn->steps[turn->at];
    struct xro_buf *buf = &turn->message;
    enum xro_status status = XRO_OK;
    size_t inner;

    turn->built = true;
    turn->more = false;
    if (step->kind == XRO_STEP_REST)    /* what is left is there already */
        return XRO_OK;
    buf->length = turn->message_at = 0;
    if (step->attn)
        status = begin_attn(buf);
    inner = buf->length;
    if (status == XRO_OK)
        status = append_step(buf, turn, step);
    if (status != XRO_OK)
        return status;
    if (buf->length == inner) {         /* nothing to send: a request without an answer */
        buf->length = 0;
        return XRO_OK;
    }
    if (step->kind != XRO_STEP_RAW)
        change(buf->bytes + inner, buf->length - inner, step);
    if (step->attn)
        put_header(buf->bytes, 0, XRO_KXR_ATTN, buf->length - XRO_ANSWER_HEADER_SIZE);
    return XRO_OK;
}

/* SPDX-License-Identifier: LGPL-3.0-or-later */
#include "proto/request.h"

/* stream id and code; the 16 bytes of the body and the length are the caller's */
static void put_start(struct xro_out *out, uint16_t stream, enum xro_kxr_request code)
{
    xro_out_u16(out, stream);
    xro_out_u16(out, (uint16_t)code);
}

static void put_payload(struct xro_out *out, const char *text, size_t length)
{
    xro_out_u32(out, (uint32_t)length);
    xro_out_bytes(out, text, length);
}

void xro_put_handshake(struct xro_out *out)
{
    xro_out_zero(out, 12);
    xro_out_u32(out, 4);
    xro_out_u32(out, XRO_HANDSHAKE_MAGIC);
}

void xro_put_protocol(struct xro_out *out, uint16_t stream, uint8_t flags, uint8_t expect)
{
    put_start(out, stream, XRO_KXR_PROTOCOL);
    xro_out_u32(out, XRO_KXR_PROTOCOLVERSION);
    xro_out_u8(out, flags);
    xro_out_u8(out, expect);
    xro_out_zero(out, 10);
    put_payload(out, "", 0);
}

void xro_put_login(struct xro_out *out, uint16_t stream, uint32_t pid, const char *user, uint8_t ability,
                   const char *cgi)
{
    size_t user_length = strnlen(user, XRO_LOGIN_NAME_SIZE);

    put_start(out, stream, XRO_KXR_LOGIN);
    xro_out_u32(out, pid);
    xro_out_bytes(out, user, user_length);
    xro_out_zero(out, XRO_LOGIN_NAME_SIZE - user_length);
    xro_out_u8(out, 0);                                 /* ability2: no erasure coding */
    xro_out_u8(out, ability);
    xro_out_u8(out, XRO_KXR_VER005 | XRO_KXR_ASYNCAP);  /* capver */
    xro_out_u8(out, 0);
    put_payload(out, cgi, strlen(cgi));
}

void xro_put_open(struct xro_out *out, uint16_t stream, uint16_t options, const char *path, size_t path_length)
{
    put_start(out, stream, XRO_KXR_OPEN);
    xro_out_u16(out, 0);                                /* mode: of a new file only */
    xro_out_u16(out, options);
    xro_out_zero(out, 12);
    put_payload(out, path, path_length);
}

void xro_put_close(struct xro_out *out, uint16_t stream, struct xro_handle handle)
{
    put_start(out, stream, XRO_KXR_CLOSE);
    xro_out_bytes(out, handle.bytes, sizeof handle.bytes);
    xro_out_zero(out, 12);
    put_payload(out, "", 0);
}

void xro_put_read(struct xro_out *out, uint16_t stream, struct xro_handle handle, uint64_t offset, uint32_t length)
{
    put_start(out, stream, XRO_KXR_READ);
    xro_out_bytes(out, handle.bytes, sizeof handle.bytes);
    xro_out_u64(out, offset);
    xro_out_u32(out, length);
    put_payload(out, "", 0);
}

void xro_put_stat(struct xro_out *out, uint16_t stream, const char *path, size_t path_length)
{
    put_start(out, stream, XRO_KXR_STAT);
    xro_out_zero(out, 16);
    put_payload(out, path, path_length);
}

void xro_put_ping(struct xro_out *out, uint16_t stream)
{
    put_start(out, stream, XRO_KXR_PING);
    xro_out_zero(out, 16);
    put_payload(out, "", 0);
}

bool xro_get_request(struct xro_in *in, struct xro_request *request)
{
    if (in->left < XRO_REQUEST_HEADER_SIZE)
        return false;
    request->stream = xro_in_u16(in);
    request->code = xro_in_u16(in);
    memcpy(request->body, xro_in_take(in, sizeof request->body), sizeof request->body);
    request->length = xro_in_u32(in);
    return true;
}

static uint64_t body_field(const struct xro_request *request, size_t offset, size_t size)
{
    struct xro_in in = xro_in(request->body + offset, size);

    return xro_in_big(&in, size);
}

uint16_t xro_request_open_options(const struct xro_request *request)
{
    return (uint16_t)body_field(request, 2, 2);
}

struct xro_handle xro_request_handle(const struct xro_request *request)
{
    struct xro_handle handle;

    memcpy(handle.bytes, request->body, sizeof handle.bytes);
    return handle;
}

uint64_t xro_request_read_offset(const struct xro_request *request)
{
    return body_field(request, 4, 8);
}

uint32_t xro_request_read_length(const struct xro_request *request)
{
    return (uint32_t)body_field(request, 12, 4);
}

/* SPDX-License-Identifier: LGPL-3.0-or-later */
#include "proto/serve.h"

enum {
    STATUS_BODY = 24,           /* checksum, stream, code, type, reserved, data length, offset */
    CHECKED_FROM = 12           /* first byte of the message that the checksum covers */
};

/* Four bits at a time: 64 bytes of table, fast enough for a server that is not measured for its rate. */
uint32_t xro_crc32c(uint32_t crc, const void *bytes, size_t length)
{
    static const uint32_t table[16] = {
        0x00000000, 0x105ec76f, 0x20bd8ede, 0x30e349b1, 0x417b1dbc, 0x5125dad3, 0x61c69362, 0x7198540d,
        0x82f63b78, 0x92a8fc17, 0xa24bb5a6, 0xb21572c9, 0xc38d26c4, 0xd3d3e1ab, 0xe330a81a, 0xf36e6f75,
    };
    const uint8_t *at = (const uint8_t *)bytes;

    crc = ~crc;
    for (size_t i = 0; i < length; i++) {
        crc = table[(crc ^ at[i]) & 15] ^ crc >> 4;
        crc = table[(crc ^ at[i] >> 4) & 15] ^ crc >> 4;
    }
    return ~crc;
}

void xro_put_status(struct xro_out *out, uint16_t stream, uint16_t request, bool final, uint32_t data_length,
                    uint64_t offset)
{
    uint8_t checked[STATUS_BODY - 4];
    struct xro_out inner = xro_out(checked, sizeof checked);

    xro_out_u16(&inner, stream);
    xro_out_u8(&inner, (uint8_t)(request - XRO_KXR_AUTH));
    xro_out_u8(&inner, final ? 0 : 1);
    xro_out_zero(&inner, 4);
    xro_out_u32(&inner, data_length);
    xro_out_u64(&inner, offset);
    xro_put_answer(out, (struct xro_answer){ .stream = stream, .status = XRO_KXR_STATUS, .length = STATUS_BODY });
    xro_out_u32(out, xro_crc32c(0, checked, sizeof checked));
    xro_out_bytes(out, checked, sizeof checked);
}

bool xro_fix_status(uint8_t *message, size_t length)
{
    struct xro_in in = xro_in(message, length);
    struct xro_answer header;
    struct xro_out out;

    if (!xro_get_answer(&in, &header) || header.status != XRO_KXR_STATUS || header.length < 4 ||
        header.length > in.left)
        return false;
    out = xro_out(message + XRO_ANSWER_HEADER_SIZE, 4);
    xro_out_u32(&out, xro_crc32c(0, message + CHECKED_FROM, header.length - 4));
    return true;
}

/* How many of LENGTH bytes at OFFSET lie in the page of the first. */
static size_t page_part(uint64_t offset, size_t length)
{
    size_t part = XRO_PAGE_SIZE - (size_t)(offset % XRO_PAGE_SIZE);

    return part < length ? part : length;
}

size_t xro_pages_length(uint64_t offset, size_t length)
{
    size_t first = page_part(offset, length);

    if (length == 0)
        return 0;
    return length + 4 + (length - first + XRO_PAGE_SIZE - 1) / XRO_PAGE_SIZE * 4;
}

void xro_put_pages(struct xro_out *out, uint64_t offset, const uint8_t *bytes, size_t length)
{
    while (length > 0 && !out->bad) {
        size_t part = page_part(offset, length);
        xro_out_u32(out, xro_crc32c(0, bytes, part));
        xro_out_bytes(out, bytes, part);
        offset += part;
        bytes += part;
        length -= part;
    }
}

bool xro_get_chunk(struct xro_in *in, struct xro_chunk *chunk)
{
    if (in->left < XRO_CHUNK_SIZE)
        return false;
    memcpy(chunk->handle.bytes, xro_in_take(in, XRO_HANDLE_SIZE), XRO_HANDLE_SIZE);
    chunk->length = xro_in_i32(in);
    chunk->offset = (int64_t)xro_in_u64(in);
    return true;
}

void xro_put_chunk(struct xro_out *out, struct xro_chunk chunk)
{
    xro_out_bytes(out, chunk.handle.bytes, XRO_HANDLE_SIZE);
    xro_out_u32(out, (uint32_t)chunk.length);
    xro_out_u64(out, (uint64_t)chunk.offset);
}

/* Offsets are those of the message less the 4 bytes of stream id and code. */
uint8_t xro_request_stat_options(const struct xro_request *request)
{
    return request->body[0];
}

struct xro_handle xro_request_stat_handle(const struct xro_request *request)
{
    struct xro_handle handle;

    memcpy(handle.bytes, request->body + 12, sizeof handle.bytes);
    return handle;
}

uint8_t xro_request_dirlist_options(const struct xro_request *request)
{
    return request->body[15];
}

uint16_t xro_request_query_type(const struct xro_request *request)
{
    struct xro_in in = xro_in(request->body, 2);

    return xro_in_u16(&in);
}

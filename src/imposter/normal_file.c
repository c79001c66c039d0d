/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * normal_file.c - normal answers about open files: handles are indexes, the lowest free one first, little end first,
 * as xrootd's are. */
#include "imposter/normal.h"
#include "proto/serve.h"

#include <stdlib.h>
#include <string.h>

enum {
    CHUNKS_MAX = 1024,          /* readv_iov_max */
    CHUNK_BYTES_MAX = 2097136,  /* readv_ior_max */
    OPEN_COMPRESS = 1
};

/* --- open files ------------------------------------------------------------------------------------------------- */

static struct xro_open_file *by_handle(const struct xro_guest *guest, struct xro_handle handle)
{
    uint32_t index = handle.bytes[0] | (uint32_t)handle.bytes[1] << 8 | (uint32_t)handle.bytes[2] << 16 |
                     (uint32_t)handle.bytes[3] << 24;

    return index < guest->handle_count && guest->handles[index].file != NULL ? &guest->handles[index] : NULL;
}

struct xro_open_file *xro_guest_file(const struct xro_guest *guest, const struct xro_request *request)
{
    switch (request->code) {
    case XRO_KXR_STAT:
        return by_handle(guest, xro_request_stat_handle(request));
    case XRO_KXR_QUERY:
    case XRO_KXR_READV:
        return NULL;
    default:
        return by_handle(guest, xro_request_handle(request));
    }
}

static struct xro_open_file *new_handle(struct xro_guest *guest, size_t *index)
{
    struct xro_open_file *more;
    size_t room = guest->handle_count ? guest->handle_count * 2 : 4;

    for (*index = 0; *index < guest->handle_count; (*index)++)
        if (guest->handles[*index].file == NULL)
            return &guest->handles[*index];
    if (guest->handle_count >= XRO_HANDLES_MAX)
        return NULL;
    more = (struct xro_open_file *)realloc(guest->handles, room * sizeof *more);
    if (more == NULL)
        return NULL;
    memset(more + guest->handle_count, 0, (room - guest->handle_count) * sizeof *more);
    guest->handles = more;
    guest->handle_count = room;
    return &more[*index];
}

static enum xro_status open_answer(struct xro_turn *turn, struct xro_normal *normal, const struct xro_found *found,
                                   size_t index)
{
    uint16_t options = xro_request_open_options(&turn->request);
    uint8_t bytes[12];
    char text[XRO_STAT_TEXT_SIZE];
    struct xro_out out = xro_out(bytes, sizeof bytes);
    enum xro_status status;

    for (int i = 0; i < XRO_HANDLE_SIZE; i++)
        xro_out_u8(&out, (uint8_t)(index >> 8 * i));
    xro_out_zero(&out, 8);              /* cpsize, cptype: not compressed */
    status = xro_buf_append(&normal->body, bytes,
                            options & (XRO_KXR_RETSTAT | OPEN_COMPRESS) ? sizeof bytes : XRO_HANDLE_SIZE);
    if (status == XRO_OK && (options & XRO_KXR_RETSTAT) != 0)
        status = xro_buf_append(&normal->body, text, xro_tree_stat(found, text) + 1);
    return status;
}

enum xro_status xro_normal_open(struct xro_turn *turn, struct xro_normal *normal)
{
    struct xro_found found = xro_normal_find(turn);
    struct xro_open_file *open;
    size_t index;

    if (found.error != 0)
        return xro_normal_refuse_path(normal, found.error);
    if (found.directory)
        return xro_normal_refuse(normal, XRO_KXR_ISDIRECTORY, "Is a directory");
    open = new_handle(turn->guest, &index);
    if (open == NULL)
        return xro_normal_refuse(normal, XRO_KXR_NOMEMORY, "Too many open files");
    open->path = strndup(turn->path, turn->path_length);
    if (open->path == NULL)
        return XRO_MEMORY;
    open->file = found.file;
    return open_answer(turn, normal, &found, index);
}

enum xro_status xro_normal_close(struct xro_turn *turn, struct xro_normal *normal)
{
    struct xro_open_file *open = xro_guest_file(turn->guest, &turn->request);

    if (open == NULL)
        return xro_normal_refuse(normal, XRO_KXR_FILENOTOPEN, "close does not refer to an open file");
    open->file = NULL;
    free(open->path);
    open->path = NULL;
    return XRO_OK;
}

/* --- data ------------------------------------------------------------------------------------------------------- */

static enum xro_status append_data(struct xro_buf *body, const struct xro_file *file, uint64_t offset, size_t n)
{
    enum xro_status status = xro_buf_reserve(body, n);

    if (status == XRO_OK && n > 0) {
        xro_tree_fill(file, offset, body->bytes + body->length, n);
        body->length += n;
    }
    return status;
}

enum xro_status xro_normal_read(struct xro_turn *turn, struct xro_normal *normal)
{
    const struct xro_open_file *open = xro_guest_file(turn->guest, &turn->request);
    uint64_t offset = xro_request_read_offset(&turn->request), length = xro_request_read_length(&turn->request);

    if (open == NULL)
        return xro_normal_refuse(normal, XRO_KXR_FILENOTOPEN, "read does not refer to an open file");
    if (length > INT32_MAX || offset > INT64_MAX)
        return xro_normal_refuse(normal, XRO_KXR_ARGINVALID, "Read length or offset is negative");
    normal->pages = turn->request.code == XRO_KXR_PGREAD;
    normal->offset = offset;
    if (offset >= open->file->size)
        return XRO_OK;
    if (length > open->file->size - offset)
        length = open->file->size - offset;
    if (length > XRO_SCRIPT_MESSAGE_MAX)
        return xro_normal_refuse(normal, XRO_KXR_ARGTOOLONG, "Read length is too long for an imposter");
    return append_data(&normal->body, open->file, offset, (size_t)length);
}

static enum xro_status read_chunk(struct xro_turn *turn, struct xro_normal *normal, struct xro_chunk chunk)
{
    const struct xro_open_file *open = by_handle(turn->guest, chunk.handle);
    uint8_t header[XRO_CHUNK_SIZE];
    struct xro_out out = xro_out(header, sizeof header);
    enum xro_status status;

    if (open == NULL)
        return xro_normal_refuse(normal, XRO_KXR_FILENOTOPEN, "readv does not refer to an open file");
    if (chunk.length < 0 || chunk.offset < 0 || chunk.length > CHUNK_BYTES_MAX)
        return xro_normal_refuse(normal, XRO_KXR_NOMEMORY, "Single readv transfer is too large");
    if ((uint64_t)chunk.offset > open->file->size || (uint64_t)chunk.length > open->file->size - (uint64_t)chunk.offset)
        return xro_normal_refuse(normal, XRO_KXR_FSERROR, "readv past EOF");
    if (normal->body.length + (size_t)chunk.length + sizeof header > XRO_SCRIPT_MESSAGE_MAX)
        return xro_normal_refuse(normal, XRO_KXR_ARGTOOLONG, "readv is too long for an imposter");
    xro_put_chunk(&out, chunk);
    status = xro_buf_append(&normal->body, header, sizeof header);
    return status == XRO_OK ? append_data(&normal->body, open->file, (uint64_t)chunk.offset, (size_t)chunk.length)
                            : status;
}

enum xro_status xro_normal_readv(struct xro_turn *turn, struct xro_normal *normal)
{
    struct xro_in in = xro_in(turn->payload.bytes, turn->payload.length);
    struct xro_chunk chunk;
    enum xro_status status = XRO_OK;

    if (turn->request.length == 0 || turn->request.length % XRO_CHUNK_SIZE != 0)
        return xro_normal_refuse(normal, XRO_KXR_ARGINVALID, "Read vector is invalid");
    if (turn->request.length / XRO_CHUNK_SIZE > CHUNKS_MAX)
        return xro_normal_refuse(normal, XRO_KXR_ARGTOOLONG, "Read vector is too long");
    while (status == XRO_OK && normal->status == XRO_KXR_OK && xro_get_chunk(&in, &chunk))
        status = read_chunk(turn, normal, chunk);
    return status;
}

enum xro_status xro_normal_write(struct xro_turn *turn, struct xro_normal *normal)
{
    if (xro_guest_file(turn->guest, &turn->request) == NULL)
        return xro_normal_refuse(normal, XRO_KXR_FILENOTOPEN, "request does not refer to an open file");
    normal->pages = turn->request.code == XRO_KXR_PGWRITE;
    normal->offset = xro_request_read_offset(&turn->request);
    return XRO_OK;
}

/* SPDX-License-Identifier: LGPL-3.0-or-later */
#include "base/buf.h"

#include <stdlib.h>
#include <string.h>

enum { FIRST_ROOM = 256 };

enum xro_status xro_buf_reserve(struct xro_buf *buf, size_t extra)
{
    size_t need, room = buf->room ? buf->room : FIRST_ROOM;
    uint8_t *bytes;

    if (extra > buf->most || buf->length > buf->most - extra)
        return XRO_INVALID;
    need = buf->length + extra;
    if (need <= buf->room)
        return XRO_OK;
    while (room < need)
        room = room > buf->most / 2 ? buf->most : room * 2;
    if (room > buf->most)
        room = buf->most;
    bytes = (uint8_t *)realloc(buf->bytes, room);
    if (bytes == NULL)
        return XRO_MEMORY;
    buf->bytes = bytes;
    buf->room = room;
    return XRO_OK;
}

enum xro_status xro_buf_append(struct xro_buf *buf, const void *bytes, size_t n)
{
    enum xro_status status = xro_buf_reserve(buf, n);

    if (status == XRO_OK && n > 0) {
        memcpy(buf->bytes + buf->length, bytes, n);
        buf->length += n;
    }
    return status;
}

void xro_buf_free(struct xro_buf *buf)
{
    free(buf->bytes);
    *buf = xro_buf(buf->most);
}

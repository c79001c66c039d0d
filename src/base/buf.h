/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * buf.h - a growing buffer with a maximum.
 *
 * Invariants: length <= room <= most; bytes is NULL only when room is 0. A buffer that would have to grow past `most`
 * answers XRO_INVALID, and one that cannot be had from the system XRO_MEMORY; in both cases it is left as it was. */
#ifndef XRO_BASE_BUF_H
#define XRO_BASE_BUF_H

#include "base/status.h"

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

struct xro_buf {
    uint8_t *bytes;
    size_t length;              /* bytes in use */
    size_t room;                /* bytes allocated */
    size_t most;                /* never larger than this */
};

/* An empty buffer that may grow to MOST bytes; nothing is allocated yet. */
static inline struct xro_buf xro_buf(size_t most)
{
    struct xro_buf buf = { NULL, 0, 0, most };      /* no compound literal: C++ reads this, too */

    return buf;
}

/* Make room for EXTRA bytes behind those in use. */
enum xro_status xro_buf_reserve(struct xro_buf *buf, size_t extra);

/* Append N bytes. */
enum xro_status xro_buf_append(struct xro_buf *buf, const void *bytes, size_t n);

/* Give the memory back; the buffer is empty and may be used again. */
void xro_buf_free(struct xro_buf *buf);

#ifdef __cplusplus
}
#endif
#endif

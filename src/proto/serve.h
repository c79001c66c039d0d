/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * serve.h - the server's half of the codec: bodies of answers to bytes, and fields of requests that only a server
 * looks at. Nothing is allocated; an encoder that lacks room sets out->bad. */
#ifndef XRO_PROTO_SERVE_H
#define XRO_PROTO_SERVE_H

#include "base/cursor.h"
#include "proto/answer.h"
#include "proto/request.h"

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

enum {
    XRO_PAGE_SIZE = 4096,               /* kXR_pgPageSZ */
    XRO_STATUS_SIZE = 32,               /* header and body of a kXR_status for pgread or pgwrite */
    XRO_ATTN_PREFIX_SIZE = 16,          /* action, reserved, inner header */
    XRO_CHUNK_SIZE = 16                 /* one element of a kXR_readv */
};

/* CRC-32C (Castagnoli) of LENGTH bytes, going on from CRC; 0 begins. */
uint32_t xro_crc32c(uint32_t crc, const void *bytes, size_t length);

/* kXR_status: header and body for REQUEST (its code), DATA_LENGTH bytes of data at OFFSET to follow. FINAL: the
 * last one. The checksum is in it. */
void xro_put_status(struct xro_out *out, uint16_t stream, uint16_t request, bool final, uint32_t data_length,
                    uint64_t offset);

/* Compute the checksum again of the kXR_status that begins at MESSAGE (LENGTH bytes); false when it is none, or is
 * cut. */
bool xro_fix_status(uint8_t *message, size_t length);

/* How long LENGTH bytes of a file at OFFSET are as pages, each with its checksum before it. */
size_t xro_pages_length(uint64_t offset, size_t length);
void xro_put_pages(struct xro_out *out, uint64_t offset, const uint8_t *bytes, size_t length);

/* One element of a kXR_readv's list; false when fewer than 16 bytes are left. */
struct xro_chunk {
    struct xro_handle handle;
    int32_t length;
    int64_t offset;
};
bool xro_get_chunk(struct xro_in *in, struct xro_chunk *chunk);
void xro_put_chunk(struct xro_out *out, struct xro_chunk chunk);

/* Fields of the 16 bytes of some requests. */
uint8_t xro_request_stat_options(const struct xro_request *request);
struct xro_handle xro_request_stat_handle(const struct xro_request *request);   /* when its payload is empty */
uint8_t xro_request_dirlist_options(const struct xro_request *request);
uint16_t xro_request_query_type(const struct xro_request *request);

#ifdef __cplusplus
}
#endif
#endif

/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * request.h - requests to bytes and back: the first for the client, the second for the imposter and the tests.
 * Nothing is allocated; an encoder that lacks room sets out->bad (cursor.h).
 *
 * Every request has a header of 24 bytes: stream id (2), request code (2), 16 bytes that depend on the code, payload
 * length (4); then the payload. (XProtocol.hh, ClientRequestHdr) */
#ifndef XRO_PROTO_REQUEST_H
#define XRO_PROTO_REQUEST_H

#include "base/cursor.h"
#include "proto/xroot.h"

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

struct xro_handle {             /* a server's name for an open file: opaque bytes */
    uint8_t bytes[XRO_HANDLE_SIZE];
};

/* The 20 bytes that begin a connection (ClientInitHandShake). */
void xro_put_handshake(struct xro_out *out);

/* kXR_protocol: FLAGS of XRO_KXR_SECREQS and so on, EXPECT of XRO_KXR_EXP... */
void xro_put_protocol(struct xro_out *out, uint16_t stream, uint8_t flags, uint8_t expect);

/* kXR_login. USER is cut at 8 bytes. CGI may be ""; servers drop its first byte, so it begins with one to throw away. */
void xro_put_login(struct xro_out *out, uint16_t stream, uint32_t pid, const char *user, uint8_t ability,
                   const char *cgi);

/* kXR_open of PATH (with its CGI), with OPTIONS. */
void xro_put_open(struct xro_out *out, uint16_t stream, uint16_t options, const char *path, size_t path_length);

void xro_put_close(struct xro_out *out, uint16_t stream, struct xro_handle handle);
void xro_put_read(struct xro_out *out, uint16_t stream, struct xro_handle handle, uint64_t offset, uint32_t length);
void xro_put_stat(struct xro_out *out, uint16_t stream, const char *path, size_t path_length);
void xro_put_ping(struct xro_out *out, uint16_t stream);

/* A request as a server sees it. */
struct xro_request {
    uint16_t stream;
    uint16_t code;              /* enum xro_kxr_request, or anything */
    uint8_t body[16];
    uint32_t length;            /* of the payload that follows; a negative one on the wire is > INT32_MAX here */
};

/* The header; false when there are fewer than 24 bytes left, with nothing taken. */
bool xro_get_request(struct xro_in *in, struct xro_request *request);

/* Fields of some requests' bodies. */
uint16_t xro_request_open_options(const struct xro_request *request);
struct xro_handle xro_request_handle(const struct xro_request *request);        /* of close and read */
uint64_t xro_request_read_offset(const struct xro_request *request);
uint32_t xro_request_read_length(const struct xro_request *request);

#ifdef __cplusplus
}
#endif
#endif

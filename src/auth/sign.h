/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * sign.h - request signing: which requests a server wants signed, and the kXR_sigver that goes before such a one.
 *
 * The rules come in the 'S' block of the answer to kXR_protocol: options, a level, and overrides for single requests.
 * They count only once the session is authenticated, and only where the method has a session key or the server insists
 * (XRO_KXR_SECOFRCE). (XProtocol.hh: ServerResponseReqs_Protocol; XrdSecProtect.cc: the table of levels) */
#ifndef XRO_AUTH_SIGN_H
#define XRO_AUTH_SIGN_H

#include "auth/auth.h"
#include "proto/auth.h"

#ifdef __cplusplus
extern "C" {
#endif

enum {
    XRO_SIGN_REQUESTS = 32,     /* kXR_auth to kXR_writev */
    XRO_SIGN_LEVEL_MOST = 4     /* pedantic; a higher one counts as this */
};

struct xro_sign {
    uint8_t rule[XRO_SIGN_REQUESTS];    /* by request code - 3000: never, when it changes something, always */
    uint8_t options;
    bool any;                   /* something is to be signed at all */
    uint64_t sequence;          /* of the next signature; begins at 1 */
};

/* The rules of a session: OPTIONS, LEVEL and OVERRIDE_COUNT pairs {code - 3000, rule} of the server's 'S' block, for a
 * method with a session key of KEY_SIZE (0: none). */
void xro_sign_begin(struct xro_sign *sign, uint8_t options, uint8_t level, const uint8_t *overrides,
                    size_t override_count, size_t key_size);

/* Must REQUEST, its 24 bytes of header, be signed? */
bool xro_sign_wanted(const struct xro_sign *sign, const uint8_t request[XRO_REQUEST_HEADER_SIZE]);

/* Append to OUT the kXR_sigver for REQUEST: the header and its payload, LENGTH bytes in all, as they will be sent right
 * behind it. AUTH encrypts the sum when it has a key; NULL or without one the bare sum is sent. */
enum xro_status xro_sign_append(struct xro_sign *sign, struct xro_auth *auth, const uint8_t *request, size_t length,
                                struct xro_buf *out);

#ifdef __cplusplus
}
#endif
#endif

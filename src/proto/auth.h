/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * auth.h - the requests of authentication: kXR_auth, and kXR_sigver, which signs the request that follows it. */
#ifndef XRO_PROTO_AUTH_H
#define XRO_PROTO_AUTH_H

#include "base/cursor.h"
#include "proto/xroot.h"

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

enum {
    XRO_KXR_CREDTYPE_SIZE = 4,          /* of kXR_auth: the method's name, cut at 4 bytes, filled up with zeros */
    XRO_KXR_SECODATA = 0x01,            /* options of a server that wants signatures (kXR_secOData): */
    XRO_KXR_SECOFRCE = 0x02,            /* data of writes is signed, too; sign even without a session key */
    XRO_KXR_SHA256 = 0x01,              /* kXR_sigver: crypto */
    XRO_KXR_NODATA = 0x01               /* kXR_sigver: flags: the payload was not hashed */
};

/* kXR_auth with LENGTH bytes of credentials of METHOD. */
void xro_put_auth(struct xro_out *out, uint16_t stream, const char *method, const uint8_t *credentials, size_t length);

/* kXR_sigver for the next request, which has the same STREAM and the request code CODE. */
struct xro_sigver {
    uint16_t code;
    uint8_t flags;
    uint64_t sequence;
};
void xro_put_sigver(struct xro_out *out, uint16_t stream, struct xro_sigver sigver, const uint8_t *signature,
                    size_t length);

#ifdef __cplusplus
}
#endif
#endif

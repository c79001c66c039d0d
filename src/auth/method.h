/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * method.h - what makes the credentials of one method of authentication: a constant table of functions. The native
 * methods have such tables in the executable, each module (krb5.c, xrdsec.cc) exports one. A module uses no symbol of
 * the executable, so credentials go out through a function that it is handed.
 *
 * A function that fails puts its reason, in words, into REASON: raw text, cut, for people. No secret ever goes there.
 */
#ifndef XRO_AUTH_METHOD_H
#define XRO_AUTH_METHOD_H

#include "base/status.h"

#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#ifdef __cplusplus
extern "C" {
#endif

#define XRO_AUTH_KRB5_FILE     "xrdopen-krb5.so"
#define XRO_AUTH_KRB5_SYMBOL   "xro_auth_module_krb5"
#define XRO_AUTH_XRDSEC_FILE   "xrdopen-xrdsec.so"
#define XRO_AUTH_XRDSEC_SYMBOL "xro_auth_module_xrdsec"

enum {
    XRO_AUTH_ABI = 1,           /* changes whenever anything in this file does */
    XRO_AUTH_REASON_SIZE = 384
};

/* One "&P=method,arguments" of a server's list, and whom it came from. All of it lives as long as the session does. */
struct xro_auth_offer {
    const char *method;         /* up to 7 small letters and digits */
    const char *arguments;      /* "" for none; untrusted */
    const char *host;           /* the server, as the user or a redirect named it */
    const char *user;           /* of the URL; NULL for none */
    int fd;                     /* the connection; -1 for none */
    bool tls;                   /* it is encrypted */
};

struct xro_buf;                 /* base/buf.h; a module only hands it back */

/* Where credentials go: APPEND to BUF. */
struct xro_auth_sink {
    struct xro_buf *buf;
    enum xro_status (*append)(struct xro_buf *buf, const void *bytes, size_t length);
};

struct xro_auth_method {
    uint32_t abi;               /* XRO_AUTH_ABI; nothing else may be read when it differs */

    /* What METHOD needs once in a process, so that the clock need not run over it. May be NULL. */
    enum xro_status (*prepare)(const char *method, char reason[XRO_AUTH_REASON_SIZE]);

    /* A session for OFFER. May be NULL: the method keeps nothing between its rounds. */
    enum xro_status (*open)(const struct xro_auth_offer *offer, void **session, char reason[XRO_AUTH_REASON_SIZE]);

    /* Credentials: the first when MORE is NULL, else the answer to LENGTH bytes of a server's. */
    enum xro_status (*make)(void *session, const struct xro_auth_offer *offer, const uint8_t *more, size_t length,
                            const struct xro_auth_sink *sink, char reason[XRO_AUTH_REASON_SIZE]);

    /* The session key's size, 0 for none; LENGTH bytes encrypted with it. Both may be NULL: no key. */
    size_t (*key_size)(void *session);
    enum xro_status (*encrypt)(void *session, const void *bytes, size_t length, const struct xro_auth_sink *sink,
                               char reason[XRO_AUTH_REASON_SIZE]);

    /* Forget the session. NULL as open is. */
    void (*close)(void *session);
};

/* Write a reason; answers STATUS, so that a function can end with it. */
__attribute__((format(printf, 3, 4)))
static inline enum xro_status xro_auth_say(enum xro_status status, char reason[XRO_AUTH_REASON_SIZE],
                                           const char *format, ...)
{
    va_list arguments;

    va_start(arguments, format);
    vsnprintf(reason, XRO_AUTH_REASON_SIZE, format, arguments);
    va_end(arguments);
    return status;
}

#ifdef __cplusplus
}
#endif
#endif

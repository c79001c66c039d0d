/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * auth.h - authentication as the client sees it: the server's list of methods of one login, the next one that can be
 * used, its credentials round by round, and its session key for signing.
 *
 *     auth = xro_auth_create(&peer, token)                     the token of the login's answer
 *     while (xro_auth_next(auth, &choice) == XRO_OK)           choice: the method, or why it is passed over
 *         if choice.usable and xro_auth_credentials(auth, NULL, 0, &buf) == XRO_OK
 *             send kXR_auth (proto/auth.h); on kXR_authmore xro_auth_credentials(auth, body, length, &buf), send again
 *             on kXR_ok: done; on kXR_error: go on with xro_auth_next, on the same connection
 *     xro_auth_close(auth)                                     at once, or, when requests are to be signed, at the end
 *
 * The order is the server's; XrdSecPROTOCOL ("gsi,unix") leaves out what it does not name. host, unix and ztn are
 * native, krb5 and all else come with modules that are loaded when first needed (load.h). Calls may take long: krb5
 * asks its KDC, gsi computes for 50 ms, loading may look names up. Nothing asks the user anything.
 *
 * Credentials are secrets: xro_auth_wipe() the buffer when it has been sent. Reasons hold none. */
#ifndef XRO_AUTH_AUTH_H
#define XRO_AUTH_AUTH_H

#include "auth/load.h"
#include "auth/method.h"
#include "base/buf.h"
#include "proto/answer.h"

#ifdef __cplusplus
extern "C" {
#endif

enum {
    XRO_AUTH_NAME_SIZE = 16,    /* a method's name, escaped; a good one has at most 7 characters */
    XRO_AUTH_METHODS_MOST = 16, /* of a server's list are looked at */
    XRO_AUTH_ROUNDS_MOST = 10,  /* kXR_auth requests of one method */
    XRO_AUTH_MOST = 1 << 17     /* bytes: what a buffer for credentials should let in; a proxy chain has a few KiB */
};

struct xro_auth_peer {
    const char *host;           /* as the user or a redirect named it */
    const char *user;           /* of the URL, NULL for none: sss may map it */
    int fd;                     /* the connected socket; -1 where there is none (module methods then fail) */
    bool tls;                   /* it is encrypted */
};

struct xro_auth;

/* Begin with the TOKEN of a login's answer. Everything is copied. NULL when memory is short. */
struct xro_auth *xro_auth_create(const struct xro_auth_peer *peer, struct xro_span_text token);

struct xro_auth_choice {
    char method[XRO_AUTH_NAME_SIZE];
    bool usable;                /* its credentials can be asked for */
    enum xro_status status;     /* why not: XRO_AUTH no credentials, XRO_MISSING not installed, XRO_UNSUPPORTED */
    char reason[XRO_AUTH_REASON_SIZE];  /* the same in words, escaped; "" when usable */
    struct xro_auth_cost cost;  /* of loading, within this call: to be booked apart */
};

/* Forget the present method and look at the next one of the list. XRO_OK: CHOICE says which, and whether it can be
 * used. XRO_AUTH: the list has come to its end. XRO_MEMORY. */
enum xro_status xro_auth_next(struct xro_auth *auth, struct xro_auth_choice *choice);

/* Append the present method's credentials to OUT: the first when MORE is NULL, else the answer to LENGTH bytes of a
 * kXR_authmore. XRO_AUTH: there are none; XRO_PROTOCOL: the server broke the method's rules; and others; the reason is
 * xro_auth_reason()'s, and OUT is as it was. */
enum xro_status xro_auth_credentials(struct xro_auth *auth, const uint8_t *more, size_t length, struct xro_buf *out);

/* Why the last call failed, in words, escaped; "" when it did not. Good until the next call. */
const char *xro_auth_reason(const struct xro_auth *auth);

/* The present method's name, to go out as kXR_auth's credtype; "" when there is none. */
const char *xro_auth_method(const struct xro_auth *auth);

/* The size of the session key, 0 for none: then signatures are not encrypted. For use after kXR_ok. */
size_t xro_auth_key_size(const struct xro_auth *auth);

/* Append LENGTH bytes, encrypted with the session key, to OUT. */
enum xro_status xro_auth_encrypt(struct xro_auth *auth, const void *bytes, size_t length, struct xro_buf *out);

/* NULL is allowed. */
void xro_auth_close(struct xro_auth *auth);

/* Load what METHODS ("gsi,sss") need, so that the clock need not run over it; NULL: those that XrdSecPROTOCOL names, or
 * none. What cannot be loaded is said again, with its reason, by xro_auth_next. Returns what it cost. */
struct xro_auth_cost xro_auth_preload(const char *methods);

/* Overwrite what BUF holds and empty it; its memory is kept. */
void xro_auth_wipe(struct xro_buf *buf);

#ifdef __cplusplus
}
#endif
#endif

/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * tls.h - TLS as the driver sees it. It lives in a module of its own, xrdopen-tls.so (tls_module.c, with OpenSSL), so that who
 * needs no TLS does not pay for the library; a static build has it inside. */
#ifndef XRO_WIRE_TLS_H
#define XRO_WIRE_TLS_H

#include "base/status.h"
#include "record/sample.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#ifdef __cplusplus
extern "C" {
#endif

#define XRO_TLS_MODULE_FILE   "xrdopen-tls.so"
#define XRO_TLS_MODULE_SYMBOL "xro_module_tls"

enum {
    XRO_TLS_ABI = 1,            /* changes whenever anything in this file or struct xro_tls_facts does */
    XRO_TLS_WHY_SIZE = 256
};

/* What a read or write answers beside a count of bytes. 0 is the end of the connection. */
enum { XRO_TLS_WANT_READ = -1, XRO_TLS_WANT_WRITE = -2, XRO_TLS_FAILED = -3 };

struct xro_tls_settings {
    const char *ca;             /* a file or a hashed folder, NULL: X509_CERT_DIR, X509_CERT_FILE, the grid's folder, or the
                                   system's store, the first that is there */
};

struct xro_tls_context;         /* settings, trusted authorities, sessions to resume; for one thread at a time */
struct xro_tls_session;         /* one connection */

struct xro_tls {
    uint32_t abi;               /* XRO_TLS_ABI; nothing else may be read when it differs */
    const char *(*version)(void);       /* "OpenSSL 3.0.15" */

    /* NULL: WHY says what is wrong (a CA that cannot be read, a client certificate without its key). */
    struct xro_tls_context *(*create)(const struct xro_tls_settings *settings, char *why, size_t why_size);
    void (*close)(struct xro_tls_context *context);

    /* A session on the connected socket FD, whose server has to prove that it is HOST. RESUME: offer the last session with
     * that host. NULL: no memory. */
    struct xro_tls_session *(*begin)(struct xro_tls_context *context, int fd, const char *host, bool resume);

    /* 1: done; XRO_TLS_WANT_READ or _WANT_WRITE: again when the socket is ready; XRO_TLS_FAILED: WHY. */
    int (*handshake)(struct xro_tls_session *session, char *why, size_t why_size);

    /* As recv and send: bytes, 0 at the end, or one of the above. */
    ssize_t (*read)(struct xro_tls_session *session, void *bytes, size_t size);
    ssize_t (*write)(struct xro_tls_session *session, const void *bytes, size_t size);

    /* Bytes that are decrypted already: a poll on the socket would not tell of them. */
    bool (*pending)(struct xro_tls_session *session);

    void (*facts)(struct xro_tls_session *session, struct xro_tls_facts *facts);

    /* Frees it, the socket stays. The session is kept for the next one with the same host. */
    void (*end)(struct xro_tls_context *context, struct xro_tls_session *session);
};

/* The library, loaded at the first call; NULL when it cannot be had, and *WHY, when not NULL, a sentence that says why. */
const struct xro_tls *xro_tls_library(const char **why);

#ifdef __cplusplus
}
#endif
#endif

/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * driver.h - the blocking driver: one client, its sockets, one call at a time. On the hot path a request costs one send and
 * one recv, nothing else. */
#ifndef XRO_WIRE_DRIVER_H
#define XRO_WIRE_DRIVER_H

#include "wire/client.h"
#include "wire/resolve.h"
#include "wire/tls.h"

struct xro_driver_config {
    int family;                 /* AF_UNSPEC, AF_INET, AF_INET6 */
    bool prefer_v4;
    const char *hosts;          /* addresses of names that need no look-up (hosts.h), or NULL; outlives the driver */
    xro_look_up_fn *look_up;    /* NULL: getaddrinfo */
    const struct xro_tls_settings *tls; /* outlives the driver; NULL: the defaults */
    bool resume;                /* offer the last TLS session with the same host */
    /* Called when the call has been waiting for a while, and may go on waiting: nothing is measured but the wait itself,
     * so that there is time to show what has happened so far. NULL: not wanted. */
    void (*watch)(void *arg, const struct xro_op *op);
    void *watch_arg;
};

struct xro_driver;

/* NULL when memory is short or the host's name too long. */
struct xro_driver *xro_driver_create(const struct xro_client_config *client, const struct xro_driver_config *config);
void xro_driver_close(struct xro_driver *driver);

/* Load the TLS library and make its context, which else happens when it is needed. XRO_MISSING or XRO_TLS: WHY. */
enum xro_status xro_driver_prepare_tls(struct xro_driver *driver, char *why, size_t why_size);

/* Close all connections, so that the next op makes new ones, and let the time limit begin anew; TLS sessions are kept
 * to be resumed. */
void xro_driver_hang_up(struct xro_driver *driver);

/* Do one op to its end, good or bad; answers op->error.status. */
enum xro_status xro_driver_perform(struct xro_driver *driver, enum xro_op_kind kind, void *data, uint64_t offset,
                                   uint32_t size, struct xro_op *op);

#endif

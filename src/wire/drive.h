/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * drive.h - what the driver's files share among themselves. Not for others. */
#ifndef XRO_WIRE_DRIVE_H
#define XRO_WIRE_DRIVE_H

#include "wire/dial.h"
#include "wire/driver.h"

enum { XRO_DRIVE_IN_SIZE = 64 * 1024 };

struct xro_driver {
    struct xro_client client;
    struct xro_driver_config config;
    int fds[XRO_LINKS_MAX];     /* of the client's links, -1: none */
    struct xro_addresses addresses;     /* of the hop being connected */
    struct xro_dial dial;
    const struct xro_tls *tls;  /* NULL: not loaded yet */
    struct xro_tls_context *tls_context;
    struct xro_tls_session *sessions[XRO_LINKS_MAX];    /* of links with TLS */
    bool native[XRO_LINKS_MAX]; /* links whose servers offer native methods of authentication only */
    bool dialed;                /* the race is not yet written to the op: that is done while the server works */
    uint8_t in[XRO_DRIVE_IN_SIZE];
};

static inline xro_ns xro_drive_earlier(xro_ns a, xro_ns b)
{
    return a < b ? a : b;
}

/* A moment from now, after which a wait counts as a long one. */
xro_ns xro_drive_awhile(void);

/* There is a pause: time to show what has happened. */
void xro_drive_show(struct xro_driver *driver);

/* Processor time of this thread. */
xro_ns xro_drive_cpu(void);

/* Close LINK's socket, and its TLS session. */
void xro_drive_hang_up(struct xro_driver *driver, const struct xro_link *link);

/* The TLS handshake on the present link (drive_tls.c). */
void xro_drive_secure(struct xro_driver *driver, struct xro_link *link, xro_ns until);

/* A step of the present link's authentication (drive_auth.c). */
void xro_drive_authenticate(struct xro_driver *driver, struct xro_link *link, xro_ns until);

#endif

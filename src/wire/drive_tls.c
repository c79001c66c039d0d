/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * drive_tls.c - the driver's part of TLS: the library, its context, and the handshake within the deadline. */
#include "wire/drive.h"

#include "wire/poll.h"

#include <stdio.h>

enum xro_status xro_driver_prepare_tls(struct xro_driver *driver, char *why, size_t why_size)
{
    static const struct xro_tls_settings defaults;
    const char *missing = NULL;

    if (driver->tls_context != NULL)
        return XRO_OK;
    driver->tls = xro_tls_library(&missing);
    if (driver->tls == NULL) {
        snprintf(why, why_size, "%s", missing);
        return XRO_MISSING;
    }
    driver->tls_context = driver->tls->create(driver->config.tls ? driver->config.tls : &defaults, why, why_size);
    return driver->tls_context != NULL ? XRO_OK : XRO_TLS;
}

/* Wait until the socket is ready for what TLS wants; false when it was UNTIL that came. */
static bool wait_for_tls(struct xro_driver *driver, const struct xro_link *link, int want, xro_ns until)
{
    struct pollfd poll = { .fd = driver->fds[link->index], .events = want == XRO_TLS_WANT_WRITE ? POLLOUT : POLLIN };
    int ready = xro_poll_until(&poll, 1, xro_drive_earlier(until, xro_drive_awhile()));

    if (ready == 0 && xro_clock_now() < until) {
        xro_drive_show(driver);
        ready = xro_poll_until(&poll, 1, until);
    }
    return ready != 0;
}

/* The TLS handshake on the present link. */
void xro_drive_secure(struct xro_driver *driver, struct xro_link *link, xro_ns until)
{
    struct xro_tls_session **session = &driver->sessions[link->index];
    char why[XRO_TLS_WHY_SIZE] = "";
    struct xro_tls_facts facts;
    xro_ns cpu;
    int result;

    if (xro_driver_prepare_tls(driver, why, sizeof why) != XRO_OK) {
        xro_client_not_secured(&driver->client, why);
        return;
    }
    *session = driver->tls->begin(driver->tls_context, driver->fds[link->index], link->host, driver->config.resume);
    if (*session == NULL) {
        xro_client_not_secured(&driver->client, "no TLS session could be made for this host");
        return;
    }
    /* And so it stays: TLS reads until a record is whole, and one that comes byte by byte must not pass the deadline. */
    xro_dial_block(driver->fds[link->index], false);
    cpu = xro_drive_cpu();
    xro_client_securing(&driver->client);
    while ((result = driver->tls->handshake(*session, why, sizeof why)) != 1 && result != XRO_TLS_FAILED)
        if (result == 0 || !wait_for_tls(driver, link, result, until))
            break;
    if (result == 1) {
        driver->tls->facts(*session, &facts);
        facts.cpu = xro_drive_cpu() - cpu;
        xro_client_secured(&driver->client, &facts);
    } else if (result == XRO_TLS_FAILED || result == 0) {
        xro_drive_hang_up(driver, link);
        xro_client_not_secured(&driver->client, result == 0 ? "the server closed the connection in the TLS handshake" : why);
    } else {
        xro_client_expired(&driver->client);
    }
}

/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * driver.c - how the deadline holds to the millisecond with one send and one recv per request: sockets block, with a
 * receive timeout of 50 ms set once. While the deadline is further away than that, a plain recv is enough; nearer to it,
 * and after such a recv came back empty-handed, ppoll waits for exactly the time that is left. */
#include "wire/drive.h"

#include "base/memory.h"
#include "wire/hosts.h"
#include "wire/poll.h"

#include <errno.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

struct xro_driver *xro_driver_create(const struct xro_client_config *client, const struct xro_driver_config *config)
{
    struct xro_driver *driver = (struct xro_driver *)xro_memory_touched(sizeof *driver);

    if (driver == NULL)
        return NULL;
    xro_poll_exactly();
    driver->config = *config;
    for (size_t i = 0; i < XRO_LINKS_MAX; i++)
        driver->fds[i] = -1;
    if (xro_client_create(&driver->client, client) == XRO_OK)
        return driver;
    free(driver);
    return NULL;
}

static void hang_up_at(struct xro_driver *driver, size_t index)
{
    if (driver->sessions[index] != NULL)
        driver->tls->end(driver->tls_context, driver->sessions[index]);
    driver->sessions[index] = NULL;
    if (driver->fds[index] >= 0)
        close(driver->fds[index]);
    driver->fds[index] = -1;
}

void xro_drive_hang_up(struct xro_driver *driver, const struct xro_link *link)
{
    hang_up_at(driver, link->index);
}

void xro_driver_close(struct xro_driver *driver)
{
    if (driver == NULL)
        return;
    for (size_t i = 0; i < XRO_LINKS_MAX; i++)
        hang_up_at(driver, i);
    if (driver->tls_context != NULL)
        driver->tls->close(driver->tls_context);
    xro_client_close(&driver->client);
    free(driver);
}

void xro_driver_hang_up(struct xro_driver *driver)
{
    for (size_t i = 0; i < driver->client.link_count; i++) {
        hang_up_at(driver, i);
        xro_client_broke(&driver->client, driver->client.links[i], XRO_CLOSED, 0);
    }
    driver->client.deadline = 0;
}

void xro_drive_show(struct xro_driver *driver)
{
    if (driver->config.watch != NULL)
        driver->config.watch(driver->config.watch_arg, driver->client.op);
}

xro_ns xro_drive_cpu(void)
{
    struct timespec ts;

    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &ts);
    return (xro_ns)ts.tv_sec * XRO_NS_PER_S + (xro_ns)ts.tv_nsec;
}

xro_ns xro_drive_awhile(void)
{
    return xro_ns_add(xro_clock_now(), XRO_DIAL_RECV_SLICE);
}

/* --- addresses and connection ------------------------------------------------------------------------------------- */

static bool wrong_family(const struct xro_driver *driver, int family)
{
    return driver->config.family != AF_UNSPEC && driver->config.family != family;
}

static int look_up(struct xro_driver *driver, const struct xro_link *link, xro_ns until)
{
    xro_look_up_fn *function = driver->config.look_up ? driver->config.look_up : getaddrinfo;
    struct xro_resolver *resolver = xro_resolve_begin_by(function, link->host, link->port, driver->config.family);
    int result;

    if (resolver == NULL)
        return EAI_MEMORY;
    result = xro_resolve_wait(resolver, xro_drive_earlier(until, xro_drive_awhile()), &driver->addresses);
    if (result == XRO_RESOLVE_TIMEOUT) {
        xro_drive_show(driver);
        result = xro_resolve_wait(resolver, until, &driver->addresses);
    }
    xro_resolve_leave(resolver);
    return result;
}

static void resolve(struct xro_driver *driver, struct xro_link *link, xro_ns until)
{
    struct xro_addresses *addresses = &driver->addresses;
    int result = 0;

    addresses->count = addresses->left_out = 0;
    if (xro_hosts_find(driver->config.hosts, link->host, link->port, driver->config.family, addresses))
        result = addresses->count > 0 ? 0 : EAI_FAMILY;
    else if (!xro_address_from_literal(link->host, link->port, &addresses->items[0]))
        result = look_up(driver, link, until);
    else if (wrong_family(driver, addresses->items[0].as.any.sa_family))
        result = EAI_FAMILY;
    else
        addresses->count = 1;
    if (result == XRO_RESOLVE_TIMEOUT) {
        xro_client_expired(&driver->client);
        return;
    }
    xro_client_resolved(&driver->client, result);
}

static void record_race(struct xro_driver *driver)
{
    if (!driver->dialed)
        return;
    driver->dialed = false;
    xro_race_record(&driver->dial.race, driver->client.op);
    xro_dial_end(&driver->dial);
}

static void dial(struct xro_driver *driver, struct xro_link *link, xro_ns until)
{
    size_t winner = 0;
    int system, fd;

    xro_drive_hang_up(driver, link);
    if (driver->addresses.count > 1)
        xro_addresses_interleave(&driver->addresses, driver->config.prefer_v4);
    xro_dial_begin(&driver->dial, &driver->addresses);
    fd = xro_dial_wait(&driver->dial, xro_drive_earlier(until, xro_drive_awhile()), &winner, &system);
    if (fd < 0 && system == 0) {
        xro_drive_show(driver);
        fd = xro_dial_wait(&driver->dial, until, &winner, &system);
    }
    driver->dialed = true;
    if (fd >= 0) {
        driver->fds[link->index] = fd;
        xro_client_connected(&driver->client, link, &driver->addresses.items[winner]);
        xro_dial_block(fd, true);
        return;
    }
    if (system == 0)
        xro_race_expired(&driver->dial.race, xro_clock_now());
    record_race(driver);
    if (system == 0)
        xro_client_expired(&driver->client);
    else
        xro_client_broke(&driver->client, link, XRO_CONNECT, system);
}

/* --- bytes, with TLS or without --------------------------------------------------------------------------------------- */

/* Send and receive, with TLS or without: bytes, 0 at the end, or -1 with errno. */
static ssize_t send_bytes(struct xro_driver *driver, const struct xro_link *link, const uint8_t *bytes, size_t length)
{
    ssize_t n;

    if (driver->sessions[link->index] == NULL)
        return send(driver->fds[link->index], bytes, length, MSG_NOSIGNAL | MSG_DONTWAIT);
    n = driver->tls->write(driver->sessions[link->index], bytes, length);
    if (n >= 0)
        return n;
    errno = n == XRO_TLS_FAILED ? EPIPE : EAGAIN;
    return -1;
}

static ssize_t receive_bytes(struct xro_driver *driver, const struct xro_link *link, int flags)
{
    ssize_t n;

    if (driver->sessions[link->index] == NULL)
        return recv(driver->fds[link->index], driver->in, sizeof driver->in, flags);
    n = driver->tls->read(driver->sessions[link->index], driver->in, sizeof driver->in);
    if (n >= 0)
        return n;
    errno = n == XRO_TLS_FAILED ? ECONNRESET : EAGAIN;
    return -1;
}


static void broke(struct xro_driver *driver, struct xro_link *link, int system)
{
    record_race(driver);
    xro_drive_hang_up(driver, link);
    xro_client_broke(&driver->client, link, system == 0 || system == ECONNRESET || system == EPIPE ? XRO_CLOSED : XRO_IO,
                     system);
}

/* Send what there is to send; false when the link broke. A full buffer is no failure: the rest goes later. */
static bool drain(struct xro_driver *driver, struct xro_link *link)
{
    size_t length;
    const uint8_t *bytes = xro_link_output(link, &length);
    ssize_t n;

    if (bytes == NULL)
        return true;
    do
        n = send_bytes(driver, link, bytes, length);
    while (n < 0 && errno == EINTR);
    if (n > 0)
        xro_link_sent(link, (size_t)n);
    else if (errno != EAGAIN && errno != EWOULDBLOCK) {
        broke(driver, link, errno);
        return false;
    }
    return true;
}

/* Take what comes; false when nothing came. With TLS the socket is one that does not block, whatever FLAGS are. */
static bool fill(struct xro_driver *driver, struct xro_link *link, int flags)
{
    ssize_t n = receive_bytes(driver, link, flags);

    if (n > 0)
        xro_client_received(&driver->client, link, driver->in, (size_t)n);
    else if (n == 0)
        broke(driver, link, 0);
    else if (errno == EAGAIN || errno == EWOULDBLOCK || errno == EINTR)
        return false;
    else
        broke(driver, link, errno);
    return true;
}

/* Wait for bytes, or room for them, until UNTIL. */
static void exchange_slowly(struct xro_driver *driver, struct xro_link *link, xro_ns until)
{
    size_t unsent;
    struct pollfd poll = { .fd = driver->fds[link->index], .events = POLLIN };
    int ready;

    if (driver->sessions[link->index] != NULL && driver->tls->pending(driver->sessions[link->index])
        && fill(driver, link, MSG_DONTWAIT))
        return;                 /* it was there, decrypted: the socket would not have told */
    xro_link_output(link, &unsent);
    if (unsent > 0)
        poll.events |= POLLOUT;
    ready = xro_poll_until(&poll, 1, xro_drive_earlier(until, xro_drive_awhile()));
    if (ready == 0 && xro_clock_now() < until) {
        xro_drive_show(driver);
        ready = xro_poll_until(&poll, 1, until);
    }
    if (ready == 0)
        xro_client_expired(&driver->client);
    else if (ready > 0 && poll.revents & ~POLLOUT)
        fill(driver, link, MSG_DONTWAIT);
}

static void exchange(struct xro_driver *driver, struct xro_link *link, xro_ns until)
{
    size_t unsent;

    if (!drain(driver, link))
        return;
    record_race(driver);
    xro_link_output(link, &unsent);
    if (unsent == 0 && driver->sessions[link->index] == NULL && driver->client.now < until
        && until - driver->client.now > XRO_DIAL_RECV_SLICE && fill(driver, link, 0))
        return;
    if (driver->fds[link->index] >= 0)
        exchange_slowly(driver, link, until);
}

/* A pause that the server ordered. What it says meanwhile is heard. */
static void pause_until(struct xro_driver *driver, struct xro_link *link, xro_ns until)
{
    struct pollfd poll = { .fd = driver->fds[link->index], .events = POLLIN };
    int ready;

    xro_drive_show(driver);
    ready = xro_poll_punctually(&poll, 1, until);
    if (ready > 0)
        fill(driver, link, MSG_DONTWAIT);
    else if (ready == 0)
        xro_client_woke(&driver->client);
}

enum xro_status xro_driver_perform(struct xro_driver *driver, enum xro_op_kind kind, void *data, uint64_t offset,
                                   uint32_t size, struct xro_op *op)
{
    struct xro_link *link;
    xro_ns until;

    xro_client_begin(&driver->client, kind, data, offset, size, op);
    for (;;)
        switch (xro_client_wants(&driver->client, &link, &until)) {
        case XRO_WANT_NOTHING:
            return op->error.status;
        case XRO_WANT_ADDRESSES:
            resolve(driver, link, until);
            break;
        case XRO_WANT_CONNECTION:
            dial(driver, link, until);
            break;
        case XRO_WANT_TLS:
            record_race(driver);
            xro_drive_secure(driver, link, until);
            break;
        case XRO_WANT_CREDENTIALS:
            xro_drive_authenticate(driver, link, until);
            break;
        case XRO_WANT_BYTES:
            exchange(driver, link, until);
            break;
        case XRO_WANT_TIME:
            pause_until(driver, link, until);
            break;
        }
}

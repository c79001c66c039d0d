/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * listen.c - the addresses of the servers. Those of one server share a port. A refusing address is a bound socket
 * that does not listen: connecting to it is refused, and nobody else gets the port. A swallowing one listens with a
 * queue of length 0 that a connection of our own keeps full: the kernel then drops every SYN, so that a connect hangs
 * as it does behind a firewall. */
#include "imposter/loop.h"

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

enum {
    PORT_TRIES = 100,
    BACKLOG = 4096,
    FILLERS_MAX = 4,
    FILL_MS = 50,               /* a loopback connect that takes longer hangs */
    ACCEPTS_PER_ROUND = 64
};

socklen_t xro_make_address(const char *text, uint16_t port, struct sockaddr_storage *address)
{
    struct sockaddr_in *v4 = (struct sockaddr_in *)address;
    struct sockaddr_in6 *v6 = (struct sockaddr_in6 *)address;

    memset(address, 0, sizeof *address);
    if (strchr(text, ':') != NULL) {
        v6->sin6_family = AF_INET6;
        v6->sin6_port = htons(port);
        inet_pton(AF_INET6, text, &v6->sin6_addr);
        return sizeof *v6;
    }
    v4->sin_family = AF_INET;
    v4->sin_port = htons(port);
    inet_pton(AF_INET, text, &v4->sin_addr);
    return sizeof *v4;
}

static int new_socket(const struct sockaddr_storage *address)
{
    int fd = socket(address->ss_family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0), on = 1;

    if (fd >= 0 && address->ss_family == AF_INET6)
        setsockopt(fd, IPPROTO_IPV6, IPV6_V6ONLY, &on, sizeof on);
    return fd;
}

static uint16_t bound_port(int fd)
{
    struct sockaddr_storage address;
    socklen_t length = sizeof address;

    memset(&address, 0, sizeof address);
    getsockname(fd, (struct sockaddr *)&address, &length);
    return ntohs(address.ss_family == AF_INET6 ? ((struct sockaddr_in6 *)&address)->sin6_port
                                               : ((struct sockaddr_in *)&address)->sin_port);
}

/* One connection that stays in the queue; -1 when it did not get in: the queue is full. */
static int fill(const struct sockaddr_storage *address, socklen_t length)
{
    int fd = new_socket(address);
    struct pollfd wait = { .fd = fd, .events = POLLOUT };

    if (fd >= 0 && (connect(fd, (const struct sockaddr *)address, length) == 0 || poll(&wait, 1, FILL_MS) == 1))
        return fd;
    if (fd >= 0)
        close(fd);
    return -1;
}

/* Fill the queue until a connect hangs. Other systems' queues of length 0 hold more than one. */
static bool swallow(struct xro_listener *listener, uint16_t port)
{
    struct sockaddr_storage address;
    socklen_t length = xro_make_address(listener->address->text, port, &address);
    int last;

    listener->filler = fill(&address, length);
    for (int i = 0; i < FILLERS_MAX; i++) {
        last = fill(&address, length);
        if (last < 0)
            return listener->filler >= 0;
        close(last);            /* it stays in the queue all the same */
    }
    return false;
}

static bool start(struct xro_listener *listener, uint16_t *port, bool fixed)
{
    struct sockaddr_storage address;
    socklen_t length = xro_make_address(listener->address->text, *port, &address);
    enum xro_address_kind kind = listener->address->kind;
    int on = 1;

    listener->fd = new_socket(&address);
    if (listener->fd < 0)
        return false;
    /* A script run again must not have to wait until its old connections are forgotten. */
    if (fixed && kind != XRO_ADDRESS_REFUSE)
        setsockopt(listener->fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
    if (bind(listener->fd, (struct sockaddr *)&address, length) != 0)
        return false;
    *port = bound_port(listener->fd);
    if (kind == XRO_ADDRESS_REFUSE)
        return true;
    if (listen(listener->fd, kind == XRO_ADDRESS_SWALLOW ? 0 : BACKLOG) != 0)
        return false;
    return kind != XRO_ADDRESS_SWALLOW || swallow(listener, *port);
}

static void stop(struct xro_imposter *imposter, struct xro_listener *listener)
{
    if (listener->fd >= 0) {
        xro_poller_drop(imposter->poller, listener->fd, &listener->watched);
        close(listener->fd);
    }
    if (listener->filler >= 0)
        close(listener->filler);
    listener->fd = listener->filler = -1;
}

/* All addresses of a server on one port. Where the port is free to choose, one that is taken on the second address
 * only is given up for another. */
static bool start_server(struct xro_imposter *imposter, unsigned index, struct xro_listener *listeners,
                         struct xro_listener **failed)
{
    const struct xro_server *server = &imposter->script->servers[index];

    for (int i = 0; i < PORT_TRIES; i++) {
        uint16_t port = server->port;
        unsigned n = 0;

        while (n < server->address_count && start(&listeners[n], &port, server->port != 0))
            n++;
        imposter->ports[index] = port;
        if (n == server->address_count)
            return true;
        int error = errno;
        *failed = &listeners[n];
        for (unsigned j = 0; j <= n; j++)
            stop(imposter, &listeners[j]);
        errno = error;
        if (server->port != 0 || error != EADDRINUSE)
            return false;
    }
    return false;
}

/* --- accepting -------------------------------------------------------------------------------------------------- */

/* No descriptors left: one is kept in reserve, so that the client can be told by a close and does not hang in the
 * queue. */
static bool turn_away(struct xro_listener *listener)
{
    int fd;

    if (listener->imposter->reserve < 0)
        return false;
    close(listener->imposter->reserve);
    fd = accept(listener->fd, NULL, NULL);
    if (fd >= 0)
        close(fd);
    listener->imposter->reserve = open("/dev/null", O_RDONLY | O_CLOEXEC);
    return fd >= 0;
}

static void listener_ready(struct xro_source *source, unsigned ready)
{
    struct xro_listener *listener = (struct xro_listener *)source;
    struct xro_imposter *imposter = listener->imposter;

    (void)ready;
    for (int i = 0; i < ACCEPTS_PER_ROUND; i++) {
        int fd = accept4(listener->fd, NULL, NULL, SOCK_NONBLOCK | SOCK_CLOEXEC);
        if (fd < 0 && (errno == EMFILE || errno == ENFILE) && turn_away(listener))
            continue;
        if (fd < 0)
            return;
        if (imposter->script->servers[listener->server].kind == XRO_SERVER_RELAY)
            xro_relay_accept(imposter, listener->server, fd);
        else
            xro_guest_accept(imposter, listener->server, fd, listener->address->kind == XRO_ADDRESS_SILENT,
                             xro_clock_now());
    }
}

/* --- all -------------------------------------------------------------------------------------------------------- */

static enum xro_status fail(struct xro_script_error *error, const struct xro_listener *listener, uint16_t port)
{
    error->line = listener->address->line;
    error->column = listener->address->column;
    snprintf(error->text, sizeof error->text, "cannot listen on %s port %u: %s", listener->address->text,
             (unsigned)port, strerror(errno));
    return XRO_IO;
}

static size_t count_addresses(const struct xro_script *script)
{
    size_t count = 0;

    for (unsigned i = 0; i < script->server_count; i++)
        count += script->servers[i].address_count;
    return count;
}

static bool add_listeners(struct xro_imposter *imposter)
{
    const struct xro_script *script = imposter->script;
    size_t count = count_addresses(script), n = 0;

    imposter->listeners = (struct xro_listener *)calloc(count, sizeof *imposter->listeners);
    if (imposter->listeners == NULL)
        return false;
    for (unsigned i = 0; i < script->server_count; i++)
        for (const struct xro_script_address *at = script->servers[i].addresses; at != NULL; at = at->next)
            imposter->listeners[n++] = (struct xro_listener){ .source.ready = listener_ready, .imposter = imposter,
                                                              .server = i, .address = at, .fd = -1, .watched = -1,
                                                              .filler = -1 };
    imposter->listener_count = count;
    return true;
}

enum xro_status xro_listen_all(struct xro_imposter *imposter, struct xro_script_error *error)
{
    struct xro_listener *listener, *failed = NULL;

    if (!add_listeners(imposter))
        return XRO_MEMORY;
    listener = imposter->listeners;
    for (unsigned i = 0; i < imposter->script->server_count; i++) {
        if (!start_server(imposter, i, listener, &failed))
            return fail(error, failed, imposter->ports[i]);
        listener += imposter->script->servers[i].address_count;
    }
    for (size_t i = 0; i < imposter->listener_count; i++) {
        listener = &imposter->listeners[i];
        if (listener->address->kind <= XRO_ADDRESS_SILENT &&
            xro_poller_set(imposter->poller, listener->fd, &listener->watched, XRO_POLL_READ, listener) != XRO_OK)
            return XRO_MEMORY;
    }
    return XRO_OK;
}

void xro_listen_close(struct xro_imposter *imposter)
{
    for (size_t i = 0; i < imposter->listener_count; i++)
        stop(imposter, &imposter->listeners[i]);
    free(imposter->listeners);
    imposter->listeners = NULL;
    imposter->listener_count = 0;
}

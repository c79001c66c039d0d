/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * relay.c - a server that passes bytes on to a real one and back, each way later by a fixed time: a long line without
 * root. Each chunk that was read is written when its time has come, in order, at whatever rate; ends and resets travel
 * through the same queue. The TCP connection itself is accepted at once, so a connect costs no round trip here. */
#include "imposter/loop.h"

#include <errno.h>
#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

enum { QUEUE_MAX = 64 << 20 };  /* bytes under way in one direction; beyond them the sender is not read */

enum chunk_kind { CHUNK_DATA, CHUNK_FIN, CHUNK_RESET };

struct chunk {
    struct chunk *next;
    xro_ns due;
    enum chunk_kind kind;
    size_t length, at;
    uint8_t bytes[];
};

struct xro_upstream {
    struct sockaddr_storage address;
    socklen_t length;
};

struct side {                   /* one of the two sockets, and what was read from it */
    struct xro_source source;
    struct xro_relay *relay;
    int fd, watched;
    bool connecting, ended;     /* ended: nothing more comes from it */
    bool blocked;               /* took less than it was given: wait until it is writable */
    xro_ns delay;
    struct chunk *first, **last;
    size_t queued;
    struct xro_timer timer;
    bool passed;                /* its end has reached the other side */
};

struct xro_relay {
    struct xro_imposter *imposter;
    struct xro_relay *next, *before;
    struct side sides[2];       /* client, real server */
    bool dead;
};

static struct side *other(struct side *side)
{
    return side == &side->relay->sides[0] ? &side->relay->sides[1] : &side->relay->sides[0];
}

/* --- end -------------------------------------------------------------------------------------------------------- */

static void close_relay(struct xro_relay *relay, bool reset)
{
    struct xro_imposter *imposter = relay->imposter;
    struct linger linger = { .l_onoff = 1, .l_linger = 0 };

    if (relay->dead)
        return;
    relay->dead = true;
    for (int i = 0; i < 2; i++) {
        struct side *side = &relay->sides[i];
        xro_timers_cancel(&imposter->timers, &side->timer);
        if (side->fd < 0)
            continue;
        if (reset)
            setsockopt(side->fd, SOL_SOCKET, SO_LINGER, &linger, sizeof linger);
        xro_poller_drop(imposter->poller, side->fd, &side->watched);
        close(side->fd);
    }
    if (relay->before != NULL)
        relay->before->next = relay->next;
    else
        imposter->relays = relay->next;
    if (relay->next != NULL)
        relay->next->before = relay->before;
    relay->next = imposter->dead_relays;
    imposter->dead_relays = relay;
}

void xro_relay_bury(struct xro_imposter *imposter)
{
    while (imposter->dead_relays != NULL) {
        struct xro_relay *relay = imposter->dead_relays;
        imposter->dead_relays = relay->next;
        for (int i = 0; i < 2; i++)
            while (relay->sides[i].first != NULL) {
                struct chunk *next = relay->sides[i].first->next;
                free(relay->sides[i].first);
                relay->sides[i].first = next;
            }
        free(relay);
    }
}

void xro_relay_close_all(struct xro_imposter *imposter)
{
    while (imposter->relays != NULL)
        close_relay(imposter->relays, false);
    xro_relay_bury(imposter);
    free(imposter->upstreams);
    imposter->upstreams = NULL;
}

/* --- chunks ----------------------------------------------------------------------------------------------------- */

static void watch(struct side *side)
{
    bool reads = !side->ended && !side->connecting && side->queued < QUEUE_MAX;
    unsigned wanted = (reads ? XRO_POLL_READ : 0u) | (side->connecting || side->blocked ? XRO_POLL_WRITE : 0u);

    if (side->relay->dead || side->fd < 0)
        return;
    if (xro_poller_set(side->relay->imposter->poller, side->fd, &side->watched, wanted, side) != XRO_OK)
        close_relay(side->relay, true);
}

static void set_timer(struct side *side)
{
    if (side->first != NULL && side->timer.place == 0 && !other(side)->blocked && !other(side)->connecting &&
        xro_timers_set(&side->relay->imposter->timers, &side->timer, side->first->due) != XRO_OK)
        close_relay(side->relay, true);
}

/* Put what SIDE said, or its end, on its way. */
static void enqueue(struct side *side, enum chunk_kind kind, const uint8_t *bytes, size_t n, xro_ns now)
{
    struct chunk *chunk = (struct chunk *)malloc(sizeof *chunk + n);

    if (chunk == NULL) {
        close_relay(side->relay, true);
        return;
    }
    *chunk = (struct chunk){ .due = xro_ns_add(now, side->delay), .kind = kind, .length = n };
    if (n > 0)
        memcpy(chunk->bytes, bytes, n);
    *side->last = chunk;
    side->last = &chunk->next;
    side->queued += n;
    side->ended = side->ended || kind != CHUNK_DATA;
    set_timer(side);
}

static void drop_first(struct side *side)
{
    struct chunk *chunk = side->first;

    side->queued -= chunk->length;
    side->first = chunk->next;
    if (side->first == NULL)
        side->last = &side->first;
    free(chunk);
}

/* Hand one chunk of FROM to TO; false when it did not take all. */
static bool deliver(struct chunk *chunk, struct side *from, struct side *to)
{
    ssize_t n;

    switch (chunk->kind) {
    case CHUNK_RESET:
        close_relay(from->relay, true);
        return false;
    case CHUNK_FIN:
        shutdown(to->fd, SHUT_WR);
        from->passed = true;
        return true;
    case CHUNK_DATA:
        break;
    }
    n = send(to->fd, chunk->bytes + chunk->at, chunk->length - chunk->at, MSG_NOSIGNAL | MSG_DONTWAIT);
    if (n < 0 && errno != EAGAIN && errno != EWOULDBLOCK && errno != EINTR)
        return true;            /* it is gone: its own end is under way to the sender */
    chunk->at += n > 0 ? (size_t)n : 0;
    to->blocked = chunk->at < chunk->length;
    return !to->blocked;
}

static void deliver_due(struct side *from, xro_ns now)
{
    struct side *to = other(from);

    while (!from->relay->dead && from->first != NULL && from->first->due <= now && deliver(from->first, from, to))
        drop_first(from);
    if (from->relay->dead)
        return;
    if (from->passed && to->passed) {
        close_relay(from->relay, false);
        return;
    }
    set_timer(from);
    watch(from);
    watch(to);
}

static void fire(void *owner, xro_ns now)
{
    deliver_due((struct side *)owner, now);
}

/* --- sockets ---------------------------------------------------------------------------------------------------- */

static void receive(struct side *side)
{
    struct xro_imposter *imposter = side->relay->imposter;
    ssize_t n = recv(side->fd, imposter->scratch, XRO_SCRATCH_SIZE, MSG_DONTWAIT);
    int error = errno;
    xro_ns now = xro_clock_now();

    if (n > 0)
        enqueue(side, CHUNK_DATA, imposter->scratch, (size_t)n, now);
    else if (n == 0)
        enqueue(side, CHUNK_FIN, NULL, 0, now);
    else if (error != EAGAIN && error != EWOULDBLOCK && error != EINTR)
        enqueue(side, CHUNK_RESET, NULL, 0, now);
}

static void finish_connect(struct side *side)
{
    int error = 0;
    socklen_t length = sizeof error;

    side->connecting = false;
    if (getsockopt(side->fd, SOL_SOCKET, SO_ERROR, &error, &length) != 0 || error != 0)
        enqueue(side, CHUNK_RESET, NULL, 0, xro_clock_now());
    set_timer(other(side));
}

static void side_ready(struct xro_source *source, unsigned ready)
{
    struct side *side = (struct side *)source;

    if (side->relay->dead)
        return;
    if (side->connecting) {
        finish_connect(side);
    } else {
        if (side->blocked && (ready & (XRO_POLL_WRITE | XRO_POLL_GONE))) {
            side->blocked = false;
            deliver_due(other(side), xro_clock_now());
        }
        if (!side->relay->dead && !side->ended && (ready & (XRO_POLL_READ | XRO_POLL_GONE)))
            receive(side);
        else if (!side->relay->dead && side->ended && (ready & XRO_POLL_GONE))
            xro_poller_drop(side->relay->imposter->poller, side->fd, &side->watched);
    }
    if (!side->relay->dead && !(side->ended && side->watched < 0))
        watch(side);
}

static void init_side(struct xro_relay *relay, int index, int fd, xro_ns delay)
{
    struct side *side = &relay->sides[index];
    int on = 1;

    *side = (struct side){ .source.ready = side_ready, .relay = relay, .fd = fd, .watched = -1, .delay = delay,
                           .last = &side->first, .timer = { .fire = fire, .owner = side } };
    setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
}

void xro_relay_accept(struct xro_imposter *imposter, unsigned server, int fd)
{
    const struct xro_server *to = &imposter->script->servers[server];
    const struct xro_upstream *upstream = &imposter->upstreams[server];
    struct xro_relay *relay = (struct xro_relay *)calloc(1, sizeof *relay);
    int up = socket(upstream->address.ss_family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);

    if (relay == NULL || up < 0) {
        free(relay);
        close(fd);
        if (up >= 0)
            close(up);
        return;
    }
    relay->imposter = imposter;
    relay->next = imposter->relays;
    if (relay->next != NULL)
        relay->next->before = relay;
    imposter->relays = relay;
    init_side(relay, 0, fd, to->relay_delay);
    init_side(relay, 1, up, to->relay_back);
    relay->sides[1].connecting = true;
    if (connect(up, (const struct sockaddr *)&upstream->address, upstream->length) != 0 && errno != EINPROGRESS) {
        relay->sides[1].connecting = false;
        enqueue(&relay->sides[1], CHUNK_RESET, NULL, 0, xro_clock_now());
    }
    watch(&relay->sides[0]);
    watch(&relay->sides[1]);
}

static enum xro_status look_up(const struct xro_server *server, struct xro_upstream *upstream,
                               struct xro_script_error *error)
{
    struct addrinfo hints = { .ai_socktype = SOCK_STREAM, .ai_flags = AI_NUMERICSERV }, *found;
    int result = getaddrinfo(server->relay_host, server->relay_port, &hints, &found);

    if (result == 0) {
        memcpy(&upstream->address, found->ai_addr, found->ai_addrlen);
        upstream->length = found->ai_addrlen;
        freeaddrinfo(found);
        return XRO_OK;
    }
    error->line = server->line;
    error->column = server->column;
    snprintf(error->text, sizeof error->text, "relay: cannot look up '%.100s': %s", server->relay_host,
             gai_strerror(result));
    return XRO_RESOLVE;
}

enum xro_status xro_relay_resolve(struct xro_imposter *imposter, struct xro_script_error *error)
{
    const struct xro_script *script = imposter->script;
    enum xro_status status = XRO_OK;

    imposter->upstreams = (struct xro_upstream *)calloc(script->server_count, sizeof *imposter->upstreams);
    if (imposter->upstreams == NULL)
        return XRO_MEMORY;
    for (unsigned i = 0; i < script->server_count && status == XRO_OK; i++) {
        const struct xro_server *server = &script->servers[i];
        if (server->kind != XRO_SERVER_RELAY)
            continue;
        if (server->relay_port != NULL)
            status = look_up(server, &imposter->upstreams[i], error);
        else
            imposter->upstreams[i].length = xro_make_address(script->servers[server->relay_server].addresses->text,
                                                             imposter->ports[server->relay_server],
                                                             &imposter->upstreams[i].address);
    }
    return status;
}

/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * guest.c - a client's connection: its bytes to requests, however they were split or joined, and its output. An idle
 * one holds no buffers. */
#include "imposter/loop.h"

#include <errno.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

enum {
    IN_MAX = XRO_SCRATCH_SIZE + XRO_PAYLOAD_MAX + 4096,
    IN_ENOUGH = 64 << 10        /* unserved requests; beyond them nothing more is read for a while */
};

/* --- beginning and end ------------------------------------------------------------------------------------------ */

static void guest_ready(struct xro_source *source, unsigned ready);

static size_t unread(const struct xro_guest *guest)
{
    return guest->in.length - guest->in_at;
}

bool xro_guest_drained(const struct xro_guest *guest)
{
    return guest->out.length == guest->out_at;
}

static void watch(struct xro_guest *guest)
{
    bool reads = !guest->deaf && !guest->ended && unread(guest) < IN_ENOUGH;
    unsigned wanted = (reads ? XRO_POLL_READ : guest->deaf ? XRO_POLL_HANGUP : 0u) |
                      (xro_guest_drained(guest) ? 0u : XRO_POLL_WRITE);

    if (!guest->dead && xro_poller_set(guest->imposter->poller, guest->fd, &guest->watched, wanted, guest) != XRO_OK)
        xro_guest_close(guest, true);
}

void xro_guest_accept(struct xro_imposter *imposter, unsigned server, int fd, bool silent, xro_ns now)
{
    struct xro_guest *guest = (struct xro_guest *)calloc(1, sizeof *guest);
    int on = 1;

    if (guest == NULL) {
        close(fd);
        return;
    }
    setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
    *guest = (struct xro_guest){ .source.ready = guest_ready, .imposter = imposter, .next = imposter->guests,
                                 .server = server, .number = ++imposter->guest_count, .fd = fd, .watched = -1,
                                 .silent = silent, .accepted = now, .received = now, .in = xro_buf(IN_MAX),
                                 .out = xro_buf(2 * (size_t)XRO_SCRIPT_MESSAGE_MAX + 4096),
                                 .payload = xro_buf(XRO_PAYLOAD_MAX) };
    if (guest->next != NULL)
        guest->next->before = guest;
    imposter->guests = guest;
    guest->turn = silent ? NULL : xro_turn_new(guest, XRO_EVENT_ACCEPT, now);
    if (guest->turn != NULL)
        xro_turn_run(guest->turn);
    watch(guest);
}

/* What lies unread in the kernel would turn the FIN into a reset that also takes back what was sent. */
static void read_off(struct xro_guest *guest)
{
    struct xro_imposter *imposter = guest->imposter;

    for (int i = 0; i < 64 && recv(guest->fd, imposter->scratch, XRO_SCRATCH_SIZE, MSG_DONTWAIT) > 0; i++)
        ;
}

void xro_guest_close(struct xro_guest *guest, bool reset)
{
    struct xro_imposter *imposter = guest->imposter;
    struct linger linger = { .l_onoff = 1, .l_linger = 0 };

    if (guest->dead)
        return;
    guest->dead = true;
    if (reset)
        setsockopt(guest->fd, SOL_SOCKET, SO_LINGER, &linger, sizeof linger);
    else
        read_off(guest);
    xro_poller_drop(imposter->poller, guest->fd, &guest->watched);
    close(guest->fd);
    if (guest->before != NULL)
        guest->before->next = guest->next;
    else
        imposter->guests = guest->next;
    if (guest->next != NULL)
        guest->next->before = guest->before;
    guest->next = imposter->dead;
    imposter->dead = guest;
}

static void free_guest(struct xro_guest *guest)
{
    if (guest->turn != NULL)
        xro_turn_free(guest->turn);
    while (guest->detached != NULL) {
        struct xro_turn *next = guest->detached->next;
        xro_turn_free(guest->detached);
        guest->detached = next;
    }
    for (size_t i = 0; i < guest->handle_count; i++)
        free(guest->handles[i].path);
    free(guest->handles);
    free(guest->counts);
    xro_buf_free(&guest->in);
    xro_buf_free(&guest->out);
    xro_buf_free(&guest->payload);
    free(guest);
}

void xro_guest_bury(struct xro_imposter *imposter)
{
    while (imposter->dead != NULL) {
        struct xro_guest *guest = imposter->dead;
        imposter->dead = guest->next;
        free_guest(guest);
    }
}

/* --- output ----------------------------------------------------------------------------------------------------- */

static void give_up(struct xro_guest *guest)
{
    if (!guest->shut)           /* after our own shutdown an EPIPE is no news */
        xro_guest_close(guest, true);
}

void xro_guest_send(struct xro_guest *guest, const uint8_t *bytes, size_t n)
{
    ssize_t sent = 0;

    if (guest->dead || guest->shut)
        return;
    if (xro_guest_drained(guest)) {
        do
            sent = send(guest->fd, bytes, n, MSG_NOSIGNAL | MSG_DONTWAIT);
        while (sent < 0 && errno == EINTR);
        if (sent < 0 && errno != EAGAIN && errno != EWOULDBLOCK) {
            give_up(guest);
            return;
        }
        sent = sent < 0 ? 0 : sent;
    }
    if ((size_t)sent < n && xro_buf_append(&guest->out, bytes + sent, n - (size_t)sent) != XRO_OK)
        give_up(guest);
}

static void flush(struct xro_guest *guest)
{
    while (!xro_guest_drained(guest)) {
        ssize_t n = send(guest->fd, guest->out.bytes + guest->out_at, guest->out.length - guest->out_at,
                         MSG_NOSIGNAL | MSG_DONTWAIT);
        if (n < 0) {
            if (errno != EAGAIN && errno != EWOULDBLOCK && errno != EINTR)
                xro_guest_close(guest, true);
            return;
        }
        guest->out_at += (size_t)n;
    }
    xro_buf_free(&guest->out);
    guest->out_at = 0;
}

/* The turns that waited for the output go on; each may put more into it. */
static void resume(struct xro_guest *guest)
{
    if (guest->turn != NULL && guest->turn->drains)
        xro_turn_run(guest->turn);
    for (struct xro_turn *turn = guest->detached, *next; turn != NULL; turn = next) {
        next = turn->next;
        if (turn->drains)
            xro_turn_run(turn);
    }
}

/* --- input ------------------------------------------------------------------------------------------------------ */

static void consume(struct xro_guest *guest, size_t n)
{
    guest->in_at += n;
    if (unread(guest) == 0) {
        xro_buf_free(&guest->in);
        guest->in_at = 0;
    }
}

static void compact(struct xro_guest *guest)
{
    if (guest->in_at == 0)
        return;
    memmove(guest->in.bytes, guest->in.bytes + guest->in_at, unread(guest));
    guest->in.length -= guest->in_at;
    guest->in_at = 0;
}

static bool is_bulky(uint16_t code)
{
    return code == XRO_KXR_WRITE || code == XRO_KXR_PGWRITE;
}

static bool begin_turn(struct xro_guest *guest, uint64_t event)
{
    guest->turn = xro_turn_new(guest, event, guest->received);
    if (guest->turn == NULL)
        xro_guest_close(guest, true);   /* out of memory */
    return guest->turn != NULL;
}

static bool take_hello(struct xro_guest *guest)
{
    uint8_t expected[XRO_HANDSHAKE_SIZE];
    struct xro_out out = xro_out(expected, sizeof expected);

    if (unread(guest) < sizeof expected)
        return false;
    xro_put_handshake(&out);
    if (memcmp(guest->in.bytes + guest->in_at, expected, sizeof expected) != 0) {
        xro_guest_close(guest, true);   /* as xrootd does */
        return false;
    }
    consume(guest, sizeof expected);
    guest->stage = XRO_STAGE_HEADER;
    return begin_turn(guest, XRO_EVENT_HANDSHAKE);
}

static bool take_header(struct xro_guest *guest)
{
    struct xro_in in;

    if (unread(guest) < XRO_REQUEST_HEADER_SIZE)
        return false;
    in = xro_in(guest->in.bytes + guest->in_at, unread(guest));
    xro_get_request(&in, &guest->request);
    consume(guest, XRO_REQUEST_HEADER_SIZE);
    guest->skip = guest->request.length > INT32_MAX ? 0 : guest->request.length;
    guest->stage = is_bulky(guest->request.code) ? XRO_STAGE_SKIP : XRO_STAGE_PAYLOAD;
    return true;
}

/* Keep the payload, up to a limit; the rest is skipped. */
static bool take_payload(struct xro_guest *guest)
{
    size_t keep = guest->skip < XRO_PAYLOAD_MAX ? (size_t)guest->skip : XRO_PAYLOAD_MAX;

    if (unread(guest) < keep)
        return false;
    if (keep > 0 && xro_buf_append(&guest->payload, guest->in.bytes + guest->in_at, keep) != XRO_OK) {
        xro_guest_close(guest, true);
        return false;
    }
    consume(guest, keep);
    guest->skip -= keep;
    guest->stage = XRO_STAGE_SKIP;
    return true;
}

static uint64_t event_of(uint16_t code)
{
    return code >= XRO_KXR_AUTH && code < XRO_KXR_AUTH + 48 ? UINT64_C(1) << (code - XRO_KXR_AUTH) : XRO_EVENT_OTHER;
}

static bool skip_payload(struct xro_guest *guest)
{
    size_t n = guest->skip < unread(guest) ? (size_t)guest->skip : unread(guest);

    if (n > 0)
        consume(guest, n);
    guest->skip -= n;
    if (guest->skip > 0)
        return false;
    guest->stage = XRO_STAGE_HEADER;
    return begin_turn(guest, event_of(guest->request.code));
}

static bool take(struct xro_guest *guest)
{
    switch (guest->stage) {
    case XRO_STAGE_HELLO:
        return take_hello(guest);
    case XRO_STAGE_HEADER:
        return take_header(guest);
    case XRO_STAGE_PAYLOAD:
        return take_payload(guest);
    case XRO_STAGE_SKIP:
        return skip_payload(guest);
    }
    return false;
}

void xro_guest_advance(struct xro_guest *guest)
{
    while (!guest->dead && guest->turn == NULL && !guest->silent && take(guest))
        if (guest->turn != NULL)
            xro_turn_run(guest->turn);
    if (guest->silent && !guest->dead)
        consume(guest, unread(guest));
    if (guest->dead)
        return;
    if (guest->ended && guest->turn == NULL && guest->detached == NULL && xro_guest_drained(guest))
        xro_guest_close(guest, false);
    else
        watch(guest);
}

static void receive(struct xro_guest *guest)
{
    struct xro_imposter *imposter = guest->imposter;
    ssize_t n = recv(guest->fd, imposter->scratch, XRO_SCRATCH_SIZE, MSG_DONTWAIT);

    guest->received = xro_clock_now();
    if (n < 0) {
        if (errno != EAGAIN && errno != EWOULDBLOCK && errno != EINTR)
            xro_guest_close(guest, true);
        return;
    }
    if (n == 0) {
        guest->ended = true;
        return;
    }
    compact(guest);
    if (!guest->silent && xro_buf_append(&guest->in, imposter->scratch, (size_t)n) != XRO_OK)
        xro_guest_close(guest, true);
}

static void guest_ready(struct xro_source *source, unsigned ready)
{
    struct xro_guest *guest = (struct xro_guest *)source;

    if (guest->dead)
        return;
    if (ready & XRO_POLL_WRITE) {
        flush(guest);
        if (!guest->dead && xro_guest_drained(guest))
            resume(guest);
    }
    if (!guest->dead && (ready & XRO_POLL_READ))
        receive(guest);
    else if (!guest->dead && (ready & (XRO_POLL_GONE | XRO_POLL_HANGUP)))
        xro_guest_close(guest, true);
    if (!guest->dead)
        xro_guest_advance(guest);
}

/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * client.h - the client: a state machine that owns no socket and no timer. A driver asks what it wants (addresses, a
 * connection, bytes, time to pass), does that, and tells it what came. It reads time only through the clock that it was
 * given, writes the op's time line as it goes, and survives any bytes.
 *
 * A client measures one file. It has links (connections: a manager, the data servers it sent us to) and at any time one
 * call (the op under way). The call's state says which phase passes: the table below is where protocol and report meet. */
#ifndef XRO_WIRE_CLIENT_H
#define XRO_WIRE_CLIENT_H

#include "auth/sign.h"
#include "base/buf.h"
#include "proto/answer.h"
#include "record/timeline.h"
#include "wire/address.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum xro_want {
    XRO_WANT_NOTHING,           /* the call is over, or none was begun */
    XRO_WANT_ADDRESSES,         /* look up link->host, then xro_client_resolved() */
    XRO_WANT_CONNECTION,        /* connect to one of them, then xro_client_connected() or _broke() */
    XRO_WANT_TLS,               /* call xro_client_securing(), do the TLS handshake on link, then xro_client_secured() */
    XRO_WANT_CREDENTIALS,       /* in state CHOOSE: the next method of client->token, by xro_client_making() or _passed_over()
                                   or _no_more_methods(); in state MAKE: its credentials, an answer to client->more, by
                                   xro_client_credentials() or _no_credentials() */
    XRO_WANT_BYTES,             /* send what xro_link_output() gives, hand what comes to xro_client_received() */
    XRO_WANT_TIME               /* wait until `until`, then xro_client_woke(); bytes may come all the same */
};

/*  state      phase      wants        what is waited for */
#define XRO_CALL_STATES(S)                                                                    \
    S(IDLE,      OTHER,     NOTHING,    "nothing")                                            \
    S(RESOLVE,   RESOLVE,   ADDRESSES,  "the addresses of the host")                          \
    S(CONNECT,   CONNECT,   CONNECTION, "the TCP connection")                                 \
    S(HANDSHAKE, HANDSHAKE, BYTES,      "the answer to the handshake")                        \
    S(PROTOCOL,  HANDSHAKE, BYTES,      "the answer to kXR_protocol")                         \
    S(SECURE,    OTHER,     TLS,        "TLS to be made ready")                               \
    S(TLS,       TLS,       TLS,        "the TLS handshake")                                  \
    S(LOGIN,     LOGIN,     BYTES,      "the answer to kXR_login")                            \
    S(CHOOSE,    OTHER,     CREDENTIALS, "a method of authentication")                        \
    S(MAKE,      AUTH,      CREDENTIALS, "credentials to be made")                            \
    S(AUTH,      AUTH,      BYTES,      "the answer to kXR_auth")                             \
    S(REQUEST,   REQUEST,   BYTES,      "the first byte of the answer")                       \
    S(TRANSFER,  TRANSFER,  BYTES,      "the rest of the answer")                             \
    S(WAIT,      WAIT,      TIME,       "the end of the pause that the server ordered")       \
    S(DEFER,     DEFER,     BYTES,      "the answer that the server deferred")                \
    S(DONE,      OTHER,     NOTHING,    "nothing")

enum xro_call_state {
#define S(id, phase, want, text) XRO_CALL_##id,
    XRO_CALL_STATES(S)
#undef S
    XRO_CALL_STATE_COUNT
};

const char *xro_call_state_name(enum xro_call_state state);
enum xro_phase xro_call_state_phase(enum xro_call_state state);
const char *xro_call_state_text(enum xro_call_state state);

enum {
    XRO_LINKS_MAX = 20,         /* a client's connections: 16 redirects and some */
    XRO_REDIRECT_LIMIT = 16,    /* as the official client (RedirectLimit) */
    XRO_BODY_MAX = 128 * 1024,  /* of an answer that is not data */
    XRO_REDIRECT_TEXT_MAX = 64 * 1024,
    XRO_STRAY_MAX = 1000,       /* answers that nobody waits for, per op */
    XRO_EMPTY_PIECES_MAX = 1000 /* kXR_oksofar without data, in a row */
};

/* Stream ids with a fixed use: the server's own, and the two requests that begin a connection. */
enum { XRO_STREAM_SERVER, XRO_STREAM_PROTOCOL, XRO_STREAM_LOGIN, XRO_STREAM_FIRST_REQUEST };

/* A wait of 0 s is given this pause, or a server that says so for ever would have us spin. */
#define XRO_SHORTEST_WAIT (10 * XRO_NS_PER_MS)

struct xro_link {
    char host[XRO_HOST_SIZE];
    uint16_t port;
    bool up;                    /* connected, as far as we know */
    bool ready;                 /* logged in */
    bool step_by_step;          /* the server refused one flight */
    bool secure;                /* TLS is on */
    bool needs_tls;             /* the URL or redirect that led here said roots:// */
    bool asked_tls;             /* kXR_protocol went out a second time, now wanting TLS */
    uint16_t index;             /* in its client; a driver keeps the socket at the same place */
    uint32_t version, flags;    /* from the protocol answer */
    struct xro_address address; /* the one connected to; length 0: none */
    struct xro_buf token;       /* of the redirect that led here, for the login */

    struct xro_auth *auth;      /* its authentication, while that goes on, and after it when requests are signed with its
                                   key; the driver makes it, the link owns it; NULL: none */
    struct xro_sign sign;       /* what is to be signed */
    bool signing;               /* the server has rules for that: */
    uint8_t sign_options, sign_level, sign_override_count;
    uint8_t sign_overrides[2 * XRO_SIGN_REQUESTS];

    /* bytes to send, from sent on */
    struct xro_buf out;
    size_t sent;

    /* the answer that is coming in */
    uint8_t head[XRO_HANDSHAKE_ANSWER_SIZE];
    size_t head_length;         /* bytes of it there */
    struct xro_answer answer;   /* valid once the head is whole */
    bool in_body;
    bool body_is_data;          /* goes straight to the reader's memory */
    bool body_is_dropped;       /* nobody waits for it */
    uint32_t body_left;
    struct xro_buf body;
    xro_ns began;               /* arrival of the head's first byte */
};

/* What a client is told at its birth. Strings outlive the client. */
struct xro_client_config {
    xro_clock_fn *clock;
    void *clock_arg;
    const char *host;
    uint16_t port;
    const char *user;           /* login name; cut at 8 bytes */
    const char *path;           /* with CGI */
    uint32_t pid;
    bool tls;                   /* roots://: TLS is a must, at every hop */
    bool able_tls;              /* the driver can do TLS */
    const char *no_tls;         /* why it cannot: a constant sentence, or NULL */
    bool pipeline;
    bool can_authenticate;      /* the driver makes credentials */
    xro_ns timeout;             /* for all calls together, counted from the first; XRO_NEVER for none */
    xro_ns connect_timeout;     /* from look-up to login of one hop; 0 for none */
};

struct xro_client {
    struct xro_client_config config;
    xro_ns deadline;            /* of all calls; 0: none begun yet */
    xro_ns connect_deadline;    /* of the link being made, XRO_NEVER when none is */

    struct xro_link *links[XRO_LINKS_MAX];
    size_t link_count;

    /* the open file */
    struct xro_link *file_link; /* NULL: no file is open */
    struct xro_handle handle;
    int64_t file_size;          /* -1: not known */

    /* the call */
    enum xro_call_state state;
    enum xro_call_state resume; /* where a WAIT goes on: LOGIN or REQUEST */
    struct xro_op *op;
    struct xro_link *link;      /* of the hop under way */
    struct xro_link *balancer;  /* the first manager met: where a failed attempt goes back to */
    struct xro_buf path;        /* as it is sent to this hop */
    struct xro_buf first_path;  /* as the first hop got it, for the way back to the manager */
    struct xro_buf scratch;
    struct xro_buf signature;
    struct xro_buf offer;       /* what the server offers, a copy: */
    struct xro_span_text token; /* CHOOSE: the same as text */
    struct xro_buf question;    /* the server's last kXR_authmore, a copy: */
    struct xro_span_text more;  /* MAKE: what the server wants an answer to; bytes NULL: the first credentials */
    unsigned rounds;            /* of the present method */
    xro_ns since;               /* when making, or waiting for the answer, began */
    uint16_t stream;            /* of the answer that is waited for */
    uint16_t request_stream;    /* of the request: in one flight its answer comes after others */
    uint16_t next_stream;
    unsigned redirects;         /* of this call, ways back included */
    unsigned empty_pieces;
    int8_t hop_links[XRO_HOP_ROOM];     /* the link of each hop that got a connection, -1 for the others */
    bool flight;                /* the open goes out with the handshake */
    xro_ns wake;                /* end of a WAIT */
    xro_ns now;                 /* the last stamp */
    uint8_t *data;              /* of a read */
    uint64_t offset;
    uint32_t size, got;
    xro_ns data_at;             /* when the last piece of data came */
};

/* Make CLIENT ready; XRO_MEMORY when the first link cannot be had. Links for redirects are made when needed. */
enum xro_status xro_client_create(struct xro_client *client, const struct xro_client_config *config);
void xro_client_close(struct xro_client *client);

/* Begin a call of KIND; OP is written until it is over. A read puts at most SIZE bytes from OFFSET into DATA. */
void xro_client_begin(struct xro_client *client, enum xro_op_kind kind, void *data, uint64_t offset, uint32_t size,
                      struct xro_op *op);

/* What the client wants now. *LINK: for which link (not for NOTHING); *UNTIL: when the driver must call
 * xro_client_expired() if it has not come, for TIME when to call xro_client_woke(). */
enum xro_want xro_client_wants(const struct xro_client *client, struct xro_link **link, xro_ns *until);

/* --- what came --------------------------------------------------------------------------------------------------- */

/* The look-up ended: RESOLVER is 0 or an EAI_ code. With 0 the driver goes on to connect. */
void xro_client_resolved(struct xro_client *client, int resolver);

/* The link is connected to ADDRESS. */
void xro_client_connected(struct xro_client *client, struct xro_link *link, const struct xro_address *address);

/* The driver is ready for the TLS handshake on the present link, and begins it now: what it did until here was making
 * ready (loading the library), and is booked as `other`. */
void xro_client_securing(struct xro_client *client);

/* TLS is on; FACTS are kept in the record. */
void xro_client_secured(struct xro_client *client, const struct xro_tls_facts *facts);

/* TLS failed for the reason WHY. */
void xro_client_not_secured(struct xro_client *client, const char *why);

/* --- authentication: what the driver found, for the record, and what it made -------------------------------------- */

/* METHOD will not be used, for REASON; LOADING: time spent on loading a plug-in. SKIPPED or FAILED is its OUTCOME. */
void xro_client_passed_over(struct xro_client *client, const char *method, enum xro_auth_outcome outcome,
                            const char *reason, xro_ns loading);

/* METHOD's credentials are being made from now on. */
void xro_client_making(struct xro_client *client, const char *method, xro_ns loading);

/* Here they are, and the processor time they cost. They are copied, and overwritten once they have been answered. */
void xro_client_credentials(struct xro_client *client, const uint8_t *bytes, size_t length, xro_ns cpu);

/* They could not be made. */
void xro_client_no_credentials(struct xro_client *client, const char *reason, xro_ns cpu);

/* The server's list is at its end. */
void xro_client_no_more_methods(struct xro_client *client);

/* The bytes to send on LINK; xro_link_sent() says how many went. */
static inline const uint8_t *xro_link_output(const struct xro_link *link, size_t *length)
{
    *length = link->out.length - link->sent;
    return *length > 0 ? link->out.bytes + link->sent : NULL;
}
void xro_link_sent(struct xro_link *link, size_t length);

/* N bytes came on LINK. All are taken; what comes after a violation is not looked at. */
void xro_client_received(struct xro_client *client, struct xro_link *link, const uint8_t *bytes, size_t n);

/* LINK could not be connected, or is closed: XRO_CONNECT, XRO_CLOSED or XRO_IO, with the errno or 0. The driver closes
 * its socket. */
void xro_client_broke(struct xro_client *client, struct xro_link *link, enum xro_status status, int system);

/* A pause is over: what `until` of XRO_WANT_TIME said. */
void xro_client_woke(struct xro_client *client);

/* `until` has come before what was wanted. */
void xro_client_expired(struct xro_client *client);

/* The user wants it to end. */
void xro_client_interrupt(struct xro_client *client);

#endif

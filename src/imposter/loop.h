/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * loop.h - the imposter's inside: what its parts share. Private to imposter/. */
#ifndef XRO_IMPOSTER_LOOP_H
#define XRO_IMPOSTER_LOOP_H

#include "base/buf.h"
#include "imposter/imposter.h"
#include "imposter/poller.h"
#include "imposter/timers.h"
#include "imposter/trace.h"
#include "proto/answer.h"
#include "proto/request.h"

#include <sys/socket.h>

#ifdef __cplusplus
extern "C" {
#endif

enum {
    XRO_SCRATCH_SIZE = 256 << 10,       /* one recv */
    XRO_PAYLOAD_MAX = 64 << 10,          /* of a request's payload is kept; the rest is read and dropped */
    XRO_HANDLES_MAX = 65536,            /* open files of one connection */
    XRO_RUNNING = -2
};

/* Whatever the poller reports on begins with one of these. */
struct xro_source {
    void (*ready)(struct xro_source *source, unsigned ready);
};

struct xro_listener {
    struct xro_source source;
    struct xro_imposter *imposter;
    unsigned server;
    const struct xro_script_address *address;
    int fd, watched;
    int filler;                 /* SWALLOW: the connection that fills the queue */
};

struct xro_path_count {
    uint64_t key, count;        /* key 0: free */
};

struct xro_imposter {
    const struct xro_script *script;
    struct xro_imposter_options options;
    struct xro_poller *poller;
    struct xro_timers timers;
    struct xro_trace trace;
    xro_ns begin;
    struct xro_listener *listeners;
    size_t listener_count;
    uint16_t *ports;            /* of each server */
    xro_ns *serial_free;        /* of each server: when the last of its serial delays ends */
    uint64_t *counts;           /* events seen, by rule and server */
    struct xro_path_count *paths;       /* by rule, server and path; open addressing */
    size_t path_count, path_room;
    struct xro_guest *guests, *dead;    /* connections; those that are to be freed at the round's end */
    struct xro_relay *relays, *dead_relays;
    struct xro_upstream *upstreams;     /* of each server that is a relay */
    uint64_t guest_count;       /* accepted so far: their numbers */
    int reserve;                /* a descriptor to give up when there are no more */
    struct xro_stop {
        struct xro_source source;
        struct xro_imposter *imposter;
        int watched;
    } stops[2];
    int stopped;                /* index of the stop descriptor, -1 at the end of the time, XRO_RUNNING */
    uint8_t *scratch;
};

struct xro_open_file {
    const struct xro_file *file;        /* NULL: this handle is free */
    char *path;
};

enum xro_stage { XRO_STAGE_HELLO, XRO_STAGE_HEADER, XRO_STAGE_PAYLOAD, XRO_STAGE_SKIP };

/* A client's connection. */
struct xro_guest {
    struct xro_source source;
    struct xro_imposter *imposter;
    struct xro_guest *next, *before;
    unsigned server;
    uint64_t number;            /* from 1, over all servers */
    int fd, watched;
    enum xro_stage stage;
    bool logged_in, must_auth;
    bool silent, deaf, ended, shut, dead;       /* ended: the client's FIN came; shut: ours went */
    xro_ns accepted, received, free_at;         /* free_at: when the request before was done with */
    struct xro_buf in, out;
    size_t in_at, out_at;       /* how much of them is done with */
    struct xro_request request; /* being received */
    struct xro_buf payload;
    uint64_t skip;
    struct xro_turn *turn;      /* the request being served; the next ones wait for it */
    struct xro_turn *detached;  /* requests being served beside */
    struct xro_open_file *handles;
    size_t handle_count;
    uint32_t *counts;           /* by rule, NULL until needed */
};

/* What a server would normally answer. */
struct xro_normal {
    uint16_t status;
    bool pages;                 /* kXR_status with pages; `body` holds the bytes without checksums */
    bool bare;                  /* no answer at all: sigver, endsess of the own session */
    bool closes;                /* a server closes the connection behind it */
    uint64_t offset;            /* of pages */
    struct xro_buf body;
};

/* One event of a connection on its way through a rule's steps. */
struct xro_turn {
    struct xro_guest *guest;
    struct xro_turn *next;      /* of the detached */
    uint64_t event;             /* XRO_EVENT_... */
    struct xro_request request;
    struct xro_buf payload;
    const char *path, *cgi;     /* in `payload` or `file_path`; not NUL-terminated; NULL: none */
    size_t path_length, cgi_length;
    char *file_path;            /* of the open file, copied: it may be closed before this turn ends */
    const struct xro_step *steps;
    size_t step_count, at;
    unsigned line;              /* of the rule, 0: none */
    uint64_t rounds;            /* `repeat`s done */
    xro_ns arrival, begin;      /* when the request came; when it got its turn */
    xro_ns base;                /* what the next delay counts from */
    xro_ns due;                 /* end of the last delay, 0: none since the last send */
    struct xro_timer timer;
    bool drains;                /* waits until the output is handed to the kernel */
    bool detached;
    struct xro_normal normal;
    bool has_normal;
    uint64_t position;          /* in the normal answer's body */
    struct xro_buf message;     /* built, not yet sent: `message_at` of it is */
    size_t message_at;
    bool built, more;           /* more: the present step has further messages (pieces) */
};

/* listen.c */
enum xro_status xro_listen_all(struct xro_imposter *imposter, struct xro_script_error *error);
void xro_listen_close(struct xro_imposter *imposter);
socklen_t xro_make_address(const char *text, uint16_t port, struct sockaddr_storage *address);      /* numeric TEXT */

/* guest.c */
void xro_guest_accept(struct xro_imposter *imposter, unsigned server, int fd, bool silent, xro_ns now);
void xro_guest_advance(struct xro_guest *guest);
void xro_guest_send(struct xro_guest *guest, const uint8_t *bytes, size_t n);
bool xro_guest_drained(const struct xro_guest *guest);
void xro_guest_close(struct xro_guest *guest, bool reset);
void xro_guest_bury(struct xro_imposter *imposter);

/* turn.c */
struct xro_turn *xro_turn_new(struct xro_guest *guest, uint64_t event, xro_ns arrival);
void xro_turn_run(struct xro_turn *turn);
void xro_turn_free(struct xro_turn *turn);

/* rules.c */
const struct xro_rule *xro_rules_pick(struct xro_turn *turn, xro_ns now);

/* normal.c: what the server would answer; its flags word; a connection's session id and open file */
uint32_t xro_server_flags(const struct xro_server *server);
void xro_guest_session(const struct xro_guest *guest, uint8_t session[XRO_SESSION_ID_SIZE]);
struct xro_open_file *xro_guest_file(const struct xro_guest *guest, const struct xro_request *request);
enum xro_status xro_normal_answer(struct xro_turn *turn, struct xro_normal *normal);

/* message.c: the bytes of the turn's present step into turn->message */
enum xro_status xro_message_build(struct xro_turn *turn);

/* relay.c */
enum xro_status xro_relay_resolve(struct xro_imposter *imposter, struct xro_script_error *error);
void xro_relay_accept(struct xro_imposter *imposter, unsigned server, int fd);
void xro_relay_close_all(struct xro_imposter *imposter);
void xro_relay_bury(struct xro_imposter *imposter);

/* How redirects and listings call a server: "host" or "[address]". */
void xro_server_host(const struct xro_server *server, unsigned address, char *to, size_t size);

#ifdef __cplusplus
}
#endif
#endif

/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * sample.h - what was measured: a sample holds ops, an op holds hops, spans, waits and addresses tried. Engines fill it;
 * statistics, findings and reports read nothing else.
 *
 * The time line of an op is a row of spans, each of one phase on one hop, laid end to end: a span ends where the next
 * begins, so that the phases add up to the total whatever happens. Arrays are bounded, because what fills them is the
 * server's doing; what does not fit is counted and still booked on its hop's phases, so no time is ever lost. */
#ifndef XRO_RECORD_SAMPLE_H
#define XRO_RECORD_SAMPLE_H

#include "base/clock.h"
#include "base/status.h"
#include "base/url.h"
#include "record/phase.h"

#include <stdbool.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/*  id     name */
#define XRO_OPS(O)                                                                            \
    O(OPEN,  "open")                                                                          \
    O(CLOSE, "close")                                                                         \
    O(READ,  "read")                                                                          \
    O(STAT,  "stat")                                                                          \
    O(PING,  "ping")

enum xro_op_kind {
#define O(id, name) XRO_OP_##id,
    XRO_OPS(O)
#undef O
    XRO_OP_KINDS
};

const char *xro_op_name(enum xro_op_kind kind);
enum xro_op_kind xro_op_from_name(const char *name);    /* XRO_OP_KINDS when there is none */

/* The place of an op in the sequence of 2005: open, close, open, read, close. */
#define XRO_SLOTS(S)                                                                          \
    S(FIRST_OPEN,   "first_open",   OPEN)                                                     \
    S(FIRST_CLOSE,  "first_close",  CLOSE)                                                    \
    S(SECOND_OPEN,  "second_open",  OPEN)                                                     \
    S(READ,         "read",         READ)                                                     \
    S(SECOND_CLOSE, "second_close", CLOSE)

enum xro_slot {
#define S(id, name, op) XRO_SLOT_##id,
    XRO_SLOTS(S)
#undef S
    XRO_SLOT_COUNT
};

const char *xro_slot_name(enum xro_slot slot);
enum xro_op_kind xro_slot_op(enum xro_slot slot);

/* The limits that a user can set; the one that fired is named in the error. */
#define XRO_LIMITS(L)                                                                         \
    L(NONE,    "none")                                                                        \
    L(CONNECT, "--connect-timeout")                                                           \
    L(TOTAL,   "--timeout")

enum xro_limit {
#define L(id, name) XRO_LIMIT_##id,
    XRO_LIMITS(L)
#undef L
    XRO_LIMIT_COUNT
};

const char *xro_limit_name(enum xro_limit limit);
enum xro_limit xro_limit_from_name(const char *name);       /* XRO_LIMIT_COUNT when there is none */

enum {
    XRO_TEXT_SIZE = 512,        /* a server's text, escaped and cut */
    XRO_ADDRESS_SIZE = 64       /* "[ipv6%zone]:port" or "a.b.c.d:port" */
};

/* The facts of a failure. Words are made from them when printed (xro_error_format). */
struct xro_error {
    enum xro_status status;
    enum xro_phase phase;       /* in which it happened */
    int32_t hop;                /* index into the op's hops, -1: before any */
    int32_t system;             /* errno, or 0 */
    int32_t resolver;           /* EAI_... of getaddrinfo, or 0 */
    int32_t server;             /* kXR_ error code, or 0 */
    enum xro_limit limit;       /* which limit fired, for XRO_TIMEOUT */
    const char *detail;         /* a constant sentence of ours, or NULL; owned by nobody */
    char text[XRO_TEXT_SIZE];   /* the server's own text, escaped; "" when none */
};

/* How trying one address ended. */
#define XRO_OUTCOMES(O)                                                                       \
    O(PENDING,   "no answer")           /* still under way when the record was closed */      \
    O(CONNECTED, "connected")                                                                 \
    O(FAILED,    "failed")              /* with an errno */                                   \
    O(TIMED_OUT, "timed out")                                                                 \
    O(ABANDONED, "abandoned")           /* another address was faster */                      \
    O(UNTRIED,   "not tried")           /* never came to its turn */

enum xro_outcome {
#define O(id, name) XRO_OUTCOME_##id,
    XRO_OUTCOMES(O)
#undef O
    XRO_OUTCOME_COUNT
};

const char *xro_outcome_name(enum xro_outcome outcome);
enum xro_outcome xro_outcome_from_name(const char *name);   /* XRO_OUTCOME_COUNT when there is none */

struct xro_try {
    char address[XRO_ADDRESS_SIZE];
    enum xro_outcome outcome;
    int32_t system;             /* errno of FAILED */
    xro_ns begin, spent;        /* begin: since the op's begin */
    uint16_t hop;
};

struct xro_wait {
    int32_t asked_s;            /* what the server said, signed as on the wire */
    bool deferred;              /* kXR_waitresp, not kXR_wait */
    xro_ns begin, spent;        /* begin: since the op's begin; spent: slept, or until the deferred answer came */
    uint16_t hop;
    char text[64];              /* the server's reason, escaped and cut */
};

/* How a hop ended. */
#define XRO_ENDINGS(E)                                                                        \
    E(UNDER_WAY,  "under way")          /* the record was closed while it went on */          \
    E(ANSWERED,   "answered")                                                                 \
    E(REDIRECTED, "redirected")                                                               \
    E(REFUSED,    "refused")            /* an error answer; a further hop may follow */       \
    E(BROKEN,     "broken")             /* connection failed, closed, or framing lost */      \
    E(RETRIED,    "retried")            /* one-flight start refused; the same server follows step by step */

enum xro_ending {
#define E(id, name) XRO_ENDING_##id,
    XRO_ENDINGS(E)
#undef E
    XRO_ENDING_COUNT
};

const char *xro_ending_name(enum xro_ending ending);
enum xro_ending xro_ending_from_name(const char *name);     /* XRO_ENDING_COUNT when there is none */

/* What TLS came to on a hop's connection. */
struct xro_tls_facts {
    char version[16];           /* "TLSv1.3"; "" when the connection has no TLS */
    char cipher[48];
    char subject[160], issuer[160];     /* of the server's certificate */
    bool resumed;
    xro_ns cpu;                 /* our own processor time in the handshake */
};

/* One method of authentication that was tried on a hop, or passed over. */
#define XRO_AUTH_OUTCOMES(A)                                                                  \
    A(PENDING, "no answer")             /* still under way when the record was closed */      \
    A(GOOD,    "accepted")                                                                    \
    A(REFUSED, "refused")               /* by the server */                                   \
    A(FAILED,  "failed")                /* no credentials could be made */                    \
    A(SKIPPED, "skipped")               /* not tried: not wanted, or not possible here */

enum xro_auth_outcome {
#define A(id, name) XRO_AUTH_OUTCOME_##id,
    XRO_AUTH_OUTCOMES(A)
#undef A
    XRO_AUTH_OUTCOME_COUNT
};

const char *xro_auth_outcome_name(enum xro_auth_outcome outcome);
enum xro_auth_outcome xro_auth_outcome_from_name(const char *name); /* XRO_AUTH_OUTCOME_COUNT when there is none */

struct xro_attempt {
    char method[8];             /* "gsi"; the protocol allows 7 characters */
    enum xro_auth_outcome outcome;
    uint16_t hop;
    uint32_t rounds;            /* kXR_auth requests answered */
    xro_ns making;              /* time in which credentials were made, here */
    xro_ns cpu;                 /* of it, our own processor time */
    xro_ns loading;             /* time in which a plug-in was loaded; in phase `other` */
    xro_ns server;              /* time in which the server's answers were waited for */
    char reason[160];           /* of a failure, a refusal, or for passing it over; escaped, without secrets */
};

enum { XRO_NO_HOP = 0xffff };

struct xro_hop {
    char host[XRO_HOST_SIZE];   /* as the URL or the redirect named it, escaped */
    uint16_t port;
    bool reused;                /* the connection was there already */
    bool pipelined;             /* handshake to open in one flight */
    enum xro_ending ending;
    int32_t server_code;        /* kXR_ code of a REFUSED hop */
    int32_t system;             /* errno of a BROKEN hop, or 0 */
    uint16_t same_as;           /* index of an earlier hop at the same server (name and port, or address), XRO_NO_HOP: none */
    uint32_t version;           /* of the protocol, from the server; 0: not known */
    uint32_t flags;             /* kXR_protocol's flags word; 0: not known */
    char address[XRO_ADDRESS_SIZE];     /* the one connected to; "" when none */
    struct xro_tls_facts tls;
    xro_ns phase[XRO_PHASE_COUNT];
    uint32_t wait_count;        /* waits ordered by this hop, all of them */
    uint64_t wait_asked_s;      /* their sum, negative ones left out */
};

struct xro_span {
    xro_ns begin;               /* since the op's begin; it ends where the next begins, the last at the op's total */
    uint16_t hop;
    uint8_t phase;              /* enum xro_phase */
};

struct xro_op {
    enum xro_op_kind kind;
    enum xro_slot slot;
    bool done;                  /* it was begun and has ended, well or not */
    xro_ns begin;               /* on CLOCK_MONOTONIC */
    xro_ns total;
    struct xro_error error;     /* status XRO_OK when it went well */
    uint64_t bytes;             /* of data, for a read */
    int64_t size;               /* of the file, when the answer to an open or stat told; else -1 */
    uint32_t piece_count;       /* answers that brought data: 1, or more when the server sent it in kXR_oksofar pieces */
    xro_ns gap;                 /* the longest pause between two arrivals of data */
    xro_ns gap_begin;           /* when it began, since the op's begin */
    uint32_t stray_count;       /* answers that nobody waited for: late, unknown stream id, unsolicited */
    uint32_t message_count;     /* kXR_attn messages meant for people */

    /* Storage is the owner's (struct xro_sample, or a load generator's slot); counts go past the room, the excess is
     * what could not be kept in detail. */
    struct xro_hop *hops;
    struct xro_span *spans;
    struct xro_wait *waits;
    struct xro_try *tries;
    struct xro_attempt *attempts;
    uint16_t hop_room, hop_count;       /* hop_count never passes hop_room */
    uint32_t span_room, span_count;
    uint32_t wait_room, wait_count;
    uint32_t try_room, try_count;
    uint32_t attempt_room, attempt_count;

    /* of the time line, while it is being written */
    uint16_t now_hop;
    uint8_t now_phase;
    xro_ns now_begin;
};

/* The lengths of an op's arrays that really hold something. */
static inline uint32_t xro_kept(uint32_t count, uint32_t room)
{
    return count < room ? count : room;
}

enum {
    XRO_HOP_ROOM = 40,          /* 16 redirects, each with its way back to the manager, and the first */
    XRO_SPAN_ROOM = 256,
    XRO_WAIT_ROOM = 64,
    XRO_TRY_ROOM = 64,
    XRO_ATTEMPT_ROOM = 32
};

struct xro_sample {
    uint32_t row;               /* of the run */
    uint64_t number;            /* of the sample in its row, from 0 */
    uint32_t block;             /* of the random order */
    int32_t cpu;                /* the processor it ended on, -1: not known */
    xro_ns wall;                /* when it began, wall clock in ns since 1970: a label */
    bool has_start, has_load;
    xro_ns start;               /* spawn to main */
    xro_ns load;                /* engine set-up: modules, memory, user name; not in any op */
    xro_ns cpu_time;            /* processor time of this process until the end of the sequence, user and system */
    struct xro_error error;     /* a failure outside any op (engine set-up, process died); else status XRO_OK */
    struct xro_op ops[XRO_SLOT_COUNT];
    uint32_t op_count;          /* ops begun */
};

/* A sample with room for its ops' details, all memory touched, so that no page fault falls between two stamps.
 * NULL when memory is short. */
struct xro_sample *xro_sample_create(void);
void xro_sample_close(struct xro_sample *sample);

/* Empty it for the next use; the storage stays. */
void xro_sample_reset(struct xro_sample *sample);

/* The first failure in it, NULL when all went well. */
const struct xro_error *xro_sample_error(const struct xro_sample *sample);

/* The first failed op, NULL when none. */
const struct xro_op *xro_sample_failed_op(const struct xro_sample *sample);

#ifdef __cplusplus
}
#endif
#endif

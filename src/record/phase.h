/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * phase.h - the named parts of an op. docs/timing.md defines the event that begins and the one that ends each.
 * The phases of an op add up to its total exactly. */
#ifndef XRO_RECORD_PHASE_H
#define XRO_RECORD_PHASE_H

#ifdef __cplusplus
extern "C" {
#endif

/*  id          name         what passes in it */
#define XRO_PHASES(P)                                                                         \
    P(OTHER,     "other",     "our own time between the other phases")                        \
    P(RESOLVE,   "resolve",   "name look-up")                                                 \
    P(CONNECT,   "connect",   "TCP connection, all addresses tried")                          \
    P(HANDSHAKE, "handshake", "initial handshake and kXR_protocol")                           \
    P(TLS,       "tls",       "TLS handshake")                                                \
    P(LOGIN,     "login",     "kXR_login")                                                    \
    P(AUTH,      "auth",      "authentication")                                               \
    P(REQUEST,   "request",   "from the request to the first byte of its answer")             \
    P(TRANSFER,  "transfer",  "from the first to the last byte of the answer")                \
    P(WAIT,      "wait",      "pause ordered by the server")                                  \
    P(DEFER,     "defer",     "from kXR_waitresp to the deferred answer")                     \
    P(CALL,      "call",      "inside a library or the kernel that does not say what it does")

enum xro_phase {
#define P(id, name, text) XRO_PHASE_##id,
    XRO_PHASES(P)
#undef P
    XRO_PHASE_COUNT
};

/* The name, as in every output; never NULL. */
const char *xro_phase_name(enum xro_phase phase);

/* What passes in it, for people; never NULL. */
const char *xro_phase_text(enum xro_phase phase);

/* The phase of that name, XRO_PHASE_COUNT when there is none. */
enum xro_phase xro_phase_from_name(const char *name);

#ifdef __cplusplus
}
#endif
#endif

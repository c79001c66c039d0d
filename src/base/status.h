/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * status.h - what a function answers: success, or the kind of failure. The facts of a failure are kept apart (struct
 * xro_error in record/); the words are made when printed. */
#ifndef XRO_BASE_STATUS_H
#define XRO_BASE_STATUS_H

#ifdef __cplusplus
extern "C" {
#endif

/*  id           value  key (in results files)  text */
#define XRO_STATUSES(S)                                                                       \
    S(OK,            0, "ok",            "success")                                           \
    S(TIMEOUT,      -1, "timeout",       "time limit passed")                                 \
    S(RESOLVE,      -2, "resolve",       "name look-up failed")                               \
    S(CONNECT,      -3, "connect",       "connection failed")                                 \
    S(CLOSED,       -4, "closed",        "server closed the connection")                      \
    S(IO,           -5, "io",            "input/output error")                                \
    S(PROTOCOL,     -6, "protocol",      "server broke the protocol")                         \
    S(SERVER,       -7, "server",        "server answered with an error")                     \
    S(REDIRECTS,    -8, "redirects",     "redirect limit reached")                            \
    S(AUTH,         -9, "auth",          "authentication failed")                             \
    S(TLS,         -10, "tls",           "TLS failed")                                        \
    S(SHORT,       -11, "short",         "fewer bytes than asked for")                        \
    S(UNSUPPORTED, -12, "unsupported",   "not possible with this engine")                     \
    S(MISSING,     -13, "missing",       "something it needs is not installed")               \
    S(MEMORY,      -14, "memory",        "out of memory")                                     \
    S(INVALID,     -15, "invalid",       "not understood")                                    \
    S(STALLED,     -16, "stalled",       "no progress: server keeps ordering waits")          \
    S(DIED,        -17, "died",          "the sample's process died")                         \
    S(INTERRUPTED, -18, "interrupted",   "interrupted")

enum xro_status {
#define S(id, value, key, text) XRO_##id = (value),
    XRO_STATUSES(S)
#undef S
};

/* A short text in English for people; never NULL. */
const char *xro_status_text(enum xro_status status);

/* The word that stands for STATUS in results files; never NULL. */
const char *xro_status_key(enum xro_status status);

/* The status with that key; XRO_INVALID when there is none. */
enum xro_status xro_status_from_key(const char *key);

#ifdef __cplusplus
}
#endif
#endif

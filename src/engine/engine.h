/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * engine.h - a way to reach a file: one constant table of functions per engine. */
#ifndef XRO_ENGINE_ENGINE_H
#define XRO_ENGINE_ENGINE_H

#include "base/url.h"
#include "record/sample.h"

#ifdef __cplusplus
extern "C" {
#endif

/* What a session is told at its start; the strings and this struct outlive the session. */
struct xro_settings {
    const char *target;         /* the URL or path as the user gave it */
    struct xro_url url;         /* the same, parsed */
    xro_ns timeout;             /* for the whole sample, counted from its first op */
    xro_ns connect_timeout;     /* for one connection of one hop, name look-up included; 0: only the total counts */
    enum xro_family { XRO_FAMILY_ANY, XRO_FAMILY_V4, XRO_FAMILY_V6 } family;
    bool prefer_v4;
    enum xro_tls_mode { XRO_TLS_ALLOW, XRO_TLS_REQUIRE, XRO_TLS_OFF } tls;
    const char *ca;             /* certificate authorities: a file or a folder; NULL: the environment's */
    bool tls_resume;            /* resume a TLS session that a connection before the sample has made */
    const char *hosts;          /* "NAME=ADDRESS,ADDRESS;...": in place of a look-up (wire), NULL for none */
    const char *preload;        /* "tls,gsi": libraries that an earlier sample needed, loaded before the clock runs; or NULL */
    bool pipeline;              /* handshake to open in one flight */
    void (*watch)(void *arg, const struct xro_op *op);  /* called after each new span, for a live waterfall; NULL for
                                                           none, as always when it is the time that matters */
    void *watch_arg;
};

struct xro_session;

struct xro_engine {
    const char *name;
    const char *summary;
    unsigned ops;               /* a bit (1 << XRO_OP_...) for each op that it can do */

    /* Make what the engine needs before the clock may run. On failure ERROR says why and *SESSION is NULL. */
    enum xro_status (*start)(const struct xro_engine *engine, const struct xro_settings *settings,
                             struct xro_session **session, struct xro_error *error);

    /* Do one op, KIND, and write it to OP, its total and time line included; answers OP->error.status. Open opens the
     * settings' file for reading, read reads at most SIZE bytes at OFFSET into DATA. */
    enum xro_status (*perform)(struct xro_session *session, enum xro_op_kind kind, void *data, uint64_t offset,
                               uint32_t size, struct xro_op *op);

    /* End connections and give everything back; NULL is allowed. */
    void (*stop)(struct xro_session *session);

    /* The version of the library behind it, NULL when there is none or it is not there; may load the module. */
    const char *(*version)(void);
};

struct xro_session {            /* first member of each engine's own session */
    const struct xro_engine *engine;
};

/* The engine of that name, NULL when there is none. */
const struct xro_engine *xro_engine_find(const char *name);

/* The engine that a URL is measured with when the user names none. */
const struct xro_engine *xro_engine_default(const struct xro_url *url);

/* All engines, one after the other: NULL past the last. */
const struct xro_engine *xro_engine_at(size_t index);

extern const struct xro_engine xro_engine_local, xro_engine_wire, xro_engine_xrdcl, xro_engine_xrdposix, xro_engine_null;

#ifdef __cplusplus
}
#endif
#endif

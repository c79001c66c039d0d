/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * xrdcl.c - the engines `xrdcl` and `xrdposix`: the official client library, in a module loaded on demand (module.h).
 *
 * The library's calls are made by a thread of the session's own, so that the deadline holds whatever the library does:
 * it looks names up and connects inside the call, and its own limits go by whole seconds. The thread takes the stamps
 * right before and right after the call, so the hand-over is in no op. A call that does not come back in time is left
 * behind with everything that it uses; it ends with the process. */
#include "base/escape.h"
#include "base/module.h"
#include "engine/engine.h"
#include "engine/module.h"
#include "record/timeline.h"

#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum {
    EXIT_LIMIT_S = 2            /* what the library's own clearing up may take at exit */
};
static const xro_ns stop_limit = XRO_NS_PER_S;

enum state { IDLE, ASKED, QUIT };

struct xrdcl_session {
    struct xro_session base;
    const struct xro_settings *settings;    /* the worker does not look at it: it may outlive them */
    const struct xro_module *module;
    struct xro_module_session *inner;
    xro_ns deadline;            /* 0: no op begun yet */
    bool lost;                  /* a call did not come back in time: the worker is not to be waited for */

    pthread_t worker;
    pthread_mutex_t lock;       /* over state and left */
    pthread_cond_t changed;
    enum state state;
    bool left;                  /* the worker gives the session back when it is done */
    _Atomic xro_ns begin;       /* of the call under way, 0: not begun */

    enum xro_op_kind kind;      /* the op asked for: the worker's while state is ASKED */
    uint64_t offset;
    uint32_t size;
    uint16_t limit_s;
    uint8_t *data;              /* our own, since a call that was left behind may still write to it */
    size_t room;
    struct xro_module_answer answer;
};

/* --- the module --- */

static pthread_mutex_t module_lock = PTHREAD_MUTEX_INITIALIZER;
static const struct xro_module *module_loaded;

static const struct xro_module *missing(struct xro_error *error, const char *detail, const char *text)
{
    *error = (struct xro_error){ .status = XRO_MISSING, .phase = XRO_PHASE_OTHER, .hop = -1, .detail = detail };
    if (text != NULL)
        xro_escape(text, strlen(text), error->text, sizeof error->text);
    return NULL;
}

/* Bound as the libraries ask for, which is what a program linked against them gets: with RTLD_NOW the first open would
 * look about a tenth cheaper than it is for those. The module itself is linked with -z now: what it lacks shows
 * here. */
static const struct xro_module *open_module(struct xro_error *error)
{
    char why[XRO_MODULE_WHY_SIZE];
    const void *table;

    switch (xro_module_load(XRO_MODULE_FILE, XRO_MODULE_SYMBOL, XRO_MODULE_ABI, &table, why)) {
    case XRO_MODULE_LOADED:
        return (const struct xro_module *)table;
    case XRO_MODULE_ABSENT:
        return missing(error, "the xrdcl module is not there: it is built when libxrootd-client-dev is installed", NULL);
    case XRO_MODULE_BROKEN:
        return missing(error, "the xrdcl module does not load: it needs the packages libxrdcl3 and libxrdposix3", why);
    case XRO_MODULE_OTHER:
        return missing(error, "the xrdcl module is of another version of xrdopen", why);
    }
    return NULL;
}

static void guard_exit(void);

/* The module, loaded at the first call; NULL and ERROR when it cannot be. It stays: XrdCl's threads run in it. */
static const struct xro_module *load_module(struct xro_error *error)
{
    const struct xro_module *module;

    pthread_mutex_lock(&module_lock);
    if (module_loaded == NULL) {
        module_loaded = open_module(error);
        if (module_loaded != NULL)
            guard_exit();
    }
    module = module_loaded;
    pthread_mutex_unlock(&module_lock);
    return module;
}

/* --- the end of the process --- */

static atomic_bool call_left_behind;
static volatile sig_atomic_t exit_status;

static void leave_now(int signal_number)
{
    (void)signal_number;
    _exit(exit_status);
}

/* Runs at exit before the libraries' destructors, since it is registered after them. With a call left behind they would
 * take away what it uses, or wait for it: the process ends here. Else they run as in any program that uses XrdCl, but
 * not for ever. */
static void on_leaving(int status, void *unused)
{
    sigset_t set;

    (void)unused;
    if (atomic_load(&call_left_behind)) {
        fflush(NULL);
        _exit(status);
    }
    exit_status = status;
    sigemptyset(&set);
    sigaddset(&set, SIGALRM);
    sigaction(SIGALRM, &(struct sigaction){ .sa_handler = leave_now }, NULL);
    pthread_sigmask(SIG_UNBLOCK, &set, NULL);
    alarm(EXIT_LIMIT_S);
}

static void guard_exit(void)
{
    on_exit(on_leaving, NULL);
}

/* --- the worker --- */

static void free_session(struct xrdcl_session *session)
{
    pthread_cond_destroy(&session->changed);
    pthread_mutex_destroy(&session->lock);
    free(session->data);
    free(session);
}

static enum state await_task(struct xrdcl_session *session)
{
    enum state state;

    pthread_mutex_lock(&session->lock);
    while (session->state == IDLE)
        pthread_cond_wait(&session->changed, &session->lock);
    state = session->state;
    pthread_mutex_unlock(&session->lock);
    return state;
}

/* The task is done; true when nobody is there any more to take the session back. */
static bool report_done(struct xrdcl_session *session)
{
    bool left;

    pthread_mutex_lock(&session->lock);
    session->state = IDLE;
    left = session->left;
    pthread_cond_signal(&session->changed);
    pthread_mutex_unlock(&session->lock);
    return left;
}

static void call(struct xrdcl_session *session)
{
    const enum xro_status status = session->module->prepare(session->inner, session->kind);

    atomic_store_explicit(&session->begin, xro_clock_now(), memory_order_relaxed);
    if (status == XRO_OK) {
        session->module->perform(session->inner, session->kind, session->data, session->offset, session->size,
                                 session->limit_s, &session->answer);
        return;
    }
    session->answer = (struct xro_module_answer){ .status = status, .size = -1 };
    session->answer.end = xro_clock_now();
}

static void *work(void *arg)
{
    struct xrdcl_session *session = (struct xrdcl_session *)arg;
    bool left = false;

    while (!left && await_task(session) == ASKED) {
        call(session);
        left = report_done(session);
    }
    session->module->destroy(session->inner);
    if (!left)
        left = report_done(session);
    if (left)
        free_session(session);
    return NULL;
}

/* Signals are for the program's own thread. */
static bool start_worker(struct xrdcl_session *session)
{
    sigset_t all, before;
    int failure;

    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    failure = pthread_create(&session->worker, NULL, work, session);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    return failure == 0;
}

static void hand_over(struct xrdcl_session *session)
{
    atomic_store_explicit(&session->begin, 0, memory_order_relaxed);
    pthread_mutex_lock(&session->lock);
    session->state = ASKED;
    pthread_cond_signal(&session->changed);
    pthread_mutex_unlock(&session->lock);
}

/* Wait until the worker is idle, at most until UNTIL; call with the lock. */
static bool await_idle(struct xrdcl_session *session, xro_ns until)
{
    const struct timespec limit = {
        .tv_sec = (time_t)(until / XRO_NS_PER_S), .tv_nsec = (long)(until % XRO_NS_PER_S),
    };
    int failure = 0;

    while (session->state != IDLE && failure == 0) {
        if (until == XRO_NEVER)
            failure = pthread_cond_wait(&session->changed, &session->lock);
        else
            failure = pthread_cond_timedwait(&session->changed, &session->lock, &limit);
    }
    return session->state == IDLE;
}

/* --- one op --- */

/* The deadline counts from the first op's begin, which the worker tells. */
static xro_ns deadline(struct xrdcl_session *session, xro_ns asked)
{
    const xro_ns begin = atomic_load_explicit(&session->begin, memory_order_relaxed);

    if (session->deadline == 0 && begin != 0)
        session->deadline = xro_ns_add(begin, session->settings->timeout);
    return session->deadline != 0 ? session->deadline : xro_ns_add(asked, session->settings->timeout);
}

static bool await_answer(struct xrdcl_session *session, xro_ns asked)
{
    bool idle = false;

    pthread_mutex_lock(&session->lock);
    do
        idle = await_idle(session, deadline(session, asked));
    while (!idle && xro_clock_now() < deadline(session, asked));
    pthread_mutex_unlock(&session->lock);
    deadline(session, asked);
    return idle;
}

/* The library's own limit, in whole seconds. It counts from the start of the present second, so one second more keeps
 * it from coming before the deadline. */
static uint16_t library_limit(xro_ns until, xro_ns now)
{
    xro_ns seconds;

    if (until == XRO_NEVER)
        return 0;
    seconds = (until - now + XRO_NS_PER_S - 1) / XRO_NS_PER_S + 1;
    return seconds < UINT16_MAX ? (uint16_t)seconds : UINT16_MAX;
}

/* Room for the read, touched here so that no page fault falls into it. */
static bool make_room(struct xrdcl_session *session, uint32_t size)
{
    uint8_t *data;

    if (size <= session->room)
        return true;
    data = (uint8_t *)realloc(session->data, size);
    if (data == NULL)
        return false;
    memset(data, 0, size);
    session->data = data;
    session->room = size;
    return true;
}

static void write_timeline(const struct xro_settings *settings, struct xro_op *op, enum xro_op_kind kind, xro_ns begin,
                           xro_ns end)
{
    xro_timeline_begin(op, kind, begin);
    xro_timeline_hop(op, settings->url.host, settings->url.scheme == XRO_SCHEME_ROOT ? settings->url.port : 0, begin);
    xro_timeline_enter(op, XRO_PHASE_CALL, begin);
    xro_timeline_end(op, end);
}

/* An op that ended without an answer of the library. */
static enum xro_status give_up(const struct xro_settings *settings, struct xro_op *op, enum xro_op_kind kind,
                               xro_ns begin, enum xro_status status)
{
    const xro_ns now = xro_clock_now();

    write_timeline(settings, op, kind, begin, now);
    op->hops[0].ending = XRO_ENDING_UNDER_WAY;
    op->error = (struct xro_error){ .status = status, .phase = XRO_PHASE_CALL, .hop = 0 };
    if (status == XRO_TIMEOUT)
        op->error.limit = XRO_LIMIT_TOTAL;
    return status;
}

static enum xro_ending ending_of(enum xro_status status)
{
    switch (status) {
    case XRO_OK:
        return XRO_ENDING_ANSWERED;
    case XRO_SERVER:
    case XRO_AUTH:
        return XRO_ENDING_REFUSED;
    case XRO_TIMEOUT:
        return XRO_ENDING_UNDER_WAY;
    default:
        return XRO_ENDING_BROKEN;
    }
}

/* The limit that made the library give up: the request's, or, as far as can be told, the connection's. */
static enum xro_limit limit_of(const struct xro_module_answer *answer, const struct xro_settings *settings,
                               const struct xro_op *op)
{
    if (answer->status != XRO_TIMEOUT)
        return XRO_LIMIT_NONE;
    if (answer->expired)
        return XRO_LIMIT_TOTAL;
    return op->kind == XRO_OP_OPEN && settings->connect_timeout != 0 ? XRO_LIMIT_CONNECT : XRO_LIMIT_NONE;
}

static void write_failure(const struct xro_module_answer *answer, const struct xro_settings *settings,
                          struct xro_op *op)
{
    op->hops[0].server_code = answer->server;
    op->hops[0].system = answer->system;
    op->error = (struct xro_error){
        .status = answer->status, .phase = XRO_PHASE_CALL, .hop = 0, .system = answer->system,
        .server = answer->server, .limit = limit_of(answer, settings, op),
    };
    xro_escape(answer->text, strlen(answer->text), op->error.text, sizeof op->error.text);
}

/* Write what the library answered to OP; the data of a read to DATA. */
static void take_answer(const struct xrdcl_session *session, void *data, struct xro_op *op)
{
    const struct xro_module_answer *answer = &session->answer;

    op->size = answer->size;
    op->bytes = answer->bytes < session->size ? answer->bytes : session->size;
    op->hops[0].ending = ending_of(answer->status);
    if (answer->status != XRO_OK)
        write_failure(answer, session->settings, op);
    else if (op->bytes > 0)
        memcpy(data, session->data, op->bytes);
}

static enum xro_status module_perform(struct xro_session *base, enum xro_op_kind kind, void *data, uint64_t offset,
                                      uint32_t size, struct xro_op *op)
{
    struct xrdcl_session *session = (struct xrdcl_session *)base;
    const xro_ns asked = xro_clock_now(), until = deadline(session, asked);
    xro_ns begin;

    if (session->lost || asked >= until)
        return give_up(session->settings, op, kind, asked, XRO_TIMEOUT);
    if (kind == XRO_OP_READ && !make_room(session, size))
        return give_up(session->settings, op, kind, asked, XRO_MEMORY);
    session->kind = kind;
    session->offset = offset;
    session->size = size;
    session->limit_s = library_limit(until, asked);
    hand_over(session);
    session->lost = !await_answer(session, asked);
    begin = atomic_load_explicit(&session->begin, memory_order_relaxed);
    if (session->lost) {
        atomic_store(&call_left_behind, true);
        return give_up(session->settings, op, kind, begin != 0 ? begin : asked, XRO_TIMEOUT);
    }
    write_timeline(session->settings, op, kind, begin, session->answer.end);
    take_answer(session, data, op);
    return op->error.status;
}

/* --- start and stop --- */

static int whole_seconds(xro_ns ns)
{
    const xro_ns seconds = (ns + XRO_NS_PER_S - 1) / XRO_NS_PER_S;

    return seconds < INT16_MAX ? (int)seconds : INT16_MAX;
}

/* One attempt that may take LIMIT: the library would else try five times, pause after each refusal until the limit is
 * over, and look at it every 15 s only. */
static void limit_connecting(const struct xro_module *module, xro_ns limit)
{
    module->set_number("ConnectionWindow", whole_seconds(limit));
    module->set_number("ConnectionRetry", 1);
    module->set_number("TimeoutResolution", 1);
}

/* Tell the library what the user asked for; where nothing was asked, it keeps its own defaults. */
static void set_parameters(const struct xro_module *module, const struct xro_settings *settings)
{
    if (settings->family != XRO_FAMILY_ANY)
        module->set_text("NetworkStack", settings->family == XRO_FAMILY_V4 ? "IPv4" : "IPv6");
    if (settings->prefer_v4)
        module->set_number("PreferIPv4", 1);
    if (settings->connect_timeout != 0)
        limit_connecting(module, settings->connect_timeout);
    if (settings->timeout != XRO_NEVER)     /* XrdPosix takes no limit with a call */
        module->set_number("RequestTimeout", whole_seconds(settings->timeout) + 1);
}

static bool init_session(struct xrdcl_session *session)
{
    pthread_condattr_t attributes;

    if (pthread_mutex_init(&session->lock, NULL) != 0)
        return false;
    pthread_condattr_init(&attributes);
    pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC);
    if (pthread_cond_init(&session->changed, &attributes) != 0) {
        pthread_mutex_destroy(&session->lock);
        return false;
    }
    return true;
}

static enum xro_status start_session(const struct xro_module *module, enum xro_module_face face,
                                     const struct xro_engine *engine, const struct xro_settings *settings,
                                     struct xro_session **out)
{
    struct xrdcl_session *session = (struct xrdcl_session *)calloc(1, sizeof *session);

    if (session == NULL)
        return XRO_MEMORY;
    session->base.engine = engine;
    session->settings = settings;
    session->module = module;
    if (!init_session(session)) {
        free(session);
        return XRO_MEMORY;
    }
    session->inner = module->create(face, settings->target, xro_clock_now);
    if (session->inner == NULL)
        goto failed;
    if (!start_worker(session))
        goto failed;
    *out = &session->base;
    return XRO_OK;
failed:
    if (session->inner != NULL)
        module->destroy(session->inner);
    free_session(session);
    return XRO_MEMORY;
}

static enum xro_status start_face(enum xro_module_face face, const struct xro_engine *engine,
                                  const struct xro_settings *settings, struct xro_session **session,
                                  struct xro_error *error)
{
    const struct xro_module *module = load_module(error);
    enum xro_status status;

    *session = NULL;
    if (module == NULL)
        return error->status;
    set_parameters(module, settings);
    status = start_session(module, face, engine, settings, session);
    if (status != XRO_OK)
        *error = (struct xro_error){ .status = status, .phase = XRO_PHASE_OTHER, .hop = -1 };
    return status;
}

static enum xro_status xrdcl_start(const struct xro_engine *engine, const struct xro_settings *settings,
                                   struct xro_session **session, struct xro_error *error)
{
    return start_face(XRO_MODULE_XRDCL, engine, settings, session, error);
}

static enum xro_status xrdposix_start(const struct xro_engine *engine, const struct xro_settings *settings,
                                      struct xro_session **session, struct xro_error *error)
{
    return start_face(XRO_MODULE_XRDPOSIX, engine, settings, session, error);
}

/* Have the worker make the library forget the session: true when it did. Closing an open file waits for the server,
 * and a call may still be under way: then the worker is left to itself, and takes the memory with it. */
static bool worker_ends(struct xrdcl_session *session)
{
    bool ended = false;

    pthread_mutex_lock(&session->lock);
    if (session->state == IDLE) {
        session->state = QUIT;
        pthread_cond_signal(&session->changed);
        ended = await_idle(session, xro_ns_add(xro_clock_now(), stop_limit));
    }
    if (!ended) {
        atomic_store(&call_left_behind, true);
        pthread_detach(session->worker);
        session->left = true;
    }
    pthread_mutex_unlock(&session->lock);
    return ended;
}

static void module_stop(struct xro_session *base)
{
    struct xrdcl_session *session = (struct xrdcl_session *)base;

    if (session == NULL || !worker_ends(session))
        return;
    pthread_join(session->worker, NULL);
    free_session(session);
}

static const char *module_version(void)
{
    struct xro_error error;
    const struct xro_module *module = load_module(&error);

    return module != NULL ? module->version() : NULL;
}

#define MODULE_OPS (1u << XRO_OP_OPEN | 1u << XRO_OP_CLOSE | 1u << XRO_OP_READ | 1u << XRO_OP_STAT)

const struct xro_engine xro_engine_xrdcl = {
    .name = "xrdcl",
    .summary = "the official client library: XrdCl::File",
    .ops = MODULE_OPS,
    .start = xrdcl_start, .perform = module_perform, .stop = module_stop, .version = module_version,
};

const struct xro_engine xro_engine_xrdposix = {
    .name = "xrdposix",
    .summary = "the POSIX face of the official client library: XrdPosixXrootd",
    .ops = MODULE_OPS,
    .start = xrdposix_start, .perform = module_perform, .stop = module_stop, .version = module_version,
};
